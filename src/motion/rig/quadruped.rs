//! Four-legged bodies, found by their shape: chains that reach the ground in pairs, at the hips and at the chest.
//!
//! Makers name the joints of animals as they like, and give them two to six joints a leg; what all four-legged bodies share is that
//! they stand on four chains. Feet that hang from controls, as exported from Blender's inverse kinematics, count as hanging from
//! the legs they lie at.

mod tree;

use super::axes::Axes;
use super::{dog, name, rest_pose, shape};
use crate::error::quoted;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use tree::Tree;

/// Whether this build looks for the legs of four-legged bodies. The wasm modules that pages load first do not: it would make them a tenth
/// larger, and controllers, whose bodies they are, run in the module `live`.
pub const IS_BUILT: bool = cfg!(any(feature = "live", not(target_arch = "wasm32")));

/// A joint nearer to the ground than this part of the height of the leg's hip joint is a paw's.
const PAW: f32 = 0.1;
/// A first bone that descends by less than this part of its length belongs to the trunk, not to the leg.
const DESCENDS: f32 = 0.5;
/// Forelegs of so many joints above the paw begin with a shoulder blade.
const WITH_BLADE: usize = 4;
/// Where along a leg, hip to paw, its knee or elbow is looked for.
const KNEE: f32 = 0.4;
/// Frames that are looked at where the rest pose does not stand.
const SAMPLES: usize = 16;

/// A body on four legs.
#[derive(Debug, Clone)]
pub struct Quadruped {
    /// What each joint hangs from, [joints]; the skeleton's parents, but for feet that hang from controls.
    pub parents: Vec<Option<usize>>,
    /// The body as it stands: facing +z, hips over the origin, lowest point at y = 0, metres.
    pub still: Pose,
    /// What takes the still pose back to where the skeleton itself has it: a turn, then a way.
    pub own: (Quat, Vec3),
    /// Hips to chest.
    pub trunk: Vec<usize>,
    /// Chest to head.
    pub neck: Vec<usize>,
    /// From its root on; empty where there is none.
    pub tail: Vec<usize>,
    /// Hind left, hind right, fore left, fore right.
    pub legs: [Leg; 4],
}

/// A leg.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// The shoulder blade; `None` where there is none.
    pub blade: Option<usize>,
    /// From hip or shoulder joint to the joint above the paw.
    pub joints: Vec<usize>,
    /// Index in `joints` of the knee or elbow: of three or more joints one between; else the last.
    pub knee: usize,
    /// What stands on the ground.
    pub paw: Point,
    /// Joints of paw and toes, parents first; empty where an End Site is the paw.
    pub toes: Vec<usize>,
}

/// A point in a joint's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The joint.
    pub joint: usize,
    /// Metres, in its own axes.
    pub local: Vec3,
}

impl Point {
    /// Where it is in the world.
    pub fn of(self, pose: &Pose) -> Vec3 {
        pose.world_positions[self.joint] + pose.world_rotations[self.joint] * self.local
    }
}

impl Quadruped {
    /// The body of a clip's skeleton: as its rest pose stands, else as a known dog's rig does, else as the clip's frames do.
    ///
    /// # Errors
    /// A sentence on why it is no such body.
    pub fn of(clip: &Clip) -> Result<Self, String> {
        if !IS_BUILT {
            return Err("this build does not look for its legs".to_owned());
        }
        Self::at_rest(clip).or_else(|why| {
            let poses = shape::sample(clip, SAMPLES).into_iter();
            let standing = poses.filter_map(|pose| Self::read(clip.skeleton(), &pose).ok());
            standing.min_by(|a, b| a.unevenness().total_cmp(&b.unevenness())).ok_or(why)
        })
    }

    /// The same, but for the clip's frames.
    ///
    /// # Errors
    /// A sentence on why it is no such body.
    pub fn at_rest(clip: &Clip) -> Result<Self, String> {
        let skeleton = clip.skeleton();
        match dog::joints(skeleton).and_then(|joints| Axes::of_dog(clip, &joints)) {
            Some(axes) => Self::read(skeleton, &axes.still_pose(skeleton)),
            None => Self::read(skeleton, &rest_pose(skeleton)),
        }
    }

    /// The body as it stands in a pose.
    fn read(skeleton: &Skeleton, pose: &Pose) -> Result<Self, String> {
        let tree = Tree::standing(skeleton, pose)?;
        let [hind, fore] = tree.legs()?;
        let (hips, chest) = (hind.from, fore.from);
        let at = |joint: usize| pose.world_positions[joint];
        let ahead = (at(chest) - at(hips)).with_y(0.0);
        let Some(ahead) = ahead.try_normalize() else {
            return Err("its hips and its chest stand over each other: it is no four-legged body".to_owned());
        };
        let turn = Quat::from_rotation_y(-ahead.x.atan2(ahead.z));
        let ground = tree.ground();
        let origin = at(hips).with_y(ground);
        let still = Pose {
            world_positions: pose.world_positions.iter().map(|place| turn * (place - origin)).collect(),
            world_rotations: pose.world_rotations.iter().map(|rotation| turn * *rotation).collect(),
        };
        let tip = |leg: &[usize]| leg.last().map_or(0.0, |&joint| still.world_positions[joint].x);
        let sorted = |[a, b]: [Vec<usize>; 2]| if tip(&a) > tip(&b) { [a, b] } else { [b, a] };
        let [hind, fore] = [sorted(hind.legs), sorted(fore.legs)];
        let leg = |joints: &[usize], is_fore: bool| Leg::read(skeleton, &still, joints, is_fore);
        let legs = [leg(&hind[0], false)?, leg(&hind[1], false)?, leg(&fore[0], true)?, leg(&fore[1], true)?];
        let trunk: Vec<usize> = tree.path(chest).into_iter().skip_while(|&joint| joint != hips).collect();
        let taken: Vec<usize> = [&hind[0], &hind[1], &fore[0], &fore[1]].into_iter().flatten().copied().collect();
        let neck = neck(skeleton, &tree, chest, &taken);
        let tail = tail(&tree, &still, hips, trunk.get(1).copied(), &taken);
        Ok(Self { parents: tree.parents, still, own: (turn.inverse(), origin), trunk, neck, tail, legs })
    }

