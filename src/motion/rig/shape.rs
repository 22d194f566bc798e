//! Roles by the shape of a skeleton, where its names give none: legs, arms, and left and right.

use super::limbs::Limb;
use super::place::Places;
use super::trunk::{common_ancestor, path};
use super::{ARMS, LEGS, Rig, Role, rest_pose};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::{Joint, Skeleton};
use glam::Vec3;

/// Number of frames sampled to measure a body's shape.
pub const SAMPLES: usize = 32;
/// Largest relative difference in length between bones of a mirrored pair.
const PAIR_TOLERANCE: f32 = 0.1;
/// Smallest length of a quadruped's forelegs relative to its hind legs. People's arms have 0.55 to 0.75 of the length
/// of their legs.
const MIN_FORELEG: f32 = 0.85;
/// Largest upward component of the unit vector from hips to shoulders with which the trunk counts as horizontal.
const MAX_LYING_RISE: f32 = 0.6;
/// Height of the higher hand over the lower foot, leg lengths, below which both hands count as on the ground, as those
/// of a sitting dog.
const MAX_HAND_HEIGHT: f32 = 0.3;

/// Limbs that were detected by shape, left and right.
pub struct Body {
    /// Whether front and back could be told apart; if false, left and right may be swapped.
    pub has_known_sides: bool,
    /// Each leg: thigh, shin, foot, toe.
    pub legs: [Limb; 2],
    /// Each arm: clavicle, upper arm, forearm, hand.
    pub arms: Option<[Limb; 2]>,
}

/// Returns at most `max_count` poses, spread evenly over a clip; the rest pose if the clip has no frames.
pub fn sample_poses(clip: &Clip, max_count: usize) -> Vec<Pose> {
    let frames = clip.frames();
    if frames == 0 {
        return vec![rest_pose(clip.skeleton())];
    }
    let count = frames.min(max_count);
    (0..count).map(|i| Pose::from_clip(clip, i * frames / count)).collect()
}

/// A chain of joints with two consecutive long bones.
struct Chain {
    joints: Vec<usize>,
    /// Index in `joints` of the joint where the first long bone begins.
    start: usize,
    /// Lengths of the two long bones, metres.
    bones: [f32; 2],
}

impl Chain {
    fn top(&self) -> usize {
        self.joints[self.start]
    }
    fn end(&self) -> usize {
        self.joints[self.start + 2]
    }
    /// Returns whether the long bones of both chains have about the same lengths.
    fn is_similar_to(&self, other: &Chain) -> bool {
        let is_near = |a: f32, b: f32| (a - b).abs() <= PAIR_TOLERANCE * a.max(b);
        is_near(self.bones[0], other.bones[0]) && is_near(self.bones[1], other.bones[1])
    }

    /// Finds the chain that begins at `top`. `next_joints`: child of each joint on its longest path down. `lengths`:
    /// length of the bone from the parent of each joint, metres.
    fn find(top: usize, next_joints: &[Option<usize>], lengths: &[f32]) -> Option<Self> {
        let joints: Vec<usize> = std::iter::successors(Some(top), |&joint| next_joints[joint]).collect();
        let bones = |start: usize| [lengths[joints[start + 1]], lengths[joints[start + 2]]];
        let start = (0..joints.len().checked_sub(2)?).max_by(|&a, &b| {
            // Prefers two long bones followed by a short one, so that a long clavicle does not count as an upper arm.
            let next_bone = |start: usize| joints.get(start + 3).map_or(0.0, |&joint| lengths[joint]);
            let prominence = |start| bones(start)[0] + bones(start)[1] - next_bone(start);
            prominence(a).total_cmp(&prominence(b)).then(b.cmp(&a))
        })?;
        let bones = bones(start);
        (bones[0] > 0.0 && bones[1] > 0.0).then_some(Self { joints, start, bones })
    }

    /// Returns the joints of a leg, from the first long bone on: hip, knee, ankle and toes.
    fn leg(&self) -> Limb {
        [0, 1, 2, 3].map(|i| self.joints.get(self.start + i).copied())
    }

    /// Returns the joints of an arm, from the bone before the first long one on: clavicle, shoulder, elbow and wrist.
    fn arm(&self) -> Limb {
        let joint_at = |i: usize| self.joints.get(i).copied();
        let clavicle = self.start.checked_sub(1).and_then(joint_at);
        [clavicle, joint_at(self.start), joint_at(self.start + 1), joint_at(self.start + 2)]
    }
}

/// Two chains of about the same lengths, and the joint from which both branch off.
struct Pair {
    joint: usize,
    chains: [Chain; 2],
}

