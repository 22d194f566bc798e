//! The root: position and heading of a body on the ground, and rigid placement of clips.
//!
//! A clip is placed by one rotation about the vertical and one translation on the ground; its height never changes.
//! Rigs differ in which joint is the root, see [`Root`].

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::is_same_rotation;
use crate::motion::rig::{Rig, RigKind, Role, facing};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use std::ops::Range;

/// Horizontal part of a spine of length 1 from which on a body lies: the spine is within 37° of the horizontal.
const LYING: f32 = 0.8;
/// Largest angle between an alignment by facing directions and one by spines for which the former is used, radians.
const MAX_CONFLICT: f32 = std::f32::consts::FRAC_PI_3;

/// Position and heading of a body in one frame.
#[derive(Debug, Clone, Copy)]
pub struct RootPose {
    /// World position of the root, metres.
    pub world_position: Vec3,
    /// World rotation of the root.
    pub world_rotation: Quat,
    /// Facing direction: unit vector on the ground, perpendicular to the lines across hips and shoulders; `None` for
    /// rigs other than bipeds.
    pub facing: Option<Vec3>,
    /// Horizontal part of the unit vector from the middle of the hips to the middle of the shoulders; `None` without
    /// these joints and for rigs other than bipeds.
    pub spine: Option<Vec3>,
}

impl RootPose {
    /// Returns the heading of the body: radians about +Y, 0 along +z. Without `facing`, the rotation of the root about
    /// the vertical.
    pub fn heading(&self) -> f32 {
        match self.facing {
            Some(facing) => facing.x.atan2(facing.z),
            None => wrap(2.0 * self.world_rotation.y.atan2(self.world_rotation.w)),
        }
    }

    /// Returns the angle from this heading to the heading of `other`, radians about +Y in −π..π: the angle between the
    /// facing directions if both have one, else the rotation about Y that brings the rotations of the roots closest
    /// (the twist about Y of the rotation between them).
    pub fn turn_to(&self, other: &RootPose) -> f32 {
        if let (Some(from), Some(to)) = (self.facing, other.facing) {
            return from.cross(to).y.atan2(from.dot(to));
        }
        let between = other.world_rotation * self.world_rotation.conjugate();
        wrap(2.0 * between.y.atan2(between.w))
    }

    /// Returns the angle about +Y, radians, by which this pose is rotated so that the pose `other` of another clip can
    /// continue it, or precede it: that of [`RootPose::turn_to`]. If both bodies lie, it is the angle between their
    /// spines if the two angles differ by more than [`MAX_CONFLICT`]: a body on its back, followed by one on its front,
    /// rolls over. With equal facing directions, it would turn head over heels, because the head of the one is where
    /// the feet of the other are.
    pub fn alignment_to(&self, other: &RootPose) -> f32 {
        let turn = self.turn_to(other);
        let (Some(from), Some(to)) = (self.spine, other.spine) else { return turn };
        if from.length().min(to.length()) < LYING {
            return turn;
        }
        let spine_turn = from.cross(to).y.atan2(from.dot(to));
        if wrap(spine_turn - turn).abs() > MAX_CONFLICT { spine_turn } else { turn }
    }
}

/// Wraps an angle to −π..π.
pub fn wrap(radians: f32) -> f32 {
    let angle = radians.rem_euclid(std::f32::consts::TAU);
    if angle > std::f32::consts::PI { angle - std::f32::consts::TAU } else { angle }
}

/// A rotation about +Y followed by a translation on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundTransform {
    /// Radians about +Y.
    pub yaw: f32,
    /// Metres; y is 0.
    pub translation: Vec3,
}

impl GroundTransform {
    /// Creates the transform that rotates by `yaw` and moves the ground position `from` to `to`.
    pub fn from_points(from: Vec3, to: Vec3, yaw: f32) -> Self {
        let translation = to - Quat::from_rotation_y(yaw) * from;
        Self { yaw, translation: translation.with_y(0.0) }
    }

    /// Transforms a world point.
    pub fn apply(&self, world: Vec3) -> Vec3 {
        Quat::from_rotation_y(self.yaw) * world + self.translation
    }
}

