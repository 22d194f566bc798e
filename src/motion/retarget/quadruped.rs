//! A four-legged body's poses on another one.

use super::plan::{Chain, Mix, at};
use super::stand::{Carrier, standing};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use crate::motion::rig::quadruped::{Leg, Quadruped};
use glam::{Quat, Vec3};

/// A paw on the ground lies flat; it turns with its leg once it is this part of the body's height above it.
const FLAT: f32 = 0.1;
/// Legs straighter than this, as the sine of the knee's angle, say little of the axis it bends about.
const STRAIGHT: f32 = 0.1;

/// What depends on the two bodies, and buffers.
#[derive(Debug, Clone)]
pub struct Quadrupeds {
    from: Quadruped,
    to: Quadruped,
    /// World height of the ground: source, target.
    ground: [f32; 2],
    scale: f32,
    carrier: Carrier,
    /// Joints of the target, what they hang from first.
    order: Vec<usize>,
    /// What each joint of the target follows, [joints]; `None`: what it hangs from.
    mixes: Vec<Option<Mix>>,
    /// Axis of each knee in the still pose.
    hinges: [Vec3; 4],
    parts: Vec<Option<Quat>>,
}

impl Quadrupeds {
    /// From the skeleton of `clip` to that of `target`; both clips tell where their ground is.
    ///
    /// # Errors
    /// [`Error::Rig`] where one is no four-legged body.
    pub fn new(clip: &Clip, target: &Clip) -> Result<Self> {
        let [from, to] = [body(clip)?, body(target)?];
        let carrier = Carrier::of(target.skeleton(), &to.parents, to.trunk[0]);
        let ground = [ground(clip, &from), ground(target, &to)];
        let (mixes, hinges) = (mixes(&from, &to), to.legs.each_ref().map(|leg| hinge(&to, leg)));
        let parts = Vec::with_capacity(mixes.len());
        Ok(Self {
            scale: to.height() / from.height(),
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

    /// How many times as high as the source's the target's hips and shoulders are.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The target's joint at the same place of the same part as one of the source's.
    pub fn counterpart(&self, joint: usize) -> Option<usize> {
        chains(&self.from).into_iter().zip(chains(&self.to)).find_map(|(from, to)| {
            let (_, place) = *from.iter().find(|(own, _)| *own == joint)?;
            let away = |other: &f32| (other - place).abs();
            to.into_iter().min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b))).map(|(joint, _)| joint)
        })
    }

    /// `made` becomes the target's pose for one of the source's.
    pub fn set(&mut self, pose: &Pose, made: &mut Pose) {
        let part = |joint: usize| pose.world_rotations[joint] * self.from.still.world_rotations[joint].inverse();
        self.parts.clear();
        self.parts.extend(self.mixes.iter().map(|mix| mix.map(|mix| mix.of(part))));
        self.assemble(made);
        let [hips, chest] = [self.from.trunk.first(), self.from.trunk.last()]
            .map(|joint| joint.map_or(Vec3::ZERO, |&joint| pose.world_positions[joint]));
        let own = self.to.trunk[0];
        let rests = [self.from.still.world_positions[self.from.trunk[0]], self.to.still.world_positions[own]];
        let shift = self.placed(hips, rests) - made.world_positions[own];
        self.carrier.shift(made, shift);
        let ahead = chest - hips;
        let heading = Quat::from_rotation_y(ahead.x.atan2(ahead.z));
        let paws =
            self.from.paws(pose).into_iter().zip(self.from.paws(&self.from.still)).zip(self.to.paws(&self.to.still));
        for (leg, ((paw, from), to)) in paws.enumerate() {
            // The bodies differ in length and width: so do the places of their paws as they stand.
            let apart = heading * (to - from * self.scale).with_y(0.0);
            let height = (paw.y - self.ground[0] - from.y) / self.from.height();
            self.bend(leg, made, self.placed(paw, [from, to]) + apart);
            self.flatten(leg, heading, height);
        }
        self.assemble(made);
        self.carrier.shift(made, shift);
    }

    /// Where a place of the source lies for the target: over the same ground, as much higher or lower than it rests.
    fn placed(&self, place: Vec3, [from, to]: [Vec3; 2]) -> Vec3 {
        let rise = place.y - self.ground[0] - from.y;
        (place * self.scale).with_y(self.ground[1] + to.y + rise * self.scale)
    }

