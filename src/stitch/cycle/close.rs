//! One period of a cycle: cut out of the cycle stitched to itself, with its root motion.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::{GroundTransform, Root, wrap};
use crate::stitch::Stitched;
use glam::{Quat, Vec3};
use std::ops::Range;

/// One period of a cyclic motion.
#[derive(Debug, Clone)]
pub struct Loop {
    /// The loop: the next period begins with its first frame, moved by `travel`.
    pub clip: Clip,
    /// Root motion of one period; zero if the loop is in place.
    pub travel: GroundTransform,
    /// Warnings of the stitch that joined the cycle to itself; of [`close_clip`] and [`keep_cycle`], none.
    pub warnings: Vec<String>,
}

impl Loop {
    /// Bends the loop back evenly so that it turns by at most `max_turn`, radians.
    #[must_use]
    pub fn straightened(mut self, rig: &Rig, max_turn: f32) -> Self {
        let turn = wrap(self.travel.yaw);
        let excess = turn - turn.clamp(-max_turn, max_turn);
        if excess == 0.0 {
            return self;
        }
        let root = Root::new(self.clip.skeleton(), &[&self.clip], rig);
        let count = self.clip.frames();
        let mut path: Vec<Vec3> = (0..count).map(|frame| root.pose(&self.clip, frame).world_position).collect();
        path.push(self.travel.apply(path[0]));
        let yaw = |frame: usize| -excess * frame as f32 / count as f32;
        let mut position = path[0];
        for frame in 0..count {
            let placement = GroundTransform::from_points(path[frame], position, yaw(frame));
            root.place_frames(&mut self.clip, frame..frame + 1, &placement);
            position += Quat::from_rotation_y(yaw(frame)) * (path[frame + 1] - path[frame]).with_y(0.0);
        }
        self.travel = GroundTransform::from_points(path[0], position, turn - excess);
        self
    }
}

/// Cuts one period out of a cycle that was stitched to itself.
///
/// # Errors
/// [`Error::Option`] if the seam leaves no frame of the cycle unchanged: use a shorter blend, or another method.
pub fn close_cycle(stitched: &Stitched, rig: &Rig, in_place: bool) -> Result<Loop> {
    let (Some(seam), &[first, next]) = (stitched.seam_reports.first(), &stitched.starts[..]) else {
        let message = "a cycle must be stitched to itself exactly once".to_owned();
        return Err(Error::Option { option: "clips", message });
    };
    let seam = CycleSeam { period: next - first, edited_range: seam.edited_range.clone() };
    let warnings = stitched.warnings.clone();
    Ok(Loop { warnings, ..close_clip(&stitched.clip, rig, &seam, in_place)? })
}

/// Seam of a cycle stitched to itself.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleSeam {
    /// Number of frames from the start of the first copy to the start of the second.
    pub period: usize,
    /// Frames that the seam changed.
    pub edited_range: Range<usize>,
}

/// Cuts one period out of a stitched clip, like [`close_cycle`].
///
/// # Errors
/// Those of [`close_cycle`].
pub fn close_clip(stitched: &Clip, rig: &Rig, seam: &CycleSeam, in_place: bool) -> Result<Loop> {
    let CycleSeam { period, edited_range } = seam;
    // End of the frames that are unchanged in both copies, counted from the start of a copy.
    let unchanged_end =
        edited_range.start.min(period.saturating_sub(1)).min(stitched.frames().saturating_sub(period + 1));
    let unchanged = unchanged_end.checked_sub(edited_range.end.saturating_sub(*period));
    let Some(unchanged) = unchanged.filter(|&count| count > 0) else {
        let message = format!(
            "the seam changes {} of the cycle's {period} frames: use a shorter blend, or another method",
            edited_range.len()
        );
        return Err(Error::Option { option: "blend", message });
    };
    // The copies are joined in the middle of these frames, because the seam may change feet slightly outside its range.
    // The frame before the join is unchanged in both copies, even if it is the only one.
    let middle = unchanged_end - unchanged / 2;
    let root = Root::new(stitched.skeleton(), &[stitched], rig);
    let (first, second) = (root.pose(stitched, middle - 1), root.pose(stitched, middle - 1 + period));
    let travel = GroundTransform::from_points(first.world_position, second.world_position, first.turn_to(&second));
    // First the beginning of the second copy, with the seam, then the rest of the first copy, moved to the second.
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    let mut append = |clip: &Clip| {
        rotations.extend_from_slice(clip.rotations());
        translations.extend_from_slice(clip.translations());
    };
    append(&stitched.trimmed(*period..middle + period)?);
    let mut end = stitched.trimmed(middle..*period)?;
    root.place(&mut end, &travel);
    append(&end);
    let (name, skeleton) = (stitched.name.clone(), std::sync::Arc::clone(stitched.skeleton()));
    let clip = Clip::new(name, skeleton, stitched.frame_time_secs(), rotations, translations)?;
    Ok(remove_travel(clip, travel, root, in_place))
}

/// Returns the loop of a clip that is already closed. Its frames do not change, except for `in_place`.
pub fn keep_cycle(clip: Clip, rig: &Rig, in_place: bool) -> Loop {
    let root = Root::new(clip.skeleton(), &[&clip], rig);
    let last = clip.frames() - 1;
    // The step from the last frame to the first frame of the next period is unknown. It is assumed to equal the step
    // before it, relative to the body.
    let [first, from, to] = [0, last.saturating_sub(1), last].map(|frame| root.pose(&clip, frame));
    let turn = from.turn_to(&to);
    let step = GroundTransform::from_points(from.world_position, to.world_position, turn);
    let yaw = wrap(first.turn_to(&to) + turn);
    let travel = GroundTransform::from_points(first.world_position, step.apply(to.world_position), yaw);
    remove_travel(clip, travel, root, in_place)
}

/// Returns the loop; if `in_place`, without its root motion.
fn remove_travel(mut clip: Clip, travel: GroundTransform, root: Root, in_place: bool) -> Loop {
    if !in_place {
        return Loop { clip, travel, warnings: Vec::new() };
    }
    let (start, count) = (root.pose(&clip, 0).world_position, clip.frames());
    let yaw = wrap(travel.yaw);
    for frame in 0..count {
        let position = root.pose(&clip, frame).world_position;
        let back = GroundTransform::from_points(position, start, -yaw * frame as f32 / count as f32);
        root.place_frames(&mut clip, frame..frame + 1, &back);
    }
    Loop { clip, travel: GroundTransform { yaw: 0.0, translation: Vec3::ZERO }, warnings: Vec::new() }
}
