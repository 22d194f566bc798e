//! Body axes: the orientation of each joint's own axes relative to the body part it moves.
//!
//! Programs orient the axes of joints differently: some along the world in a T- or A-pose, others (LAFAN1,
//! Bandai-Namco) with x along every bone, so that the rest pose is a stick without information. All bodies share the
//! canonical stance: upright, facing +z, left is +x, arms out to the sides, palms down, legs straight, feet flat. The
//! body axes of a joint are a constant rotation such that `world_body_rotation = world_rotation * axes[joint]` is the
//! rotation of the part from the stance to any pose: the identity in the stance. Two rigs with equal world body
//! rotations have equal poses.

mod dog;
mod known;
mod motion;
mod rest;

use super::{Rig, Role, rest_pose, root_chain, shape};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::{Joint, Skeleton};
use glam::{Quat, Vec3};

/// Frames sampled where neither rest pose nor table gives the axes. Many are needed because they must include
/// standing feet, which are rare in a run.
const SAMPLES: usize = 128;
/// A bone length in the first frame within this relative tolerance of OFFSET confirms OFFSET.
const SAME_LENGTH: f32 = 0.1;

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
    /// `[joints]`: `world_rotation * joint_from_body[joint]` is the world rotation of the body part.
    pub joint_from_body: Vec<Quat>,
    /// Local rotations and translations of a still pose, `[joints]`: the rest pose where it is a standing body, else
    /// the stance. Gives bone lengths, and the pose of joints without motion.
    pub reference_pose: Vec<(Quat, Vec3)>,
    /// Source of the axes.
    pub source: Source,
}

impl Axes {
    /// Determines the axes from the rest pose where it shows a standing body, else from the table of known rigs, else
    /// from geometry and the motion of the clip: bones give one axis of a limb, the hinges of knees and elbows the
    /// other, flat feet the ground. Only the last case depends on the motion; otherwise all clips of a rig give the
    /// same axes. The rig must be a [`super::RigKind::Biped`]. `None` if only motion could tell, and the clip has
    /// no frames.
    pub fn detect(clip: &Clip, rig: &Rig) -> Option<Self> {
        let skeleton = clip.skeleton();
        let bones = bone_offsets(clip, rig);
        if let Some(facing) = rest::facing(skeleton, rig, &bones) {
            let joint_from_body = rest::axes(skeleton, rig, &bones, facing);
            let still = bones.into_iter().map(|bone| (Quat::IDENTITY, bone)).collect();
            return Some(Self { joint_from_body, reference_pose: still, source: Source::Rest });
        }
        if let Some((name, joint_from_body)) = known::axes(skeleton, rig, &bones) {
            return Some(Self::in_stance(skeleton, bones, joint_from_body, Source::Known(name)));
        }
        if clip.frames() == 0 {
            return None;
        }
        let poses = shape::sample_poses(clip, SAMPLES);
        Some(Self::in_stance(skeleton, bones, motion::axes(skeleton, rig, &poses), Source::Motion))
    }

    /// The same for a dog, `joints` as in [`super::dog::find_joints`]: from the rest pose where it stands, else from
    /// the table of known rigs, else from the motion of the clip. `None` if no pose stands.
    pub fn detect_dog(clip: &Clip, joints: &[Option<usize>]) -> Option<Self> {
        let skeleton = clip.skeleton();
        let mut rig = Rig::empty();
        rig.joints[Role::Hips as usize] = joints[0];
        let bones = bone_offsets(clip, &rig);
        if let Some(joint_from_body) = dog::rest(skeleton, joints, &rest_pose(skeleton)) {
            let still = bones.into_iter().map(|bone| (Quat::IDENTITY, bone)).collect();
            return Some(Self { joint_from_body, reference_pose: still, source: Source::Rest });
        }
        if let Some((name, joint_from_body)) = known::dog(skeleton) {
            return Some(Self::in_stance(skeleton, bones, joint_from_body, Source::Known(name)));
        }
        let joint_from_body = dog::mean_stance(skeleton, joints, &shape::sample_poses(clip, SAMPLES))?;
        Some(Self::in_stance(skeleton, bones, joint_from_body, Source::Motion))
    }

