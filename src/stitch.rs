//! Clips in, one clip out.
//!
//! 1. every clip is trimmed, brought to one frame rate and onto the first clip's skeleton;
//! 2. clips are cut where they meet best, if asked for;
//! 3. each is placed on the ground where the one before leads (position and heading; height is kept) and joined to it
//!    ([`Join`]);
//! 4. a network refines the seams, if asked for ([`Draft`]);
//! 5. feet that touch the ground are pinned, if asked for, and every seam is measured.

mod auto;
mod cut;
mod fill;
mod finish;
mod guard;
mod insert;
mod join;
mod refine;
mod score;
mod search;
mod way;

pub use auto::{Auto, AutoOptions, Trial};
pub use cut::SeamChoice;
pub use guard::Kept;
pub use insert::Insert;
pub use join::{Joined, Prepared, join, join_prepared};
pub use refine::refined;
pub use refine::{BLEND_SECS, Draft, draft, draft_options};
pub use score::Scoring;
pub use way::Way;

use crate::error::{Error, Result};
use crate::method::Join;
use crate::method::lscore::{Cut, LscoreOptions};
use crate::method::registry::Fillers;
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::widen::widened;
use crate::progress::Progress;
use std::ops::Range;

/// Fewest frames of a clip, after trimming and at the result's rate.
pub const MIN_FRAMES: usize = 10;

/// A seam is measured over the frames this long before and after its own, seconds: the same ones whatever joins the clips.
pub const MEASURED_SECS: f64 = 1.0;

/// Longest blend, seconds.
pub const MAX_BLEND_SECS: f64 = 60.0;

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
    pub join: Join,
    /// Length of each blend, seconds; shortened, with a warning, where a clip is too short for it.
    pub blend_secs: f64,
    /// Which frames of two clips meet.
    pub seam: SeamChoice,
    /// Frames put between two clips; with any, `join` and `blend_secs` do not count.
    pub insert: Insert,
    /// Name of the gap filler that makes inserted frames; see [`composed`].
    pub filler: &'static str,
    /// Whether the refiner adjusts the steps around seams; see [`composed`].
    pub refine: bool,
    /// Seams that are joined in a way of their own, in order; `None`, or no entry, for as the options above say.
    pub ways: Vec<Option<Way>>,
    /// How cuts are scored, and how many frames [`Join::Lscore`] may inject.
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
            join: Join::default(),
            blend_secs: 2.0 / 3.0,
            seam: SeamChoice::default(),
            insert: Insert::default(),
            filler: Way::FILLER,
            refine: false,
            ways: Vec::new(),
            lscore: LscoreOptions::default(),
            foot_lock: true,
            trim: Vec::new(),
            fps: None,
            name: None,
        }
    }
}

impl StitchOptions {
    /// How a seam is joined, counted from 0.
    pub fn way(&self, seam: usize) -> Way {
        let own = self.ways.get(seam).and_then(Option::as_ref);
        own.cloned().unwrap_or(Way {
            cut: self.seam,
            join: self.join,
            blend_secs: self.blend_secs,
            insert: self.insert,
            filler: self.filler,
            refine: self.refine,
        })
    }

    /// Whether the options make sense for a number of clips.
    fn check(&self, clips: usize) -> Result<()> {
        if self.ways.len() >= clips.max(1) {
            let message = format!("{} ways for {} seams", self.ways.len(), clips.saturating_sub(1));
            return Err(Error::Option { option: "seams", message });
        }
        for seam in 0..clips.saturating_sub(1) {
            let Way { blend_secs, insert, .. } = self.way(seam);
            insert.check()?;
            if !(0.0..=MAX_BLEND_SECS).contains(&blend_secs) {
                let message = format!("from 0 to {MAX_BLEND_SECS} seconds, not {blend_secs}");
                return Err(Error::Option { option: "blend", message });
            }
        }
        Ok(())
    }
}

