//! Assigns each target joint to the source parts it follows.

use crate::motion::resample::slerp;
use crate::motion::rig::{Rig, Role, trunk};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// A body part between two source parts: slerp from joint `a` to joint `b`, then a constant rotation in body axes.
#[derive(Debug, Clone, Copy)]
pub struct Mix {
    a: usize,
    b: usize,
    part: f32,
    turn: Quat,
}

impl Mix {
    /// One source part, unchanged.
    pub fn single(joint: usize) -> Self {
        Self { a: joint, b: joint, part: 0.0, turn: Quat::IDENTITY }
    }

    /// World rotation of the body part, from the rotations of the source parts.
    pub fn rotation(&self, part: impl Fn(usize) -> Quat) -> Quat {
        let a = part(self.a);
        let mixed = if self.part > 0.0 { slerp(a, part(self.b), self.part) } else { a };
        mixed * self.turn
    }
}

/// Local rotations and translations of a still pose, [joints].
type Still = [(Quat, Vec3)];
/// Joints of a chain with their positions along it, 0 to 1.
pub type Chain = Vec<(usize, f32)>;

/// [target joints]; `None` for joints that follow their parent in the still pose.
pub fn plan_mixes(
    (source_skeleton, from, source_still): (&Skeleton, &Rig, &Still),
    (skeleton, to, still): (&Skeleton, &Rig, &Still),
) -> Vec<Option<Mix>> {
    let mut mixes = vec![None; skeleton.len()];
    for role in Role::ALL {
        if let Some(joint) = to.joint(role) {
            mixes[joint] = source_mix(from, role);
        }
    }
    // Spines may have any number of joints: joints at the same height make the same rotation, and so do the joints
    // that carry the shoulders.
    let source = trunk_chain(source_skeleton, from, source_still);
    let target = trunk_chain(skeleton, to, still);
    if let (Some(source), Some(target)) = (source, target) {
        for &(joint, place) in &target[1..target.len() - 1] {
            mixes[joint] = Some(mix_at(&source, place));
        }
        if let (Some(to), Some(from)) = (target.last(), source.last()) {
            mixes[to.0] = Some(Mix::single(from.0));
        }
    }
    let neck = |rig: &Rig| rig.joint(Role::Neck).zip(rig.joint(Role::Head));
    let source = neck(from).and_then(|(neck, head)| chain(source_skeleton, neck, head, source_still));
    let target = neck(to).and_then(|(neck, head)| chain(skeleton, neck, head, still));
    match (source, target) {
        (Some(source), Some(target)) => {
            for (joint, place) in target {
                mixes[joint] = Some(mix_at(&source, place));
            }
        }
        // In the source the head sits on the chest: the neck makes half of the rotation.
        (None, Some(target)) => {
            if let (Some(chest), Some(head)) = (chest(from), from.joint(Role::Head)) {
                for &(joint, place) in &target {
                    mixes[joint] = Some(Mix { a: chest, b: head, part: 0.5 + 0.5 * place, turn: Quat::IDENTITY });
                }
            }
        }
        _ => {}
    }
    mixes
}

/// The joint that carries the shoulders.
fn chest(rig: &Rig) -> Option<usize> {
    [Role::Spine2, Role::Spine1, Role::Spine].into_iter().find_map(|role| rig.joint(role))
}

/// The source part for a role, or its replacement on a rig without it: the foot for toes, the chest for shoulders;
/// arms hang down.
fn source_mix(from: &Rig, role: Role) -> Option<Mix> {
    if let Some(joint) = from.joint(role) {
        return Some(Mix::single(joint));
    }
    let parent = source_mix(from, role.parent()?)?;
    use Role::*;
    let down = std::f32::consts::FRAC_PI_2;
    let turn = match role {
        LeftArm => Quat::from_rotation_z(-down),
        RightArm => Quat::from_rotation_z(down),
        _ => Quat::IDENTITY,
    };
    Some(Mix { turn: parent.turn * turn, ..parent })
}

