//! Body axes: the orientation of each joint's local axes relative to the body part that the joint moves.
//!
//! Programs orient the axes of joints differently: some along the world axes in a T- or A-pose, others (LAFAN1,
//! Bandai-Namco) with x along every bone. Then all bones of the rest pose lie on one line, and the rest pose tells
//! nothing about the body. All bodies share the canonical stance: upright, facing +z, left is +x, arms out to the
//! sides, palms down, legs straight, feet flat. The body axes of a joint are the constant rotation
//! `joint_from_body[joint]` for which `world_rotation * joint_from_body[joint]`, the world body rotation, is the
//! identity in the stance. In any other pose, the world body rotation is the rotation of the body part from the stance.
//! Two rigs with equal world body rotations have equal poses.

mod dog;
mod known;
mod motion;
mod rest;

use super::{Rig, Role, rest_pose, root_chain, shape};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::{Joint, Skeleton};
use glam::{Quat, Vec3};

/// Number of frames sampled if neither the rest pose nor the table gives the axes. Many are needed because they must
/// include standing feet, which are rare in a run.
const SAMPLES: usize = 128;
/// Largest relative difference between the bone length in the first frame and OFFSET for which OFFSET counts.
const LENGTH_TOLERANCE: f32 = 0.1;

/// Source of the axes of a rig.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Its rest pose.
    Rest,
    /// The table of known rigs, under this name.
    Known(&'static str),
    /// The motion of the clip: another motion of the rig would give other axes.
    Motion,
}

/// Body axes of every joint of a rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    /// Body axes, `[joints]`: `world_rotation * joint_from_body[joint]` is the world body rotation.
    pub joint_from_body: Vec<Quat>,
    /// Local rotations and translations of the reference pose, `[joints]`: the rest pose if it is a standing body, else
    /// the stance. It gives bone lengths, and the pose of joints without motion.
    pub reference_pose: Vec<(Quat, Vec3)>,
    /// Source of the axes.
    pub source: Source,
}

impl Axes {
    /// Determines the axes from the rest pose if it shows a standing body, else from the table of known rigs, else from
    /// geometry and the motion of the clip: bones give one axis of a limb, the hinges of knees and elbows the other,
    /// flat feet the ground. Only in the last case do the axes depend on the motion; otherwise all clips of a rig give
    /// the same axes. The rig must be a [`super::RigKind::Biped`]. `None` if the motion is needed and the clip has no
    /// frames.
    pub fn detect(clip: &Clip, rig: &Rig) -> Option<Self> {
        let skeleton = clip.skeleton();
        let bones = bone_offsets(clip, rig);
        if let Some(heading) = rest::find_heading(skeleton, rig, &bones) {
            let joint_from_body = rest::compute_axes(skeleton, rig, &bones, heading);
            let reference_pose = bones.into_iter().map(|bone| (Quat::IDENTITY, bone)).collect();
            return Some(Self { joint_from_body, reference_pose, source: Source::Rest });
        }
        if let Some((name, joint_from_body)) = known::find_axes(skeleton, rig, &bones) {
            return Some(Self::from_stance(skeleton, bones, joint_from_body, Source::Known(name)));
        }
        if clip.frames() == 0 {
            return None;
        }
        let poses = shape::sample_poses(clip, SAMPLES);
        Some(Self::from_stance(skeleton, bones, motion::estimate_axes(skeleton, rig, &poses), Source::Motion))
    }

    /// Determines the axes of a dog from the rest pose if the dog stands in it, else from the table of known rigs, else
    /// from the motion of the clip. `joints`: as in [`super::dog::find_joints`]. `None` if the dog stands in no pose.
    pub fn detect_dog(clip: &Clip, joints: &[Option<usize>]) -> Option<Self> {
        let skeleton = clip.skeleton();
        let mut rig = Rig::empty();
        rig.joints[Role::Hips as usize] = joints[0];
        let bones = bone_offsets(clip, &rig);
        if let Some(joint_from_body) = dog::rest_axes(skeleton, joints, &rest_pose(skeleton)) {
            let reference_pose = bones.into_iter().map(|bone| (Quat::IDENTITY, bone)).collect();
            return Some(Self { joint_from_body, reference_pose, source: Source::Rest });
        }
        if let Some((name, joint_from_body)) = known::find_dog_axes(skeleton) {
            return Some(Self::from_stance(skeleton, bones, joint_from_body, Source::Known(name)));
        }
        let joint_from_body = dog::mean_axes(skeleton, joints, &shape::sample_poses(clip, SAMPLES))?;
        Some(Self::from_stance(skeleton, bones, joint_from_body, Source::Motion))
    }

    /// Estimates the axes of a dog from any number of poses, for the table of known rigs. `None` if the dog stands in
    /// no pose.
    pub fn estimate_dog(skeleton: &Skeleton, joints: &[Option<usize>], poses: &[Pose]) -> Option<Vec<Quat>> {
        dog::mean_axes(skeleton, joints, poses)
    }

    /// Estimates the axes of a rig from poses, whatever its rest pose, for the table of known rigs. `poses`: at least
    /// one, on the skeleton.
    pub fn estimate(skeleton: &Skeleton, rig: &Rig, poses: &[Pose]) -> Vec<Quat> {
        motion::estimate_axes(skeleton, rig, poses)
    }

