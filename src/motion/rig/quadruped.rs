//! Four-legged bodies, recognised by shape: two pairs of joint chains reach the ground, one from the hips and one from
//! the chest.
//!
//! The joints of animals have arbitrary names, and their legs have two to six joints, but every quadruped stands on
//! four chains. In some files, such as exports from Blender, the parent of a foot is a control bone of inverse
//! kinematics; such a foot gets the nearest leg as its parent.

mod tree;

use super::axes::Axes;
use super::{dog, name, rest_pose, shape};
use crate::error::quoted;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use tree::Tree;

/// Height below which joints belong to the paw, as a fraction of the hip's height.
const PAW_HEIGHT: f32 = 0.1;
/// Descent from which a bone belongs to the leg, as a fraction of its length; less steep bones above it belong to the
/// trunk.
const MIN_DESCENT: f32 = 0.5;
/// Forelegs with at least this many joints above the paw begin with a shoulder blade.
const MIN_JOINTS_WITH_SHOULDER_BLADE: usize = 4;
/// Expected position of the knee or elbow along a leg: 0 is the hip, 1 the paw.
const KNEE_POSITION: f32 = 0.4;
/// Number of frames sampled if the body does not stand in the rest pose.
const SAMPLES: usize = 16;

/// A four-legged body.
#[derive(Debug, Clone)]
pub struct Quadruped {
    /// Parent of each joint, `[joints]`: as in the skeleton, but a foot whose parent is a control bone gets a joint of
    /// its leg as parent.
    pub parents: Vec<Option<usize>>,
    /// Standing pose: facing +z, hips over the origin, lowest point at y = 0, metres.
    pub standing_pose: Pose,
    /// Transform from the standing pose to the pose in which the body was detected: rotation, then translation.
    pub skeleton_from_standing: (Quat, Vec3),
    /// Joints from hips to chest.
    pub trunk: Vec<usize>,
    /// Joints from chest to head.
    pub neck: Vec<usize>,
    /// Joints of the tail from its root; empty if there is none.
    pub tail: Vec<usize>,
    /// Legs: hind left, hind right, fore left, fore right.
    pub legs: [Leg; 4],
}

/// A leg.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// The shoulder blade, if there is one.
    pub shoulder_blade: Option<usize>,
    /// Joints from hip or shoulder to the joint above the paw.
    pub joints: Vec<usize>,
    /// Index in `joints` of the knee or elbow: of the joints after the first, the one nearest to 40 % of the leg's
    /// length.
    pub knee: usize,
    /// The point that touches the ground.
    pub paw: Point,
    /// Joints of paw and toes, parents first; empty if the paw is an End Site.
    pub toes: Vec<usize>,
}

/// A point that is fixed to a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The joint.
    pub joint: usize,
    /// Position in the joint's axes, metres.
    pub local: Vec3,
}

impl Point {
    /// Returns the world position in a pose.
    pub fn world_position(self, pose: &Pose) -> Vec3 {
        pose.world_positions[self.joint] + pose.world_rotations[self.joint] * self.local
    }
}

impl Quadruped {
    /// Detects the body of a clip's skeleton. The standing pose is the one of [`Quadruped::detect_at_rest`]; if the
    /// body does not stand in it, the sampled frame of the clip in which the paws are most level.
    ///
    /// # Errors
    /// The reason why the skeleton is not a quadruped, as part of a sentence.
    pub fn detect(clip: &Clip) -> Result<Self, String> {
        Self::detect_at_rest(clip).or_else(|reason| {
            let poses = shape::sample_poses(clip, SAMPLES).into_iter();
            let standing = poses.filter_map(|pose| Self::from_pose(clip.skeleton(), &pose).ok());
            standing.min_by(|a, b| a.unevenness().total_cmp(&b.unevenness())).ok_or(reason)
        })
    }