impl Pair {
    /// Returns the length of the two long bones of the first chain, metres.
    fn length(&self) -> f32 {
        self.chains[0].bones.iter().sum::<f32>()
    }

    /// Returns the height of both ends, summed over the poses, metres.
    fn height(&self, poses: &[Pose]) -> f32 {
        let ends = self.chains.each_ref().map(Chain::end);
        poses.iter().map(|pose| pose.world_positions[ends[0]].y + pose.world_positions[ends[1]].y).sum()
    }
}

/// Detects a body among the joints that shape should see ([`Places::visible`]); if it lacks arms there, among all
/// joints.
pub fn detect_visible_body(skeleton: &Skeleton, places: &Places, poses: &[Pose]) -> Option<Body> {
    let visible = places.visible(poses);
    let reduced = reduce(skeleton, poses, &visible).and_then(|(skeleton, poses)| detect_body(&skeleton, &poses));
    let mut body = match reduced {
        Some(body) if body.arms.is_some() => body,
        _ => return detect_body(skeleton, poses),
    };
    let restore = |limb: &mut Limb| *limb = limb.map(|joint| joint.map(|joint| visible[joint]));
    body.legs.iter_mut().for_each(restore);
    body.arms.iter_mut().flatten().for_each(restore);
    Some(body)
}

/// Returns the skeleton and its poses with only some of its joints; the parent of a joint is its nearest ancestor among
/// them. `None` if no joint is left.
fn reduce(skeleton: &Skeleton, poses: &[Pose], joints: &[usize]) -> Option<(Skeleton, Vec<Pose>)> {
    let rest = rest_pose(skeleton);
    let kept = |&joint: &usize| {
        let mut above =
            std::iter::successors(skeleton.joints()[joint].parent, |&above| skeleton.joints()[above].parent);
        let parent = above.find_map(|above| joints.iter().position(|&other| other == above));
        let start = parent.map_or(Vec3::ZERO, |parent| rest.world_positions[joints[parent]]);
        Joint { parent, offset: rest.world_positions[joint] - start, ..skeleton.joints()[joint].clone() }
    };
    let reduced = Skeleton::new(joints.iter().map(kept).collect(), skeleton.space()).ok()?;
    let reduced_poses = poses.iter().map(|pose| Pose {
        world_positions: joints.iter().map(|&joint| pose.world_positions[joint]).collect(),
        world_rotations: joints.iter().map(|&joint| pose.world_rotations[joint]).collect(),
    });
    Some((reduced, reduced_poses.collect()))
}

/// Detects a body: two legs of the same lengths at the hips, and two arms of the same lengths at another joint.
fn detect_body(skeleton: &Skeleton, poses: &[Pose]) -> Option<Body> {
    let pairs = find_mirrored_pairs(skeleton, poses.first()?);
    let (legs, arms) = select_legs_and_arms(pairs, skeleton, poses)?;
    let mut body = Body {
        has_known_sides: true,
        legs: legs.chains.each_ref().map(Chain::leg),
        arms: arms.map(|arms| arms.chains.each_ref().map(Chain::arm)),
    };
    match left_score(skeleton, poses, &body.legs) {
        Some(score) if score < 0.0 => body.legs.swap(0, 1),
        Some(_) => {}
        None => body.has_known_sides = false,
    }
    // The left arm is the one on the side of the left leg.
    if let Some(arms) = &mut body.arms {
        let side_axis = |pose: &Pose, limbs: &[Limb; 2]| {
            let position_of = |limb: &Limb| limb[1].map(|joint| pose.world_positions[joint]);
            position_of(&limbs[0]).zip(position_of(&limbs[1])).map_or(Vec3::ZERO, |(a, b)| a - b)
        };
        if poses.iter().map(|pose| side_axis(pose, &body.legs).dot(side_axis(pose, arms))).sum::<f32>() < 0.0 {
            arms.swap(0, 1);
        }
    }
    Some(body)
}

