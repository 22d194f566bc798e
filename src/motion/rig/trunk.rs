//! Hips, spine, neck and head: by topology from the limbs, and by name where topology is ambiguous.

use super::limbs::Limb;
use super::name::Hint;
use super::{Rig, Role};
use crate::motion::skeleton::Skeleton;

/// Returns the joints from the root to a joint, both included.
pub fn path(skeleton: &Skeleton, joint: usize) -> Vec<usize> {
    let mut path: Vec<usize> = std::iter::successors(Some(joint), |&j| skeleton.joints()[j].parent).collect();
    path.reverse();
    path
}

/// Finds the deepest joint that is equal to, or an ancestor of, each of `joints`.
pub fn common_ancestor(skeleton: &Skeleton, joints: &[usize]) -> Option<usize> {
    let mut paths = joints.iter().map(|&joint| path(skeleton, joint));
    let mut common = paths.next()?;
    for other in paths {
        let shared = common.iter().zip(&other).take_while(|(a, b)| a == b).count();
        common.truncate(shared);
    }
    common.last().copied()
}

/// Sets hips, spine, neck and head of `rig` from its limbs. `legs` and `arms` are left, right.
pub fn fill(rig: &mut Rig, skeleton: &Skeleton, hints: &[Hint], legs: [Limb; 2], arms: [Limb; 2]) {
    let leg_tops: Vec<usize> = legs.iter().filter_map(|leg| leg.iter().flatten().next().copied()).collect();
    let arm_tops: Vec<usize> = arms.iter().filter_map(|arm| arm.iter().flatten().next().copied()).collect();
    let named_head = (0..skeleton.len()).find(|&j| hints[j].head && hints[j].side.is_none());

    let above_legs = match leg_tops.len() {
        2 => common_ancestor(skeleton, &leg_tops).filter(|joint| !leg_tops.contains(joint)),
        _ => None,
    };
    let chest = match (arm_tops.as_slice(), named_head) {
        ([left, right], _) => {
            let chest = common_ancestor(skeleton, &[*left, *right]).filter(|joint| !arm_tops.contains(joint));
            // Shoulders are children of the neck: the chest is the joint below it.
            chest.and_then(|c| if hints[c].neck { skeleton.joints()[c].parent } else { Some(c) })
        }
        (_, Some(head)) => {
            let chain = path(skeleton, head);
            chain.iter().rev().copied().find(|&j| j != head && !hints[j].neck)
        }
        _ => None,
    };
    // The hips carry the legs and the trunk; helper joints between them and the legs (a pelvis joint) are skipped.
    let hips = match (above_legs, chest.or(named_head)) {
        (Some(legs), Some(top)) => common_ancestor(skeleton, &[legs, top]),
        (legs, _) => legs,
    };
    rig.joints[Role::Hips as usize] = hips;
    let (Some(hips), Some(chest)) = (hips, chest) else { return };

    let below: Vec<usize> = path(skeleton, chest).into_iter().skip_while(|&j| j != hips).skip(1).collect();
    let plain: Vec<usize> = below.iter().copied().filter(|&j| !hints[j].extra).collect();
    let spine = if plain.is_empty() { below } else { plain };
    let roles = [Role::Spine, Role::Spine1, Role::Spine2].map(|role| role as usize);
    match spine.as_slice() {
        [] => {}
        [only] => rig.joints[roles[0]] = Some(*only),
        [first, between @ .., last] => {
            rig.joints[roles[0]] = Some(*first);
            rig.joints[roles[2]] = Some(*last);
            rig.joints[roles[1]] = between.get(between.len() / 2).copied();
        }
    }

    let head = named_head.filter(|&head| path(skeleton, head).contains(&chest)).or_else(|| {
        let taken = |j: usize| rig.joints.contains(&Some(j)) || hints[j].side.is_some() || hints[j].extra;
        unnamed_head(skeleton, chest, &taken)
    });
    let Some(head) = head else { return };
    let between: Vec<usize> = path(skeleton, head).into_iter().skip_while(|&j| j != chest).skip(1).collect();
    let neck = between.iter().copied().find(|&j| j != head && hints[j].neck);
    let neck = neck.or_else(|| between.first().copied().filter(|&j| j != head));
    rig.joints[Role::Neck as usize] = neck;
    // A chain that ends in a neck has no head.
    match neck.is_none() && hints[head].neck {
        true => rig.joints[Role::Neck as usize] = Some(head),
        false => rig.joints[Role::Head as usize] = Some(head),
    }
}

/// Finds the end of the chain that continues from the chest, where the arms branch off.
fn unnamed_head(skeleton: &Skeleton, chest: usize, taken: &dyn Fn(usize) -> bool) -> Option<usize> {
    let mut head = None;
    let mut at = chest;
    loop {
        let next: Vec<usize> = skeleton.children(at).filter(|&j| !taken(j)).collect();
        // A joint with several children (a face rig) is the head itself.
        match (next.as_slice(), head) {
            ([only], _) => at = *only,
            ([first, ..], None) => at = *first,
            _ => return head,
        }
        head = Some(at);
    }
}