    /// Detects the body in the reference pose of a known dog's rig ([`Axes::detect_dog`]), else in the rest pose.
    ///
    /// # Errors
    /// The reason why the skeleton is not a quadruped, as part of a sentence.
    pub fn detect_at_rest(clip: &Clip) -> Result<Self, String> {
        let skeleton = clip.skeleton();
        match dog::find_joints(skeleton).and_then(|joints| Axes::detect_dog(clip, &joints)) {
            Some(axes) => Self::from_pose(skeleton, &axes.world_reference_pose(skeleton)),
            None => Self::from_pose(skeleton, &rest_pose(skeleton)),
        }
    }

    /// Detects the body in a pose in which it stands.
    fn from_pose(skeleton: &Skeleton, pose: &Pose) -> Result<Self, String> {
        let tree = Tree::new(skeleton, pose)?;
        let [hind, fore] = tree.legs()?;
        let (hips, chest) = (hind.ancestor, fore.ancestor);
        let position_of = |joint: usize| pose.world_positions[joint];
        let forward = (position_of(chest) - position_of(hips)).with_y(0.0);
        let Some(forward) = forward.try_normalize() else {
            return Err("its chest is above its hips: it is not a quadruped".to_owned());
        };
        let to_z = Quat::from_rotation_y(-forward.x.atan2(forward.z));
        let ground = tree.ground();
        let origin = position_of(hips).with_y(ground);
        let standing_pose = Pose {
            world_positions: pose.world_positions.iter().map(|position| to_z * (position - origin)).collect(),
            world_rotations: pose.world_rotations.iter().map(|rotation| to_z * *rotation).collect(),
        };
        let tip_x = |leg: &[usize]| leg.last().map_or(0.0, |&joint| standing_pose.world_positions[joint].x);
        let left_first = |[a, b]: [Vec<usize>; 2]| if tip_x(&a) > tip_x(&b) { [a, b] } else { [b, a] };
        let [hind, fore] = [left_first(hind.legs), left_first(fore.legs)];
        let leg = |joints: &[usize], is_fore: bool| Leg::from_chain(skeleton, &standing_pose, joints, is_fore);
        let legs = [leg(&hind[0], false)?, leg(&hind[1], false)?, leg(&fore[0], true)?, leg(&fore[1], true)?];
        let trunk: Vec<usize> = tree.path(chest).into_iter().skip_while(|&joint| joint != hips).collect();
        let leg_joints: Vec<usize> = [&hind[0], &hind[1], &fore[0], &fore[1]].into_iter().flatten().copied().collect();
        let neck = find_neck(skeleton, &tree, chest, &leg_joints);
        let tail = find_tail(&tree, &standing_pose, hips, trunk.get(1).copied(), &leg_joints);
        Ok(Self {
            parents: tree.parents,
            standing_pose,
            skeleton_from_standing: (to_z.inverse(), origin),
            trunk,
            neck,
            tail,
            legs,
        })
    }

    /// Returns the world positions of the paws in a pose: hind left, hind right, fore left, fore right.
    pub fn paws(&self, pose: &Pose) -> [Vec3; 4] {
        self.legs.each_ref().map(|leg| leg.paw.world_position(pose))
    }

    /// Returns the mean height of hip and shoulder joints in the standing pose, metres: the measure of the body's size.
    pub fn hip_height(&self) -> f32 {
        self.legs.iter().map(|leg| self.standing_pose.world_positions[leg.joints[0]].y).sum::<f32>() / 4.0
    }

    /// Returns the difference in height between the highest and the lowest paw, metres.
    fn unevenness(&self) -> f32 {
        let heights = self.paws(&self.standing_pose).map(|paw| paw.y);
        heights.into_iter().fold(f32::MIN, f32::max) - heights.into_iter().fold(f32::MAX, f32::min)
    }
}

