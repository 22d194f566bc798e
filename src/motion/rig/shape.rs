//! What a skeleton's shape says where its names say nothing: which chains are legs and arms, which side is left.

use super::limbs::Limb;
use super::trunk::{common_ancestor, path};
use super::{Rig, Role, facing};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// Frames looked at.
const SAMPLES: usize = 32;
/// Bones of a mirrored pair differ by at most this share of their length.
const PAIR_TOLERANCE: f32 = 0.1;
/// A quadruped's forelegs are at least this share of its hind legs; people's arms are 0.55 to 0.75 of their legs.
const FORELEG: f32 = 0.85;
/// Upwards share of a trunk (hips to chest) below which it lies rather than stands.
const LYING: f32 = 0.6;

/// Limbs found by shape; left, right.
pub struct Body {
    /// Thigh, shin, foot, toe.
    pub legs: [Limb; 2],
    /// Clavicle, upper arm, forearm, hand.
    pub arms: Option<[Limb; 2]>,
}

/// Poses spread evenly over a clip; the rest pose of a clip with no frames.
pub fn sample(clip: &Clip) -> Vec<Pose> {
    let frames = clip.frames();
    if frames == 0 {
        let mut pose = Pose::default();
        for joint in clip.skeleton().joints() {
            let above = joint.parent.map_or(Vec3::ZERO, |parent| pose.world_positions[parent]);
            pose.world_positions.push(above + joint.offset);
            pose.world_rotations.push(Quat::IDENTITY);
        }
        return vec![pose];
    }
    let count = frames.min(SAMPLES);
    (0..count).map(|i| Pose::of(clip, i * frames / count)).collect()
}

/// A chain that leaves a joint: its joints and, for the two longest neighbouring bones, where they start.
struct Chain {
    joints: Vec<usize>,
    start: usize,
    bones: [f32; 2],
}

impl Chain {
    fn top(&self) -> usize {
        self.joints[self.start]
    }
    fn end(&self) -> usize {
        self.joints[self.start + 2]
    }
    fn mirrors(&self, other: &Chain) -> bool {
        let near = |a: f32, b: f32| (a - b).abs() <= PAIR_TOLERANCE * a.max(b);
        near(self.bones[0], other.bones[0]) && near(self.bones[1], other.bones[1])
    }
}

/// Reads a body: two mirrored legs at the hips, and two mirrored arms at a joint above.
pub fn read(skeleton: &Skeleton, poses: &[Pose], warnings: &mut Vec<String>) -> Option<Body> {
    let first = poses.first()?;
    let length = |joint: usize| {
        let parent = skeleton.joints()[joint].parent;
        parent.map_or(0.0, |parent| first.world_positions[joint].distance(first.world_positions[parent]))
    };
    let mut children = vec![Vec::new(); skeleton.len()];
    for (joint, parent) in skeleton.joints().iter().enumerate().filter_map(|(i, j)| Some((i, j.parent?))) {
        children[parent].push(joint);
    }
    // Longest way down from each joint, its own bone included, and the child it goes through.
    let mut reach = vec![0.0_f32; skeleton.len()];
    let mut onward = vec![None; skeleton.len()];
    for joint in (0..skeleton.len()).rev() {
        let next = children[joint].iter().copied().max_by(|&a, &b| reach[a].total_cmp(&reach[b]));
        onward[joint] = next;
        reach[joint] = length(joint) + next.map_or(0.0, |next| reach[next]);
    }
    let chain = |top: usize| -> Option<Chain> {
        let joints: Vec<usize> = std::iter::successors(Some(top), |&joint| onward[joint]).collect();
        let bones = |start: usize| [length(joints[start + 1]), length(joints[start + 2])];
        let start = (0..joints.len().checked_sub(2)?).max_by(|&a, &b| {
            let sum = |start| bones(start)[0] + bones(start)[1];
            sum(a).total_cmp(&sum(b)).then(b.cmp(&a))
        })?;
        let bones = bones(start);
        (bones[0] > 0.0 && bones[1] > 0.0).then_some(Chain { joints, start, bones })
    };
    let mut pairs: Vec<(usize, [Chain; 2])> = Vec::new();
    for (joint, below) in children.iter().enumerate() {
        let mut chains: Vec<Chain> = below.iter().filter_map(|&child| chain(child)).collect();
        // Longest first: legs before a tail's or a cape's chains.
        chains.sort_by(|a, b| (b.bones[0] + b.bones[1]).total_cmp(&(a.bones[0] + a.bones[1])));
        let found = (0..chains.len())
            .flat_map(|a| (a + 1..chains.len()).map(move |b| (a, b)))
            .find(|&(a, b)| chains[a].mirrors(&chains[b]));
        if let Some((a, b)) = found {
            let second = chains.swap_remove(b);
            let first = chains.swap_remove(a);
            pairs.push((joint, [first, second]));
        }
    }
    // Legs reach lowest; arms are the next longest pair that does not lie inside a leg.
    let height = |pair: &[Chain; 2]| -> f32 {
        let ends = pair.each_ref().map(Chain::end);
        poses.iter().map(|pose| pose.world_positions[ends[0]].y + pose.world_positions[ends[1]].y).sum()
    };
    let size = |pair: &[Chain; 2]| pair[0].bones.iter().sum::<f32>();
    let longest = pairs.iter().map(|(_, pair)| size(pair)).fold(0.0, f32::max);
    pairs.retain(|(_, pair)| size(pair) > 0.4 * longest);
    let lowest = (0..pairs.len()).min_by(|&a, &b| height(&pairs[a].1).total_cmp(&height(&pairs[b].1)))?;
    let (hips, legs) = pairs.swap_remove(lowest);
    let inside = |joint: usize| legs.iter().any(|leg| path(skeleton, joint).contains(&leg.top()));
    pairs.retain(|(joint, _)| !inside(*joint) && *joint != hips);
    let arms = pairs.into_iter().max_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)));

    let limb = |chain: &Chain, from_parent: bool| -> Limb {
        let at = |i: usize| chain.joints.get(i).copied();
        match from_parent {
            false => [0, 1, 2, 3].map(|i| at(chain.start + i)),
            true => {
                let clavicle = chain.start.checked_sub(1).and_then(at);
                [clavicle, at(chain.start), at(chain.start + 1), at(chain.start + 2)]
            }
        }
    };
    let mut body = Body {
        legs: [limb(&legs[0], false), limb(&legs[1], false)],
        arms: arms.as_ref().map(|(_, arms)| [limb(&arms[0], true), limb(&arms[1], true)]),
    };
    let Some(forward) = forward(skeleton, poses, &body.legs) else {
        warnings.push("could not tell front from back: left and right may be exchanged".into());
        return Some(body);
    };
    let swap = |limbs: &mut [Limb; 2]| {
        let Some((a, b)) = limbs[0][1].zip(limbs[1][1]) else { return };
        let across: f32 = poses
            .iter()
            .zip(&forward)
            .map(|(pose, forward)| (pose.world_positions[a] - pose.world_positions[b]).dot(Vec3::Y.cross(*forward)))
            .sum();
        if across < 0.0 {
            limbs.swap(0, 1);
        }
    };
    swap(&mut body.legs);
    if let Some(arms) = &mut body.arms {
        swap(arms);
    }
    Some(body)
}