/// Joints from hips to chest, both included, each at the middle of its bone. Hips are at 0 and the chest at 1 and
/// follow each other on all rigs, so that a motion survives the round trip over a rig with fewer joints nearly
/// unchanged. `None` without a spine.
fn trunk_chain(skeleton: &Skeleton, rig: &Rig, still: &Still) -> Option<Chain> {
    let (hips, chest) = (rig.joint(Role::Hips)?, chest(rig)?);
    let joints: Vec<usize> = trunk::path(skeleton, chest).into_iter().skip_while(|&joint| joint != hips).collect();
    if joints.len() < 2 {
        return None;
    }
    // The chest's own bone ends at the neck, or where the arms begin if the neck joint coincides with the chest.
    let away = |role| rig.joint(role).map(|joint| offset_from_ancestor(skeleton, still, chest, joint));
    let shoulders = away(Role::LeftArm).zip(away(Role::RightArm)).map_or(0.0, |(a, b)| ((a + b) / 2.0).length());
    let end = away(Role::Neck).or(away(Role::Head)).unwrap_or_default().length().max(shoulders);
    let bones: Vec<f32> = joints[1..].iter().map(|&joint| still[joint].1.length()).chain([end]).collect();
    let length = bones.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut along = 0.0;
    let place = |bone: &f32| {
        along += bone;
        (along - bone / 2.0) / length
    };
    let places: Vec<f32> = bones.iter().map(place).collect();
    let (first, last) = (places[0], places[places.len() - 1]);
    let part = |place: f32| (place - first) / (last - first).max(f32::MIN_POSITIVE);
    Some(joints.iter().copied().zip(places.iter().map(|&place| part(place))).collect())
}

/// Position of `joint` in the still pose, relative to its ancestor `from`.
fn offset_from_ancestor(skeleton: &Skeleton, still: &Still, from: usize, joint: usize) -> Vec3 {
    let mut way = Vec3::ZERO;
    let mut at = joint;
    while at != from {
        way = still[at].1 + if at == joint { Vec3::ZERO } else { still[at].0 * way };
        let Some(parent) = skeleton.joints()[at].parent else { break };
        at = parent;
    }
    way
}

/// Joints between two, both included, each with its position along the chain; `None` if one is missing or not
/// below the other.
fn chain(skeleton: &Skeleton, top: usize, end: usize, still: &Still) -> Option<Chain> {
    let joints: Vec<usize> = trunk::path(skeleton, end).into_iter().skip_while(|&joint| joint != top).collect();
    let length: f32 = joints.get(1..)?.iter().map(|&joint| still[joint].1.length()).sum();
    let mut along = 0.0;
    let mut place = |i: usize, joint: usize| {
        along += if i > 0 { still[joint].1.length() } else { 0.0 };
        // A chain of length zero is divided evenly.
        (joint, if length > 0.0 { along / length } else { i as f32 / (joints.len() - 1).max(1) as f32 })
    };
    Some(joints.iter().enumerate().map(|(i, &joint)| place(i, joint)).collect())
}

/// Positions closer than this are equal.
const SAME_POSITION: f32 = 0.01;

/// The part at a position of a chain. Where several joints share the position, the last one counts.
pub fn mix_at(chain: &Chain, place: f32) -> Mix {
    let after = chain.iter().position(|&(_, p)| p > place + SAME_POSITION);
    match after {
        None => chain.last().map_or(Mix::single(0), |&(joint, _)| Mix::single(joint)),
        Some(0) => Mix::single(chain[0].0),
        Some(after) => {
            let ((a, from), (b, to)) = (chain[after - 1], chain[after]);
            let part = ((place - from) / (to - from)).clamp(0.0, 1.0);
            if part < SAME_POSITION || to - from < SAME_POSITION {
                Mix::single(a)
            } else {
                Mix { a, b, part, turn: Quat::IDENTITY }
            }
        }
    }
}
