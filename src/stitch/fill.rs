//! Replaces inserted frames, which are interpolated at first, by the frames of a gap filler.
//!
//! Each gap is filled separately, as the motion between two keys: one second of motion before it and one second after
//! it.

use super::{FillerChoice, SeamReport, StitchOptions, Stitched, Transition};
use crate::body::GroundPose;
use crate::error::Result;
use crate::inbetween::{InbetweenOptions, Key, Session};
use crate::method::filler::Filler;
use crate::method::registry::Fillers;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use crate::progress::Progress;
use std::ops::Range;

/// Duration of the motion before and after a gap that its filler reads, seconds.
const KEY_SECS: f64 = 1.0;

/// Returns the filler that has to replace the interpolated frames of a seam; `None` if there is none.
fn requested_filler(seam: &SeamReport) -> Option<&FillerChoice> {
    match &seam.made.transition {
        Transition::Insert { filler, .. } if !filler.is_default() => Some(filler),
        _ => None,
    }
}

/// Fills the inserted frames of every seam that has another filler than the default. Returns whether there was such a
/// seam.
///
/// # Errors
/// [`crate::Error::Option`] for a filler that is unknown or not loaded, and those of [`crate::inbetween::inbetween`].
pub(super) fn fill(
    stitched: &mut Stitched,
    rig: &Rig,
    networks: &Fillers,
    options: &StitchOptions,
    progress: &mut Progress,
) -> Result<bool> {
    let unfilled: Vec<usize> = (0..stitched.seam_reports.len())
        .filter(|&seam| requested_filler(&stitched.seam_reports[seam]).is_some())
        .collect();
    for (done, &index) in unfilled.iter().enumerate() {
        let fractions = [done, done + 1].map(|done| done as f32 / unfilled.len() as f32);
        let seam = &stitched.seam_reports[index];
        let Some(choice) = requested_filler(seam) else { continue };
        let filler = networks.get(choice)?;
        // `edited_range` may also contain frames around the gap, which the refiner edited.
        let gap = seam.frame - seam.inserted..seam.frame;
        let (motion, warnings) = fill_gap(
            &stitched.clip,
            &gap,
            rig,
            filler.as_ref(),
            options,
            &mut progress.part(fractions[0]..fractions[1]),
        )?;
        overwrite(&mut stitched.clip, &gap, &motion);
        for warning in warnings {
            stitched.warnings.push(format!("seam {}: {warning}", index + 1));
        }
    }
    Ok(!unfilled.is_empty())
}

/// Returns the frames of a filled gap, and warnings.
fn fill_gap(
    clip: &Clip,
    gap: &Range<usize>,
    rig: &Rig,
    filler: &dyn Filler,
    options: &StitchOptions,
    progress: &mut Progress,
) -> Result<(Clip, Vec<String>)> {
    let key_frames = (KEY_SECS * clip.fps()).ceil() as usize;
    // Two clips: a clip of both keys would contain the interpolated frames, and heights and contacts are measured in
    // the clips of the keys.
    let before = clip.trimmed(gap.start.saturating_sub(key_frames)..gap.start)?;
    let after = clip.trimmed(gap.end..(gap.end + key_frames).min(clip.frames()))?;
    let landing = Root::new(clip.skeleton(), &[&before, &after], rig).pose(&after, 0);
    let at = GroundPose::new(landing.world_position.x, landing.world_position.z, landing.heading());
    let keys = [
        Key { clip: &before, rig, frames: 0..before.frames(), at: None },
        Key { clip: &after, rig, frames: 0..after.frames(), at: Some(at) },
    ];
    let options = InbetweenOptions { frames: vec![gap.len()], foot_lock: options.foot_lock, ..Default::default() };
    let motion = Session::new(&keys, &options, progress)?.solve(filler, progress)?;
    Ok((motion.clip.trimmed(before.frames()..before.frames() + gap.len())?, motion.warnings))
}

/// Overwrites a range of a clip with the frames of another clip on the same skeleton.
fn overwrite(clip: &mut Clip, range: &Range<usize>, replacement: &Clip) {
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    clip.rotations_mut()[range.start * joints..range.end * joints].copy_from_slice(replacement.rotations());
    clip.translations_mut()[range.start * width..range.end * width].copy_from_slice(replacement.translations());
}
