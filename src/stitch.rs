//! Stitching: joins clips to one clip.
//!
//! 1. the clips are moved up or down to one floor ([`Ground`]); each is trimmed, resampled to one frame rate and
//!    retargeted to the first clip's skeleton;
//! 2. clips are cut where they match best, if requested;
//! 3. each clip is moved on the ground to continue the clip before it (position and heading; its height is kept), and
//!    the two are joined ([`Join`]);
//! 4. a network refines the seams, if requested ([`Draft`]);
//! 5. feet that touch the ground are pinned, if requested;
//! 6. a gap filler replaces the interpolation in inserted frames, if requested, and every seam is measured.

mod auto;
mod cut;
pub mod cycle;
mod faults;
mod fill;
mod finish;
mod guard;
mod insert;
mod join;
mod join_options;
pub mod phase_cut;
mod refine;
mod search;
mod trial;

pub use auto::{Auto, AutoOptions};
pub use cut::SeamChoice;
pub use faults::find_seams;
pub use guard::Rejection;
pub use insert::Insert;
pub use join::{Joined, Prepared, join, join_prepared};
pub use join_options::JoinOptions;

pub use refine::{BLEND_SECS, Draft, draft, draft_options, refine};
pub use trial::Trial;

pub use crate::judge::faults::{Fault, FaultKind, Measures};
pub use crate::judge::score::Scoring;

use crate::error::{Error, Result};
use crate::method::Join;
use crate::method::lscore::{Cut, LscoreOptions};
use crate::method::registry::Fillers;
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::motion::floor::Ground;
pub use crate::motion::gait::Heading;
use crate::motion::rig::Rig;
use crate::motion::widen::widen;
use crate::progress::Progress;
use std::ops::Range;

/// Smallest number of frames of a clip, after trimming and cutting and at the result's rate.
pub const MIN_FRAMES: usize = 10;

/// Every seam is measured over this duration before and after its frame, whatever the method, seconds.
pub const MEASURED_SECS: f64 = 1.0;

/// Longest blend, seconds.
pub const MAX_BLEND_SECS: f64 = 60.0;

/// One clip to stitch, with its bone mapping.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The motion.
    pub clip: &'a Clip,
    /// Its bone mapping.
    pub rig: &'a Rig,
}

/// Options of [`stitch`]. `StitchOptions::default()` suits most motions.
#[derive(Debug, Clone)]
pub struct StitchOptions {
    /// How clips are joined.
    pub join: Join,
    /// Length of each blend, seconds; shortened, with a warning, if a clip is too short.
    pub blend_secs: f64,
    /// How the cuts between clips are chosen.
    pub seam: SeamChoice,
    /// Frames inserted between two clips; if there are any, `join` and `blend_secs` are ignored.
    pub insert: Insert,
    /// Name of the gap filler that makes inserted frames; see [`stitch_with_networks`].
    pub filler: &'static str,
    /// Whether the refiner adjusts the motion around seams; see [`stitch_with_networks`].
    pub refine: bool,
    /// Options of individual seams, in order; `None`, or a missing entry, uses the options above.
    pub seams: Vec<Option<JoinOptions>>,
    /// Parameters of the score of cuts, and the range of frames that [`Join::Lscore`] may inject.
    pub lscore: LscoreOptions,
    /// Treatment of clips that stand on different floors.
    pub ground: Ground,
    /// Rule for the direction of each clip after the first.
    pub heading: Heading,
    /// Whether feet that touch the ground are pinned by two-bone inverse kinematics. Bipeds only.
    pub foot_lock: bool,
    /// Range of frames to use of each input, in frames of that input; `None`, or a missing entry, uses all frames.
    pub trim: Vec<Option<Range<usize>>>,
    /// Frame rate of the result, frames per second; that of the first clip by default.
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
            filler: JoinOptions::FILLER,
            refine: false,
            seams: Vec::new(),
            lscore: LscoreOptions::default(),
            ground: Ground::Level,
            heading: Heading::default(),
            foot_lock: true,
            trim: Vec::new(),
            fps: None,
            name: None,
        }
    }
}

