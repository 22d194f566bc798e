//! Leg length: the measure of a body's size.

use super::{Rig, Role};
use crate::motion::fk::Pose;

impl Rig {
    /// Returns the hip joint, knee and ankle of the left and the right leg; `None` if one is missing.
    pub fn legs(&self) -> Option<[[usize; 3]; 2]> {
        use Role::*;
        let leg = |[hip, knee, ankle]: [Role; 3]| Some([self.joint(hip)?, self.joint(knee)?, self.joint(ankle)?]);
        Some([leg([LeftUpLeg, LeftLeg, LeftFoot])?, leg([RightUpLeg, RightLeg, RightFoot])?])
    }
}

/// Returns the mean length of legs along their bones in a pose, metres. A leg is a list of joints from the hip down.
pub fn length<L: AsRef<[usize]>>(pose: &Pose, legs: &[L]) -> f32 {
    let position_of = |joint: usize| pose.world_positions[joint];
    let leg_length =
        |leg: &[usize]| leg.windows(2).map(|bone| position_of(bone[0]).distance(position_of(bone[1]))).sum::<f32>();
    legs.iter().map(|leg| leg_length(leg.as_ref())).sum::<f32>() / legs.len().max(1) as f32
}
