//! Transfers poses from one four-legged body to another.

use super::plan::{Chain, Mix, mix_at};
use super::stand::{Carrier, standing_height};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use crate::motion::rig::leg::parents_first;
use crate::motion::rig::quadruped::{Leg, Quadruped};
use glam::{Quat, Vec3};

/// Height of a paw, as a fraction of the hip height, above which it rotates with its leg; nearer to the ground it is
/// laid flat.
const FLAT_HEIGHT: f32 = 0.1;
/// Sine of the smallest bend of a knee whose axis can be computed from the bones.
const MIN_BEND: f32 = 0.1;

/// Transfer of poses between two four-legged bodies: values that depend on the bodies, and buffers.
#[derive(Debug, Clone)]
pub struct QuadrupedTransfer {
    /// Source.
    from: Quadruped,
    /// Target.
    to: Quadruped,
    /// World height of the ground: source, target.
    ground: [f32; 2],
    /// Hip height of the target divided by the hip height of the source.
    scale: f32,
    /// Moves the target's body.
    carrier: Carrier,
    /// Joints of the target, parents first.
    order: Vec<usize>,
    /// Source parts that each target joint follows, [target joints]; `None` for joints that follow their parent.
    mixes: Vec<Option<Mix>>,
    /// World axis of each knee or elbow of the target in the standing pose.
    hinges: [Vec3; 4],
    /// World rotation of the body part of each target joint relative to the standing pose, [target joints]; `None` for
    /// joints that follow their parent.
    part_rotations: Vec<Option<Quat>>,
}

impl QuadrupedTransfer {
    /// Prepares transfers from the skeleton of `clip` to the skeleton of `target`. The motions of both clips determine
    /// the height of their ground.
    ///
    /// # Errors
    /// [`Error::Rig`] if one is not a four-legged body.
    pub fn new(clip: &Clip, target: &Clip) -> Result<Self> {
        let [from, to] = [detect_body(clip)?, detect_body(target)?];
        let carrier = Carrier::new(target.skeleton(), &to.parents, to.trunk[0]);
        let ground = [estimate_ground(clip, &from), estimate_ground(target, &to)];
        let (mixes, hinges) = (plan_mixes(&from, &to), to.legs.each_ref().map(|leg| find_hinge(&to, leg)));
        let part_rotations = Vec::with_capacity(mixes.len());
        Ok(Self {
            scale: to.hip_height() / from.hip_height(),
            order: parents_first(&to.parents),
            from,
            to,
            ground,
            carrier,
            mixes,
            hinges,
            part_rotations,
        })
    }

