//! Transfers poses from one four-legged body to another.

use super::plan::{Chain, Mix, mix_at};
use super::stand::{Carrier, standing_height};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use crate::motion::rig::quadruped::{Leg, Quadruped};
use glam::{Quat, Vec3};

/// Paws near the ground are laid flat. Above this fraction of the body's height they turn with the leg.
const FLAT: f32 = 0.1;
/// Legs whose knee angle has a smaller sine are too straight to show the axis of the knee.
const STRAIGHT: f32 = 0.1;

/// Values that depend on the two bodies, and buffers.
#[derive(Debug, Clone)]
pub struct Quadrupeds {
    from: Quadruped,
    to: Quadruped,
    /// World height of the ground: source, target.
    ground: [f32; 2],
    scale: f32,
    carrier: Carrier,
    /// Joints of the target, parents first.
    order: Vec<usize>,
    /// Source part of each joint of the target, [joints]; `None` for joints that follow their parent.
    mixes: Vec<Option<Mix>>,
    /// Axis of each knee in the still pose.
    hinges: [Vec3; 4],
    parts: Vec<Option<Quat>>,
}

impl Quadrupeds {
    /// From the skeleton of `clip` to that of `target`; both clips give the height of their ground.
    ///
    /// # Errors
    /// [`Error::Rig`] if one is not a four-legged body.
    pub fn new(clip: &Clip, target: &Clip) -> Result<Self> {
        let [from, to] = [body(clip)?, body(target)?];
        let carrier = Carrier::new(target.skeleton(), &to.parents, to.trunk[0]);
        let ground = [ground(clip, &from), ground(target, &to)];
        let (mixes, hinges) = (mixes(&from, &to), to.legs.each_ref().map(|leg| hinge(&to, leg)));
        let parts = Vec::with_capacity(mixes.len());
        Ok(Self {
            scale: to.hip_height() / from.hip_height(),
            order: order(&to),
            from,
            to,
            ground,
            carrier,
            mixes,
            hinges,
            parts,
        })
    }

    /// Height of the target's hips and shoulders over that of the source's.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The target's joint at the same position of the same chain as a joint of the source.
    pub fn counterpart(&self, joint: usize) -> Option<usize> {
        chains(&self.from).into_iter().zip(chains(&self.to)).find_map(|(from, to)| {
            let (_, place) = *from.iter().find(|(own, _)| *own == joint)?;
            let away = |other: &f32| (other - place).abs();
            to.into_iter().min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b))).map(|(joint, _)| joint)
        })
    }

    /// Sets `made` to the target's pose for one pose of the source.
    pub fn set(&mut self, pose: &Pose, made: &mut Pose) {
        let part =
            |joint: usize| pose.world_rotations[joint] * self.from.standing_pose.world_rotations[joint].inverse();
        self.parts.clear();
        self.parts.extend(self.mixes.iter().map(|mix| mix.map(|mix| mix.rotation(part))));
        self.assemble(made);
        let [hips, chest] = [self.from.trunk.first(), self.from.trunk.last()]
            .map(|joint| joint.map_or(Vec3::ZERO, |&joint| pose.world_positions[joint]));
        let own = self.to.trunk[0];
        let rests =
            [self.from.standing_pose.world_positions[self.from.trunk[0]], self.to.standing_pose.world_positions[own]];
        let shift = self.placed(hips, rests) - made.world_positions[own];
        self.carrier.shift(made, shift);
        let ahead = chest - hips;
        let heading = Quat::from_rotation_y(ahead.x.atan2(ahead.z));
        let paws = self
            .from
            .paws(pose)
            .into_iter()
            .zip(self.from.paws(&self.from.standing_pose))
            .zip(self.to.paws(&self.to.standing_pose));
        for (leg, ((paw, from), to)) in paws.enumerate() {
            // The bodies differ in length and width, and so do the positions of their paws in the standing pose.
            let apart = heading * (to - from * self.scale).with_y(0.0);
            let height = (paw.y - self.ground[0] - from.y) / self.from.hip_height();
            self.bend(leg, made, self.placed(paw, [from, to]) + apart);
            self.flatten(leg, heading, height);
        }
        self.assemble(made);
        self.carrier.shift(made, shift);
    }

    /// Target position for a position of the source: the same place on the ground, the same scaled height difference
    /// from rest.
    fn placed(&self, place: Vec3, [from, to]: [Vec3; 2]) -> Vec3 {
        let rise = place.y - self.ground[0] - from.y;
        (place * self.scale).with_y(self.ground[1] + to.y + rise * self.scale)
    }

    /// World pose of the target with its carrier at rest.
    fn assemble(&self, made: &mut Pose) {
        let Self { to, parts, .. } = self;
        let Pose { world_positions: rest, world_rotations: rested } = &to.standing_pose;
        made.world_positions.resize(rest.len(), Vec3::ZERO);
        made.world_rotations.resize(rest.len(), Quat::IDENTITY);
        for &joint in &self.order {
            let (place, turn) = match to.parents[joint] {
                Some(above) => {
                    let turn = made.world_rotations[above] * rested[above].inverse();
                    (made.world_positions[above] + turn * (rest[joint] - rest[above]), turn * rested[joint])
                }
                // Joints above the body stay as in the skeleton.
                None => (
                    to.skeleton_from_standing.0 * rest[joint] + to.skeleton_from_standing.1,
                    to.skeleton_from_standing.0 * rested[joint],
                ),
            };
            made.world_positions[joint] = place;
            made.world_rotations[joint] = parts[joint].map_or(turn, |part| part * rested[joint]);
        }
    }

    /// Brings a paw to a position by turning its leg at the hip and at the knee.
    fn bend(&mut self, leg: usize, made: &Pose, place: Vec3) {
        let Leg { joints, knee, paw, .. } = &self.to.legs[leg];
        let at = |joint: usize| made.world_positions[joint];
        let hinge = self.parts[joints[0]].unwrap_or_default() * self.hinges[leg];
        let bones = TwoBone { root: at(joints[0]), middle: at(joints[*knee]), end: paw.world_position(made), hinge };
        let reach = bones.reach(place);
        for (index, &joint) in joints.iter().enumerate() {
            let turn = if index < *knee { reach.upper } else { reach.upper * reach.lower };
            self.parts[joint] = self.parts[joint].map(|part| turn * part);
        }
    }

    /// Lays paw and toes flat where the paw is near the ground.
    fn flatten(&mut self, leg: usize, heading: Quat, height: f32) {
        let free = smoothstep((height / FLAT).clamp(0.0, 1.0));
        for &toe in &self.to.legs[leg].toes {
            self.parts[toe] = self.parts[toe].map(|part| heading.slerp(part, free));
        }
    }
}

