//! Roles from the shape of a skeleton, where its names do not tell: legs, arms, and left and right.

use super::limbs::Limb;
use super::trunk::{common_ancestor, path};
use super::{ARMS, LEGS, Rig, Role, rest_pose};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::Vec3;

/// Number of frames sampled to measure a body's shape.
pub const SAMPLES: usize = 32;
/// Largest relative difference in length between bones of a mirrored pair.
const PAIR_TOLERANCE: f32 = 0.1;
/// Smallest length of a quadruped's forelegs relative to its hind legs; people's arms have 0.55 to 0.75 of their
/// legs.
const FORELEG: f32 = 0.85;
/// Upward component of the trunk's direction (hips to chest) below which the trunk lies.
const LYING: f32 = 0.6;
/// Height of the higher hand over the lower foot, in leg lengths, below which hands are on the ground (a sitting
/// dog).
const HANDS_DOWN: f32 = 0.3;

/// Limbs found by shape, left and right.
pub struct Body {
    /// Thigh, shin, foot, toe.
    pub legs: [Limb; 2],
    /// Clavicle, upper arm, forearm, hand.
    pub arms: Option<[Limb; 2]>,
}

/// At most `most` poses, spread evenly over a clip; the rest pose of a clip with no frames.
pub fn sample_poses(clip: &Clip, most: usize) -> Vec<Pose> {
    let frames = clip.frames();
    if frames == 0 {
        return vec![rest_pose(clip.skeleton())];
    }
    let count = frames.min(most);
    (0..count).map(|i| Pose::from_clip(clip, i * frames / count)).collect()
}

/// A chain below a joint: its joints, and the index of its two longest neighbouring bones.
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

    /// Finds the chain that begins at `top`. `onward`: the child on the longest path below each joint. `lengths`: of the
    /// bone above each joint, metres.
    fn find(top: usize, onward: &[Option<usize>], lengths: &[f32]) -> Option<Self> {
        let joints: Vec<usize> = std::iter::successors(Some(top), |&joint| onward[joint]).collect();
        let bones = |start: usize| [lengths[joints[start + 1]], lengths[joints[start + 2]]];
        let start = (0..joints.len().checked_sub(2)?).max_by(|&a, &b| {
            // Two long bones followed by a short one, so that a long clavicle is not taken for an upper arm.
            let after = |start: usize| joints.get(start + 3).map_or(0.0, |&joint| lengths[joint]);
            let stands_out = |start| bones(start)[0] + bones(start)[1] - after(start);
            stands_out(a).total_cmp(&stands_out(b)).then(b.cmp(&a))
        })?;
        let bones = bones(start);
        (bones[0] > 0.0 && bones[1] > 0.0).then_some(Self { joints, start, bones })
    }

    /// Joints of the limb from its first long bone on: hip, knee, ankle and toes of a leg.
    fn leg(&self) -> Limb {
        [0, 1, 2, 3].map(|i| self.joints.get(self.start + i).copied())
    }

    /// Joints of the limb from the bone before the first long one on: clavicle, shoulder, elbow and wrist of an arm.
    fn arm(&self) -> Limb {
        let at = |i: usize| self.joints.get(i).copied();
        let clavicle = self.start.checked_sub(1).and_then(at);
        [clavicle, at(self.start), at(self.start + 1), at(self.start + 2)]
    }
}

/// Two mirrored chains, and the joint from which both go out.
struct Pair {
    joint: usize,
    chains: [Chain; 2],
}

impl Pair {
    /// Length of the two longest bones of the first chain, metres.
    fn length(&self) -> f32 {
        self.chains[0].bones.iter().sum::<f32>()
    }

    /// Height of both ends, summed over the poses, metres.
    fn height(&self, poses: &[Pose]) -> f32 {
        let ends = self.chains.each_ref().map(Chain::end);
        poses.iter().map(|pose| pose.world_positions[ends[0]].y + pose.world_positions[ends[1]].y).sum()
    }
}