    /// Creates axes whose reference pose is the stance: all world body rotations are the identity.
    fn from_stance(skeleton: &Skeleton, bones: Vec<Vec3>, joint_from_body: Vec<Quat>, source: Source) -> Self {
        let world_rotation = |joint: usize| joint_from_body[joint].inverse();
        let local_rotation = |joint: usize| match skeleton.joints()[joint].parent {
            Some(parent) => (world_rotation(parent).inverse() * world_rotation(joint)).normalize(),
            None => world_rotation(joint),
        };
        let reference_pose = bones.into_iter().enumerate().map(|(joint, bone)| (local_rotation(joint), bone)).collect();
        Self { joint_from_body, reference_pose, source }
    }

    /// Computes the reference pose in world space.
    pub fn world_reference_pose(&self, skeleton: &Skeleton) -> Pose {
        let mut pose = Pose::default();
        for (joint, &(rotation, bone)) in skeleton.joints().iter().zip(&self.reference_pose) {
            let parent = joint.parent.map(|parent| (pose.world_positions[parent], pose.world_rotations[parent]));
            let (parent_position, parent_rotation) = parent.unwrap_or_default();
            pose.world_positions.push(parent_position + parent_rotation * bone);
            pose.world_rotations.push(parent_rotation * rotation);
        }
        pose
    }

    /// Returns the world body rotation of a joint in a pose.
    pub fn body_rotation(&self, pose: &Pose, joint: usize) -> Quat {
        pose.world_rotations[joint] * self.joint_from_body[joint]
    }
}

/// Returns the local translation of each joint, metres, [joints]: OFFSET, or the translation in the first frame where
/// it has another length and the joint does not carry the body.
pub(crate) fn bone_offsets(clip: &Clip, rig: &Rig) -> Vec<Vec3> {
    let carries_body = root_chain(clip.skeleton(), rig);
    let offset = |(index, joint): (usize, &Joint)| {
        if carries_body[index] || clip.frames() == 0 {
            return joint.offset;
        }
        let first = clip.local_translation(0, index);
        let is_same = (first.length() - joint.offset.length()).abs() <= LENGTH_TOLERANCE * first.length();
        if is_same { joint.offset } else { first }
    };
    clip.skeleton().joints().iter().enumerate().map(offset).collect()
}

/// Returns the direction of a role's bone in the stance, and a second axis perpendicular to it: in arms and legs the
/// hinge axis of elbow or knee (upper bone × lower bone), elsewhere the left direction. (In legs both are left.)
pub(super) fn stance(role: Role) -> (Vec3, Vec3) {
    use Role::*;
    match role {
        LeftUpLeg | LeftLeg | RightUpLeg | RightLeg => (Vec3::NEG_Y, Vec3::X),
        LeftFoot | LeftToe | RightFoot | RightToe => (Vec3::Z, Vec3::X),
        LeftShoulder | LeftArm | LeftForeArm | LeftHand => (Vec3::X, Vec3::NEG_Y),
        RightShoulder | RightArm | RightForeArm | RightHand => (Vec3::NEG_X, Vec3::Y),
        Hips | Spine | Spine1 | Spine2 | Neck | Head => (Vec3::Y, Vec3::X),
    }
}

/// Returns the joint at the end of a role's bone; `None` for the last roles of limbs and head. The bone of the chest
/// ends at the neck.
pub(super) fn bone_end(rig: &Rig, role: Role) -> Option<usize> {
    use Role::*;
    let ends: &[Role] = match role {
        Hips => &[Spine, Spine1, Spine2, Neck, Head],
        Spine => &[Spine1, Spine2, Neck, Head],
        Spine1 => &[Spine2, Neck, Head],
        Spine2 => &[Neck, Head],
        Neck => &[Head],
        LeftUpLeg => &[LeftLeg],
        LeftLeg => &[LeftFoot],
        LeftFoot => &[LeftToe],
        RightUpLeg => &[RightLeg],
        RightLeg => &[RightFoot],
        RightFoot => &[RightToe],
        LeftShoulder => &[LeftArm],
        LeftArm => &[LeftForeArm],
        LeftForeArm => &[LeftHand],
        RightShoulder => &[RightArm],
        RightArm => &[RightForeArm],
        RightForeArm => &[RightHand],
        LeftToe | RightToe | Head | LeftHand | RightHand => &[],
    };
    ends.iter().find_map(|&end| rig.joint(end))
}

/// End of a foot.
pub(super) enum Tip {
    /// Its toe joint.
    Joint(usize),
    /// Its End Site: position in the foot's axes, metres.
    Site(Vec3),
}

/// Returns the end of a foot: its toe joint, or its longest End Site.
pub(super) fn find_tip(skeleton: &Skeleton, rig: &Rig, role: Role, foot: usize) -> Option<Tip> {
    let site = skeleton.joints()[foot].longest_site().filter(|site| site.length() > 0.0);
    bone_end(rig, role).map(Tip::Joint).or(site.map(Tip::Site))
}

/// Returns the role of each joint, [joints].
pub(super) fn joint_roles(skeleton: &Skeleton, rig: &Rig) -> Vec<Option<Role>> {
    let mut roles = vec![None; skeleton.len()];
    for role in Role::ALL {
        if let Some(joint) = rig.joint(role) {
            roles[joint] = Some(role);
        }
    }
    roles
}
