//! Measures the visible faults of every seam of a finished motion.

use super::insert::transition_frames;
use super::{Seam, Stitched};
use crate::judge::faults::Reference;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::Root;

/// Fills in [`Seam::measures`].
pub(super) fn measure(stitched: &mut Stitched, rig: &Rig) {
    let Stitched { clip, aligned, starts, seams, .. } = stitched;
    for (index, seam) in seams.iter_mut().enumerate() {
        let placed = [&aligned[index], &aligned[index + 1]];
        let dwell = dwell(seam, placed, rig);
        let starts = [starts[index], starts[index + 1]];
        seam.measures = Reference::new(placed, rig).measure(clip, placed, starts, dwell);
    }
}

/// Returns the seconds that were inserted beyond those in which the joints move from one pose to the other at the mean
/// speed of both sides.
pub(super) fn dwell(seam: &Seam, placed: [&Clip; 2], rig: &Rig) -> f32 {
    if seam.inserted == 0 {
        return 0.0;
    }
    let root = Root::new(placed[0].skeleton(), &placed, rig);
    let asked = transition_frames(placed[0], placed[1], &root);
    (seam.inserted.saturating_sub(asked) as f64 / placed[0].fps()) as f32
}
