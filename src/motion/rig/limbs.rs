//! Limbs by name: the best mapping of a limb's four roles to the joints of one path from the root.

use super::name::{Hint, Side};
use crate::motion::skeleton::Skeleton;

/// Joints of one limb: thigh, shin, foot, toe; or clavicle, upper arm, forearm, hand. `None`: no such joint.
pub type Limb = [Option<usize>; 4];

/// Weights of the roles of a leg. Toe and, in [`ARM_WEIGHTS`], clavicle are often absent, so they weigh less. A "LeftShoulder" with no "LeftArm" below it is
/// thereby read as the upper arm (score 0.8 × weight 1), not as the clavicle (0.9 × 0.5).
pub const LEG_WEIGHTS: [f32; 4] = [1.0, 1.0, 1.0, 0.5];
/// Weights of the roles of an arm, see [`LEG_WEIGHTS`].
pub const ARM_WEIGHTS: [f32; 4] = [0.5, 1.0, 1.0, 1.0];
/// Indices of thigh and shin in a leg.
pub const LEG_BONES: [usize; 2] = [0, 1];
/// Indices of upper arm and forearm in an arm.
pub const ARM_BONES: [usize; 2] = [1, 2];

/// Finds the limb of a side with the highest total score. `scores` returns a hint's scores for the limb's four roles.
/// Dynamic programming from the roots down: for each joint and each role, it keeps the best mapping of the joints from
/// the root to this joint in which this role is the last mapped one. This suffices because roles only advance along a
/// path. Of equal scores, the joint nearer to the root is kept; on different paths, the first one in the skeleton.
pub fn find_limb(
    skeleton: &Skeleton,
    hints: &[Hint],
    side: Side,
    weights: [f32; 4],
    scores: impl Fn(&Hint) -> [f32; 4],
) -> Limb {
    #[derive(Clone, Copy)]
    struct State {
        score: f32,
        limb: Limb,
    }
    // best[joint][k]: best mapping of the joints from the root to `joint`. Its last mapped role is k − 1; for k = 0, no
    // role is mapped.
    let mut best: Vec<[Option<State>; 5]> = Vec::with_capacity(skeleton.len());
    let mut best_state = State { score: 0.0, limb: [None; 4] };
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let start = [Some(State { score: 0.0, limb: [None; 4] }), None, None, None, None];
        let parent_states = joint.parent.map_or(start, |parent| best[parent]);
        let mut states = parent_states;
        if hints[index].side == Some(side) {
            for (role, (score, weight)) in scores(&hints[index]).into_iter().zip(weights).enumerate() {
                if score <= 0.0 {
                    continue;
                }
                for state in parent_states[..=role].iter().flatten() {
                    let mut extended = *state;
                    extended.score += score * weight;
                    extended.limb[role] = Some(index);
                    if states[role + 1].is_none_or(|previous| extended.score > previous.score) {
                        states[role + 1] = Some(extended);
                    }
                }
            }
        }
        for state in states.iter().flatten() {
            if state.score > best_state.score {
                best_state = *state;
            }
        }
        best.push(states);
    }
    best_state.limb
}

/// Returns whether a limb has its two long bones: thigh and shin, or upper arm and forearm. A body may lack feet and
/// hands.
pub fn has_bones(limb: &Limb, bones: [usize; 2]) -> bool {
    bones.iter().all(|&bone| limb[bone].is_some())
}
