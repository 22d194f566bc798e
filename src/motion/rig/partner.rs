//! Pairs of opposite joints.

use super::name::{Side, stem};
use super::{Rig, Role, trunk};
use crate::motion::skeleton::Skeleton;

impl Role {
    /// The same role on the other side of the body; roles of the trunk are their own opposites.
    pub fn opposite(self) -> Role {
        use Role::*;
        match self {
            LeftUpLeg => RightUpLeg,
            LeftLeg => RightLeg,
            LeftFoot => RightFoot,
            LeftToe => RightToe,
            RightUpLeg => LeftUpLeg,
            RightLeg => LeftLeg,
            RightFoot => LeftFoot,
            RightToe => LeftToe,
            LeftShoulder => RightShoulder,
            LeftArm => RightArm,
            LeftForeArm => RightForeArm,
            LeftHand => RightHand,
            RightShoulder => LeftShoulder,
            RightArm => LeftArm,
            RightForeArm => LeftForeArm,
            RightHand => LeftHand,
            trunk => trunk,
        }
    }
}

/// The joint that each joint exchanges with when mirrored, [joints]; its own index in the middle of the body. By
/// role, then by name below parents that are partners themselves. An involution.
pub fn find_partners(skeleton: &Skeleton, rig: &Rig) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..skeleton.len()).collect();
    let mut taken = vec![false; skeleton.len()];
    for role in Role::ALL {
        if let (Some(joint), Some(other)) = (rig.joint(role), rig.joint(role.opposite())) {
            partners[joint] = other;
            taken[joint] = true;
        }
    }
    let stems: Vec<(Option<Side>, Vec<String>)> = skeleton.joints().iter().map(|joint| stem(&joint.name)).collect();
    for joint in 0..skeleton.len() {
        let (Some(side), false) = (stems[joint].0, taken[joint]) else { continue };
        let under = skeleton.joints()[joint].parent.map(|parent| partners[parent]);
        let opposite = |&other: &usize| {
            let (there, words) = &stems[other];
            there.is_some_and(|there| there != side)
                && *words == stems[joint].1
                && skeleton.joints()[other].parent == under
        };
        if let Some(other) = (joint + 1..skeleton.len()).filter(|&other| !taken[other]).find(opposite) {
            (partners[joint], partners[other]) = (other, joint);
            (taken[joint], taken[other]) = (true, true);
        }
    }
    partners
}

/// Whether each joint is a root, or has translations and is the hips or an ancestor of the hips, [joints].
pub fn root_chain(skeleton: &Skeleton, rig: &Rig) -> Vec<bool> {
    let mut above: Vec<bool> = skeleton.joints().iter().map(|joint| joint.parent.is_none()).collect();
    for joint in rig.joint(Role::Hips).map(|hips| trunk::path(skeleton, hips)).unwrap_or_default() {
        above[joint] = skeleton.translation_slot(joint).is_some();
    }
    above
}
