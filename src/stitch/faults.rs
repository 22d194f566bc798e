//! Measures the visible faults of every seam of a finished motion.

use super::insert::transition_frames;
use super::join::prepare_inputs;
use super::{Input, MIN_FRAMES, Measures, SeamReport, StitchOptions, Stitched};
use crate::error::{Error, Result, quoted};
use crate::judge::faults::{Reference, upper_body};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use crate::progress::Progress;
use std::ops::Range;

/// Angle within which a joint has the rotation of a clip, radians: files contain rounded numbers.
const SAME_ANGLE: f32 = 0.01;
/// Only every so many frames are compared while the place of a clip is searched.
const STRIDE: usize = 3;

/// Fills in [`SeamReport::measures`].
pub(super) fn measure(stitched: &mut Stitched, rig: &Rig) {
    let Stitched { clip, aligned, starts, seam_reports, .. } = stitched;
    for (index, seam) in seam_reports.iter_mut().enumerate() {
        let placed = [&aligned[index], &aligned[index + 1]];
        let dwell = dwell(seam, placed, rig);
        let starts = [starts[index], starts[index + 1]];
        seam.measures = Reference::new(placed, rig).measure(clip, placed, starts, dwell);
    }
}

/// Returns the seconds that were inserted beyond those in which the joints move from one pose to the other at the mean
/// speed of both sides.
pub(super) fn dwell(seam: &SeamReport, placed: [&Clip; 2], rig: &Rig) -> f32 {
    if seam.inserted == 0 {
        return 0.0;
    }
    let root = Root::new(placed[0].skeleton(), &placed, rig);
    let asked = transition_frames(placed[0], placed[1], &root);
    (seam.inserted.saturating_sub(asked) as f64 / placed[0].fps()) as f32
}

/// Finds clips in a motion that was joined from them, in order, and measures the seams between them. Frames are compared
/// by the rotations of the upper body. The inserted time is unknown, so [`Measures::dwell`] is 0.
///
/// # Errors
/// Those of [`super::stitch`], and [`Error::Option`] for a clip that is not a part of the motion.
pub fn find_seams(motion: Input, clips: &[Input], progress: &mut Progress) -> Result<Vec<Measures>> {
    let all: Vec<Input> = std::iter::once(motion).chain(clips.iter().copied()).collect();
    let (mut clips, _) = prepare_inputs(&all, &StitchOptions::default(), progress)?;
    let whole = clips.remove(0);
    let joints = upper_body(&whole, motion.rig);
    let mut parts: Vec<(Clip, usize)> = Vec::with_capacity(clips.len());
    let mut from = 0;
    for clip in &clips {
        let Some((frames, start)) = find_clip(&whole, clip, &joints, from) else {
            let message = format!("{} is not a part of {}", quoted(&clip.name), quoted(&whole.name));
            return Err(Error::Option { option: "clips", message });
        };
        from = start + frames.len();
        parts.push((clip.trimmed(frames)?, start));
    }
    let measure = |pair: &[(Clip, usize)]| {
        let placed = [&pair[0].0, &pair[1].0];
        Reference::new(placed, motion.rig).measure(&whole, placed, [pair[0].1, pair[1].1], 0.0)
    };
    Ok(parts.windows(2).map(measure).collect())
}

/// Finds the longest part of a clip in a motion from frame `from` on. Returns its frames in the clip, and its first frame
/// in the motion.
fn find_clip(motion: &Clip, clip: &Clip, joints: &[usize], from: usize) -> Option<(Range<usize>, usize)> {
    let is_equal = |frame: usize, source: usize| {
        let (a, b) = (motion.frame_rotations(frame), clip.frame_rotations(source));
        joints.iter().all(|&joint| a[joint].angle_between(b[joint]) < SAME_ANGLE)
    };
    // Frame 0 of the clip is `shift` frames after frame `from` of the motion, or before it.
    let sources = |shift: isize| {
        let first = (-shift).max(0) as usize;
        let end = (motion.frames() as isize - from as isize - shift).clamp(0, clip.frames() as isize) as usize;
        first..end.max(first)
    };
    let frame_of = |source: usize, shift: isize| (from as isize + shift + source as isize) as usize;
    let count = |shift: isize| {
        sources(shift).step_by(STRIDE).filter(|&source| is_equal(frame_of(source, shift), source)).count()
    };
    let shifts = 1 - clip.frames() as isize..motion.frames().saturating_sub(from) as isize;
    // Of equal numbers the earliest wins.
    let best = shifts.map(|shift| (count(shift), shift)).max_by_key(|&(count, shift)| (count, -shift))?;
    let (mut longest, mut start) = (0..0, None);
    for source in sources(best.1) {
        if !is_equal(frame_of(source, best.1), source) {
            start = None;
            continue;
        }
        let run = *start.get_or_insert(source)..source + 1;
        if run.len() > longest.len() {
            longest = run;
        }
    }
    (longest.len() >= MIN_FRAMES).then(|| (longest.clone(), frame_of(longest.start, best.1)))
}
