//! The joint of a body part among several joints at one place.
//!
//! Programs split a joint into a chain of joints without length: pivots (Assimp writes "LeftLeg_$AssimpFbx$_Rotation"
//! above "LeftLeg"), groups that hold an offset, one joint for each Euler angle. The part is moved by the last joint of
//! the chain that rotates. Names group the joints of a part, see [`name::read_stem`].

use super::name;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::Vec3;

/// Length below which a bone counts as zero, as a fraction of the skeleton's longest bone.
const NO_LENGTH: f32 = 1e-3;
/// Rotation relative to the first sampled frame from which a joint counts as rotating, radians.
const MIN_ROTATION: f32 = 0.01;
/// Cosine of the largest angle between two bones that count as one straight bone.
const STRAIGHT: f32 = 0.9994;

/// Places and movements of a skeleton's joints.
pub struct Places<'a> {
    skeleton: &'a Skeleton,
    /// Whether each joint lies at the place of its parent.
    is_at_parent: Vec<bool>,
    /// Whether each joint rotates in the clip.
    rotates: Vec<bool>,
}

impl<'a> Places<'a> {
    /// Measures a clip by poses sampled from it; at least one.
    pub fn new(clip: &'a Clip, poses: &[Pose]) -> Self {
        let skeleton: &Skeleton = clip.skeleton();
        let parents: Vec<Option<usize>> = skeleton.joints().iter().map(|joint| joint.parent).collect();
        let length = |pose: &Pose, joint: usize| {
            parents[joint].map_or(0.0, |parent| pose.world_positions[joint].distance(pose.world_positions[parent]))
        };
        let lengths: Vec<f32> =
            (0..skeleton.len()).map(|joint| poses.iter().map(|pose| length(pose, joint)).fold(0.0, f32::max)).collect();
        let longest = lengths.iter().copied().fold(0.0, f32::max);
        let is_at_parent = (0..skeleton.len())
            .map(|joint| parents[joint].is_some() && lengths[joint] <= NO_LENGTH * longest)
            .collect();
        let local = |pose: &Pose, joint: usize| match parents[joint] {
            Some(parent) => pose.world_rotations[parent].inverse() * pose.world_rotations[joint],
            None => pose.world_rotations[joint],
        };
        let rotates = (0..skeleton.len())
            .map(|joint| {
                let first = poses.first().map(|pose| local(pose, joint)).unwrap_or_default();
                poses.iter().any(|pose| local(pose, joint).angle_between(first) > MIN_ROTATION)
            })
            .collect();
        Self { skeleton, is_at_parent, rotates }
    }

    /// Returns the joint that moves the body part of a joint: the last one that rotates of the joints at its place with
    /// the stem of its name; the joint itself if none rotates.
    pub fn settle(&self, joint: usize) -> usize {
        let joints = self.skeleton.joints();
        let stem = name::read_stem(&joints[joint].name);
        let is_same = |other: usize| name::read_stem(&joints[other].name) == stem;
        let mut top = joint;
        while self.is_at_parent[top]
            && let Some(parent) = joints[top].parent
            && is_same(parent)
        {
            top = parent;
        }
        let mut chain = vec![top];
        while let Some(next) = chain.last().and_then(|&last| {
            let mut below = self.skeleton.children(last).filter(|&child| self.is_at_parent[child] && is_same(child));
            below.next()
        }) {
            chain.push(next);
        }
        chain.into_iter().rev().find(|&other| self.rotates[other]).unwrap_or(joint)
    }

    /// Returns the joints that shape alone should see: of a chain of joints without length and branches only the last
    /// one that rotates (the first, if none rotates), and no joint in the middle of a straight bone. `poses`: sampled from the clip.
    pub fn visible(&self, poses: &[Pose]) -> Vec<usize> {
        let children: Vec<Vec<usize>> =
            (0..self.skeleton.len()).map(|joint| self.skeleton.children(joint).collect()).collect();
        let continues = |joint: usize| match children[joint][..] {
            [only] if self.is_at_parent[only] => Some(only),
            _ => None,
        };
        let mut is_visible = vec![true; self.skeleton.len()];
        for top in (0..self.skeleton.len()).filter(|&top| {
            let parent = self.skeleton.joints()[top].parent;
            parent.is_none_or(|parent| continues(parent) != Some(top))
        }) {
            let chain: Vec<usize> = std::iter::successors(Some(top), |&joint| continues(joint)).collect();
            let kept = chain.iter().rev().find(|&&joint| self.rotates[joint]).or(chain.first()).copied();
            chain.into_iter().filter(|&joint| Some(joint) != kept).for_each(|joint| is_visible[joint] = false);
        }
        let moves = poses.len() > 1 && self.rotates.iter().any(|&rotates| rotates);
        for joint in 0..self.skeleton.len() {
            if moves
                && is_visible[joint]
                && let ([child], Some(parent)) = (&children[joint][..], self.skeleton.joints()[joint].parent)
                && poses.iter().all(|pose| is_straight(pose, [parent, joint, *child]))
            {
                is_visible[joint] = false;
            }
        }
        (0..self.skeleton.len()).filter(|&joint| is_visible[joint]).collect()
    }

    /// Returns the joint of a chain that bends a limb: of `joints`, the one that is on average farthest from the line
    /// between the ends of the limb; on a straight limb the one nearest to its middle.
    pub fn bending(&self, poses: &[Pose], ends: [usize; 2], joints: &[usize]) -> Option<usize> {
        let mean = |value: &dyn Fn(&Pose) -> f32| poses.iter().map(value).sum::<f32>() / poses.len().max(1) as f32;
        let along = |pose: &Pose, joint: usize| {
            let [start, end] = ends.map(|joint| pose.world_positions[joint]);
            let line = end - start;
            let offset = pose.world_positions[joint] - start;
            let position = offset.dot(line) / line.length_squared().max(f32::MIN_POSITIVE);
            (position, (offset - line * position).length() / line.length().max(f32::MIN_POSITIVE))
        };
        let distance = |joint: usize| mean(&|pose| along(pose, joint).1);
        let off_middle = |joint: usize| mean(&|pose| (along(pose, joint).0 - 0.5).abs());
        // Below this distance, as a fraction of the limb, the limb is straight.
        const MIN_BEND: f32 = 5e-3;
        let farthest = joints.iter().copied().max_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        if distance(farthest) > MIN_BEND {
            return Some(farthest);
        }
        joints.iter().copied().min_by(|&a, &b| off_middle(a).total_cmp(&off_middle(b)))
    }
}

/// Returns whether a joint lies on the straight line between its neighbours.
fn is_straight(pose: &Pose, [parent, joint, child]: [usize; 3]) -> bool {
    let bone =
        |from: usize, to: usize| (pose.world_positions[to] - pose.world_positions[from]).normalize_or(Vec3::ZERO);
    bone(parent, joint).dot(bone(joint, child)) > STRAIGHT
}