    /// World pose of the target, its carrier where it rests.
    fn assemble(&self, made: &mut Pose) {
        let Self { to, parts, .. } = self;
        let Pose { world_positions: rest, world_rotations: rested } = &to.still;
        made.world_positions.resize(rest.len(), Vec3::ZERO);
        made.world_rotations.resize(rest.len(), Quat::IDENTITY);
        for &joint in &self.order {
            let (place, turn) = match to.parents[joint] {
                Some(above) => {
                    let turn = made.world_rotations[above] * rested[above].inverse();
                    (made.world_positions[above] + turn * (rest[joint] - rest[above]), turn * rested[joint])
                }
                // What carries the body stays as the skeleton has it.
                None => (to.own.0 * rest[joint] + to.own.1, to.own.0 * rested[joint]),
            };
            made.world_positions[joint] = place;
            made.world_rotations[joint] = parts[joint].map_or(turn, |part| part * rested[joint]);
        }
    }

    /// Brings a paw to a place by turning its leg at the hip and at the knee.
    fn bend(&mut self, leg: usize, made: &Pose, place: Vec3) {
        let Leg { joints, knee, paw, .. } = &self.to.legs[leg];
        let at = |joint: usize| made.world_positions[joint];
        let hinge = self.parts[joints[0]].unwrap_or_default() * self.hinges[leg];
        let bones = TwoBone { root: at(joints[0]), middle: at(joints[*knee]), end: paw.of(made), hinge };
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
    Quadruped::of(clip).map_err(|why| Error::Rig {
        clip: clip.name.clone(),
        message: format!("its motion cannot go to or from another skeleton: {why}"),
    })
}

/// World height of the ground: where the lowest paw mostly stands, less how high it rests.
fn ground(clip: &Clip, body: &Quadruped) -> f32 {
    let lowest = |pose: &Pose| body.paws(pose).map(|paw| paw.y).into_iter().fold(f32::INFINITY, f32::min);
    standing(clip, lowest) - lowest(&body.still)
}

/// All joints, what they hang from first.
fn order(body: &Quadruped) -> Vec<usize> {
    let depth = |&joint: &usize| std::iter::successors(body.parents[joint], |&above| body.parents[above]).count();
    let mut order: Vec<usize> = (0..body.parents.len()).collect();
    order.sort_by_key(depth);
    order
}

/// The axis a knee folds about as the body stands; from side to side where the leg is straight.
fn hinge(body: &Quadruped, leg: &Leg) -> Vec3 {
    let at = |index: usize| body.still.world_positions[leg.joints[index]];
    let (upper, lower) = (at(leg.knee) - at(0), leg.paw.of(&body.still) - at(leg.knee));
    let fold = upper.normalize_or_zero().cross(lower.normalize_or_zero());
    if fold.length() > STRAIGHT { fold.normalize() } else { Vec3::X }
}

/// What each joint of the target follows.
fn mixes(from: &Quadruped, to: &Quadruped) -> Vec<Option<Mix>> {
    let mut mixes = vec![None; to.parents.len()];
    for (source, target) in chains(from).into_iter().zip(chains(to)) {
        if source.is_empty() {
            continue;
        }
        for (joint, place) in target {
            // The chest is the trunk's, and a foot that ends in its paw the leg's.
            mixes[joint].get_or_insert_with(|| at(&source, place));
        }
    }
    mixes
}

/// Parts of a body, each joint with its place along it, 0 to 1: trunk, neck, tail; of each leg blade, bones and paw.
fn chains(body: &Quadruped) -> Vec<Chain> {
    let places = &body.still.world_positions;
    let along = |joints: &[usize], end: Option<Vec3>| -> Chain {
        let mut ways = vec![0.0];
        let ends = joints.iter().skip(1).map(|&joint| places[joint]).chain(end);
        for (&joint, next) in joints.iter().zip(ends) {
            ways.push(ways[ways.len() - 1] + places[joint].distance(next));
        }
        let length = ways[ways.len() - 1].max(f32::MIN_POSITIVE);
        // Bones that end somewhere count at their middles.
        let place = |index: usize| match end {
            Some(_) => (ways[index] + ways[index + 1]) / (2.0 * length),
            None => ways[index] / length,
        };
        joints.iter().enumerate().map(|(index, &joint)| (joint, place(index))).collect()
    };
    let mut chains = vec![along(&body.trunk, None), along(&body.neck, None), along(&body.tail, None)];
    for leg in &body.legs {
        let one = |joint: usize| vec![(joint, 0.0)];
        chains.push(leg.blade.map_or_else(Chain::new, one));
        chains.push(along(&leg.joints, Some(leg.paw.of(&body.still))));
        // All toes turn as one, where there are any.
        let paws: Chain = leg.toes.iter().map(|&joint| (joint, 0.0)).collect();
        chains.push(if paws.is_empty() { one(leg.paw.joint) } else { paws });
    }
    chains
}
