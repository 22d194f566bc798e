//! Finishes a stitched motion, for all joins: pins feet and measures seams.

use super::{BlendKind, Joined, MEASURED_SECS, SeamReport, Stitched, Transition, faults};
use crate::error::Result;
use crate::metrics;
use crate::motion::contact::{Legs, detect_contacts, foot_tracks};
use crate::motion::foot_lift;
use crate::motion::foot_lock;
use crate::motion::foot_plan::{FootPlan, PredictedContacts, Source};
use crate::motion::placed_feet;
use crate::motion::rig::{Rig, RigKind};
use crate::progress::{Progress, Stage};

impl Joined {
    /// Finishes the motion: pins feet, if requested, and measures the seams.
    ///
    /// # Errors
    /// [`crate::Error::Aborted`] if `progress` aborts.
    pub fn finish(self, progress: &mut Progress) -> Result<Stitched> {
        let rig = self.rig.clone();
        let mut stitched = self.finish_with(&[], progress)?;
        faults::measure(&mut stitched, &rig);
        Ok(stitched)
    }

    /// Finishes the motion like [`Joined::finish`], with contacts predicted by a network.
    pub(super) fn finish_with(self, predicted: &[PredictedContacts], progress: &mut Progress) -> Result<Stitched> {
        let Self { mut stitched, rig, foot_lock } = self;
        let edited: Vec<_> = stitched.seam_reports.iter().map(|seam| seam.edited_range.clone()).collect();
        placed_feet::attach(&mut stitched.clip, &rig, &edited);
        if foot_lock && !stitched.seam_reports.is_empty() {
            pin(&mut stitched, &rig, predicted, progress)?;
            lift(&mut stitched, &rig);
        }
        measure(&mut stitched, &rig);
        progress.at(Stage::FootLock, 1.0)?;
        Ok(stitched)
    }
}

/// Pins the feet near seams while they touch the ground: according to the contacts of the inputs, or to those that the
/// refiner predicts at its seams.
fn pin(stitched: &mut Stitched, rig: &Rig, predicted: &[PredictedContacts], progress: &mut Progress) -> Result<()> {
    let Stitched { clip, aligned, starts, seam_reports: seams, .. } = stitched;
    let Some(legs) = Legs::detect(clip, rig) else { return Ok(()) };
    progress.at(Stage::FootLock, 0.5)?;
    let sources: Vec<Source> = (0..aligned.len())
        .map(|index| Source {
            clip: &aligned[index],
            start: starts[index],
            first_frame: first_contact_frame(seams, index),
            blend: index.checked_sub(1).map_or(0..0, |seam| seams[seam].edited_range.clone()),
        })
        .collect();
    let tracks = foot_tracks(clip, &legs);
    let mut plan = FootPlan::new(clip, &legs, &tracks, &sources);
    plan.apply_predicted(clip, &legs, &tracks, predicted);
    foot_lock::lock(clip, &legs, &tracks, &plan, &mut progress.part(0.6..1.0))
}

/// Lifts feet that a seam puts below the floor of its two clips.
pub(super) fn lift(stitched: &mut Stitched, rig: &Rig) {
    let Stitched { clip, aligned, seam_reports, .. } = stitched;
    let Some(legs) = Legs::detect(clip, rig) else { return };
    for (index, seam) in seam_reports.iter().enumerate() {
        let floors = foot_lift::floors(&[&aligned[index], &aligned[index + 1]], &legs);
        foot_lift::lift(clip, &legs, floors, seam.edited_range.clone());
    }
}

/// Returns the first frame of the result whose contacts are those of input `index`: the seam, or the middle of the
/// frames that are inserted, crossfaded, or smoothed by [`Transition::Lscore`].
fn first_contact_frame(seams: &[SeamReport], index: usize) -> usize {
    let Some(seam) = index.checked_sub(1).map(|seam| &seams[seam]) else { return 0 };
    match seam.made.transition {
        Transition::Blend { blend: BlendKind::Inertialize, .. } => seam.frame,
        Transition::Blend { blend: BlendKind::Crossfade, .. }
        | Transition::Lscore { .. }
        | Transition::Insert { .. } => seam.edited_range.start + seam.edited_range.len() / 2,
    }
}

/// Fills in measurements of the finished motion: foot skate and jerk around each seam.
pub(super) fn measure(stitched: &mut Stitched, rig: &Rig) {
    let Stitched { clip, aligned, seam_reports, .. } = stitched;
    let feet = match rig.kind {
        RigKind::Biped => metrics::soles(rig, detect_contacts(&aligned[0], rig).world_ground),
        RigKind::Quadruped | RigKind::Other => Vec::new(),
    };
    let reach = (MEASURED_SECS * clip.fps()).round() as usize;
    for seam in seam_reports {
        seam.measured_range = seam.frame.saturating_sub(reach)..(seam.frame + reach).min(clip.frames());
        seam.foot_skate = metrics::foot_skate(clip, &feet, seam.measured_range.clone()).slide;
        seam.peak_jerk = metrics::shown_peak_jerk(clip, rig, seam.measured_range.clone());
    }
}
