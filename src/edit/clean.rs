//! Clean: finds and mends faults of captured, retargeted or generated motion.
//!
//! 1. spikes and dropouts are filled;
//! 2. jitter is smoothed;
//! 3. the floor is levelled and moved to 0;
//! 4. a way over the ground that is too long or too short for its steps is corrected;
//! 5. feet are held where they touch the ground.
//!
//! Each fault is mended only where it is found. Motion that is merely sharp, fast or stylized passes: noise is measured
//! in the calmest windows of each joint, a spike must return to its path, a floor and a way must be clearly wrong.

mod dropouts;
mod feet;
mod floor;
mod jitter;
mod spikes;
mod supports;
mod way;

use super::{Edit, Edited, Selection};
use crate::error::{Error, Result};
use crate::method::filler::Filler;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::progress::{Progress, Stage};
use jitter::Noise;

/// Options of [`clean`]. Each strength from 0 (off) to 1 is the fraction of a fault that is corrected.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanOptions {
    /// Whether spikes are filled.
    pub spikes: bool,
    /// Whether dropouts are filled.
    pub dropouts: bool,
    /// Strength of the smoothing, 0 to 3: a factor of the measured noise.
    pub jitter: f32,
    /// Strength of the correction of height and tilt of the floor, 0 to 1.
    pub floor: f32,
    /// Strength of the correction of the way over the ground, 0 to 1.
    pub way: f32,
    /// Strength of the hold of feet, 0 to 1.
    pub feet: f32,
    /// Frames and joints to change; by default all. Floor and way are corrected only in whole motions.
    pub selection: Option<Selection>,
}

impl Default for CleanOptions {
    fn default() -> Self {
        Self { spikes: true, dropouts: true, jitter: 1.0, floor: 1.0, way: 1.0, feet: 1.0, selection: None }
    }
}

impl CleanOptions {
    fn check(&self) -> Result<()> {
        let strengths = [
            ("jitter", self.jitter, 3.0),
            ("floor", self.floor, 1.0),
            ("way", self.way, 1.0),
            ("feet", self.feet, 1.0),
        ];
        match strengths.into_iter().find(|(_, strength, max)| !(0.0..=*max).contains(strength)) {
            Some((option, strength, max)) => {
                Err(Error::Option { option, message: format!("must be from 0 to {max}, not {strength}") })
            }
            None => Ok(()),
        }
    }
}

/// Returns whether a clip has dropouts, for which [`clean`] uses its filler.
pub fn has_dropouts(clip: &Clip) -> bool {
    dropouts::is_found(clip)
}

/// Finds and mends the faults of a motion. `filler`: fills dropouts.
///
/// # Errors
/// [`Error::Option`] for strengths out of range, the errors of the filler, [`Error::Aborted`] if `progress` aborts.
pub fn clean(
    clip: &Clip,
    rig: &Rig,
    options: &CleanOptions,
    filler: &dyn Filler,
    progress: &mut Progress,
) -> Result<Edited> {
    options.check()?;
    let selection = options.selection.clone().unwrap_or_else(|| Selection::all(clip));
    let mut edited = clip.clone();
    let mut edits: Vec<Edit> = Vec::new();
    progress.at(Stage::Scan, 0.0)?;
    let mut noise = Noise::measure(clip);
    if options.spikes {
        edits.extend(spikes::mend(&mut edited, &noise, &selection));
    }
    if options.dropouts {
        let mut part = progress.part(0.0..0.2);
        edits.extend(dropouts::mend(&mut edited, rig, filler, &selection, &mut part)?);
    }
    if options.jitter > 0.0 {
        noise = Noise::measure(&edited).of_joints(&edited, |joint| selection.has_joint(joint));
        let smoothed = jitter::smooth(&edited, &mut noise, options.jitter, &mut progress.part(0.2..0.9))?;
        edits.extend(jitter::report(&edited, &smoothed, &noise, &selection));
        selection.apply(&mut edited, &smoothed);
    }
    if selection.is_all() {
        if options.floor > 0.0 {
            edits.extend(floor::level(&mut edited, rig, options.floor));
        }
        if options.way > 0.0 {
            edits.extend(way::correct(&mut edited, rig, options.way));
        }
    }
    if options.feet > 0.0 {
        let mut held = edited.clone();
        let noise = feet::noise_of_feet(&noise, rig, clip);
        edits.extend(feet::hold(&mut held, rig, (options.feet, noise), &mut progress.part(0.9..1.0))?);
        selection.apply(&mut edited, &held);
    }
    edits.sort_by_key(|edit| (edit.frames.len() == clip.frames(), edit.frames.start));
    Ok(Edited { clip: edited, edits, warnings: Vec::new() })
}