/// Forward direction per pose, from the feet (foot to toe or End Site), else from the way the hips go.
fn forward(skeleton: &Skeleton, poses: &[Pose], legs: &[Limb; 2]) -> Option<Vec<Vec3>> {
    let foot = |pose: &Pose, leg: &Limb| -> Option<Vec3> {
        let foot = leg[2]?;
        let from = pose.world_positions[foot];
        let tip = match leg[3] {
            Some(toe) => pose.world_positions[toe],
            None => {
                let site = skeleton.joints()[foot].end_sites.first()?;
                from + pose.world_rotations[foot] * *site
            }
        };
        Some((tip - from).with_y(0.0)).filter(|v| v.length() > 1e-3)
    };
    let feet: Vec<Vec3> = poses
        .iter()
        .map(|pose| legs.iter().filter_map(|leg| foot(pose, leg)).map(Vec3::normalize_or_zero).sum())
        .collect();
    if feet.iter().filter(|v| v.length() > 0.5).count() * 2 > poses.len() {
        return Some(feet);
    }
    let hips = common_ancestor(skeleton, &[legs[0][0]?, legs[1][0]?])?;
    let steps: Vec<Vec3> = (0..poses.len())
        .map(|i| {
            let (a, b) = (&poses[i.saturating_sub(1)], &poses[(i + 1).min(poses.len() - 1)]);
            (b.world_positions[hips] - a.world_positions[hips]).with_y(0.0)
        })
        .collect();
    let thigh =
        legs[0][0].zip(legs[0][1]).map(|(a, b)| poses[0].world_positions[a].distance(poses[0].world_positions[b]));
    let far = steps.iter().map(|v| v.length()).sum::<f32>() > 2.0 * thigh?;
    far.then_some(steps)
}

/// Whether the trunk lies flat in the usual frame and the arms are about as long as the legs.
pub fn is_quadruped(rig: &Rig, poses: &[Pose]) -> bool {
    let bone = |pose: &Pose, a, b| {
        let (a, b) = (rig.joint(a)?, rig.joint(b)?);
        Some(pose.world_positions[a].distance(pose.world_positions[b]))
    };
    let share = poses.first().and_then(|pose| {
        let arm = bone(pose, Role::LeftArm, Role::LeftForeArm)? + bone(pose, Role::LeftForeArm, Role::LeftHand)?;
        let leg = bone(pose, Role::LeftUpLeg, Role::LeftLeg)? + bone(pose, Role::LeftLeg, Role::LeftFoot)?;
        Some(arm / leg)
    });
    let mut upright: Vec<f32> = poses
        .iter()
        .filter_map(|pose| {
            let at = |role| Some(pose.world_positions[rig.joint(role)?]);
            let legs = (at(Role::LeftUpLeg)? + at(Role::RightUpLeg)?) / 2.0;
            let arms = (at(Role::LeftArm)? + at(Role::RightArm)?) / 2.0;
            (arms - legs).try_normalize().map(|up| up.y)
        })
        .collect();
    upright.sort_by(f32::total_cmp);
    let usual = upright.get(upright.len() / 2);
    share.is_some_and(|share| share > FORELEG) && usual.is_some_and(|up| *up < LYING)
}

/// Whether the feet point against the facing that left and right give, in most poses.
pub fn is_mirrored(rig: &Rig, poses: &[Pose]) -> bool {
    let backwards = |pose: &&Pose| {
        let foot = |foot, toe| {
            let (foot, toe) = (rig.joint(foot)?, rig.joint(toe)?);
            Some((pose.world_positions[toe] - pose.world_positions[foot]).with_y(0.0))
        };
        let feet = foot(Role::LeftFoot, Role::LeftToe).zip(foot(Role::RightFoot, Role::RightToe));
        feet.is_some_and(|(left, right)| (left + right).dot(facing(pose, rig)) < 0.0)
    };
    poses.len() > 1 && poses.iter().filter(backwards).count() * 10 > poses.len() * 9
}