/// Reads a body: two mirrored legs at the hips, and two mirrored arms at a joint above.
pub fn detect_body(skeleton: &Skeleton, poses: &[Pose], warnings: &mut Vec<String>) -> Option<Body> {
    let pairs = mirrored_pairs(skeleton, poses.first()?);
    let (legs, arms) = legs_and_arms(pairs, skeleton, poses)?;
    let mut body = Body {
        legs: legs.chains.each_ref().map(Chain::leg),
        arms: arms.map(|arms| arms.chains.each_ref().map(Chain::arm)),
    };
    match sidedness(skeleton, poses, &body.legs) {
        Some(score) if score < 0.0 => body.legs.swap(0, 1),
        Some(_) => {}
        None => warnings.push("could not tell front from back: left and right may be exchanged".into()),
    }
    // The arms are exchanged together with the legs.
    if let Some(arms) = &mut body.arms {
        let across = |pose: &Pose, limbs: &[Limb; 2]| {
            let at = |limb: &Limb| limb[1].map(|joint| pose.world_positions[joint]);
            at(&limbs[0]).zip(at(&limbs[1])).map_or(Vec3::ZERO, |(a, b)| a - b)
        };
        if poses.iter().map(|pose| across(pose, &body.legs).dot(across(pose, arms))).sum::<f32>() < 0.0 {
            arms.swap(0, 1);
        }
    }
    Some(body)
}

/// Finds the longest pair of mirrored chains below each joint.
fn mirrored_pairs(skeleton: &Skeleton, pose: &Pose) -> Vec<Pair> {
    let mut lengths = vec![0.0; skeleton.len()];
    let mut children = vec![Vec::new(); skeleton.len()];
    for (joint, parent) in skeleton.joints().iter().enumerate().filter_map(|(i, j)| Some((i, j.parent?))) {
        lengths[joint] = pose.world_positions[joint].distance(pose.world_positions[parent]);
        children[parent].push(joint);
    }
    // Longest path down from each joint, its own bone included, and the child on that path.
    let mut reach = vec![0.0_f32; skeleton.len()];
    let mut onward = vec![None; skeleton.len()];
    for joint in (0..skeleton.len()).rev() {
        let next = children[joint].iter().copied().max_by(|&a, &b| reach[a].total_cmp(&reach[b]));
        onward[joint] = next;
        reach[joint] = lengths[joint] + next.map_or(0.0, |next| reach[next]);
    }
    let mut pairs = Vec::new();
    for (joint, below) in children.iter().enumerate() {
        let mut chains: Vec<Chain> = below.iter().filter_map(|&child| Chain::find(child, &onward, &lengths)).collect();
        // Longest first: legs before the chains of a tail or a cape.
        chains.sort_by(|a, b| (b.bones[0] + b.bones[1]).total_cmp(&(a.bones[0] + a.bones[1])));
        let pair = (0..chains.len())
            .flat_map(|a| (a + 1..chains.len()).map(move |b| (a, b)))
            .find(|&(a, b)| chains[a].mirrors(&chains[b]));
        if let Some((a, b)) = pair {
            let second = chains.swap_remove(b);
            let first = chains.swap_remove(a);
            pairs.push(Pair { joint, chains: [first, second] });
        }
    }
    pairs
}

/// Selects legs and arms. The pair nearest to the root are the legs, and the lower one of two pairs at one joint; the arms
/// are the next longest pair that does not lie inside a leg.
fn legs_and_arms(mut pairs: Vec<Pair>, skeleton: &Skeleton, poses: &[Pose]) -> Option<(Pair, Option<Pair>)> {
    let longest = pairs.iter().map(Pair::length).fold(0.0, f32::max);
    pairs.retain(|pair| pair.length() > 0.4 * longest);
    let depth = |joint: usize| path(skeleton, joint).len();
    let lowest = (0..pairs.len()).min_by(|&a, &b| {
        let (a, b) = (&pairs[a], &pairs[b]);
        depth(a.joint).cmp(&depth(b.joint)).then(a.height(poses).total_cmp(&b.height(poses)))
    })?;
    let legs = pairs.swap_remove(lowest);
    let inside = |joint: usize| legs.chains.iter().any(|leg| path(skeleton, joint).contains(&leg.top()));
    pairs.retain(|pair| !inside(pair.joint) && pair.joint != legs.joint);
    let arms = pairs.into_iter().max_by(|a, b| a.length().total_cmp(&b.length()));
    Some((legs, arms))
}