    /// Where its paws are in a pose: hind left, hind right, fore left, fore right.
    pub fn paws(&self, pose: &Pose) -> [Vec3; 4] {
        self.legs.each_ref().map(|leg| leg.paw.of(pose))
    }

    /// Mean height of the hip and shoulder joints as it stands, metres: the measure of the body.
    pub fn height(&self) -> f32 {
        self.legs.iter().map(|leg| self.still.world_positions[leg.joints[0]].y).sum::<f32>() / 4.0
    }

    /// By how much its paws differ in height.
    fn unevenness(&self) -> f32 {
        let heights = self.paws(&self.still).map(|paw| paw.y);
        heights.into_iter().fold(f32::MIN, f32::max) - heights.into_iter().fold(f32::MAX, f32::min)
    }
}

impl Leg {
    /// Of the joints from trunk to tip.
    fn read(skeleton: &Skeleton, still: &Pose, joints: &[usize], is_fore: bool) -> Result<Self, String> {
        let at = |joint: usize| still.world_positions[joint];
        let name = |joint: usize| &skeleton.joints()[joint].name;
        let descends =
            |&[upper, lower]: &[usize; 2]| at(upper).y - at(lower).y > DESCENDS * at(upper).distance(at(lower));
        // Bones that lie across or along the trunk are the trunk's.
        let first = joints.array_windows::<2>().position(descends).unwrap_or(joints.len());
        let joints = &joints[first.min(joints.len().saturating_sub(1))..];
        let paw = joints.iter().position(|&joint| at(joint).y < PAW * at(joints[0]).y).unwrap_or(joints.len());
        let (joints, toes) = joints.split_at(paw);
        let (blade, joints) = match joints {
            [blade, rest @ ..] if is_fore && joints.len() >= WITH_BLADE => (Some(*blade), rest),
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
        let end = paw.of(still);
        let mut along = vec![0.0];
        for [upper, lower] in joints.array_windows::<2>() {
            along.push(along[along.len() - 1] + at(*upper).distance(at(*lower)));
        }
        let wanted = KNEE * (along[along.len() - 1] + at(last).distance(end));
        let off = |index: &usize| (along[*index] - wanted).abs();
        let knee = (1..joints.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(1);
        Ok(Self { blade, joints: joints.to_vec(), knee, paw, toes: toes.to_vec() })
    }
}

/// Joints from chest to head: the one named so, else the end of the longest way on from the chest, or what it branches at.
fn neck(skeleton: &Skeleton, tree: &Tree, chest: usize, taken: &[usize]) -> Vec<usize> {
    let from_chest =
        |joint: usize| -> Vec<usize> { tree.path(joint).into_iter().skip_while(|&joint| joint != chest).collect() };
    let free = |way: &[usize]| way.len() > 1 && !way.iter().any(|joint| taken.contains(joint));
    let is_head = |name: &str| name::hint(name).head || name.to_lowercase().contains("skull");
    let named = (0..tree.parents.len()).filter(|&joint| is_head(&skeleton.joints()[joint].name)).map(from_chest);
    if let Some(way) = named.into_iter().find(|way| free(way)) {
        return way;
    }
    let ways = (0..tree.parents.len()).map(from_chest).filter(|way| free(way));
    let mut way = ways.max_by(|a, b| tree.length(a).total_cmp(&tree.length(b))).unwrap_or_else(|| vec![chest]);
    if let Some(branch) = way.iter().skip(1).position(|&joint| tree.children(joint).count() > 1) {
        way.truncate(branch + 2);
    }
    way
}

/// Joints of the tail: the longest way back from the hips.
fn tail(tree: &Tree, still: &Pose, hips: usize, spine: Option<usize>, taken: &[usize]) -> Vec<usize> {
    let ways = (0..tree.parents.len()).filter_map(|joint| {
        let way: Vec<usize> = tree.path(joint).into_iter().skip_while(|&joint| joint != hips).skip(1).collect();
        let is_free = !way.iter().any(|&joint| taken.contains(&joint) || Some(joint) == spine);
        let is_behind = still.world_positions[joint].z < still.world_positions[hips].z;
        (!way.is_empty() && is_free && is_behind).then_some(way)
    });
    ways.max_by(|a, b| tree.length(a).total_cmp(&tree.length(b))).unwrap_or_default()
}
