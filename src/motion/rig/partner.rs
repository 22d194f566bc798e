//! Partners: joints of the left and right side that take each other's motion when a clip is mirrored.

use super::name::{Side, split_side};
use super::{Rig, Role, trunk};
use crate::motion::skeleton::Skeleton;

impl Role {
    /// Returns the same role on the other side of the body; roles of the trunk are their own opposites.
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

/// Returns the partner of each joint, [joints]: the joint of the opposite role, else the joint of the opposite name
/// below the partner of its parent, else the joint itself (joints on the midline). The partner of a partner is the
/// joint itself.
pub fn find_partners(skeleton: &Skeleton, rig: &Rig) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..skeleton.len()).collect();
    let mut paired = vec![false; skeleton.len()];
    for role in Role::ALL {
        if let (Some(joint), Some(partner)) = (rig.joint(role), rig.joint(role.opposite())) {
            partners[joint] = partner;
            paired[joint] = true;
        }
    }
    for (role, &joint) in &rig.details {
        if let Some(&partner) = rig.details.get(&role.opposite()) {
            partners[joint] = partner;
            paired[joint] = true;
        }
    }
    let stems: Vec<(Option<Side>, Vec<String>)> =
        skeleton.joints().iter().map(|joint| split_side(&joint.name)).collect();
    for joint in 0..skeleton.len() {
        let (Some(side), false) = (stems[joint].0, paired[joint]) else { continue };
        let partner_of_parent = skeleton.joints()[joint].parent.map(|parent| partners[parent]);
        let is_partner = |&partner: &usize| {
            let (other_side, words) = &stems[partner];
            other_side.is_some_and(|other_side| other_side != side)
                && *words == stems[joint].1
                && skeleton.joints()[partner].parent == partner_of_parent
        };
        if let Some(partner) = (joint + 1..skeleton.len()).filter(|&partner| !paired[partner]).find(is_partner) {
            (partners[joint], partners[partner]) = (partner, joint);
            (paired[joint], paired[partner]) = (true, true);
        }
    }
    partners
}

/// Returns whether each joint moves freely over the ground, [joints]: it carries the body, because it is a root, or it
/// has translations and is the hips or an ancestor of the hips; or it is a foot that hangs elsewhere than at its leg
/// ([`Rig::placed_feet`]). The other joints hang at bones of constant length.
pub fn root_chain(skeleton: &Skeleton, rig: &Rig) -> Vec<bool> {
    let mut carries: Vec<bool> = skeleton.joints().iter().map(|joint| joint.parent.is_none()).collect();
    for joint in rig.joint(Role::Hips).map(|hips| trunk::path(skeleton, hips)).unwrap_or_default() {
        carries[joint] = skeleton.translation_slot(joint).is_some();
    }
    for (foot, _) in rig.placed_feet(skeleton) {
        carries[foot] = true;
    }
    carries
}
