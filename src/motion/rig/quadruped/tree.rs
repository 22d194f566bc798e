//! Chains of a skeleton that reach the ground.

use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::Vec3;

/// Tips lower than this fraction of the body's height stand on the ground.
const MAX_TIP_HEIGHT: f32 = 0.15;
/// A foot that is the child of a control lies below this fraction of the body's height, and no farther than [`MAX_FOOT_DISTANCE`]
/// of it from its leg.
const MAX_FOOT_HEIGHT: f32 = 0.3;
const MAX_FOOT_DISTANCE: f32 = 0.4;
/// Chains that separate below this fraction of the body's height are toes of one foot.
const MAX_TOE_HEIGHT: f32 = 0.35;
/// Largest relative difference in length between the legs of a pair.
const MAX_LENGTH_DIFFERENCE: f32 = 0.15;

/// Largest number of tips on the ground, toes included; more are not a body.
const MAX_TIPS: usize = 64;

/// A skeleton in a standing pose.
pub struct Tree {
    /// Parent of each joint; feet are attached to their legs.
    pub parents: Vec<Option<usize>>,
    places: Vec<Vec3>,
    /// End of each joint's bone: the joint itself, or its lower End Site.
    tips: Vec<Vec3>,
    ground: f32,
    height: f32,
    /// Joints on the ground.
    low: Vec<usize>,
}

/// Two legs with a common ancestor, each from its uppermost joint to its tip.
pub struct Pair {
    pub from: usize,
    pub legs: [Vec<usize>; 2],
}

impl Tree {
    /// Reads a standing pose.
    pub fn new(skeleton: &Skeleton, pose: &Pose) -> Result<Self, String> {
        let places = pose.world_positions.clone();
        let tips: Vec<Vec3> = (skeleton.joints().iter().enumerate())
            .map(|(index, joint)| {
                places[index] + pose.world_rotations[index] * joint.longest_site().unwrap_or_default()
            })
            .collect();
        let parents = skeleton.joints().iter().map(|joint| joint.parent).collect();
        let mut tree = Self { parents, places, tips, ground: 0.0, height: 0.0, low: Vec::new() };
        let leaves = tree.leaves();
        let heights = || leaves.iter().map(|&leaf| tree.tips[leaf].y);
        let (lowest, highest) = (heights().fold(f32::MAX, f32::min), heights().fold(f32::MIN, f32::max));
        (tree.ground, tree.height) = (lowest, highest - lowest);
        if !(tree.height > 0.0 && tree.height.is_finite()) {
            return Err("neither its rest pose nor any frame is a standing body".to_owned());
        }
        let hangs = |tree: &Self, leaf: usize| {
            tree.path(leaf).iter().any(|&joint| tree.rise(tree.places[joint]) >= MAX_FOOT_HEIGHT)
        };
        let (ends, feet): (Vec<usize>, Vec<usize>) = leaves.into_iter().partition(|&leaf| hangs(&tree, leaf));
        if feet.len() <= MAX_TIPS {
            feet.into_iter().for_each(|foot| tree.attach_foot(skeleton, foot, &ends));
        }
        tree.low = tree.leaves().into_iter().filter(|&leaf| tree.rise(tree.tips[leaf]) < MAX_TIP_HEIGHT).collect();
        if tree.low.len() > MAX_TIPS {
            return Err(format!("{} of its joints touch the ground", tree.low.len()));
        }
        Ok(tree)
    }

    /// Joints without children.
    fn leaves(&self) -> Vec<usize> {
        let mut is_leaf = vec![true; self.parents.len()];
        self.parents.iter().flatten().for_each(|&parent| is_leaf[parent] = false);
        (0..is_leaf.len()).filter(|&joint| is_leaf[joint]).collect()
    }

    /// Height of the ground, metres.
    pub fn ground(&self) -> f32 {
        self.ground
    }

    /// Height over the ground, as a fraction of the body's height.
    fn rise(&self, place: Vec3) -> f32 {
        (place.y - self.ground) / self.height
    }

