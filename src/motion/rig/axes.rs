//! Body axes: how each joint's own axes lie in the body part it moves.
//!
//! Makers turn their joints' axes as they like: some leave them along the world in a T- or A-pose, others (LAFAN1,
//! Bandai-Namco) lay x along every bone, so that the rest pose is a stick and says nothing. What all bodies share is the
//! canonical stance: upright, facing +z, left is +x, arms out to the sides, palms down, legs straight, feet flat. A
//! joint's body axes are the constant rotation that takes its part from that stance to any pose:
//! `world_body_rotation = world_rotation * axes[joint]`, the identity in the stance. Two rigs whose parts have equal world
//! body rotations hold equal poses.

mod motion;
mod rest;

use super::{Rig, Role, shape};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::{Mat3, Quat, Vec3};

/// Frames looked at: feet must be seen to stand, which a runner's seldom do.
const SAMPLES: usize = 128;

/// Body axes of every joint of a rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    /// [joints]: `world_rotation * joint_from_body[joint]` is the world rotation of the body part.
    pub joint_from_body: Vec<Quat>,
    /// Local rotations and translations of a still pose, [joints]: the rest pose where it is a body, else the clip's
    /// first frame. Bone lengths, and the pose of joints nobody drives, come from here.
    pub still: Vec<(Quat, Vec3)>,
}

impl Axes {
    /// Reads the axes off the rest pose where it shows a standing body, else off geometry and the clip's motion: bones
    /// give one axis of a limb, the hinges of knees and elbows the other, flat feet the ground.
    /// The rig must be a [`super::RigKind::Biped`]. `None` where the rest pose is no body and the clip has no frames.
    pub fn of(clip: &Clip, rig: &Rig) -> Option<Self> {
        let skeleton = clip.skeleton();
        let bones: Vec<Vec3> = (0..skeleton.len())
            .map(|joint| match skeleton.joints()[joint].parent {
                Some(_) if clip.frames() > 0 => clip.local_translation(0, joint),
                _ => skeleton.joints()[joint].offset,
            })
            .collect();
        let poses = if clip.frames() > 0 { shape::sample(clip, SAMPLES) } else { Vec::new() };
        if let Some(facing) = rest::facing(skeleton, rig, &bones) {
            let stood = |role, joint| motion::stood(skeleton, rig, role, joint, &poses);
            let mut joint_from_body = rest::axes(skeleton, rig, &bones, facing, &stood);
            motion::settle_toes(&mut joint_from_body, rig, &poses);
            let still = bones.into_iter().map(|bone| (Quat::IDENTITY, bone)).collect();
            return Some(Self { joint_from_body, still });
        }
        if poses.is_empty() {
            return None;
        }
        let mut joint_from_body = motion::axes(clip, rig, &poses);
        motion::settle_toes(&mut joint_from_body, rig, &poses);
        let still = clip.frame_rotations(0).iter().copied().zip(bones).collect();
        Some(Self { joint_from_body, still })
    }

    /// World rotation of a joint's body part in a pose.
    pub fn world(&self, pose: &Pose, joint: usize) -> Quat {
        pose.world_rotations[joint] * self.joint_from_body[joint]
    }
}

/// Axis of each role's bone in the stance, and a second one across it: what knees and elbows turn about when they bend
/// (upper bone × lower bone), left for the rest.
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

/// Role at the end of a role's bone; `None` for ends. The neck stands for the chest's.
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

/// Where a foot ends.
pub(super) enum Tip {
    /// At its toe joint.
    Joint(usize),
    /// At its End Site, in the foot's axes, metres.
    Site(Vec3),
}

/// The toe joint of a foot, else its longest End Site.
pub(super) fn tip(skeleton: &Skeleton, rig: &Rig, role: Role, foot: usize) -> Option<Tip> {
    let sites = skeleton.joints()[foot].end_sites.iter().copied();
    let site = sites.max_by(|a, b| a.length().total_cmp(&b.length())).filter(|site| site.length() > 0.0);
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

/// The rotation that takes `from.0` to `to.0` exactly and `from.1` as near to `to.1` as that allows. `None` where a pair
/// is parallel or zero.
pub(super) fn frame(from: (Vec3, Vec3), to: (Vec3, Vec3)) -> Option<Quat> {
    let basis = |(first, second): (Vec3, Vec3)| -> Option<Mat3> {
        let x = first.try_normalize()?;
        let y = second.reject_from_normalized(x).try_normalize()?;
        Some(Mat3::from_cols(x, y, x.cross(y)))
    };
    Some(Quat::from_mat3(&(basis(to)? * basis(from)?.transpose())).normalize())
}
