//! Axes of known rigs whose rest pose tells nothing about the body, estimated from many recordings.
//!
//! `cargo run --release -p lab --bin bench -- rigs --data DIR` prints a table for each such rig, estimated from all its
//! recordings in a folder and its subfolders. The axes of LAFAN1 are from 24 of its 77 files (subjects 1 to 4), those
//! of Bandai-Namco from 1,067 files (the locomotion of both its sets), those of MANN's dog from 25 files. The axes of
//! people's trunks and limbs differ by less than 0.05 rad from coordinate axes of the joints, because the bones lie on
//! these. The axes of feet and toes are means over standing feet, and the dog's axes are means over standing poses.

use super::{bone_end, stance};
use crate::motion::rig::{Rig, Role};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// Name of a joint, name of its parent (empty for a root), and body axes as x, y, z, w.
type Joint = (&'static str, &'static str, [f32; 4]);

/// Largest angle between a bone and the direction that the table gives, radians: rigs with the same names but other
/// axes must not match.
const MAX_BONE_ANGLE: f32 = 0.2;

/// Returns name and axes, [joints], of a known rig. A rig is recognised by the names of its joints and their parents,
/// and by the directions of its bones along the limbs and across hips and shoulders. Joints that are not in the table
/// (fingers) get their parents' axes. `bones`: local translation of each joint, metres, [joints].
pub fn find_axes(skeleton: &Skeleton, rig: &Rig, bones: &[Vec3]) -> Option<(&'static str, Vec<Quat>)> {
    RIGS.iter().find_map(|(name, joints)| {
        let axes = axes_from_table(skeleton, joints)?;
        let bone_matches = |role: Role| {
            let Some((joint, end)) = rig.joint(role).zip(bone_end(rig, role)) else { return true };
            (axes[joint].inverse() * bones[end]).angle_between(stance(role).0) < MAX_BONE_ANGLE
        };
        use Role::*;
        let limb_roles = [LeftUpLeg, LeftLeg, RightUpLeg, RightLeg, LeftArm, LeftForeArm, RightArm, RightForeArm];
        // The line from the right joint to the left one must point to the left of the body.
        let line_across_matches = |parent: Role, left: Role, right: Role| {
            let joints = rig.joint(parent).zip(rig.joint(left).zip(rig.joint(right)));
            let Some((parent, (left, right))) = joints else { return true };
            (axes[parent].inverse() * (bones[left] - bones[right])).angle_between(Vec3::X) < MAX_BONE_ANGLE
        };
        let trunk_matches = line_across_matches(Hips, LeftUpLeg, RightUpLeg)
            && line_across_matches(Spine2, LeftShoulder, RightShoulder);
        (trunk_matches && limb_roles.into_iter().all(bone_matches)).then_some((*name, axes))
    })
}

/// Returns name and axes, [joints], of a known dog.
pub fn find_dog_axes(skeleton: &Skeleton) -> Option<(&'static str, Vec<Quat>)> {
    DOGS.iter().find_map(|(name, joints)| Some((*name, axes_from_table(skeleton, joints)?)))
}

/// Returns the axes of a skeleton that has all joints of a table; `None` if one is missing or has another parent.
fn axes_from_table(skeleton: &Skeleton, table: &[Joint]) -> Option<Vec<Quat>> {
    let joints = skeleton.joints();
    let mut axes: Vec<Quat> = Vec::with_capacity(joints.len());
    let mut matches = 0;
    for joint in joints {
        let parent = joint.parent.map_or("", |parent| joints[parent].name.as_str());
        axes.push(match table.iter().find(|entry| entry.0 == joint.name) {
            Some((_, table_parent, rotation)) if *table_parent == parent => {
                matches += 1;
                Quat::from_array(*rotation).normalize()
            }
            Some(_) => return None,
            None => joint.parent.map_or(Quat::IDENTITY, |parent| axes[parent]),
        });
    }
    (matches == table.len()).then_some(axes)
}