/// Whether the first leg is the left one: 1 for certainly, −1 for certainly not. A foot points to the front of its
/// shin, a knee bends to the front, people mostly walk forwards: the first clear sign decides. `None` without one.
fn sidedness(skeleton: &Skeleton, poses: &[Pose], legs: &[Limb; 2]) -> Option<f32> {
    let mut toes = Vec::new();
    let mut knees = Vec::new();
    let mut steps = Vec::new();
    let hips = common_ancestor(skeleton, &[legs[0][0]?, legs[1][0]?])?;
    for (i, pose) in poses.iter().enumerate() {
        let at = |joint: usize| pose.world_positions[joint];
        let across = at(legs[0][0]?) - at(legs[1][0]?);
        for leg in legs {
            let (thigh, knee, foot) = (at(leg[0]?), at(leg[1]?), leg[2]?);
            let site = skeleton.joints()[foot].end_sites.first();
            let tip = leg[3].map(at).or_else(|| site.map(|&site| at(foot) + pose.world_rotations[foot] * site));
            // Front direction if the first leg is the left one: across × up.
            if let Some(tip) = tip {
                toes.push((tip - at(foot)).normalize_or_zero().dot(across.cross(knee - at(foot)).normalize_or_zero()));
            }
            let up = (thigh - at(foot)).normalize_or_zero();
            let bend = (knee - at(foot)).reject_from_normalized(up.try_normalize().unwrap_or(Vec3::Y));
            knees.push(bend.dot(across.cross(up).normalize_or_zero()) / thigh.distance(knee).max(f32::MIN_POSITIVE));
        }
        if i > 0 {
            let step = at(hips) - poses[i - 1].world_positions[hips];
            steps.push(step.dot(across.cross(Vec3::Y).normalize_or_zero()) / across.length().max(f32::MIN_POSITIVE));
        }
    }
    // Smallest mean of each sign that counts as clear (cosine, thigh lengths, hip widths per sample).
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len().max(1) as f32;
    [(toes, 0.2), (knees, 0.02), (steps, 0.1)]
        .iter()
        .map(|(values, least)| (mean(values), *least))
        .find(|(mean, least)| mean.abs() > *least)
        .map(|(mean, _)| mean.signum())
}

/// Whether the arms are about as long as the legs, and the trunk usually lies flat or the hands are on the ground.
pub fn is_quadruped(rig: &Rig, poses: &[Pose]) -> bool {
    let mut upright = Vec::with_capacity(poses.len());
    let mut hands = Vec::with_capacity(poses.len());
    for pose in poses {
        let at = |role| Some(pose.world_positions[rig.joint(role)?]);
        let limb = |[_, b, c, d]: [Role; 4]| Some((at(b)?.distance(at(c)?) + at(c)?.distance(at(d)?), at(d)?));
        let leg = |[a, b, c, _]: [Role; 4]| Some((at(a)?.distance(at(b)?) + at(b)?.distance(at(c)?), at(a)?, at(c)?));
        let arms = ARMS.map(limb);
        let legs = LEGS.map(leg);
        let ([Some(left), Some(right)], [Some(left_leg), Some(right_leg)]) = (arms, legs) else { return false };
        if left.0 + right.0 < FORELEG * (left_leg.0 + right_leg.0) {
            return false;
        }
        let Some(shoulders) = at(Role::LeftArm).zip(at(Role::RightArm)).map(|(a, b)| a + b) else { return false };
        upright.push((shoulders - left_leg.1 - right_leg.1).normalize_or_zero().y);
        hands.push((left.1.y.max(right.1.y) - left_leg.2.y.min(right_leg.2.y)) / left_leg.0);
    }
    let median = |mut values: Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied()
    };
    median(upright).is_some_and(|up| up < LYING) || median(hands).is_some_and(|height| height < HANDS_DOWN)
}

/// Whether feet or knees contradict left and right of the names.
pub fn is_mirrored(rig: &Rig, skeleton: &Skeleton, poses: &[Pose]) -> bool {
    let legs = LEGS.map(|leg| leg.map(|role| rig.joint(role)));
    poses.len() > 1 && sidedness(skeleton, poses, &legs).is_some_and(|score| score < 0.0)
}
