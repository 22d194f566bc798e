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
//!
//! [`Auto`] does this several times at each seam, and keeps the most natural join.

mod auto;
mod cut;
pub mod cycle;
mod faults;
mod fill;
mod finish;
mod guard;
mod insert;
mod join;
pub mod phase_cut;
mod plan;
mod refine;
mod search;
mod trial;

pub use auto::Auto;
pub use faults::find_seams;
pub use join::{Joined, Prepared, join, join_prepared};
pub use refine::{Draft, draft, draft_options, refine};

pub use crate::contract::Measures;
pub use crate::contract::{
    BLEND_SECS, BlendKind, Cut, FillerChoice, FrameRange, Ground, InsertedFrames, Join, JoinChoice, MAX_BLEND_SECS,
    PartialJoin, REFINED_SECS, Refinement, Rejection, ScoredCut, SeamReport, StitchOptions, Transition, Trial,
};
pub use crate::judge::faults::{Fault, FaultKind};
pub use crate::judge::score::Scoring;
pub use crate::motion::gait::Heading;

use crate::error::{Error, Result};
use crate::method::registry::{Fillers, NO_NETWORKS};
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::widen::widen;
use crate::progress::Progress;

/// Smallest number of frames of a clip, after trimming and cutting and at the result's rate.
pub const MIN_FRAMES: usize = 10;

/// Every seam is measured over this duration before and after its frame, whatever the method, seconds.
pub const MEASURED_SECS: f64 = 1.0;

/// One clip to stitch, with its bone mapping.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The motion.
    pub clip: &'a Clip,
    /// Its bone mapping.
    pub rig: &'a Rig,
}

/// Networks that a stitch may use.
#[derive(Debug, Clone, Copy)]
pub struct Networks<'a> {
    /// Gap fillers.
    pub fillers: &'a Fillers,
    /// The refiner; without it, [`Join::refine`] is an error and [`Auto`] tries no refinement.
    pub refiner: Option<&'a PackedRmr>,
    /// Criteria by which [`Auto`] compares joins.
    pub scoring: Scoring<'a>,
}

impl Default for Networks<'_> {
    fn default() -> Self {
        Self { fillers: &NO_NETWORKS, refiner: None, scoring: Scoring::default() }
    }
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
    pub seam_reports: Vec<SeamReport>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Joins clips to one motion on the first clip's skeleton and in the units, axes and channel order of its file, without
/// networks.
///
/// # Errors
/// [`Error::TooShort`] for a clip under [`MIN_FRAMES`], [`Error::Option`] for options out of range and for joins that
/// need a network, [`Error::Rig`] if skeletons differ and cannot be retargeted, [`Error::Aborted`] if `progress`
/// aborts.
pub fn stitch(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Stitched> {
    // The result is on the first clip's skeleton, so this must have translations for all joints that any clip moves.
    let rest: Vec<&Clip> = clips.iter().skip(1).map(|input| input.clip).collect();
    let wide = clips.first().and_then(|first| widen(first.clip, &rest));
    let mut clips = clips.to_vec();
    if let Some((first, wide)) = clips.first_mut().zip(wide.as_ref()) {
        first.clip = wide;
    }
    stitch_with_networks(&clips, options, &Networks::default(), progress)
}

/// Joins clips like [`stitch`], also with networks. The first clip's skeleton stays as it is ([`stitch`] may add
/// translations to it).
///
/// # Errors
/// Those of [`stitch`]; [`Error::Option`] for a network that is missing, [`Error::Rig`] if a network needs a biped.
pub fn stitch_with_networks(
    clips: &[Input],
    options: &StitchOptions,
    networks: &Networks,
    progress: &mut Progress,
) -> Result<Stitched> {
    if let JoinChoice::Auto { .. } = options.join {
        let mut search = Auto::new(clips, options, progress)?;
        while search.advance(&clips[0], options, networks, progress)? < 1.0 {}
        return search.finish(clips, options, networks, progress);
    }
    finish_with_networks(join(clips, options, progress)?, options, networks, progress)
}

/// Finishes joined clips as their joins request: refines them, pins their feet and fills their gaps. The options must be
/// those of the join.
///
/// # Errors
/// Those of [`stitch_with_networks`].
pub fn finish_with_networks(
    joined: Joined,
    options: &StitchOptions,
    networks: &Networks,
    progress: &mut Progress,
) -> Result<Stitched> {
    let rig = joined.rig.clone();
    let mut stitched = complete(joined, options, networks, progress)?;
    faults::measure(&mut stitched, &rig);
    Ok(stitched)
}

/// [`finish_with_networks`] without the search for visible faults.
fn complete(joined: Joined, options: &StitchOptions, networks: &Networks, progress: &mut Progress) -> Result<Stitched> {
    let rig = joined.rig.clone();
    let mut stitched = match joined.stitched.seam_reports.iter().any(|seam| seam.made.refine) {
        true => {
            let message = "refining a seam needs the refiner: load it first".to_owned();
            let refiner = networks.refiner.ok_or(Error::Option { option: "refine", message })?;
            Draft::new(joined)?.refine_unmeasured(refiner, progress)?
        }
        false => joined.finish_with(&[], progress)?,
    };
    if fill::fill(&mut stitched, &rig, networks.fillers, options, progress)? {
        if options.foot_lock {
            finish::lift(&mut stitched, &rig);
        }
        finish::measure(&mut stitched, &rig);
    }
    Ok(stitched)
}
