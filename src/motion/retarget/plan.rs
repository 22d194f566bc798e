//! Which source part each target joint follows.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::resample::slerp;
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, Role, trunk};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// A part between two source parts: slerp from joint `a` to joint `b`, then a constant turn in the body's axes.
#[derive(Debug, Clone, Copy)]
pub struct Mix {
    a: usize,
    b: usize,
    part: f32,
    turn: Quat,
}

impl Mix {
    fn one(joint: usize) -> Self {
        Self { a: joint, b: joint, part: 0.0, turn: Quat::IDENTITY }
    }

    /// World rotation of the body part.
    pub fn of(&self, source: &Axes, pose: &Pose) -> Quat {
        let a = source.world(pose, self.a);
        let mixed = if self.part > 0.0 { slerp(a, source.world(pose, self.b), self.part) } else { a };
        mixed * self.turn
    }
}

/// Joints of a chain with the place of each along it, 0 to 1.
type Chain = Vec<(usize, f32)>;

/// [target joints]; `None` follows its parent in the still pose. `still` is the target's.
pub fn mixes(clip: &Clip, from: &Rig, still: &[(Quat, Vec3)], skeleton: &Skeleton, to: &Rig) -> Vec<Option<Mix>> {
    let mut mixes = vec![None; skeleton.len()];
    for role in Role::ALL {
        if let Some(joint) = to.joint(role) {
            mixes[joint] = follow(from, role);
        }
    }
    let source_bone = |joint: usize| match clip.frames() {
        0 => clip.skeleton().joints()[joint].offset.length(),
        _ => clip.local_translation(0, joint).length(),
    };
    let bone = |joint: usize| still[joint].1.length();
    // Spines of any number of joints: what is at the same height turns alike.
    let source = chain(clip.skeleton(), from.joint(Role::Hips), chest(from), &source_bone);
    let target = chain(skeleton, to.joint(Role::Hips), chest(to), &bone);
    if let (Some(source), Some(target)) = (source, target) {
        for &(joint, place) in target.iter().skip(1) {
            mixes[joint] = Some(at(&source, place));
        }
    }
    let neck = |rig: &Rig| rig.joint(Role::Neck).zip(rig.joint(Role::Head));
    let source = neck(from).and_then(|(neck, head)| chain(clip.skeleton(), Some(neck), Some(head), &source_bone));
    let target = neck(to).and_then(|(neck, head)| chain(skeleton, Some(neck), Some(head), &bone));
    match (source, target) {
        (Some(source), Some(target)) => {
            for (joint, place) in target {
                mixes[joint] = Some(at(&source, place));
            }
        }
        // A source whose head sits on the chest: the neck goes half of the way.
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

/// The joint the shoulders hang from.
fn chest(rig: &Rig) -> Option<usize> {
    [Role::Spine2, Role::Spine1, Role::Spine].into_iter().find_map(|role| rig.joint(role))
}

/// The part with a role, or what stands for it on a rig without: feet carry toes, the chest its shoulders, arms hang.
fn follow(from: &Rig, role: Role) -> Option<Mix> {
    if let Some(joint) = from.joint(role) {
        return Some(Mix::one(joint));
    }
    let parent = follow(from, role.parent()?)?;
    use Role::*;
    let down = std::f32::consts::FRAC_PI_2;
    let turn = match role {
        LeftArm => Quat::from_rotation_z(-down),
        RightArm => Quat::from_rotation_z(down),
        _ => Quat::IDENTITY,
    };
    Some(Mix { turn: parent.turn * turn, ..parent })
}

/// The chain between two joints, both included; `None` where one is missing, not below the other, or the same.
fn chain(skeleton: &Skeleton, top: Option<usize>, end: Option<usize>, bone: &dyn Fn(usize) -> f32) -> Option<Chain> {
    let top = top?;
    let joints: Vec<usize> = trunk::path(skeleton, end?).into_iter().skip_while(|&joint| joint != top).collect();
    if joints.len() < 2 {
        return None;
    }
    let length: f32 = joints[1..].iter().map(|&joint| bone(joint)).sum();
    let mut along = 0.0;
    let mut chain = vec![(top, 0.0)];
    for (i, &joint) in joints.iter().enumerate().skip(1) {
        along += bone(joint);
        // A chain without length is divided evenly.
        let place = if length > 0.0 { along / length } else { i as f32 / (joints.len() - 1) as f32 };
        chain.push((joint, place));
    }
    Some(chain)
}

/// What turns at a place of a chain. Of several joints at one place the last one does.
fn at(chain: &Chain, place: f32) -> Mix {
    const SAME_PLACE: f32 = 0.01;
    let after = chain.iter().position(|&(_, p)| p > place + SAME_PLACE);
    match after {
        None => chain.last().map_or(Mix::one(0), |&(joint, _)| Mix::one(joint)),
        Some(0) => Mix::one(chain[0].0),
        Some(after) => {
            let ((a, from), (b, to)) = (chain[after - 1], chain[after]);
            let part = ((place - from) / (to - from)).clamp(0.0, 1.0);
            if part < SAME_PLACE { Mix::one(a) } else { Mix { a, b, part, turn: Quat::IDENTITY } }
        }
    }
}
