//! The chains of a skeleton that reach the ground in a standing pose.

use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::Vec3;

/// Height of the highest tip that stands on the ground, as a fraction of the body's height.
const MAX_TIP_HEIGHT: f32 = 0.15;
/// Largest height of a foot whose parent is a control, and of the joints above it, as a fraction of the body's height.
const MAX_FOOT_HEIGHT: f32 = 0.3;
/// Largest distance of such a foot from its leg, as a fraction of the body's height.
const MAX_FOOT_DISTANCE: f32 = 0.4;
/// Largest height of the joint from which the toes of one foot branch off, as a fraction of the body's height.
const MAX_TOE_HEIGHT: f32 = 0.35;
/// Largest relative difference in length between the legs of a pair.
const MAX_LENGTH_DIFFERENCE: f32 = 0.15;

/// Largest number of tips on the ground, toes included; a skeleton with more tips is not a body.
const MAX_TIPS: usize = 64;

/// A skeleton in a standing pose.
pub struct Tree {
    /// Parent of each joint; feet whose parent was a control are attached to their legs.
    pub parents: Vec<Option<usize>>,
    positions: Vec<Vec3>,
    /// World position of each joint's longest End Site, or of the joint itself if it has none.
    tips: Vec<Vec3>,
    ground: f32,
    height: f32,
    /// Joints without children whose tip is on the ground.
    ground_leaves: Vec<usize>,
}

/// Two legs with a common ancestor, each from its uppermost joint to its tip.
pub struct Pair {
    pub ancestor: usize,
    pub legs: [Vec<usize>; 2],
}

impl Tree {
    /// Creates the tree of a skeleton in a standing pose.
    pub fn new(skeleton: &Skeleton, pose: &Pose) -> Result<Self, String> {
        let positions = pose.world_positions.clone();
        let tips: Vec<Vec3> = (skeleton.joints().iter().enumerate())
            .map(|(index, joint)| {
                positions[index] + pose.world_rotations[index] * joint.longest_site().unwrap_or_default()
            })
            .collect();
        let parents = skeleton.joints().iter().map(|joint| joint.parent).collect();
        let mut tree = Self { parents, positions, tips, ground: 0.0, height: 0.0, ground_leaves: Vec::new() };
        let leaves = tree.leaves();
        let heights = || leaves.iter().map(|&leaf| tree.tips[leaf].y);
        let (lowest, highest) = (heights().fold(f32::MAX, f32::min), heights().fold(f32::MIN, f32::max));
        (tree.ground, tree.height) = (lowest, highest - lowest);
        if !(tree.height > 0.0 && tree.height.is_finite()) {
            return Err("neither its rest pose nor any frame is a standing body".to_owned());
        }
        let reaches_up = |tree: &Self, leaf: usize| {
            tree.path(leaf).iter().any(|&joint| tree.relative_height(tree.positions[joint]) >= MAX_FOOT_HEIGHT)
        };
        let (limb_ends, feet): (Vec<usize>, Vec<usize>) = leaves.into_iter().partition(|&leaf| reaches_up(&tree, leaf));
        if feet.len() <= MAX_TIPS {
            feet.into_iter().for_each(|foot| tree.attach_foot(skeleton, foot, &limb_ends));
        }
        tree.ground_leaves =
            tree.leaves().into_iter().filter(|&leaf| tree.relative_height(tree.tips[leaf]) < MAX_TIP_HEIGHT).collect();
        if tree.ground_leaves.len() > MAX_TIPS {
            return Err(format!("{} of its joints touch the ground", tree.ground_leaves.len()));
        }
        Ok(tree)
    }

    /// Returns the joints without children.
    fn leaves(&self) -> Vec<usize> {
        let mut is_leaf = vec![true; self.parents.len()];
        self.parents.iter().flatten().for_each(|&parent| is_leaf[parent] = false);
        (0..is_leaf.len()).filter(|&joint| is_leaf[joint]).collect()
    }

    /// Returns the height of the ground, metres.
    pub fn ground(&self) -> f32 {
        self.ground
    }

    /// Returns the height over the ground, as a fraction of the body's height.
    fn relative_height(&self, position: Vec3) -> f32 {
        (position.y - self.ground) / self.height
    }

