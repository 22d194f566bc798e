//! Leg length: the measure of a body's size.

use super::{Rig, Role, trunk};
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;

impl Rig {
    /// Returns the hip joint, knee and ankle of the left and the right leg; `None` if one is missing.
    pub fn legs(&self) -> Option<[[usize; 3]; 2]> {
        use Role::*;
        let leg = |[hip, knee, ankle]: [Role; 3]| Some([self.joint(hip)?, self.joint(knee)?, self.joint(ankle)?]);
        Some([leg([LeftUpLeg, LeftLeg, LeftFoot])?, leg([RightUpLeg, RightLeg, RightFoot])?])
    }

    /// Returns the feet that are not below their shins, each with its shin: their translations place them where the
    /// legs end, as in rigs whose feet are controls.
    pub fn placed_feet(&self, skeleton: &Skeleton) -> Vec<(usize, usize)> {
        let legs = [[Role::LeftFoot, Role::LeftLeg], [Role::RightFoot, Role::RightLeg]];
        let placed = legs.into_iter().filter_map(|[foot, shin]| Some((self.joint(foot)?, self.joint(shin)?)));
        placed.filter(|&(foot, shin)| !trunk::path(skeleton, foot).contains(&shin)).collect()
    }

    /// Returns the parent of each joint in the body, `[joints]`: that of the skeleton, but the shin for a foot that is
    /// placed by its translations ([`Rig::placed_feet`]).
    pub fn body_parents(&self, skeleton: &Skeleton) -> Vec<Option<usize>> {
        let mut parents: Vec<Option<usize>> = skeleton.joints().iter().map(|joint| joint.parent).collect();
        for (foot, shin) in self.placed_feet(skeleton) {
            parents[foot] = Some(shin);
        }
        parents
    }
}

/// Returns all joints, parents first.
pub fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let depth = |&joint: &usize| std::iter::successors(parents[joint], |&parent| parents[parent]).count();
    let mut order: Vec<usize> = (0..parents.len()).collect();
    order.sort_by_key(depth);
    order
}

/// Returns the mean length of legs along their bones in a pose, metres. A leg is a list of joints from the hip down.
pub fn length<L: AsRef<[usize]>>(pose: &Pose, legs: &[L]) -> f32 {
    let position_of = |joint: usize| pose.world_positions[joint];
    let leg_length =
        |leg: &[usize]| leg.windows(2).map(|bone| position_of(bone[0]).distance(position_of(bone[1]))).sum::<f32>();
    legs.iter().map(|leg| leg_length(leg.as_ref())).sum::<f32>() / legs.len().max(1) as f32
}