impl Leg {
    /// Reads a leg from its joints, from trunk to tip.
    fn from_chain(skeleton: &Skeleton, standing_pose: &Pose, joints: &[usize], is_fore: bool) -> Result<Self, String> {
        let position_of = |joint: usize| standing_pose.world_positions[joint];
        let name = |joint: usize| &skeleton.joints()[joint].name;
        let descends = |&[upper, lower]: &[usize; 2]| {
            position_of(upper).y - position_of(lower).y > MIN_DESCENT * position_of(upper).distance(position_of(lower))
        };
        // Bones before the first one that descends belong to the trunk.
        let start = joints.array_windows::<2>().position(descends).unwrap_or(joints.len());
        let joints = &joints[start.min(joints.len().saturating_sub(1))..];
        let paw = joints
            .iter()
            .position(|&joint| position_of(joint).y < PAW_HEIGHT * position_of(joints[0]).y)
            .unwrap_or(joints.len());
        let (joints, toes) = joints.split_at(paw);
        let (shoulder_blade, joints) = match joints {
            [blade, lower @ ..] if is_fore && joints.len() >= MIN_JOINTS_WITH_SHOULDER_BLADE => (Some(*blade), lower),
            _ => (None, joints),
        };
        let hip = joints.first().or(toes.first()).copied().unwrap_or(0);
        let last = joints.last().copied().unwrap_or(hip);
        let paw = match toes.first() {
            Some(&joint) => Point { joint, local: Vec3::ZERO },
            None => Point { joint: last, local: skeleton.joints()[last].longest_site().unwrap_or_default() },
        };
        if joints.len() < 2 {
            let message = format!("the leg from {} to {} has no knee", quoted(name(hip)), quoted(name(paw.joint)));
            return Err(message);
        }
        let end = paw.world_position(standing_pose);
        let mut distances = vec![0.0];
        for [upper, lower] in joints.array_windows::<2>() {
            distances.push(distances[distances.len() - 1] + position_of(*upper).distance(position_of(*lower)));
        }
        let target = KNEE_POSITION * (distances[distances.len() - 1] + position_of(last).distance(end));
        let error = |index: &usize| (distances[*index] - target).abs();
        let knee = (1..joints.len()).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(1);
        Ok(Self { shoulder_blade, joints: joints.to_vec(), knee, paw, toes: toes.to_vec() })
    }
}

/// Returns the joints from chest to head. The head is the joint named head or skull; without one, it is the first
/// branch, or else the end, of the longest chain from the chest that is not a leg.
fn find_neck(skeleton: &Skeleton, tree: &Tree, chest: usize, leg_joints: &[usize]) -> Vec<usize> {
    let from_chest =
        |joint: usize| -> Vec<usize> { tree.path(joint).into_iter().skip_while(|&joint| joint != chest).collect() };
    let is_free = |chain: &[usize]| chain.len() > 1 && !chain.iter().any(|joint| leg_joints.contains(joint));
    let is_head = |name: &str| name::read_hint(name).head || name.to_lowercase().contains("skull");
    let to_heads = (0..tree.parents.len()).filter(|&joint| is_head(&skeleton.joints()[joint].name)).map(from_chest);
    if let Some(chain) = to_heads.into_iter().find(|chain| is_free(chain)) {
        return chain;
    }
    let chains = (0..tree.parents.len()).map(from_chest).filter(|chain| is_free(chain));
    let mut chain = chains.max_by(|a, b| tree.length(a).total_cmp(&tree.length(b))).unwrap_or_else(|| vec![chest]);
    if let Some(branch) = chain.iter().skip(1).position(|&joint| tree.children(joint).count() > 1) {
        chain.truncate(branch + 2);
    }
    chain
}

/// Returns the joints of the tail: the longest chain that goes backwards from the hips.
fn find_tail(tree: &Tree, standing_pose: &Pose, hips: usize, spine: Option<usize>, leg_joints: &[usize]) -> Vec<usize> {
    let chains = (0..tree.parents.len()).filter_map(|joint| {
        let chain: Vec<usize> = tree.path(joint).into_iter().skip_while(|&joint| joint != hips).skip(1).collect();
        let is_free = !chain.iter().any(|&joint| leg_joints.contains(&joint) || Some(joint) == spine);
        let is_behind = standing_pose.world_positions[joint].z < standing_pose.world_positions[hips].z;
        (!chain.is_empty() && is_free && is_behind).then_some(chain)
    });
    chains.max_by(|a, b| tree.length(a).total_cmp(&tree.length(b))).unwrap_or_default()
}