/// Finds the longest pair of similar chains below each joint.
fn find_mirrored_pairs(skeleton: &Skeleton, pose: &Pose) -> Vec<Pair> {
    let mut lengths = vec![0.0; skeleton.len()];
    let mut all_children = vec![Vec::new(); skeleton.len()];
    for (joint, parent) in skeleton.joints().iter().enumerate().filter_map(|(i, j)| Some((i, j.parent?))) {
        lengths[joint] = pose.world_positions[joint].distance(pose.world_positions[parent]);
        all_children[parent].push(joint);
    }
    // Length of the longest path down from each joint, with the bone from its parent, and the child on this path.
    let mut path_lengths = vec![0.0_f32; skeleton.len()];
    let mut next_joints = vec![None; skeleton.len()];
    for joint in (0..skeleton.len()).rev() {
        let next_joint =
            all_children[joint].iter().copied().max_by(|&a, &b| path_lengths[a].total_cmp(&path_lengths[b]));
        next_joints[joint] = next_joint;
        path_lengths[joint] = lengths[joint] + next_joint.map_or(0.0, |next_joint| path_lengths[next_joint]);
    }
    let mut pairs = Vec::new();
    for (joint, children) in all_children.iter().enumerate() {
        let mut chains: Vec<Chain> =
            children.iter().filter_map(|&child| Chain::find(child, &next_joints, &lengths)).collect();
        // The longest chains first: legs come before the chains of a tail or a cape.
        chains.sort_by(|a, b| (b.bones[0] + b.bones[1]).total_cmp(&(a.bones[0] + a.bones[1])));
        let pair = (0..chains.len())
            .flat_map(|a| (a + 1..chains.len()).map(move |b| (a, b)))
            .find(|&(a, b)| chains[a].is_similar_to(&chains[b]));
        if let Some((a, b)) = pair {
            let second = chains.swap_remove(b);
            let first = chains.swap_remove(a);
            pairs.push(Pair { joint, chains: [first, second] });
        }
    }
    pairs
}

/// Selects legs and arms. The legs are the pair whose joint is nearest to the root, and of pairs at equal depth the
/// lower one. The arms are the longest other pair that is not part of a leg and branches off from another joint.
fn select_legs_and_arms(mut pairs: Vec<Pair>, skeleton: &Skeleton, poses: &[Pose]) -> Option<(Pair, Option<Pair>)> {
    // Pairs that are much shorter than the longest one are fingers or other small parts, not limbs.
    let longest = pairs.iter().map(Pair::length).fold(0.0, f32::max);
    pairs.retain(|pair| pair.length() > 0.4 * longest);
    let depth = |joint: usize| path(skeleton, joint).len();
    let leg_pair = (0..pairs.len()).min_by(|&a, &b| {
        let (a, b) = (&pairs[a], &pairs[b]);
        depth(a.joint).cmp(&depth(b.joint)).then(a.height(poses).total_cmp(&b.height(poses)))
    })?;
    let legs = pairs.swap_remove(leg_pair);
    let is_in_leg = |joint: usize| legs.chains.iter().any(|leg| path(skeleton, joint).contains(&leg.top()));
    pairs.retain(|pair| !is_in_leg(pair.joint) && pair.joint != legs.joint);
    let arms = pairs.into_iter().max_by(|a, b| a.length().total_cmp(&b.length()));
    Some((legs, arms))
}

/// Returns 1 if the first leg is the left one, −1 if it is the right one. A foot points to the front of its shin, a
/// knee points to the front, people mostly walk forwards: the first clear sign decides. `None` if no sign is clear.
fn left_score(skeleton: &Skeleton, poses: &[Pose], legs: &[Limb; 2]) -> Option<f32> {
    let mut toes = Vec::new();
    let mut knees = Vec::new();
    let mut steps = Vec::new();
    let hips = common_ancestor(skeleton, &[legs[0][0]?, legs[1][0]?])?;
    for (i, pose) in poses.iter().enumerate() {
        let position_of = |joint: usize| pose.world_positions[joint];
        let side_axis = position_of(legs[0][0]?) - position_of(legs[1][0]?);
        for leg in legs {
            let (thigh, knee, foot) = (position_of(leg[0]?), position_of(leg[1]?), leg[2]?);
            let site = skeleton.joints()[foot].longest_site();
            let tip = leg[3]
                .map(position_of)
                .or_else(|| site.map(|site| position_of(foot) + pose.world_rotations[foot] * site));
            // If the first leg is the left one, side_axis × up is the front direction.
            if let Some(tip) = tip {
                toes.push(
                    (tip - position_of(foot))
                        .normalize_or_zero()
                        .dot(side_axis.cross(knee - position_of(foot)).normalize_or_zero()),
                );
            }
            let up = (thigh - position_of(foot)).normalize_or_zero();
            let bend = (knee - position_of(foot)).reject_from_normalized(up.try_normalize().unwrap_or(Vec3::Y));
            knees.push(bend.dot(side_axis.cross(up).normalize_or_zero()) / thigh.distance(knee).max(f32::MIN_POSITIVE));
        }
        if i > 0 {
            let step = position_of(hips) - poses[i - 1].world_positions[hips];
            steps.push(
                step.dot(side_axis.cross(Vec3::Y).normalize_or_zero()) / side_axis.length().max(f32::MIN_POSITIVE),
            );
        }
    }
    // Thresholds from which the mean of a sign is clear: cosine, thigh lengths, hip widths per sample.
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len().max(1) as f32;
    [(toes, 0.2), (knees, 0.02), (steps, 0.1)]
        .iter()
        .map(|(values, threshold)| (mean(values), *threshold))
        .find(|(mean, threshold)| mean.abs() > *threshold)
        .map(|(mean, _)| mean.signum())
}

