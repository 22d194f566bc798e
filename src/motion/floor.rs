//! The floor of a clip, measured by its supports, and clips moved up or down to one floor.
//!
//! Files differ in the height of their floor: the hips at 0, a stage, a recording volume with another origin. A foot
//! supports the body while its sole is level, it does not move up or down, and the hips are above it; the floor is where
//! the lowest supports lie. A clip without such frames (it hangs, swims, flies or lies all the time) has no floor, and
//! keeps its height.

pub use crate::contract::Ground;
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, Tracks, foot_tracks};
use crate::motion::fk::{Pose, with_ancestors};
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, Role, leg};
use crate::motion::root::Root;
use glam::Vec3;
use std::borrow::Cow;

/// Cosine of the largest slope of the sole of a supporting foot: 40°.
const LEVEL: f32 = 0.77;
/// Largest vertical speed of a supporting foot, leg lengths per second.
const STILL: f32 = 0.25;
/// Smallest height of the hip joint above the ankle of a supporting leg, leg lengths.
const MIN_RISE: f32 = 0.35;
/// Range of heights of supports that count as one floor, leg lengths.
const FLOOR_DEPTH: f32 = 0.06;
/// Quantile of the heights of the supports that counts as the floor: lower ones are glitches.
const LOWEST: f32 = 0.1;
/// Smallest share of all frames in which the body is supported, and of the supports that lie on the floor.
const MIN_SHARE: [f32; 2] = [0.04, 0.3];
/// Height difference up to which the floors of two clips of one body count as one, leg lengths.
const SAME_FLOOR: f32 = 0.03;
/// The same for two bodies, and for a floor and height 0. The soles of a body are known less well than its joints: by
/// their lowest joints, the recordings of CMU and ACCAD stand 7 to 9 cm above 0.
const NEAR_FLOOR: f32 = 0.12;

/// Returns the height of the floor on which a biped stands, metres: where its soles rest. `None` for bodies of another
/// kind, and for clips whose feet do not support the body.
pub fn find_floor(clip: &Clip, rig: &Rig) -> Option<f32> {
    let legs = Legs::detect(clip, rig)?;
    let axes = (clip.frames() > 0).then(|| Axes::detect(clip, rig)).flatten()?;
    let standing = Standing::new(clip, rig, &legs, &axes);
    let (heights, lowest) = standing.support_heights(clip, rig, &axes);
    let least = (MIN_SHARE[0] * clip.frames() as f32).ceil().max(1.0);
    if (heights.len() as f32) < least {
        return None;
    }
    let floor = heights[(heights.len() as f32 * LOWEST) as usize];
    let depth = FLOOR_DEPTH * standing.leg_length;
    let on_floor: Vec<f32> = heights.iter().copied().filter(|height| (height - floor).abs() < depth).collect();
    let is_floor = on_floor.len() as f32 >= MIN_SHARE[1] * heights.len() as f32 && lowest > floor - 2.0 * depth;
    is_floor.then(|| on_floor[on_floor.len() / 2])
}

/// Sizes of a standing body.
struct Standing {
    legs: Legs,
    leg_length: f32,
    /// Height of heel and toe points over the sole in the reference pose, `[side][part]`, metres.
    over_sole: [[f32; 2]; 2],
}

impl Standing {
    fn new(clip: &Clip, rig: &Rig, legs: &Legs, axes: &Axes) -> Self {
        let reference = axes.world_reference_pose(clip.skeleton());
        let sole = sole_height(clip, rig, &reference);
        let point = |(joint, local): (usize, Vec3)| {
            let position = reference.world_positions[joint] + reference.world_rotations[joint] * local;
            position.y - sole
        };
        Self {
            leg_length: leg::length(&reference, &legs.chain),
            over_sole: legs.points.map(|points| points.map(point)),
            legs: legs.clone(),
        }
    }