/// The joints that carry a body over the ground.
///
/// * `path`: the joints from the top joint down to the joint whose world motion is the motion of the body: the hips if
///   they and all joints above them have six channels (Bandai-Namco: `joint_Root`, `Hips`), else the top joint alone.
///   Blends treat these joints in world space: a local blend of a top joint's rotation would swing a body that is far
///   from this joint.
/// * `carriers`: the joints to which a placement is applied: all roots. A root that moves in no clip is replaced by its
///   children if all of them have six channels, so that `joint_Root` stays at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Root {
    path: Vec<usize>,
    carriers: Vec<usize>,
    /// Left and right joints of hips and shoulders, with their rig; `None` for rigs other than bipeds.
    side_pairs: Option<(Vec<(usize, usize)>, Rig)>,
}

impl Root {
    /// Finds the joints for clips that share one skeleton. `clips` must not be empty.
    pub fn new(skeleton: &Skeleton, clips: &[&Clip], rig: &Rig) -> Self {
        let mut path = Vec::new();
        let mut joint = rig.joint(Role::Hips);
        while let Some(index) = joint {
            path.push(index);
            joint = skeleton.joints()[index].parent;
        }
        path.reverse();
        if path.is_empty() || path.iter().any(|&joint| !can_carry(skeleton, joint)) {
            path.truncate(1);
        }
        if path.is_empty() {
            path.push(0);
        }
        let mut carriers: Vec<usize> = (0..skeleton.len()).filter(|&j| skeleton.joints()[j].parent.is_none()).collect();
        while let Some(index) = carriers.iter().position(|&joint| passes_to_children(skeleton, clips, joint)) {
            let children: Vec<usize> = skeleton.children(carriers[index]).collect();
            carriers.splice(index..=index, children);
        }
        let pair = |left: Role, right: Role| Some((rig.joint(left)?, rig.joint(right)?));
        let pairs = [pair(Role::LeftUpLeg, Role::RightUpLeg), pair(Role::LeftArm, Role::RightArm)];
        let side_pairs = match rig.kind {
            RigKind::Biped => Some((pairs.into_iter().flatten().collect(), rig.clone())),
            RigKind::Quadruped | RigKind::Other => None,
        };
        Self { path, carriers, side_pairs }
    }

    /// Returns the joints that blends treat in world space, top first; the last one is [`Root::joint`].
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// Returns the joint whose world motion is the motion of the body.
    pub fn joint(&self) -> usize {
        self.path[self.path.len() - 1]
    }

    /// Returns the joints to which a placement is applied.
    pub fn carriers(&self) -> &[usize] {
        &self.carriers
    }

    /// Finds the first carrier that lacks some of the six channels: its placement would be lost in a file.
    pub fn find_unwritable_carrier(&self, skeleton: &Skeleton) -> Option<usize> {
        self.carriers.iter().copied().find(|&joint| !can_carry(skeleton, joint))
    }

    /// Computes position and heading of the body in a frame.
    pub fn pose(&self, clip: &Clip, frame: usize) -> RootPose {
        let pose = Pose::from_clip(clip, frame);
        let facing = self.side_pairs.as_ref().map(|(pairs, rig)| {
            let position = |joint: usize| pose.world_positions[joint];
            // Hips and shoulders counter-rotate in every step; the sum of both directions is steadier than either.
            let directions = pairs.iter().map(|&(left, right)| (position(left) - position(right)).normalize_or_zero());
            let left = directions.sum::<Vec3>().with_y(0.0);
            // If the projection on the ground is short, the lines are nearly vertical: the body lies on a side.
            if left.length() < 0.2 * pairs.len() as f32 { facing(&pose, rig) } else { left.cross(Vec3::Y).normalize() }
        });
        RootPose {
            world_position: pose.world_positions[self.joint()],
            world_rotation: pose.world_rotations[self.joint()],
            facing,
            spine: self.spine(&pose),
        }
    }

    /// Returns [`RootPose::spine`].
    fn spine(&self, pose: &Pose) -> Option<Vec3> {
        let [hips, shoulders] = self.side_pairs.as_ref()?.0[..] else { return None };
        let middle = |(left, right): (usize, usize)| (pose.world_positions[left] + pose.world_positions[right]) / 2.0;
        Some((middle(shoulders) - middle(hips)).normalize_or_zero().with_y(0.0))
    }

