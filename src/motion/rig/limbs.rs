//! Limbs by name: the best assignment of a limb's four roles along one path from the root.

use super::name::{Hint, Side};
use crate::motion::skeleton::Skeleton;

/// One limb: thigh, shin, foot, toe; or clavicle, upper arm, forearm, hand.
pub type Limb = [Option<usize>; 4];

/// Weight of each role of a limb. Clavicle and toe are often absent and weigh less, so that "LeftShoulder" with no
/// "LeftArm" below it is read as the upper arm.
pub const LEG_WEIGHTS: [f32; 4] = [1.0, 1.0, 1.0, 0.5];
/// See [`LEG_WEIGHTS`].
pub const ARM_WEIGHTS: [f32; 4] = [0.5, 1.0, 1.0, 1.0];

/// Finds the best limb of a side. `scores` returns a hint's scores for the limb's four roles. Dynamic
/// programming down the tree: the state is the last assigned role. Roles only advance along a path. Ties keep the joint
/// nearer to the root.
pub fn by_names(
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
    // best[joint][k]: best assignment on the path to the joint with roles below k assigned.
    let mut best: Vec<[Option<State>; 5]> = Vec::with_capacity(skeleton.len());
    let mut winner = State { score: 0.0, limb: [None; 4] };
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let start = [Some(State { score: 0.0, limb: [None; 4] }), None, None, None, None];
        let above = joint.parent.map_or(start, |parent| best[parent]);
        let mut here = above;
        if hints[index].side == Some(side) {
            for (role, (score, weight)) in scores(&hints[index]).into_iter().zip(weights).enumerate() {
                if score <= 0.0 {
                    continue;
                }
                for state in above[..=role].iter().flatten() {
                    let mut taken = *state;
                    taken.score += score * weight;
                    taken.limb[role] = Some(index);
                    if here[role + 1].is_none_or(|old| taken.score > old.score) {
                        here[role + 1] = Some(taken);
                    }
                }
            }
        }
        for state in here.iter().flatten() {
            if state.score > winner.score {
                winner = *state;
            }
        }
        best.push(here);
    }
    winner.limb
}

/// Whether a leg has thigh, shin and foot, or an arm has upper arm, forearm and hand.
pub fn is_complete(limb: &Limb, weights: [f32; 4]) -> bool {
    limb.iter().zip(weights).all(|(joint, weight)| joint.is_some() || weight < 1.0)
}