impl StitchOptions {
    /// Returns the options of a seam: its entry in `seams`, or else the general options. Seams count from 0.
    pub fn for_seam(&self, seam: usize) -> JoinOptions {
        let own = self.seams.get(seam).and_then(Option::as_ref);
        own.cloned().unwrap_or(JoinOptions {
            cut: self.seam,
            join: self.join,
            blend_secs: self.blend_secs,
            insert: self.insert,
            filler: self.filler,
            refine: self.refine,
        })
    }

    /// Checks that the options are in range, and that there are not more entries than clips, or than seams between
    /// them. `clips`: number of clips.
    fn check(&self, clips: usize) -> Result<()> {
        if self.seams.len() >= clips.max(1) {
            let message = format!("{} entries are given for {} seams", self.seams.len(), clips.saturating_sub(1));
            return Err(Error::Option { option: "seams", message });
        }
        if self.trim.len() > clips {
            let message = format!("{} entries are given for {clips} clips", self.trim.len());
            return Err(Error::Option { option: "trim", message });
        }
        // Joins by L-score, which `Auto` tries, would otherwise be left out without a message.
        self.lscore.check()?;
        for seam in 0..clips.saturating_sub(1) {
            let JoinOptions { blend_secs, insert, .. } = self.for_seam(seam);
            insert.check()?;
            if !(0.0..=MAX_BLEND_SECS).contains(&blend_secs) {
                let message = format!("from 0 to {MAX_BLEND_SECS} seconds, not {blend_secs}");
                return Err(Error::Option { option: "blend", message });
            }
        }
        Ok(())
    }
}

/// Report on one seam.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// First frame of the incoming clip, in frames of the result.
    pub frame: usize,
    /// How the clips were joined.
    pub join: Join,
    /// All options of the join, including cut, filler and refinement.
    pub options: JoinOptions,
    /// Joins that [`Auto`] tried, best first; empty if the options determine the join.
    pub trials: Vec<Trial>,
    /// Number of frames inserted between the clips, see [`Insert`]; if there are any, `join` was not used.
    pub inserted: usize,
    /// Report on the refinement; `None` if none was requested.
    pub refinement: Option<RefinementReport>,
    /// The cut between the clips, in frames of the input files; `None` if the whole clips were used and nothing
    /// was scored.
    pub cut: Option<Cut>,
    /// Frames of the result that differ from the aligned inputs because of the blend or the refinement, or that were
    /// inserted.
    pub edited_range: Range<usize>,
    /// Frames of the result in which `foot_skate` and `peak_jerk` are measured: [`MEASURED_SECS`] to both sides of
    /// `frame`, within the result.
    pub measured_range: Range<usize>,
    /// Mean horizontal foot travel during ground contact, metres per frame; 0 unless the rig is a biped.
    pub foot_skate: f32,
    /// Largest joint jerk, m/s³.
    pub peak_jerk: f32,
    /// Measured properties that an eye sees, see [`Measures::faults`].
    pub measures: Measures,
}

/// Report on the refinement of a seam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefinementReport {
    /// Largest distance, in the edited frames, between the path of the draft and the path that the network predicts,
    /// centimetres. The result keeps the path of the draft.
    pub drift_cm: f32,
    /// Reason why the network's edit was rejected; `None` if it was accepted.
    pub fallback_reason: Option<Rejection>,
}