    /// Removes the travel over the ground from a clip: the root keeps its horizontal position of the first frame.
    /// Height and rotations do not change.
    pub fn remove_travel(&self, clip: &mut Clip) {
        let mut start = None;
        self.slide(clip, |position, _| (*start.get_or_insert(position) - position).with_y(0.0));
    }

    /// Moves the body in each frame by `offset(world position of the root, frame)`, metres.
    pub fn slide(&self, clip: &mut Clip, mut offset: impl FnMut(Vec3, usize) -> Vec3) {
        let skeleton = std::sync::Arc::clone(clip.skeleton());
        let width = skeleton.translated().len();
        let mut pose = Pose::default();
        for frame in 0..clip.frames() {
            pose.set(clip, frame);
            let offset = offset(pose.world_positions[self.joint()], frame);
            for &joint in &self.carriers {
                let Some(slot) = skeleton.translation_slot(joint) else { continue };
                let parent_rotation = skeleton.joints()[joint].parent.map(|parent| pose.world_rotations[parent]);
                clip.translations_mut()[frame * width + slot] +=
                    parent_rotation.unwrap_or_default().conjugate() * offset;
            }
        }
    }

    /// Applies a placement to all frames of a clip: moves it rigidly over the ground.
    pub fn place(&self, clip: &mut Clip, placement: &GroundTransform) {
        self.place_frames(clip, 0..clip.frames(), placement);
    }

    /// Applies a placement to some frames of a clip, see [`Root::place`].
    pub fn place_frames(&self, clip: &mut Clip, frames: Range<usize>, placement: &GroundTransform) {
        let skeleton = std::sync::Arc::clone(clip.skeleton());
        let rotation = Quat::from_rotation_y(placement.yaw);
        for &joint in &self.carriers {
            let Some(slot) = skeleton.translation_slot(joint) else { continue };
            // A carrier with a parent hangs from a root that never moves: express the placement in the axes of that
            // root.
            let (parent_position, parent_rotation) = match skeleton.joints()[joint].parent {
                Some(parent) if clip.frames() > 0 => {
                    let pose = Pose::from_clip(clip, 0);
                    (pose.world_positions[parent], pose.world_rotations[parent])
                }
                _ => (Vec3::ZERO, Quat::IDENTITY),
            };
            let to_parent = parent_rotation.conjugate();
            let local_rotation = to_parent * rotation * parent_rotation;
            let local_translation = to_parent * (rotation * parent_position + placement.translation - parent_position);
            let (joints, width) = (skeleton.len(), skeleton.translated().len());
            for frame in frames.clone() {
                let joint_rotation = &mut clip.rotations_mut()[frame * joints + joint];
                *joint_rotation = (local_rotation * *joint_rotation).normalize();
                let joint_translation = &mut clip.translations_mut()[frame * width + slot];
                *joint_translation = local_rotation * *joint_translation + local_translation;
            }
        }
    }
}

/// Returns whether a file can store a placement in this joint: it has position and rotation channels of all axes.
pub(crate) fn can_carry(skeleton: &Skeleton, joint: usize) -> bool {
    let channels = &skeleton.joints()[joint].channels;
    let positions = channels.iter().filter(|channel| channel.is_position()).count();
    positions == 3 && channels.len() - positions == 3
}

/// Returns whether a root never moves in `clips` and all its children can carry the body.
fn passes_to_children(skeleton: &Skeleton, clips: &[&Clip], joint: usize) -> bool {
    let mut children = skeleton.children(joint).peekable();
    children.peek().is_some()
        && children.all(|child| can_carry(skeleton, child))
        && clips.iter().all(|clip| is_static(clip, joint))
}

/// Returns whether a joint's local rotation and translation never change.
pub(crate) fn is_static(clip: &Clip, joint: usize) -> bool {
    (1..clip.frames()).all(|frame| {
        is_same_rotation(clip.frame_rotations(frame)[joint], clip.frame_rotations(0)[joint])
            && clip.local_translation(frame, joint).distance(clip.local_translation(0, joint)) < 1e-5
    })
}