    /// Returns the heights of the soles that support the body, over all frames, sorted, and the usual height of the lower
    /// sole in the lowest frames, metres: feet that are often below a support show that it is no floor, but the top of a
    /// flight.
    fn support_heights(&self, clip: &Clip, rig: &Rig, axes: &Axes) -> (Vec<f32>, f32) {
        let tracks: Tracks = foot_tracks(clip, &self.legs);
        let hands = [Role::LeftHand, Role::RightHand].map(|role| rig.joint(role));
        let head = [Role::Head, Role::Neck].into_iter().find_map(|role| rig.joint(role));
        let joints = self.legs.chain.iter().flatten().copied().chain(hands.into_iter().flatten()).chain(head);
        let needed = with_ancestors(clip.skeleton(), joints);
        let mut heights = Vec::new();
        let mut pose = Pose::default();
        for frame in 0..clip.frames() {
            pose.set_joints(clip, frame, &needed);
            // Both hands above the head: the body may hang from them.
            let is_overhead = |hand: Option<usize>, head: usize| {
                hand.is_some_and(|hand| pose.world_positions[hand].y > pose.world_positions[head].y)
            };
            if head.is_some_and(|head| hands.into_iter().all(|hand| is_overhead(hand, head))) {
                continue;
            }
            heights.extend((0..2).filter_map(|side| self.support(clip, &tracks, axes, &pose, (side, frame))));
        }
        heights.sort_by(f32::total_cmp);
        let sole = |frame: usize, side: usize, part: usize| tracks[side][part][frame].y - self.over_sole[side][part];
        let lower =
            |frame: usize| (0..2).map(|side| sole(frame, side, 0).min(sole(frame, side, 1))).fold(f32::MAX, f32::min);
        let mut lowest: Vec<f32> = (0..clip.frames()).map(lower).collect();
        lowest.sort_by(f32::total_cmp);
        let usual = lowest.get((lowest.len() as f32 * LOWEST) as usize).copied().unwrap_or_default();
        (heights, usual)
    }

    /// Returns the height of the sole of a foot in a frame; `None` if it does not support the body.
    fn support(
        &self,
        clip: &Clip,
        tracks: &Tracks,
        axes: &Axes,
        pose: &Pose,
        (side, frame): (usize, usize),
    ) -> Option<f32> {
        let [hip, _, ankle] = self.legs.chain[side];
        let is_level = (axes.body_rotation(pose, ankle) * Vec3::Y).y > LEVEL;
        let is_under = pose.world_positions[hip].y - pose.world_positions[ankle].y > MIN_RISE * self.leg_length;
        let track = &tracks[side][1];
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(track.len() - 1));
        let climb = (track[after].y - track[before].y).abs() * clip.fps() as f32 / (after - before).max(1) as f32;
        let is_still = climb < STILL * self.leg_length;
        let height = |part: usize| tracks[side][part][frame].y - self.over_sole[side][part];
        (is_level && is_under && is_still).then(|| height(0).min(height(1)))
    }
}

/// Returns the height of the lowest point of the feet in a standing pose, metres.
fn sole_height(clip: &Clip, rig: &Rig, pose: &Pose) -> f32 {
    let joints = clip.skeleton().joints();
    let feet: Vec<usize> = [Role::LeftFoot, Role::RightFoot].into_iter().filter_map(|role| rig.joint(role)).collect();
    let mut is_foot: Vec<bool> = Vec::with_capacity(joints.len());
    let mut lowest = f32::INFINITY;
    for (index, joint) in joints.iter().enumerate() {
        is_foot.push(feet.contains(&index) || joint.parent.is_some_and(|parent| is_foot[parent]));
        if is_foot[index] {
            let position = pose.world_positions[index];
            let sites = joint.end_sites.iter().map(|site| (position + pose.world_rotations[index] * *site).y);
            lowest = sites.chain([position.y]).fold(lowest, f32::min);
        }
    }
    if lowest.is_finite() { lowest } else { 0.0 }
}

/// Returns the heights of the ankles over the soles in the reference pose of a rig, the mean of both sides, metres.
pub(crate) fn ankle_over_sole(clip: &Clip, rig: &Rig, axes: &Axes) -> Option<f32> {
    let legs = Legs::detect(clip, rig)?;
    let [[left, _], [right, _]] = Standing::new(clip, rig, &legs, axes).over_sole;
    Some((left + right) / 2.0)
}