#[rustfmt::skip]
#[allow(clippy::approx_constant)]
const RIGS: &[(&str, &[Joint])] = &[
    ("LAFAN1", &[
        ("Hips", "", [-0.5, -0.5, -0.5, 0.5]),
        ("LeftUpLeg", "Hips", [-0.5, 0.5, 0.5, 0.5]),
        ("LeftLeg", "LeftUpLeg", [-0.5, 0.5, 0.5, 0.5]),
        ("LeftFoot", "LeftLeg", [-0.1375, 0.6932, 0.1401, 0.6935]),
        ("LeftToe", "LeftFoot", [-0.0061, 0.7066, 0.0085, 0.7075]),
        ("RightUpLeg", "Hips", [-0.5, 0.5, 0.5, 0.5]),
        ("RightLeg", "RightUpLeg", [-0.5, 0.5, 0.5, 0.5]),
        ("RightFoot", "RightLeg", [-0.1401, 0.6935, 0.1375, 0.6932]),
        ("RightToe", "RightFoot", [-0.0085, 0.7075, 0.0061, 0.7066]),
        ("Spine", "Hips", [-0.5, -0.5, -0.5, 0.5]),
        ("Spine1", "Spine", [-0.5, -0.5, -0.5, 0.5]),
        ("Spine2", "Spine1", [-0.5, -0.5, -0.5, 0.5]),
        ("Neck", "Spine2", [-0.5, -0.5, -0.5, 0.5]),
        ("Head", "Neck", [-0.5, -0.5, -0.5, 0.5]),
        ("LeftShoulder", "Spine2", [0.7071, 0.0, 0.0, 0.7071]),
        ("LeftArm", "LeftShoulder", [0.7071, 0.0, 0.0, 0.7071]),
        ("LeftForeArm", "LeftArm", [0.7071, 0.0, 0.0, 0.7071]),
        ("LeftHand", "LeftForeArm", [0.7071, 0.0, 0.0, 0.7071]),
        ("RightShoulder", "Spine2", [0.0, -0.7071, 0.7071, 0.0]),
        ("RightArm", "RightShoulder", [0.0, 0.7071, -0.7071, 0.0]),
        ("RightForeArm", "RightArm", [0.0, 0.7071, -0.7071, 0.0]),
        ("RightHand", "RightForeArm", [0.0, 0.7071, -0.7071, 0.0]),
    ]),
    ("Bandai-Namco", &[
        ("joint_Root", "", [0.0, 0.0, 0.0, 1.0]),
        ("Hips", "joint_Root", [0.0, 0.0, -0.7071, 0.7071]),
        ("Spine", "Hips", [-0.5112, -0.4886, -0.5112, 0.4886]),
        ("Chest", "Spine", [-0.5, -0.5, -0.5, 0.5]),
        ("Neck", "Chest", [-0.5, -0.5, -0.5, 0.5]),
        ("Head", "Neck", [-0.5, -0.5, -0.5, 0.5]),
        ("Shoulder_L", "Chest", [0.0, 0.0, 0.0, 1.0]),
        ("UpperArm_L", "Shoulder_L", [0.0, 0.0, 0.0, 1.0]),
        ("LowerArm_L", "UpperArm_L", [0.0, 0.0, 0.0, 1.0]),
        ("Hand_L", "LowerArm_L", [0.0, 0.0, 0.0, 1.0]),
        ("Shoulder_R", "Chest", [1.0, 0.0, 0.0, 0.0]),
        ("UpperArm_R", "Shoulder_R", [-1.0, 0.0, 0.0, 0.0]),
        ("LowerArm_R", "UpperArm_R", [1.0, 0.0, 0.0, 0.0]),
        ("Hand_R", "LowerArm_R", [1.0, 0.0, 0.0, 0.0]),
        ("UpperLeg_L", "Hips", [0.0, 0.0, 0.7071, 0.7071]),
        ("LowerLeg_L", "UpperLeg_L", [0.0, 0.0, 0.7071, 0.7071]),
        ("Foot_L", "LowerLeg_L", [0.2898, 0.3165, 0.6326, 0.6447]),
        ("Toes_L", "Foot_L", [0.3822, 0.4085, 0.5835, 0.5887]),
        ("UpperLeg_R", "Hips", [0.7071, 0.7071, 0.0004, 0.0004]),
        ("LowerLeg_R", "UpperLeg_R", [-0.7071, -0.7071, 0.0, 0.0]),
        ("Foot_R", "LowerLeg_R", [-0.6447, -0.6326, 0.3165, 0.2898]),
        ("Toes_R", "Foot_R", [-0.5887, -0.5835, 0.4085, 0.3822]),
    ]),
];

#[rustfmt::skip]
#[allow(clippy::approx_constant)]
const DOGS: &[(&str, &[Joint])] = &[
    ("MANN", &[
        ("Hips", "", [0.0165, -0.7069, 0.0165, 0.7069]),
        ("Spine", "Hips", [0.7058, -0.0434, 0.7058, 0.0434]),
        ("Spine1", "Spine", [0.7068, -0.022, 0.7068, 0.022]),
        ("Neck", "Spine1", [0.707, -0.0147, 0.707, 0.0147]),
        ("Head", "Neck", [0.4415, 0.4415, 0.5523, 0.5523]),
        ("LeftShoulder", "Spine1", [-0.6404, 0.4713, 0.0423, 0.6049]),
        ("LeftArm", "LeftShoulder", [0.2717, -0.6528, 0.2717, 0.6528]),
        ("LeftForeArm", "LeftArm", [0.5473, -0.4269, 0.6078, 0.3858]),
        ("LeftHand", "LeftForeArm", [0.5611, -0.3898, 0.646, 0.3405]),
        ("RightShoulder", "Spine1", [0.4629, -0.6129, 0.6377, 0.0578]),
        ("RightArm", "RightShoulder", [0.2717, -0.6528, 0.2717, 0.6528]),
        ("RightForeArm", "RightArm", [0.6967, -0.5128, 0.4306, 0.2574]),
        ("RightHand", "RightForeArm", [0.719, -0.4617, 0.4665, 0.2288]),
        ("LeftUpLeg", "Hips", [0.6352, -0.3106, 0.6352, 0.3106]),
        ("LeftLeg", "LeftUpLeg", [0.3041, -0.6384, 0.3041, 0.6384]),
        ("LeftFoot", "LeftLeg", [0.0156, -0.7069, 0.0156, 0.7069]),
        ("RightUpLeg", "Hips", [0.6352, -0.3106, 0.6352, 0.3106]),
        ("RightLeg", "RightUpLeg", [0.3041, -0.6384, 0.3041, 0.6384]),
        ("RightFoot", "RightLeg", [0.0156, -0.7069, 0.0156, 0.7069]),
        ("Tail", "Hips", [0.2386, -0.6656, 0.2386, 0.6656]),
        ("Tail1", "Tail", [0.2147, -0.6737, 0.2147, 0.6737]),
    ]),
];