/// Returns whether the arms are about as long as the legs, and in most poses the trunk is horizontal or both hands are
/// on the ground.
pub fn is_quadruped(rig: &Rig, poses: &[Pose]) -> bool {
    let mut trunk_rises = Vec::with_capacity(poses.len());
    let mut hand_heights = Vec::with_capacity(poses.len());
    for pose in poses {
        let position_of = |role| Some(pose.world_positions[rig.joint(role)?]);
        let distance = |a: Role, b: Role| Some(position_of(a)?.distance(position_of(b)?));
        // Length of an arm, and position of its hand.
        let arms = ARMS
            .map(|[_, upper, fore, hand]| Some((distance(upper, fore)? + distance(fore, hand)?, position_of(hand)?)));
        // Length of a leg, and positions of its hip joint and foot.
        let legs = LEGS.map(|[thigh, shin, foot, _]| {
            Some((distance(thigh, shin)? + distance(shin, foot)?, position_of(thigh)?, position_of(foot)?))
        });
        let ([Some(left_arm), Some(right_arm)], [Some(left_leg), Some(right_leg)]) = (arms, legs) else { return false };
        if left_arm.0 + right_arm.0 < MIN_FORELEG * (left_leg.0 + right_leg.0) {
            return false;
        }
        let Some(shoulders) = position_of(Role::LeftArm).zip(position_of(Role::RightArm)).map(|(a, b)| a + b) else {
            return false;
        };
        trunk_rises.push((shoulders - left_leg.1 - right_leg.1).normalize_or_zero().y);
        hand_heights.push((left_arm.1.y.max(right_arm.1.y) - left_leg.2.y.min(right_leg.2.y)) / left_leg.0);
    }
    let median = |mut values: Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied()
    };
    median(trunk_rises).is_some_and(|up| up < MAX_LYING_RISE)
        || median(hand_heights).is_some_and(|height| height < MAX_HAND_HEIGHT)
}

/// Returns whether feet, knees or the direction of walking contradict the left and right of the names. A single pose
/// decides nothing.
pub fn are_sides_swapped(rig: &Rig, skeleton: &Skeleton, poses: &[Pose]) -> bool {
    let legs = LEGS.map(|leg| leg.map(|role| rig.joint(role)));
    poses.len() > 1 && left_score(skeleton, poses, &legs).is_some_and(|score| score < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::bvh;

    #[test]
    fn a_foot_without_a_toe_points_to_its_longest_end_site() {
        let text = include_bytes!("../../../tests/fixtures/ada-idle.bvh");
        let clip = bvh::parse("ada-idle", text).unwrap().clip;
        let joints = |side: &str| ["UpLeg", "Leg", "Foot"].map(|part| clip.skeleton().find(&format!("{side}{part}")));
        let legs = ["Left", "Right"].map(|side| {
            let [thigh, shin, foot] = joints(side);
            [thigh, shin, foot, None]
        });
        // End Sites in place of the toes, each after a marker at the ankle.
        let mut skeleton_joints = clip.skeleton().joints().to_vec();
        for toe in ["LeftToe", "RightToe"] {
            let toe = clip.skeleton().find(toe).unwrap();
            let foot = skeleton_joints[toe].parent.unwrap();
            skeleton_joints[foot].end_sites = vec![Vec3::ZERO, skeleton_joints[toe].offset];
        }
        let skeleton = Skeleton::new(skeleton_joints, clip.skeleton().space()).unwrap();
        // The legs are straight at rest, so that only the feet show the front.
        let mut pose = rest_pose(&skeleton);
        for [thigh, shin, foot, _] in legs.map(|leg| leg.map(Option::unwrap_or_default)) {
            pose.world_positions[shin] = pose.world_positions[thigh].midpoint(pose.world_positions[foot]);
        }
        let [left, right] = legs;
        let poses = [pose];
        assert_eq!(left_score(&skeleton, &poses, &[left, right]), Some(1.0));
        assert_eq!(left_score(&skeleton, &poses, &[right, left]), Some(-1.0));
    }
}