/// The stitched motion, with a report.
#[derive(Debug, Clone)]
pub struct Stitched {
    /// The result, on the first clip's skeleton.
    pub clip: Clip,
    /// The inputs as joined: trimmed, resampled, retargeted and placed on the ground.
    pub aligned: Vec<Clip>,
    /// Frame of the result at which frame 0 of each aligned input is.
    pub starts: Vec<usize>,
    /// One report for each pair of neighbouring clips.
    pub seams: Vec<Seam>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Joins clips to one motion on the first clip's skeleton and in the units, axes and channel order of its file.
///
/// # Errors
/// [`Error::TooShort`] for a clip under [`MIN_FRAMES`], [`Error::Option`] for options out of range, [`Error::Rig`]
/// if skeletons differ and cannot be retargeted, [`Error::Aborted`] if `progress` aborts.
///
/// [`Error::TooShort`]: crate::Error::TooShort
/// [`Error::Option`]: crate::Error::Option
/// [`Error::Rig`]: crate::Error::Rig
/// [`Error::Aborted`]: crate::Error::Aborted
pub fn stitch(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Stitched> {
    // The result is on the first clip's skeleton, so this must have translations for all joints that any clip moves.
    let rest: Vec<&Clip> = clips.iter().skip(1).map(|input| input.clip).collect();
    let wide = clips.first().and_then(|first| widen(first.clip, &rest));
    let mut clips = clips.to_vec();
    if let Some((first, wide)) = clips.first_mut().zip(wide.as_ref()) {
        first.clip = wide;
    }
    join(&clips, options, progress)?.finish(progress)
}

/// Joins clips like [`stitch`], and also applies the networks that [`JoinOptions::refine`] and [`JoinOptions::filler`]
/// request. The first clip's skeleton stays as it is ([`stitch`] may add translations to it).
///
/// # Errors
/// Those of [`stitch`]; [`Error::Option`] for a network that is missing, [`Error::Rig`] if a network needs a biped.
pub fn stitch_with_networks(
    clips: &[Input],
    options: &StitchOptions,
    networks: &Fillers,
    refiner: Option<&PackedRmr>,
    progress: &mut Progress,
) -> Result<Stitched> {
    let joined = join(clips, options, progress)?;
    finish_with_networks(joined, clips, options, networks, refiner, progress)
}

/// [`stitch_with_networks`] without the search for visible faults.
fn join_with_networks(
    clips: &[Input],
    options: &StitchOptions,
    networks: &Fillers,
    refiner: Option<&PackedRmr>,
    progress: &mut Progress,
) -> Result<Stitched> {
    let joined = join(clips, options, progress)?;
    complete(joined, clips, options, &AutoOptions { networks, refiner, ..Default::default() }, progress)
}

/// Finishes joined clips like [`stitch_with_networks`]; clips and options must be those of the join.
///
/// # Errors
/// Those of [`stitch_with_networks`].
pub fn finish_with_networks(
    joined: Joined,
    clips: &[Input],
    options: &StitchOptions,
    networks: &Fillers,
    refiner: Option<&PackedRmr>,
    progress: &mut Progress,
) -> Result<Stitched> {
    let auto = AutoOptions { networks, refiner, ..Default::default() };
    let mut stitched = complete(joined, clips, options, &auto, progress)?;
    if let Some(first) = clips.first() {
        faults::measure(&mut stitched, first.rig);
    }
    Ok(stitched)
}

/// [`finish_with_networks`] without the search for visible faults.
fn complete(
    joined: Joined,
    clips: &[Input],
    options: &StitchOptions,
    &AutoOptions { networks, refiner, .. }: &AutoOptions,
    progress: &mut Progress,
) -> Result<Stitched> {
    let mut stitched = match joined.stitched.seams.iter().any(|seam| seam.options.refine) {
        true => {
            let message = "refining a seam needs the refiner: load it first".to_owned();
            let refiner = refiner.ok_or(Error::Option { option: "refine", message })?;
            Draft::new(joined)?.refine_unmeasured(refiner, progress)?
        }
        false => joined.finish_with(&[], progress)?,
    };
    let Some(first) = clips.first() else { return Ok(stitched) };
    if fill::fill(&mut stitched, first.rig, networks, options, progress)? {
        if options.foot_lock {
            finish::lift(&mut stitched, first.rig);
        }
        finish::measure(&mut stitched, first.rig);
    }
    Ok(stitched)
}

/// Joins clips like [`stitch_with_networks`], and chooses the most natural join for each seam ([`Auto`]). Seams that
/// have an entry in [`StitchOptions::seams`] keep it.
///
/// # Errors
/// Those of [`stitch_with_networks`].
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