    /// Returns the hip height of the target divided by the hip height of the source, see [`Quadruped::hip_height`].
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Returns the target's joint at the same position of the same chain as a joint of the source.
    pub fn counterpart(&self, joint: usize) -> Option<usize> {
        find_chains(&self.from).into_iter().zip(find_chains(&self.to)).find_map(|(from, to)| {
            let (_, position) = *from.iter().find(|(chain_joint, _)| *chain_joint == joint)?;
            let distance = |other_position: &f32| (other_position - position).abs();
            to.into_iter().min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b))).map(|(joint, _)| joint)
        })
    }

    /// Sets `target_pose` to the target's pose for one pose of the source.
    pub fn set(&mut self, pose: &Pose, target_pose: &mut Pose) {
        let source_rotation =
            |joint: usize| pose.world_rotations[joint] * self.from.standing_pose.world_rotations[joint].inverse();
        self.part_rotations.clear();
        self.part_rotations.extend(self.mixes.iter().map(|mix| mix.map(|mix| mix.rotation(source_rotation))));
        // The pose with the rotations of the source, from which inverse kinematics then brings the paws to their
        // positions.
        self.assemble(target_pose);
        let [hips, chest] = [self.from.trunk.first(), self.from.trunk.last()]
            .map(|joint| joint.map_or(Vec3::ZERO, |&joint| pose.world_positions[joint]));
        let target_hips = self.to.trunk[0];
        let standing_hips = [
            self.from.standing_pose.world_positions[self.from.trunk[0]],
            self.to.standing_pose.world_positions[target_hips],
        ];
        let shift = self.map_position(hips, standing_hips) - target_pose.world_positions[target_hips];
        self.carrier.shift(target_pose, shift);
        let trunk_direction = chest - hips;
        let heading = Quat::from_rotation_y(trunk_direction.x.atan2(trunk_direction.z));
        let paws = self
            .from
            .paws(pose)
            .into_iter()
            .zip(self.from.paws(&self.from.standing_pose))
            .zip(self.to.paws(&self.to.standing_pose));
        for (leg, ((paw, from_paw), to_paw)) in paws.enumerate() {
            // The bodies differ in length and width, and so do the positions of their paws in the standing pose.
            let paw_shift = heading * (to_paw - from_paw * self.scale).with_y(0.0);
            let height = (paw.y - self.ground[0] - from_paw.y) / self.from.hip_height();
            self.bend(leg, target_pose, self.map_position(paw, [from_paw, to_paw]) + paw_shift);
            self.flatten(leg, heading, height);
        }
        self.assemble(target_pose);
        self.carrier.shift(target_pose, shift);
    }

    /// Returns the target position for a position of the source, scaled. Its height is the height in the target's
    /// standing pose, `to`, plus the scaled difference from the height in the source's standing pose, `from`.
    fn map_position(&self, position: Vec3, [from, to]: [Vec3; 2]) -> Vec3 {
        let rise = position.y - self.ground[0] - from.y;
        (position * self.scale).with_y(self.ground[1] + to.y + rise * self.scale)
    }

    /// Sets the world pose of the target from the rotations of its parts, with its carrier at the standing position.
    fn assemble(&self, target_pose: &mut Pose) {
        let Self { to, part_rotations, .. } = self;
        let Pose { world_positions: standing_positions, world_rotations: standing_rotations } = &to.standing_pose;
        target_pose.world_positions.resize(standing_positions.len(), Vec3::ZERO);
        target_pose.world_rotations.resize(standing_positions.len(), Quat::IDENTITY);
        for &joint in &self.order {
            let (position, rotation) = match to.parents[joint] {
                Some(parent) => {
                    let rotation = target_pose.world_rotations[parent] * standing_rotations[parent].inverse();
                    (
                        target_pose.world_positions[parent]
                            + rotation * (standing_positions[joint] - standing_positions[parent]),
                        rotation * standing_rotations[joint],
                    )
                }
                // Joints above the body stay as in the skeleton.
                None => (
                    to.skeleton_from_standing.0 * standing_positions[joint] + to.skeleton_from_standing.1,
                    to.skeleton_from_standing.0 * standing_rotations[joint],
                ),
            };
            target_pose.world_positions[joint] = position;
            target_pose.world_rotations[joint] =
                part_rotations[joint].map_or(rotation, |part_rotation| part_rotation * standing_rotations[joint]);
        }
    }

    /// Brings a paw to a position by rotating its leg at the hip and at the knee. `target_pose`: the pose before. Only
    /// the rotations of parts change.
    fn bend(&mut self, leg: usize, target_pose: &Pose, position: Vec3) {
        let Leg { joints, knee, paw, .. } = &self.to.legs[leg];
        let position_of = |joint: usize| target_pose.world_positions[joint];
        let hinge = self.part_rotations[joints[0]].unwrap_or_default() * self.hinges[leg];
        let bones = TwoBone {
            root: position_of(joints[0]),
            middle: position_of(joints[*knee]),
            end: paw.world_position(target_pose),
            hinge,
        };
        let reach = bones.reach(position);
        for (index, &joint) in joints.iter().enumerate() {
            let rotation = if index < *knee { reach.upper } else { reach.upper * reach.lower };
            self.part_rotations[joint] = self.part_rotations[joint].map(|part_rotation| rotation * part_rotation);
        }
    }

    /// Lays paw and toes flat where the paw is near the ground. `height`: height of the source's paw over its height in
    /// the standing pose, as a fraction of the hip height.
    fn flatten(&mut self, leg: usize, heading: Quat, height: f32) {
        let weight = smoothstep((height / FLAT_HEIGHT).clamp(0.0, 1.0));
        for &toe in &self.to.legs[leg].toes {
            self.part_rotations[toe] =
                self.part_rotations[toe].map(|part_rotation| heading.slerp(part_rotation, weight));
        }
    }
}