/// A clip with its bone mapping.
pub type Mapped<'a> = (&'a Clip, &'a Rig);

/// Clips on one floor: the floor at height 0 if one of them stands there, else the floor of the first clip that has one.
#[derive(Debug, Clone)]
pub struct Levelled<'a> {
    /// The clips, moved where their floor differs.
    pub clips: Vec<Cow<'a, Clip>>,
    /// One sentence for each clip that was moved.
    pub warnings: Vec<String>,
}

/// Moves clips to one floor, see [`Levelled`].
pub fn level<'a>(clips: &[Mapped<'a>], ground: Ground) -> Levelled<'a> {
    let mut levelled =
        Levelled { clips: clips.iter().map(|(clip, _)| Cow::Borrowed(*clip)).collect(), warnings: Vec::new() };
    if ground == Ground::AsInFile || clips.len() < 2 {
        return levelled;
    }
    let floors: Vec<Option<(f32, f32)>> = clips.iter().map(|(clip, rig)| measure(clip, rig)).collect();
    let is_near_zero = |&index: &usize| floors[index].is_some_and(|(floor, leg)| floor.abs() < NEAR_FLOOR * leg);
    let standing = || (0..clips.len()).filter(|&index| floors[index].is_some());
    let Some(model) = standing().find(is_near_zero).or_else(|| standing().next()) else { return levelled };
    let reference = floors[model].map_or(0.0, |(floor, _)| floor);
    for (index, floor) in floors.iter().enumerate() {
        let Some((floor, leg_length)) = *floor else { continue };
        let (clip, rig) = clips[index];
        let is_same_body = clip.skeleton().same_body(clips[model].0.skeleton());
        let tolerance = if is_same_body { SAME_FLOOR } else { NEAR_FLOOR };
        if (floor - reference).abs() > tolerance * leg_length {
            levelled.clips[index] = Cow::Owned(raised(clip, rig, reference - floor));
            levelled.warnings.push(report(&clip.name, reference - floor));
        }
    }
    levelled
}

/// Returns the height by which a clip must move up to stand on the floor of another clip of an equal body, metres; 0 if
/// both floors count as one, or if one clip has no floor.
pub fn height_to(clip: Mapped, target: Mapped) -> f32 {
    let floors = measure(clip.0, clip.1).zip(measure(target.0, target.1));
    let difference = floors.map_or((0.0, 1.0), |((from, leg), (to, _))| (to - from, leg));
    if difference.0.abs() > NEAR_FLOOR * difference.1 { difference.0 } else { 0.0 }
}

/// Returns a sentence about a clip that moves to the floor of another body; `None` if both stand on one floor, or one
/// has no floor.
pub fn describe_move(clip: Mapped, target: Mapped) -> Option<String> {
    let height = height_to(clip, target);
    (height != 0.0).then(|| report(&clip.0.name, height))
}

/// Returns the height of the floor and the length of the legs, metres.
fn measure(clip: &Clip, rig: &Rig) -> Option<(f32, f32)> {
    let floor = find_floor(clip, rig)?;
    Some((floor, leg::length(&Pose::from_clip(clip, 0), &rig.legs()?)))
}

/// Returns a clip moved up by a height, metres.
pub(crate) fn raised(clip: &Clip, rig: &Rig, height: f32) -> Clip {
    let mut clip = clip.clone();
    let root = Root::new(clip.skeleton(), &[&clip], rig);
    root.slide(&mut clip, |_, _| Vec3::Y * height);
    clip
}

fn report(name: &str, height: f32) -> String {
    let direction = if height > 0.0 { "up" } else { "down" };
    let centimetres = (height.abs() * 100.0).round();
    format!(
        "{name} stands on another floor, so it was moved {direction} by {centimetres} cm; the option ground: \"asInFile\" \
         keeps the heights of the files"
    )
}