fn body(clip: &Clip) -> Result<Quadruped> {
    Quadruped::detect(clip).map_err(|why| Error::Rig {
        clip: clip.name.clone(),
        message: format!("its motion cannot be transferred to or from another skeleton: {why}"),
    })
}

/// World height of the ground: usual height of the lowest paw minus its height at rest, metres.
fn ground(clip: &Clip, body: &Quadruped) -> f32 {
    let lowest = |pose: &Pose| body.paws(pose).map(|paw| paw.y).into_iter().fold(f32::INFINITY, f32::min);
    standing_height(clip, lowest) - lowest(&body.standing_pose)
}

/// All joints, parents first.
fn order(body: &Quadruped) -> Vec<usize> {
    let depth = |&joint: &usize| std::iter::successors(body.parents[joint], |&above| body.parents[above]).count();
    let mut order: Vec<usize> = (0..body.parents.len()).collect();
    order.sort_by_key(depth);
    order
}

/// The axis that a knee folds about in the standing pose; the lateral axis where the leg is straight.
fn hinge(body: &Quadruped, leg: &Leg) -> Vec3 {
    let at = |index: usize| body.standing_pose.world_positions[leg.joints[index]];
    let (upper, lower) = (at(leg.knee) - at(0), leg.paw.world_position(&body.standing_pose) - at(leg.knee));
    let fold = upper.normalize_or_zero().cross(lower.normalize_or_zero());
    if fold.length() > STRAIGHT { fold.normalize() } else { Vec3::X }
}

/// Source part of each joint of the target.
fn mixes(from: &Quadruped, to: &Quadruped) -> Vec<Option<Mix>> {
    let mut mixes = vec![None; to.parents.len()];
    for (source, target) in chains(from).into_iter().zip(chains(to)) {
        if source.is_empty() {
            continue;
        }
        for (joint, place) in target {
            // The chest belongs to the trunk; a foot that ends in its paw belongs to the leg.
            mixes[joint].get_or_insert_with(|| mix_at(&source, place));
        }
    }
    mixes
}

/// Chains of a body, each joint with its position along the chain, 0 to 1: trunk, neck, tail, and blade, bones and
/// paw of each leg.
fn chains(body: &Quadruped) -> Vec<Chain> {
    let places = &body.standing_pose.world_positions;
    let along = |joints: &[usize], end: Option<Vec3>| -> Chain {
        let mut ways = vec![0.0];
        let ends = joints.iter().skip(1).map(|&joint| places[joint]).chain(end);
        for (&joint, next) in joints.iter().zip(ends) {
            ways.push(ways[ways.len() - 1] + places[joint].distance(next));
        }
        let length = ways[ways.len() - 1].max(f32::MIN_POSITIVE);
        // Bones with an end are placed at their middle.
        let place = |index: usize| match end {
            Some(_) => (ways[index] + ways[index + 1]) / (2.0 * length),
            None => ways[index] / length,
        };
        joints.iter().enumerate().map(|(index, &joint)| (joint, place(index))).collect()
    };
    let mut chains = vec![along(&body.trunk, None), along(&body.neck, None), along(&body.tail, None)];
    for leg in &body.legs {
        let one = |joint: usize| vec![(joint, 0.0)];
        chains.push(leg.shoulder_blade.map_or_else(Chain::new, one));
        chains.push(along(&leg.joints, Some(leg.paw.world_position(&body.standing_pose))));
        // All toes turn together.
        let paws: Chain = leg.toes.iter().map(|&joint| (joint, 0.0)).collect();
        chains.push(if paws.is_empty() { one(leg.paw.joint) } else { paws });
    }
    chains
}