/// What happened between two clips.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// First frame of the incoming clip, in frames of the result.
    pub frame: usize,
    /// How the clips were joined.
    pub join: Join,
    /// The whole way, cut, filler and refinement included.
    pub way: Way,
    /// What [`Auto`] tried, best first; empty where the way was given.
    pub tried: Vec<Trial>,
    /// Frames that were put between the clips, see [`Insert`]; with any, `join` was not used.
    pub inserted: usize,
    /// What a network did to the seam; `None` where none was asked.
    pub refined: Option<Refined>,
    /// Where the clips were cut, in frames of the input files; `None` where the whole clips meet and nothing was scored.
    pub cut: Option<Cut>,
    /// Frames of the result that differ from the aligned inputs because of the blend, or of the network's edit.
    pub edited: Range<usize>,
    /// Frames of the result that `foot_skate` and `peak_jerk` are measured over: [`MEASURED_SECS`] to both sides of `frame`,
    /// as far as the result reaches.
    pub measured: Range<usize>,
    /// Mean horizontal foot travel while in contact, metres a frame. 0 without feet.
    pub foot_skate: f32,
    /// Largest joint jerk, m/s³.
    pub peak_jerk: f32,
}

/// What a network did to a seam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refined {
    /// How far the network's own path would have led from the inputs' over the edited frames, centimetres. The result keeps
    /// the inputs' path.
    pub drift_cm: f32,
    /// Why its edit was not taken; `None` where it was.
    pub kept: Option<Kept>,
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
/// [`Error::TooShort`] for a clip under [`MIN_FRAMES`], [`Error::Option`] for options out of range, [`Error::Rig`] where
/// skeletons differ and cannot be retargeted, [`Error::Aborted`] where `progress` says so.
///
/// [`Error::TooShort`]: crate::Error::TooShort
/// [`Error::Option`]: crate::Error::Option
/// [`Error::Rig`]: crate::Error::Rig
/// [`Error::Aborted`]: crate::Error::Aborted
pub fn stitch(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Stitched> {
    let rest: Vec<&Clip> = clips.iter().skip(1).map(|input| input.clip).collect();
    let wide = clips.first().and_then(|first| widened(first.clip, &rest));
    let mut clips = clips.to_vec();
    if let Some((first, wide)) = clips.first_mut().zip(wide.as_ref()) {
        first.clip = wide;
    }
    join(&clips, options, progress)?.finish(progress)
}

/// As [`stitch`], by ways that may ask for networks: [`Way::refine`] and [`Way::filler`].
///
/// # Errors
/// Those of [`stitch`]; [`Error::Option`] for a network that is not given, [`Error::Rig`] where one needs a biped.
pub fn composed(
    clips: &[Input],
    options: &StitchOptions,
    networks: &Fillers,
    refiner: Option<&PackedRmr>,
    progress: &mut Progress,
) -> Result<Stitched> {
    let joined = join(clips, options, progress)?;
    let mut stitched = match joined.stitched.seams.iter().any(|seam| seam.way.refine) {
        true => {
            let message = "refining a seam needs the refiner: load it first".to_owned();
            let refiner = refiner.ok_or(Error::Option { option: "refine", message })?;
            Draft::of(joined)?.refined(refiner, progress)?
        }
        false => joined.finish(progress)?,
    };
    let Some(first) = clips.first() else { return Ok(stitched) };
    if fill::fill(&mut stitched, first.rig, networks, options, progress)? {
        finish::measure(&mut stitched, first.rig);
    }
    Ok(stitched)
}

/// As [`stitch`], each seam joined in the way that is most natural; ways that `options` give are kept ([`Auto`]).
///
/// # Errors
/// Those of [`composed`].
pub fn stitch_auto(
    clips: &[Input],
    options: &StitchOptions,
    auto: &AutoOptions,
    progress: &mut Progress,
) -> Result<Stitched> {
    let mut search = Auto::new(clips, options, progress)?;
    while search.advance(&clips[0], options, auto, progress)? < 1.0 {}
    search.finish(clips, options, auto, progress)
}
