//! Assigns to each joint of the target the source parts that it follows.

use crate::motion::resample::slerp;
use crate::motion::rig::{Rig, Role, trunk};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// Rotation of a target part between two source parts: slerp from joint `a` to joint `b` by `weight`, then the constant
/// rotation `offset` in body axes.
#[derive(Debug, Clone, Copy)]
pub struct Mix {
    a: usize,
    b: usize,
    weight: f32,
    offset: Quat,
}

impl Mix {
    /// Follows one source part.
    pub fn single(joint: usize) -> Self {
        Self { a: joint, b: joint, weight: 0.0, offset: Quat::IDENTITY }
    }

    /// Returns the world body rotation of the target part. `source`: world body rotation of a source joint.
    pub fn rotation(&self, source: impl Fn(usize) -> Quat) -> Quat {
        let a = source(self.a);
        let mixed = if self.weight > 0.0 { slerp(a, source(self.b), self.weight) } else { a };
        mixed * self.offset
    }
}

/// Local rotations and translations of the reference pose, [joints].
type ReferencePose = [(Quat, Vec3)];
/// Joints of a chain with their positions along it, 0 to 1.
pub type Chain = Vec<(usize, f32)>;

/// Returns the source parts of each target joint, [target joints]. `None` for joints that keep their local rotation of
/// the reference pose.
pub fn plan_mixes(
    (source_skeleton, from, source_reference): (&Skeleton, &Rig, &ReferencePose),
    (skeleton, to, reference): (&Skeleton, &Rig, &ReferencePose),
) -> Vec<Option<Mix>> {
    let mut mixes = vec![None; skeleton.len()];
    for role in Role::ALL {
        if let Some(joint) = to.joint(role) {
            mixes[joint] = find_source(from, role);
        }
    }
    for (role, &joint) in &to.details {
        let source = role.alternatives().into_iter().find_map(|role| from.details.get(&role));
        mixes[joint] = source.map(|&source| Mix::single(source));
    }
    // Spines may have any number of joints: joints at the same height make the same rotation, and so do the joints
    // that carry the shoulders.
    let source = find_trunk_chain(source_skeleton, from, source_reference);
    let target = find_trunk_chain(skeleton, to, reference);
    if let (Some(source), Some(target)) = (source, target) {
        for &(joint, position) in &target[1..target.len() - 1] {
            mixes[joint] = Some(mix_at(&source, position));
        }
        if let (Some(to), Some(from)) = (target.last(), source.last()) {
            mixes[to.0] = Some(Mix::single(from.0));
        }
    }
    let neck = |rig: &Rig| rig.joint(Role::Neck).zip(rig.joint(Role::Head));
    let source = neck(from).and_then(|(neck, head)| find_chain(source_skeleton, neck, head, source_reference));
    let target = neck(to).and_then(|(neck, head)| find_chain(skeleton, neck, head, reference));
    match (source, target) {
        (Some(source), Some(target)) => {
            for (joint, position) in target {
                mixes[joint] = Some(mix_at(&source, position));
            }
        }
        // The source has no neck: the neck of the target makes half of the rotation from chest to head.
        (None, Some(target)) => {
            if let (Some(chest), Some(head)) = (find_chest(from), from.joint(Role::Head)) {
                for &(joint, position) in &target {
                    mixes[joint] =
                        Some(Mix { a: chest, b: head, weight: 0.5 + 0.5 * position, offset: Quat::IDENTITY });
                }
            }
        }
        _ => {}
    }
    mixes
}

/// Finds the joint that carries the shoulders.
fn find_chest(rig: &Rig) -> Option<usize> {
    [Role::Spine2, Role::Spine1, Role::Spine].into_iter().find_map(|role| rig.joint(role))
}

/// Returns the source part for a role. On a rig without this role it is the part of the parent role: the foot for toes,
/// the chest for shoulders; arms hang down.
fn find_source(from: &Rig, role: Role) -> Option<Mix> {
    if let Some(joint) = from.joint(role) {
        return Some(Mix::single(joint));
    }
    let parent = find_source(from, role.parent()?)?;
    use Role::*;
    let down = std::f32::consts::FRAC_PI_2;
    let offset = match role {
        LeftArm => Quat::from_rotation_z(-down),
        RightArm => Quat::from_rotation_z(down),
        _ => Quat::IDENTITY,
    };
    Some(Mix { offset: parent.offset * offset, ..parent })
}