    /// Children of a joint.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.parents.len()).filter(move |&child| self.parents[child] == Some(joint))
    }

    /// Joints from the root to a joint, both included.
    pub fn path(&self, joint: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(joint), |&joint| self.parents[joint]).collect();
        path.reverse();
        path
    }

    /// Length of a chain of joints.
    pub fn length(&self, chain: &[usize]) -> f32 {
        chain.array_windows::<2>().map(|[a, b]| self.places[*a].distance(self.places[*b])).sum()
    }

    /// Attaches a foot that is the child of a control to the nearest leg of `ends`.
    fn attach_foot(&mut self, skeleton: &Skeleton, leaf: usize, ends: &[usize]) {
        let path = self.path(leaf);
        // The control itself may be anywhere: the foot is the joint at its tip.
        let near = |&&joint: &&usize| self.places[joint].distance(self.tips[leaf]) < MAX_TIP_HEIGHT * self.height;
        let moves = |&&joint: &&usize| skeleton.translation_slot(joint).is_some();
        let mut carries = vec![false; self.parents.len()];
        ends.iter().flat_map(|&end| self.path(end)).for_each(|joint| carries[joint] = true);
        let Some(foot) = path.iter().filter(near).filter(moves).find(|&&joint| !carries[joint]).copied() else {
            return;
        };
        let away = |end: usize| self.places[end].distance(self.places[foot]);
        let end = ends.iter().copied().min_by(|&a, &b| away(a).total_cmp(&away(b)));
        if let Some(end) = end.filter(|&end| away(end) < MAX_FOOT_DISTANCE * self.height) {
            self.parents[foot] = Some(end);
        }
    }

    /// Lowest common ancestor of two joints; `None` in different trees.
    fn common(&self, a: usize, b: usize) -> Option<usize> {
        self.path(a).iter().zip(&self.path(b)).take_while(|(a, b)| a == b).last().map(|(joint, _)| *joint)
    }

    /// Tips of each foot.
    fn feet(&self) -> Vec<Vec<usize>> {
        let mut feet: Vec<Vec<usize>> = Vec::new();
        for &leaf in &self.low {
            let is_toe = |other: usize| {
                leaf == other
                    || self.common(leaf, other).is_some_and(|joint| self.rise(self.places[joint]) < MAX_TOE_HEIGHT)
            };
            match feet.iter_mut().find(|foot| is_toe(foot[0])) {
                Some(foot) => foot.push(leaf),
                None => feet.push(vec![leaf]),
            }
        }
        feet
    }

    /// The pair of legs at the hips and the pair at the chest.
    pub fn legs(&self) -> Result<[Pair; 2], String> {
        let feet = self.feet();
        let legs: Vec<Vec<usize>> = feet.iter().filter_map(|foot| self.leg(foot, &feet)).collect();
        let mut pairs: Vec<Pair> = Vec::new();
        for (index, leg) in legs.iter().enumerate() {
            let Some(from) = self.parents[leg[0]] else { continue };
            let others = legs[index + 1..].iter().filter(|other| self.parents[other[0]] == Some(from));
            let [length, most] = [self.length(leg), MAX_LENGTH_DIFFERENCE * self.length(leg)];
            let off = |other: &Vec<usize>| (self.length(other) - length).abs();
            let other = others.min_by(|a, b| off(a).total_cmp(&off(b))).filter(|other| off(other) <= most);
            pairs.extend(other.map(|other| Pair { from, legs: [leg.clone(), other.clone()] }));
        }
        let count = pairs.len();
        let Ok([a, b]) = <[Pair; 2]>::try_from(pairs) else {
            return Err(format!(
                "it does not stand on four legs: of its joints {count} {} where two must, at hips and chest",
                if count == 1 { "pair of chains reaches the ground" } else { "pairs of chains reach the ground" }
            ));
        };
        if self.path(b.from).contains(&a.from) {
            Ok([a, b])
        } else if self.path(a.from).contains(&b.from) {
            Ok([b, a])
        } else {
            Err("its chest is not below its hips in the hierarchy: hind and fore legs cannot be told apart".to_owned())
        }
    }

    /// The leg above a foot: from the uppermost joint that carries no other foot to the lowest tip.
    fn leg(&self, foot: &[usize], feet: &[Vec<usize>]) -> Option<Vec<usize>> {
        let tip = *foot.iter().max_by(|&&a, &&b| self.length(&self.path(a)).total_cmp(&self.length(&self.path(b))))?;
        let carries = |joint: usize| {
            let others = feet.iter().filter(|other| other[0] != foot[0]).flatten();
            others.into_iter().any(|&leaf| self.path(leaf).contains(&joint))
        };
        let leg: Vec<usize> = self.path(tip).into_iter().skip_while(|&joint| carries(joint)).collect();
        (!leg.is_empty()).then_some(leg)
    }
}
