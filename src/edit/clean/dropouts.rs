//! Dropouts: the whole body stands still for several frames in the midst of a motion, and then jumps to where it would
//! be. The held frames are filled by the in-betweener; the frames around them are its keys and do not change.
//!
//! A pose that an animator holds is kept: it does not move just before and after, or it ends without a jump.

use crate::edit::{Edit, EditKind, Selection};
use crate::error::{Error, Result};
use crate::inbetween::{CONTEXT_SECS, GAP_FRAMES, InbetweenOptions, Key, inbetween};
use crate::method::filler::Filler;
use crate::method::registry::{FillerChoice, NO_NETWORKS};
use crate::motion::clip::Clip;
use crate::motion::quat::log;
use crate::motion::rig::Rig;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// Least number of frames that hold.
const MIN_FRAMES: usize = 3;
/// Step below which a frame holds the one before: radians and metres, root mean square of all joints.
const HELD_STEP: f32 = 2e-5;
/// The jump after a dropout exceeds the steps around it by this factor.
const JUMP_RATIO: f32 = 1.8;
/// The steps around a dropout are at least this fraction of the jump.
const MIN_MOTION: f32 = 0.04;
/// Least jump, radians and metres, root mean square.
const MIN_JUMP: f32 = 0.004;
/// Number of steps around a dropout that are compared with it.
const STEPS_AROUND: usize = 3;
/// Frames on each side of a gap that are keys for its filling, in addition to the in-betweener's context, seconds.
const KEY_SECS: f64 = 1.0;

/// Returns the root mean square step of rotations and translations since the frame before, `[frames]`.
fn steps(clip: &Clip) -> Vec<f32> {
    let step = |frame: usize| {
        if frame == 0 {
            return 0.0;
        }
        let (a, b) = (clip.frame_rotations(frame - 1), clip.frame_rotations(frame));
        let angles: f32 =
            a.iter().zip(b).map(|(a, b)| if a == b { 0.0 } else { log(a.conjugate() * *b).length_squared() }).sum();
        let (a, b) = (clip.frame_translations(frame - 1), clip.frame_translations(frame));
        let ways: f32 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
        ((angles + ways) / clip.joints() as f32).sqrt()
    };
    (0..clip.frames()).map(step).collect()
}

/// Finds the dropouts of a clip, with the jump after each relative to the steps around it.
fn find(clip: &Clip) -> Vec<(Range<usize>, f32)> {
    let steps = steps(clip);
    let mut found = Vec::new();
    let mut start = 1;
    while start < steps.len() {
        if steps[start] > HELD_STEP {
            start += 1;
            continue;
        }
        let end = (start..steps.len()).find(|&frame| steps[frame] > HELD_STEP).unwrap_or(steps.len());
        let mean = |steps: &[f32]| steps.iter().sum::<f32>() / steps.len().max(1) as f32;
        if end - start >= MIN_FRAMES && end + 1 < steps.len() && start > 1 {
            let before = mean(&steps[start.saturating_sub(STEPS_AROUND).max(1)..start]);
            let after = mean(&steps[end + 1..(end + 1 + STEPS_AROUND).min(steps.len())]);
            let jump = steps[end];
            let around = before.max(after);
            if jump > MIN_JUMP && jump > JUMP_RATIO * around && before.min(after) > MIN_MOTION * jump {
                found.push((start..end, jump / around));
            }
        }
        start = end;
    }
    found
}

/// Returns whether a clip has dropouts.
pub(super) fn is_found(clip: &Clip) -> bool {
    !find(clip).is_empty()
}

/// Fills the dropouts of a clip.
pub(super) fn mend(
    clip: &mut Clip,
    rig: &Rig,
    filler: &dyn Filler,
    selection: &Selection,
    progress: &mut Progress,
) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    let found = find(clip);
    for (index, (frames, ratio)) in found.iter().enumerate() {
        progress.at(Stage::Blend, index as f32 / found.len() as f32)?;
        if !selection.has_frames(frames) || !GAP_FRAMES.contains(&frames.len()) {
            continue;
        }
        // A network refuses bodies other than bipeds, and very long gaps.
        match refill(clip, rig, filler, frames) {
            Err(Error::Rig { .. } | Error::Option { .. }) => {
                refill(clip, rig, NO_NETWORKS.get(&FillerChoice::default())?.as_ref(), frames)?;
            }
            result => result?,
        }
        edits.push(Edit {
            kind: EditKind::Dropout,
            frames: frames.clone(),
            joints: Vec::new(),
            text: format!("{} held frames filled, which ended with a jump", frames.len()),
            before: *ratio,
            after: 1.0,
            unit: "× the steps around it",
        });
    }
    Ok(edits)
}

/// Fills frames of a clip by the in-betweener, from the frames around them; these keep their bits.
pub(super) fn refill(clip: &mut Clip, rig: &Rig, filler: &dyn Filler, frames: &Range<usize>) -> Result<()> {
    let reach = ((KEY_SECS + CONTEXT_SECS) * clip.fps()).ceil() as usize;
    let first = frames.start.saturating_sub(reach);
    let window = clip.trimmed(first..(frames.end + reach).min(clip.frames()))?;
    let gap = frames.start - first..frames.end - first;
    let keys = [0..gap.start, gap.end..window.frames()].map(|frames| Key { clip: &window, rig, frames, at: None });
    let options = InbetweenOptions { frames: vec![gap.len()], ..InbetweenOptions::default() };
    let filled = inbetween(&keys, filler, &options, &mut Progress::silent())?.clip;
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    clip.rotations_mut()[frames.start * joints..frames.end * joints]
        .copy_from_slice(&filled.rotations()[gap.start * joints..gap.end * joints]);
    clip.translations_mut()[frames.start * width..frames.end * width]
        .copy_from_slice(&filled.translations()[gap.start * width..gap.end * width]);
    Ok(())
}