    /// Returns the children of a joint.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.parents.len()).filter(move |&child| self.parents[child] == Some(joint))
    }

    /// Returns the joints from the root to a joint, both included.
    pub fn path(&self, joint: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(joint), |&joint| self.parents[joint]).collect();
        path.reverse();
        path
    }

    /// Returns the length of a chain of joints.
    pub fn length(&self, chain: &[usize]) -> f32 {
        chain.array_windows::<2>().map(|[a, b]| self.positions[*a].distance(self.positions[*b])).sum()
    }

    /// Attaches a foot whose parent is a control to the nearest limb. `limb_ends`: last joints of the limbs.
    fn attach_foot(&mut self, skeleton: &Skeleton, leaf: usize, limb_ends: &[usize]) {
        let path = self.path(leaf);
        // The control may be anywhere: the foot is the first joint near the tip that has translations and is in no
        // limb.
        let is_near_tip =
            |&&joint: &&usize| self.positions[joint].distance(self.tips[leaf]) < MAX_TIP_HEIGHT * self.height;
        let has_translation = |&&joint: &&usize| skeleton.translation_slot(joint).is_some();
        let mut is_in_limb = vec![false; self.parents.len()];
        limb_ends.iter().flat_map(|&end| self.path(end)).for_each(|joint| is_in_limb[joint] = true);
        let Some(foot) =
            path.iter().filter(is_near_tip).filter(has_translation).find(|&&joint| !is_in_limb[joint]).copied()
        else {
            return;
        };
        let distance = |end: usize| self.positions[end].distance(self.positions[foot]);
        let end = limb_ends.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        if let Some(end) = end.filter(|&end| distance(end) < MAX_FOOT_DISTANCE * self.height) {
            self.parents[foot] = Some(end);
        }
    }

    /// Returns the lowest common ancestor of two joints; `None` if they have different roots.
    fn common_ancestor(&self, a: usize, b: usize) -> Option<usize> {
        self.path(a).iter().zip(&self.path(b)).take_while(|(a, b)| a == b).last().map(|(joint, _)| *joint)
    }

    /// Groups the joints on the ground by foot.
    fn group_feet(&self) -> Vec<Vec<usize>> {
        let mut feet: Vec<Vec<usize>> = Vec::new();
        for &leaf in &self.ground_leaves {
            let is_toe = |other: usize| {
                leaf == other
                    || self
                        .common_ancestor(leaf, other)
                        .is_some_and(|joint| self.relative_height(self.positions[joint]) < MAX_TOE_HEIGHT)
            };
            match feet.iter_mut().find(|foot| is_toe(foot[0])) {
                Some(foot) => foot.push(leaf),
                None => feet.push(vec![leaf]),
            }
        }
        feet
    }

    /// Finds the pair of legs at the hips and the pair of legs at the chest.
    pub fn legs(&self) -> Result<[Pair; 2], String> {
        let feet = self.group_feet();
        let legs: Vec<Vec<usize>> = feet.iter().filter_map(|foot| self.find_leg(foot, &feet)).collect();
        let mut pairs: Vec<Pair> = Vec::new();
        for (index, leg) in legs.iter().enumerate() {
            let Some(ancestor) = self.parents[leg[0]] else { continue };
            let others = legs[index + 1..].iter().filter(|other| self.parents[other[0]] == Some(ancestor));
            let [length, tolerance] = [self.length(leg), MAX_LENGTH_DIFFERENCE * self.length(leg)];
            let difference = |other: &Vec<usize>| (self.length(other) - length).abs();
            let other = others
                .min_by(|a, b| difference(a).total_cmp(&difference(b)))
                .filter(|other| difference(other) <= tolerance);
            pairs.extend(other.map(|other| Pair { ancestor, legs: [leg.clone(), other.clone()] }));
        }
        let count = pairs.len();
        let Ok([a, b]) = <[Pair; 2]>::try_from(pairs) else {
            return Err(format!(
                "it does not stand on four legs: two pairs of chains must reach the ground, at hips and \
                 chest; {count} {}",
                if count == 1 { "pair does" } else { "pairs do" }
            ));
        };
        if self.path(b.ancestor).contains(&a.ancestor) {
            Ok([a, b])
        } else if self.path(a.ancestor).contains(&b.ancestor) {
            Ok([b, a])
        } else {
            Err("its chest is not below its hips in the hierarchy: hind and fore legs cannot be told apart".to_owned())
        }
    }

    /// Returns the leg of a foot: the joints from the uppermost one that carries no other foot to the tip that is
    /// farthest from the root along the bones.
    fn find_leg(&self, foot: &[usize], feet: &[Vec<usize>]) -> Option<Vec<usize>> {
        let tip = *foot.iter().max_by(|&&a, &&b| self.length(&self.path(a)).total_cmp(&self.length(&self.path(b))))?;
        let carries = |joint: usize| {
            let others = feet.iter().filter(|other| other[0] != foot[0]).flatten();
            others.into_iter().any(|&leaf| self.path(leaf).contains(&joint))
        };
        let leg: Vec<usize> = self.path(tip).into_iter().skip_while(|&joint| carries(joint)).collect();
        (!leg.is_empty()).then_some(leg)
    }
}