    /// Axes of a dog from any number of poses; used to make the table of known rigs. `None` if no pose stands.
    pub fn estimate_dog(skeleton: &Skeleton, joints: &[Option<usize>], poses: &[Pose]) -> Option<Vec<Quat>> {
        dog::mean_stance(skeleton, joints, poses)
    }

    /// Axes of a rig from any number of poses, whatever its rest pose; used to make the table of known rigs. `poses`
    /// are of clips on the skeleton, at least one.
    pub fn estimate(skeleton: &Skeleton, rig: &Rig, poses: &[Pose]) -> Vec<Quat> {
        motion::axes(skeleton, rig, poses)
    }

    /// Uses the stance as the still pose: the identity for every body part.
    fn in_stance(skeleton: &Skeleton, bones: Vec<Vec3>, joint_from_body: Vec<Quat>, source: Source) -> Self {
        let world = |joint: usize| joint_from_body[joint].inverse();
        let local = |joint: usize| match skeleton.joints()[joint].parent {
            Some(parent) => (world(parent).inverse() * world(joint)).normalize(),
            None => world(joint),
        };
        let still = bones.into_iter().enumerate().map(|(joint, bone)| (local(joint), bone)).collect();
        Self { joint_from_body, reference_pose: still, source }
    }

    /// World pose of the still pose.
    pub fn world_reference_pose(&self, skeleton: &Skeleton) -> Pose {
        let mut pose = Pose::default();
        for (joint, &(rotation, bone)) in skeleton.joints().iter().zip(&self.reference_pose) {
            let above = joint.parent.map(|parent| (pose.world_positions[parent], pose.world_rotations[parent]));
            let (place, turn) = above.unwrap_or_default();
            pose.world_positions.push(place + turn * bone);
            pose.world_rotations.push(turn * rotation);
        }
        pose
    }

    /// World rotation of a joint's body part in a pose.
    pub fn body_rotation(&self, pose: &Pose, joint: usize) -> Quat {
        pose.world_rotations[joint] * self.joint_from_body[joint]
    }
}

/// Local translation of each joint, metres, [joints]: OFFSET, unless position channels of a joint below the hips give
/// another length.
fn bone_offsets(clip: &Clip, rig: &Rig) -> Vec<Vec3> {
    let carries = root_chain(clip.skeleton(), rig);
    let joint = |(index, joint): (usize, &Joint)| {
        if carries[index] || clip.frames() == 0 {
            return joint.offset;
        }
        let first = clip.local_translation(0, index);
        let same = (first.length() - joint.offset.length()).abs() <= SAME_LENGTH * first.length();
        if same { joint.offset } else { first }
    };
    clip.skeleton().joints().iter().enumerate().map(joint).collect()
}

/// Direction of each role's bone in the stance, and a second axis across it: the hinge axis of knees and elbows
/// (upper bone × lower bone), left for other roles.
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

/// Role at the end of a role's bone; `None` for the last ones. The chest's bone ends at the neck.
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
    /// Its End Site, in the foot's axes, metres.
    Site(Vec3),
}

/// The toe joint of a foot, or its longest End Site.
pub(super) fn tip(skeleton: &Skeleton, rig: &Rig, role: Role, foot: usize) -> Option<Tip> {
    let site = skeleton.joints()[foot].longest_site().filter(|site| site.length() > 0.0);
    bone_end(rig, role).map(Tip::Joint).or(site.map(Tip::Site))
}

/// Role of each joint, [joints].
pub(super) fn roles(skeleton: &Skeleton, rig: &Rig) -> Vec<Option<Role>> {
    let mut roles = vec![None; skeleton.len()];
    for role in Role::ALL {
        if let Some(joint) = rig.joint(role) {
            roles[joint] = Some(role);
        }
    }
    roles
}
