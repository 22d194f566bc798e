//! The rest pose of a file: its limbs, and the axis along which the body stands. Names are not read.

use crate::motion::bvh::hierarchy::FileJoint;
use glam::DVec3;

/// Smallest length of a limb, relative to the longest path from tip to tip.
const MIN_LIMB: f64 = 0.15;
/// Largest difference between the lengths of a left and a right limb, relative to the longer one.
const MAX_DIFFERENCE: f64 = 0.1;
/// Smallest part of a leg along the axis on which a body stands.
const MIN_ALONG_AXIS: f64 = 0.8;

/// Two limbs of equal length at one joint: legs, or arms.
struct Pair {
    /// Position of the joint that has them.
    position: DVec3,
    /// Number of joints above it.
    depth: usize,
    /// Sum of the directions from the start to the tip of both; its length is 2 if they are parallel.
    direction: DVec3,
}

/// Pose of the body at rest, by its limbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Posture {
    /// Two pairs of limbs, the trunk continues the legs: a person who stands.
    Upright,
    /// Two pairs of limbs, the trunk is across the legs: an animal that stands.
    Level,
    /// Two pairs of limbs in another pose, such as all bones along one axis.
    Unclear,
    /// Fewer than two pairs of limbs.
    NoBody,
}

/// The rest pose.
pub(super) struct Rest {
    pub posture: Posture,
    /// Direction of the legs, of length 1, if they are parallel and the body stands on them.
    legs: Option<DVec3>,
}

impl Rest {
    /// Measures the rest pose of one body, file units.
    pub(super) fn measure(joints: &[FileJoint]) -> Self {
        let mut pairs = find_pairs(joints);
        // Legs are nearer to the root than arms.
        pairs.sort_by_key(|pair| pair.depth);
        let (Some(legs), Some(arms)) = (pairs.first(), pairs.get(1)) else {
            return Self { posture: Posture::NoBody, legs: None };
        };
        let is_parallel = legs.direction.length() > 1.8;
        let (direction, trunk) =
            (legs.direction.normalize_or_zero(), (arms.position - legs.position).normalize_or_zero());
        let along = direction.dot(trunk);
        let posture = match () {
            () if !is_parallel || trunk == DVec3::ZERO || along > 0.5 => Posture::Unclear,
            () if along < -0.7 => Posture::Upright,
            () => Posture::Level,
        };
        let stands = matches!(posture, Posture::Upright | Posture::Level);
        Self { posture, legs: stands.then_some(direction) }
    }

    /// Returns the axis along which the body stands, 1 for y and 2 for z, and whether its legs point along the negative
    /// axis. `None` if it stands along neither, such as a rest pose along x.
    pub(super) fn standing_axis(&self) -> Option<(usize, bool)> {
        let legs = self.legs?;
        [1, 2].into_iter().find(|&axis| legs[axis].abs() > MIN_ALONG_AXIS).map(|axis| (axis, legs[axis] < 0.0))
    }
}

fn find_pairs(joints: &[FileJoint]) -> Vec<Pair> {
    let vector = |values: [f64; 3]| DVec3::from_array(values);
    let mut positions: Vec<DVec3> = Vec::with_capacity(joints.len());
    let mut depths = Vec::with_capacity(joints.len());
    for joint in joints {
        // The root's offset places the body, and is no part of it.
        positions.push(joint.parent.map_or(DVec3::ZERO, |parent| positions[parent] + vector(joint.offset)));
        depths.push(joint.parent.map_or(0, |parent: usize| depths[parent] + 1));
    }
    // Length of the longest path from each joint to a tip below it, and the tip.
    let mut reach: Vec<(f64, DVec3)> = positions.iter().map(|&position| (0.0, position)).collect();
    let mut longest = 0.0_f64;
    for index in (0..joints.len()).rev() {
        for &site in &joints[index].end_sites {
            let length = vector(site).length();
            if length > reach[index].0 {
                reach[index] = (length, positions[index] + vector(site));
            }
        }
        longest = longest.max(reach[index].0);
        let Some(parent) = joints[index].parent else { continue };
        let length = reach[index].0 + vector(joints[index].offset).length();
        longest = longest.max(reach[parent].0 + length);
        if length > reach[parent].0 {
            reach[parent] = (length, reach[index].1);
        }
    }
    let mut children = vec![Vec::new(); joints.len()];
    joints.iter().enumerate().for_each(|(index, joint)| {
        if let Some(parent) = joint.parent {
            children[parent].push(index);
        }
    });
    let mut pairs = Vec::new();
    for (parent, children) in children.iter().enumerate() {
        // The length of a limb includes the bone to its first joint, so that toes of different lengths count little.
        let length = |child: usize| reach[child].0;
        let is_equal = |a: usize, b: usize| (length(a) - length(b)).abs() <= MAX_DIFFERENCE * length(a).max(length(b));
        let limbs: Vec<usize> = children.iter().copied().filter(|&child| length(child) > MIN_LIMB * longest).collect();
        for (position, &first) in limbs.iter().enumerate() {
            let equals: Vec<usize> =
                limbs.iter().copied().filter(|&other| other != first && is_equal(first, other)).collect();
            // Three limbs of one length are the fingers of a hand.
            let &[second] = &equals[..] else { continue };
            if !limbs[position + 1..].contains(&second) {
                continue;
            }
            let direction = |child: usize| (reach[child].1 - positions[child]).normalize_or_zero();
            let direction = direction(first) + direction(second);
            pairs.push(Pair { position: positions[parent], depth: depths[parent], direction });
        }
    }
    pairs
}