fn detect_body(clip: &Clip) -> Result<Quadruped> {
    Quadruped::detect(clip).map_err(|reason| Error::Rig {
        clip: clip.name.clone(),
        message: format!("its motion cannot be transferred to or from another skeleton: {reason}"),
    })
}

/// Estimates the world height of the ground, metres: usual height of the lowest paw minus its height in the standing
/// pose.
fn estimate_ground(clip: &Clip, body: &Quadruped) -> f32 {
    let lowest = |pose: &Pose| body.paws(pose).map(|paw| paw.y).into_iter().fold(f32::INFINITY, f32::min);
    standing_height(clip, lowest) - lowest(&body.standing_pose)
}

/// Returns the axis about which a knee folds in the standing pose; the lateral axis if the leg is straight.
fn find_hinge(body: &Quadruped, leg: &Leg) -> Vec3 {
    let position_of = |index: usize| body.standing_pose.world_positions[leg.joints[index]];
    let (upper, lower) =
        (position_of(leg.knee) - position_of(0), leg.paw.world_position(&body.standing_pose) - position_of(leg.knee));
    let fold = upper.normalize_or_zero().cross(lower.normalize_or_zero());
    if fold.length() > MIN_BEND { fold.normalize() } else { Vec3::X }
}

/// Assigns source parts to each joint of the target.
fn plan_mixes(from: &Quadruped, to: &Quadruped) -> Vec<Option<Mix>> {
    let mut mixes = vec![None; to.parents.len()];
    for (source, target) in find_chains(from).into_iter().zip(find_chains(to)) {
        if source.is_empty() {
            continue;
        }
        for (joint, position) in target {
            // A joint in two chains follows the first one: the chest the trunk, a foot without toes its leg.
            mixes[joint].get_or_insert_with(|| mix_at(&source, position));
        }
    }
    mixes
}

/// Returns the chains of a body, each joint with its position along the chain, 0 to 1: trunk, neck, tail, and for each
/// leg its shoulder blade, its bones and its toes.
fn find_chains(body: &Quadruped) -> Vec<Chain> {
    let positions = &body.standing_pose.world_positions;
    let chain_along = |joints: &[usize], end: Option<Vec3>| -> Chain {
        let mut distances = vec![0.0];
        let ends = joints.iter().skip(1).map(|&joint| positions[joint]).chain(end);
        for (&joint, next) in joints.iter().zip(ends) {
            distances.push(distances[distances.len() - 1] + positions[joint].distance(next));
        }
        let length = distances[distances.len() - 1].max(f32::MIN_POSITIVE);
        // In a chain with an end, each joint has the position of the middle of its bone.
        let position = |index: usize| match end {
            Some(_) => (distances[index] + distances[index + 1]) / (2.0 * length),
            None => distances[index] / length,
        };
        joints.iter().enumerate().map(|(index, &joint)| (joint, position(index))).collect()
    };
    let mut chains = vec![chain_along(&body.trunk, None), chain_along(&body.neck, None), chain_along(&body.tail, None)];
    for leg in &body.legs {
        let single = |joint: usize| vec![(joint, 0.0)];
        chains.push(leg.shoulder_blade.map_or_else(Chain::new, single));
        chains.push(chain_along(&leg.joints, Some(leg.paw.world_position(&body.standing_pose))));
        // All toes rotate together.
        let toes: Chain = leg.toes.iter().map(|&joint| (joint, 0.0)).collect();
        chains.push(if toes.is_empty() { single(leg.paw.joint) } else { toes });
    }
    chains
}
