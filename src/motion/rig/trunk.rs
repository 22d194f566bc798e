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

/// Sets hips, spine, neck and head of `rig` from its limbs. `legs` and `arms`: left, right.
pub fn map_trunk(rig: &mut Rig, skeleton: &Skeleton, hints: &[Hint], legs: [Limb; 2], arms: [Limb; 2]) {
    let leg_tops: Vec<usize> = legs.iter().filter_map(|leg| leg.iter().flatten().next().copied()).collect();
    let arm_tops: Vec<usize> = arms.iter().filter_map(|arm| arm.iter().flatten().next().copied()).collect();
    let named_head = (0..skeleton.len()).find(|&j| hints[j].head && hints[j].side.is_none());

    let legs_ancestor = match leg_tops.len() {
        2 => common_ancestor(skeleton, &leg_tops).filter(|joint| !leg_tops.contains(joint)),
        _ => None,
    };
    let chest = match (arm_tops.as_slice(), named_head) {
        ([left, right], _) => {
            let chest = common_ancestor(skeleton, &[*left, *right]).filter(|joint| !arm_tops.contains(joint));
            // If the shoulders are children of the neck, the chest is the parent of the neck.
            chest.and_then(|c| if hints[c].neck { skeleton.joints()[c].parent } else { Some(c) })
        }
        (_, Some(head)) => {
            let chain = path(skeleton, head);
            chain.iter().rev().copied().find(|&j| j != head && !hints[j].neck)
        }
        _ => None,
    };
    // The hips are the joint from which legs and trunk branch; helper joints between it and the legs (a pelvis joint)
    // are skipped.
    let hips = match (legs_ancestor, chest.or(named_head)) {
        (Some(legs), Some(top)) => common_ancestor(skeleton, &[legs, top]),
        (legs, _) => legs,
    };
    rig.joints[Role::Hips as usize] = hips;
    let (Some(hips), Some(chest)) = (hips, chest) else { return };

    let candidates: Vec<usize> = path(skeleton, chest).into_iter().skip_while(|&j| j != hips).skip(1).collect();
    let without_extras: Vec<usize> = candidates.iter().copied().filter(|&j| !hints[j].extra).collect();
    let spine = if without_extras.is_empty() { candidates } else { without_extras };
    let roles = [Role::Spine, Role::Spine1, Role::Spine2].map(|role| role as usize);
    match spine.as_slice() {
        [] => {}
        [only] => rig.joints[roles[0]] = Some(*only),
        [first, middle @ .., last] => {
            rig.joints[roles[0]] = Some(*first);
            rig.joints[roles[2]] = Some(*last);
            rig.joints[roles[1]] = middle.get(middle.len() / 2).copied();
        }
    }

    let head = named_head.filter(|&head| path(skeleton, head).contains(&chest)).or_else(|| {
        let is_taken = |j: usize| rig.joints.contains(&Some(j)) || hints[j].side.is_some() || hints[j].extra;
        find_unnamed_head(skeleton, chest, &is_taken)
    });
    let Some(head) = head else { return };
    let neck_chain: Vec<usize> = path(skeleton, head).into_iter().skip_while(|&j| j != chest).skip(1).collect();
    let neck = neck_chain.iter().copied().find(|&j| j != head && hints[j].neck);
    let neck = neck.or_else(|| neck_chain.first().copied().filter(|&j| j != head));
    rig.joints[Role::Neck as usize] = neck;
    // A single joint above the chest that is named as a neck is the neck of a body without a head.
    if neck.is_some() || !hints[head].neck {
        rig.joints[Role::Head as usize] = Some(head);
        return;
    }
    rig.joints[Role::Neck as usize] = Some(head);
    // FreeMoCap names the head "face".
    let names_face = |&joint: &usize| hints[joint].face && hints[joint].side.is_none();
    rig.joints[Role::Head as usize] = skeleton.children(head).find(names_face);
}

/// Finds the end of the chain that continues from the chest, where the arms branch off.
fn find_unnamed_head(skeleton: &Skeleton, chest: usize, is_taken: &dyn Fn(usize) -> bool) -> Option<usize> {
    let mut head = None;
    let mut joint = chest;
    loop {
        let children: Vec<usize> = skeleton.children(joint).filter(|&j| !is_taken(j)).collect();
        // After the chest, a joint with several children (a face rig) is the head.
        match (children.as_slice(), head) {
            ([only], _) => joint = *only,
            ([first, ..], None) => joint = *first,
            _ => return head,
        }
        head = Some(joint);
    }
}