/// Returns the joints from hips to chest, both included, each with the position of the middle of its bone. The
/// positions run from 0 at the hips to 1 at the chest, so that hips follow hips and chest follows chest on all rigs:
/// then a motion is nearly unchanged after a round trip through a rig with fewer joints. `None` without a spine.
fn find_trunk_chain(skeleton: &Skeleton, rig: &Rig, reference: &ReferencePose) -> Option<Chain> {
    let (hips, chest) = (rig.joint(Role::Hips)?, find_chest(rig)?);
    let joints: Vec<usize> = trunk::path(skeleton, chest).into_iter().skip_while(|&joint| joint != hips).collect();
    if joints.len() < 2 {
        return None;
    }
    // The bone of the chest ends at the neck, or between the arms if they are farther from the chest.
    let offset_from_chest = |role| offset_from_ancestor(skeleton, reference, chest, rig.joint(role)?);
    let arms = offset_from_chest(Role::LeftArm).zip(offset_from_chest(Role::RightArm));
    let between_arms = arms.map_or(0.0, |(left, right)| ((left + right) / 2.0).length());
    let neck = offset_from_chest(Role::Neck).or(offset_from_chest(Role::Head)).unwrap_or_default();
    let chest_length = neck.length().max(between_arms);
    let bones: Vec<f32> = joints[1..].iter().map(|&joint| reference[joint].1.length()).chain([chest_length]).collect();
    let length = bones.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut distance = 0.0;
    let middle = |bone: &f32| {
        distance += bone;
        (distance - bone / 2.0) / length
    };
    let middles: Vec<f32> = bones.iter().map(middle).collect();
    let (first, last) = (middles[0], middles[middles.len() - 1]);
    let position = |middle: f32| (middle - first) / (last - first).max(f32::MIN_POSITIVE);
    Some(joints.iter().copied().zip(middles.iter().map(|&middle| position(middle))).collect())
}

/// Returns the position of `joint` in the reference pose, in the axes of its ancestor `from`; `None` if `from` is not
/// an ancestor, as in some bone mappings made by hand.
fn offset_from_ancestor(skeleton: &Skeleton, reference: &ReferencePose, from: usize, joint: usize) -> Option<Vec3> {
    let mut offset = Vec3::ZERO;
    let mut current = joint;
    while current != from {
        offset = reference[current].1 + reference[current].0 * offset;
        current = skeleton.joints()[current].parent?;
    }
    Some(offset)
}

/// Returns the joints from `top` down to `end`, both included, each with its position along the chain; `None` if `end`
/// is not below `top`.
fn find_chain(skeleton: &Skeleton, top: usize, end: usize, reference: &ReferencePose) -> Option<Chain> {
    let joints: Vec<usize> = trunk::path(skeleton, end).into_iter().skip_while(|&joint| joint != top).collect();
    let length: f32 = joints.get(1..)?.iter().map(|&joint| reference[joint].1.length()).sum();
    let mut distance = 0.0;
    let mut position = |i: usize, joint: usize| {
        distance += if i > 0 { reference[joint].1.length() } else { 0.0 };
        // A chain of length zero is divided evenly.
        (joint, if length > 0.0 { distance / length } else { i as f32 / (joints.len() - 1).max(1) as f32 })
    };
    Some(joints.iter().enumerate().map(|(i, &joint)| position(i, joint)).collect())
}

/// Largest difference of positions that count as equal, and largest weight of a source part that is ignored.
const SAME_POSITION: f32 = 0.01;

/// Returns the source parts at a position of a chain. Where several joints have this position, the last one counts.
pub fn mix_at(chain: &Chain, position: f32) -> Mix {
    let next = chain.iter().position(|&(_, joint_position)| joint_position > position + SAME_POSITION);
    match next {
        None => chain.last().map_or(Mix::single(0), |&(joint, _)| Mix::single(joint)),
        Some(0) => Mix::single(chain[0].0),
        Some(next) => {
            let ((a, from), (b, to)) = (chain[next - 1], chain[next]);
            let weight = ((position - from) / (to - from)).clamp(0.0, 1.0);
            if weight < SAME_POSITION || to - from < SAME_POSITION {
                Mix::single(a)
            } else {
                Mix { a, b, weight, offset: Quat::IDENTITY }
            }
        }
    }
}
