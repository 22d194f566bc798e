//! Clips in, one clip out.
//!
//! 1. every clip is trimmed, brought to one frame rate and onto the first clip's skeleton;
//! 2. clips are cut where they meet best, if asked for;
//! 3. each is placed on the ground where the one before leads (position and heading; height is kept) and joined to it by a
//!    [`Method`];
//! 4. feet that touch the ground are pinned, if asked for.

mod cut;
mod join;
mod refine;

pub use cut::SeamChoice;
#[cfg(feature = "flex")]
pub use refine::refined;
pub use refine::{BLEND_SECS, Draft, draft};

use crate::error::{Error, Result};
use crate::method::Method;
use crate::method::lscore::{Cut, LscoreOptions};
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, contacts, tracks};
use crate::motion::foot_lock;
use crate::motion::foot_plan::{FootPlan, Predicted, Source};
use crate::motion::rig::{Rig, RigKind};
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// Fewest frames of a clip, after trimming and at the result's rate.
pub const MIN_FRAMES: usize = 10;

/// Frames this long before and after a blend count as around the seam, seconds.
pub const AROUND_SECS: f64 = 0.25;

/// One clip to stitch, with its bone mapping.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The motion.
    pub clip: &'a Clip,
    /// Which joint plays which role.
    pub rig: &'a Rig,
}

/// What to do; `StitchOptions::default()` is a good start.
#[derive(Debug, Clone)]
pub struct StitchOptions {
    /// How clips are joined.
    pub method: Method,
    /// Length of each blend in frames of the result; shortened, with a warning, where a clip is too short for it.
    pub blend_frames: usize,
    /// Which frames of two clips meet.
    pub seam: SeamChoice,
    /// How cuts are scored, and how many frames [`Method::Lscore`] may inject.
    pub lscore: LscoreOptions,
    /// Pin feet that touch the ground by two-bone IK. Bipeds only.
    pub foot_lock: bool,
    /// Frames used of each input, in its own frames; `None`, or no entry, for all.
    pub trim: Vec<Option<Range<usize>>>,
    /// Frames a second of the result; the first clip's by default.
    pub fps: Option<f64>,
    /// Name of the result; the inputs' names joined by " + " by default.
    pub name: Option<String>,
}

impl Default for StitchOptions {
    fn default() -> Self {
        Self {
            method: Method::default(),
            blend_frames: 20,
            seam: SeamChoice::default(),
            lscore: LscoreOptions::default(),
            foot_lock: true,
            trim: Vec::new(),
            fps: None,
            name: None,
        }
    }
}

/// What happened between two clips.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// First frame of the incoming clip, in frames of the result.
    pub frame: usize,
    /// How the clips were joined.
    pub method: Method,
    /// Where the clips were cut, in frames of the input files; `None` where the whole clips meet and nothing was scored.
    pub cut: Option<Cut>,
    /// Frames of the result that differ from the aligned inputs because of the blend, or of the network's edit.
    pub edited: Range<usize>,
    /// Mean horizontal foot travel while in contact around the seam, metres a frame. 0 without feet.
    pub foot_skate: f32,
    /// Largest joint jerk around the seam, m/s³.
    pub peak_jerk: f32,
    /// How far a network's own path would have led from the inputs' over the edited frames, centimetres. The result keeps
    /// the inputs' path. 0 for other methods.
    pub drift_cm: f32,
}

/// The stitched motion, and how it came about.
#[derive(Debug, Clone)]
pub struct Stitched {
    /// The result, on the first clip's skeleton.
    pub clip: Clip,
    /// The inputs as they were joined: trimmed, resampled, retargeted and placed on the ground.
    pub aligned: Vec<Clip>,
    /// Frame of the result at which frame 0 of each aligned input stands.
    pub starts: Vec<usize>,
    /// One for each pair of neighbours.
    pub seams: Vec<Seam>,
    /// Things a person should know.
    pub warnings: Vec<String>,
}

/// Joins clips into one motion on the first clip's skeleton and in its file's units, axes and channel order.
///
/// # Errors
/// [`Error::TooShort`] for a clip under [`MIN_FRAMES`], [`Error::Option`] for options out of range and for
/// [`Method::Rmr`], whose network runs between [`draft`] and [`Draft::finish`], [`Error::Rig`] where skeletons differ and
/// cannot be retargeted, [`Error::Aborted`] where `progress` says so.
pub fn stitch(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Stitched> {
    if options.method == Method::Rmr {
        let message = "\"rmr\" needs its network: load it first, or use \"inertialize\"".to_owned();
        return Err(Error::Option { option: "method", message });
    }
    let mut stitched = join::join(clips, options, progress)?;
    let Some(Input { rig, .. }) = clips.first() else { return Ok(stitched) };
    if options.foot_lock {
        pin(&mut stitched, rig, &[], progress)?;
    }
    measure(&mut stitched, rig);
    progress.at(Stage::FootLock, 1.0)?;
    Ok(stitched)
}

/// Pins the feet by the contacts of the inputs, and by predicted ones where there are any.
fn pin(stitched: &mut Stitched, rig: &Rig, predicted: &[Predicted], progress: &mut Progress) -> Result<()> {
    let Stitched { clip, aligned, starts, seams, .. } = stitched;
    let Some(legs) = Legs::of(clip, rig) else { return Ok(()) };
    progress.at(Stage::FootLock, 0.5)?;
    let sources: Vec<Source> = (0..aligned.len())
        .map(|index| Source {
            clip: &aligned[index],
            start: starts[index],
            from: speaks_from(seams, index),
            blend: index.checked_sub(1).map_or(0..0, |seam| seams[seam].edited.clone()),
        })
        .collect();
    let tracks = tracks(clip, &legs);
    let mut plan = FootPlan::of(clip, &legs, &tracks, &sources);
    plan.predict(clip, &legs, &tracks, predicted);
    foot_lock::lock(clip, &legs, &tracks, &plan, &mut progress.part(0.6..1.0))
}

/// Fills in what only the finished motion tells: foot skate and jerk around each seam.
fn measure(stitched: &mut Stitched, rig: &Rig) {
    let Stitched { clip, aligned, seams, .. } = stitched;
    let feet = match rig.kind {
        RigKind::Biped => metrics::soles(rig, contacts(&aligned[0], rig).world_ground),
        RigKind::Other => Vec::new(),
    };
    let around = (AROUND_SECS * clip.fps()).round() as usize;
    for seam in seams {
        let frames = seam.edited.start.saturating_sub(around)..(seam.edited.end + around).min(clip.frames());
        seam.foot_skate = metrics::foot_skate(clip, &feet, frames.clone()).slide;
        seam.peak_jerk = match clip.trimmed(frames) {
            Ok(part) => metrics::jerk(&part).into_iter().fold(0.0, f32::max),
            Err(_) => 0.0,
        };
    }
}

/// First frame of the result in which input `index` says what the feet do: the seam, half-way through a crossfade.
fn speaks_from(seams: &[Seam], index: usize) -> usize {
    let Some(seam) = index.checked_sub(1).map(|before| &seams[before]) else { return 0 };
    match seam.method {
        Method::Crossfade | Method::Lscore => seam.edited.start + seam.edited.len() / 2,
        Method::Inertialize | Method::Rmr => seam.frame,
    }
}
