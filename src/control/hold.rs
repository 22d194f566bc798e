//! Holds feet with predicted contacts where they landed, on level or uneven ground; the legs follow by inverse
//! kinematics.

use super::footing::{BodyPlacement, Ground, Support};
use super::height_field::HeightField;
use super::state::State;
use super::{Pose, set_positions};
use crate::body::Character;
use crate::feature::controller::FPS;
use crate::motion::ease::smoothstep;
use crate::motion::ik::TwoBone;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// A contact begins above the first probability, and ends below the second.
const CONTACT_THRESHOLDS: [f32; 2] = [0.4, 0.2];
/// Largest distance of a held foot from its predicted position, leg lengths; a foot farther away is dragged along.
const MAX_DISPLACEMENT: f32 = 0.3;
/// Smallest height of a swinging foot over its resting height, metres. The network predicts a mean of many swings,
/// which is too low: without this limit, swinging feet below [`crate::metrics::skate::LOW_HEIGHT`], at 2 to 4 m/s,
/// cause nine tenths of the foot skate, while held feet slide at 0.05 m/s. In recordings, the median of the lowest
/// heights of swings is 3 cm for people, 1.2 to 2 cm for dogs.
const MIN_SWING_HEIGHT: f32 = 0.025;
/// A foot rests below the first speed and swings above the second, metres per second.
const SWING_SPEEDS: [f32; 2] = [0.5, 1.5];
/// Half-life of a correction after a foot is released, seconds.
const RELEASE_SECS: f32 = 0.06;
/// Half-life of corrections of height, seconds.
const HEIGHT_SECS: f32 = 0.04;
/// Largest vertical displacement of a foot on uneven ground, leg lengths.
const MAX_VERTICAL_DISPLACEMENT: f32 = 0.6;
/// Speed above which a foot rises before edges by the full amount, leg lengths per second.
const EDGE_SPEED: f32 = 0.5;
/// Height over the ground above which a foot does not follow the slope, metres.
const FREE_HEIGHT: f32 = 0.1;
/// Half-life of changes of a foot's pitch, seconds.
const PITCH_SECS: f32 = 0.04;

/// A point of a foot that touches the ground: heel, toe or paw.
#[derive(Debug, Clone, Copy)]
struct ContactPoint {
    /// Index of its probability in the contacts of the network.
    contact: usize,
    joint: usize,
    /// Height of the joint when the point rests on the ground, metres.
    resting_height: f32,
}

/// A leg.
#[derive(Debug, Clone)]
struct Leg {
    /// Upper joint, middle joint, end.
    chain: [usize; 3],
    /// Hinge axis in the local axes of the upper joint; positive rotations fold the leg.
    hinge: Vec3,
    /// Heel and toe, or a paw.
    points: Vec<ContactPoint>,
    /// The held point (index in `points`) and its position, world metres.
    held: Option<(usize, Vec3)>,
    /// Whether the leg is one of the front legs of a body on four legs.
    is_front: bool,
    /// Displacement of the foot, world metres, relative to the placed body.
    correction: Vec3,
    /// Pitch of the foot relative to level ground, radians.
    pitch: f32,
    /// World rotation by `pitch`.
    tilt: Quat,
}

/// Holds the feet of a character: the state of its legs and the placement of its body.
#[derive(Debug, Clone)]
pub struct FootHold {
    legs: Vec<Leg>,
    leg_length: f32,
    body: BodyPlacement,
}

impl FootHold {
    /// Creates the legs, with no foot held. `resting_heights`: of all contacts, metres. `state`: the state at rest.
    pub fn new(character: &Character, resting_heights: &[f32], state: &State) -> Self {
        let parent_of = |joint: usize| character.joints[joint].parent;
        let leg = |limb: crate::body::character::Limb| {
            let end = if limb.contacts.len() > 1 { limb.joint } else { parent_of(limb.joint)? };
            let middle = parent_of(end)?;
            let upper = parent_of(middle)?;
            let position = |joint: usize| state.joints[joint].position;
            let fold = (position(middle) - position(upper))
                .normalize_or_zero()
                .cross((position(end) - position(middle)).normalize_or_zero());
            // The leg of a standing person is too straight to show the axis of its knee; knees fold backwards.
            let to_local = state.joints[upper].rotation.inverse();
            let hinge = if fold.length() > 0.3 { to_local * fold.normalize_or(Vec3::X) } else { Vec3::X };
            let point = |&contact: &usize| ContactPoint {
                contact,
                joint: character.contacts[contact].joint,
                resting_height: resting_heights[contact],
            };
            let points = limb.contacts.iter().map(point).collect();
            Some(Leg {
                chain: [upper, middle, end],
                hinge,
                points,
                held: None,
                is_front: false,
                correction: Vec3::ZERO,
                pitch: 0.0,
                tilt: Quat::IDENTITY,
            })
        };
        let mut legs: Vec<Leg> = character.limbs().into_iter().filter_map(leg).collect();
        if legs.len() > 2 {
            let forward = state.root.rotation() * Vec3::Z;
            let distances: Vec<f32> = legs.iter().map(|leg| leg.paw(state).dot(forward)).collect();
            let mean_distance = distances.iter().sum::<f32>() / distances.len() as f32;
            legs.iter_mut().zip(distances).for_each(|(leg, distance)| leg.is_front = distance > mean_distance);
        }
        Self { legs, leg_length: character.leg_length, body: BodyPlacement::default() }
    }

    /// Moves the body and the feet of a pose on level ground to the ground of `field`; `None`: level ground at height
    /// 0. `state` gives the contacts.
    pub fn apply(&mut self, skeleton: &Skeleton, state: &State, field: Option<&HeightField>, pose: &mut Pose) {
        let ground = Ground { field, leg_length: self.leg_length };
        let previous = self.body;
        self.body.advance(&self.support(state, &ground), state.joints[0].position);
        let body = self.body;
        // At the first frame there is no earlier placement, so the change is zero.
        let previous = if previous.is_placed() { previous } else { body };
        for leg in &mut self.legs {
            // The correction is relative to the placed body: its change is subtracted, so that feet stay in place.
            let paw = leg.paw(state);
            leg.correction -= body.place(paw) - previous.place(paw);
            leg.update_pitch(&body, state, &ground);
            leg.update_correction(&body, state, &ground);
            leg.lift(&body, state, &ground);
            leg.apply_correction(&body, skeleton, state, pose);
        }
        pose.root = body.place(pose.root);
        pose.rotations[0] = (body.rotation * pose.rotations[0]).normalize();
        set_positions(skeleton, pose);
    }

    /// Returns the ground that the body stands on: the lowest below any leg, of hind and front legs separately.
    fn support(&self, state: &State, ground: &Ground) -> Support {
        let legs = |is_front: bool| self.legs.iter().filter(move |leg| leg.is_front == is_front);
        let lowest = |is_front| legs(is_front).map(|leg| leg.support_height(state, ground)).reduce(f32::min);
        let mean_position = |is_front| {
            let count = legs(is_front).count().max(1) as f32;
            legs(is_front).map(|leg| leg.paw(state).with_y(0.0)).sum::<Vec3>() / count
        };
        let hind = lowest(false).unwrap_or(0.0);
        Support {
            heights: [hind, lowest(true).unwrap_or(hind)],
            length: if lowest(true).is_some() { mean_position(false).distance(mean_position(true)) } else { 0.0 },
            hind: mean_position(false),
            forward: state.root.rotation() * Vec3::Z,
        }
    }
}

/// Returns the fraction of a correction that remains after one frame. `half_life`: seconds.
fn decay_factor(half_life: f32) -> f32 {
    0.5_f32.powf(1.0 / (FPS as f32 * half_life))
}

impl Leg {
    /// Returns the position of the toe or paw on level ground, world metres.
    fn paw(&self, state: &State) -> Vec3 {
        self.points.last().map_or(Vec3::ZERO, |point| state.joints[point.joint].position)
    }

    /// Returns the position of a joint of the foot on the placed body before the correction, world metres.
    fn position(&self, body: &BodyPlacement, state: &State, joint: usize) -> Vec3 {
        let (ankle, position) = (state.joints[self.chain[2]].position, state.joints[joint].position);
        body.place(ankle) + self.tilt * (body.rotation * (position - ankle))
    }

    /// Returns the height of the ground on which the foot stands, or will stand next, metres.
    fn support_height(&self, state: &State, ground: &Ground) -> f32 {
        match (self.held, self.points.last()) {
            (Some((_, position)), _) => ground.below(position),
            (None, Some(point)) => {
                let joint = &state.joints[point.joint];
                ground.landing(joint.position + self.correction, joint.velocity)
            }
            (None, None) => 0.0,
        }
    }

    /// Rotates a foot with heel and toe to the slope of the ground; the effect decreases with its height over the
    /// ground.
    fn update_pitch(&mut self, body: &BodyPlacement, state: &State, ground: &Ground) {
        let &[heel, toe] = self.points.as_slice() else { return };
        if ground.field.is_none() && self.pitch == 0.0 {
            return;
        }
        let positions = [heel, toe].map(|point| self.position(body, state, point.joint) + self.correction);
        let height_of =
            |point: ContactPoint, position: Vec3| position.y - point.resting_height - ground.below(position);
        let height = height_of(heel, positions[0]).min(height_of(toe, positions[1]));
        let nearness = 1.0 - smoothstep((height / FREE_HEIGHT).clamp(0.0, 1.0));
        let goal = ground.pitch(positions[0], positions[1]) * nearness;
        self.pitch = goal + (self.pitch - goal) * decay_factor(PITCH_SECS);
        let [heel, toe] = [heel, toe].map(|point| state.joints[point.joint].position);
        let forward = (toe - heel).with_y(0.0).normalize_or(Vec3::Z);
        self.tilt = Quat::from_axis_angle(forward.cross(Vec3::Y), self.pitch);
    }

    /// Chooses the held point, and the correction of this frame.
    fn update_correction(&mut self, body: &BodyPlacement, state: &State, ground: &Ground) {
        let max_displacement = MAX_DISPLACEMENT * ground.leg_length;
        let max_vertical =
            if ground.field.is_some() { MAX_VERTICAL_DISPLACEMENT * ground.leg_length } else { max_displacement };
        let probabilities = state.current_contacts();
        let touches = |point: ContactPoint, threshold: f32| {
            probabilities.get(point.contact).is_some_and(|probability| *probability > threshold)
        };
        let [begin_threshold, end_threshold] = CONTACT_THRESHOLDS;
        if self.held.is_some_and(|(index, _)| !touches(self.points[index], end_threshold)) {
            self.held = None;
        }
        if self.held.is_none() {
            // The toe before the heel, because a foot rolls over its toe.
            let touching = (0..self.points.len()).rev().find(|&index| touches(self.points[index], begin_threshold));
            self.held = touching.map(|index| {
                let point = self.points[index];
                let position = self.position(body, state, point.joint) + self.correction;
                (index, position.with_y(point.resting_height + ground.below(position)))
            });
        }
        let Some((index, position)) = self.held else {
            self.correction *= decay_factor(RELEASE_SECS);
            return;
        };
        let point = self.points[index];
        let predicted = self.position(body, state, point.joint);
        let horizontal = (position - predicted).with_y(0.0).clamp_length_max(max_displacement);
        let height = point.resting_height + ground.below(predicted + horizontal);
        self.held = Some((index, (predicted + horizontal).with_y(height)));
        let vertical = (height - predicted.y).clamp(-max_vertical, max_vertical);
        let smoothed = vertical + (self.correction.y - vertical) * decay_factor(HEIGHT_SECS);
        self.correction = horizontal.with_y(smoothed);
    }

    /// Keeps every point of a foot above its resting height over the ground, and those of a swinging foot higher: by up
    /// to [`MIN_SWING_HEIGHT`], and before edges.
    fn lift(&mut self, body: &BodyPlacement, state: &State, ground: &Ground) {
        for index in 0..self.points.len() {
            let ContactPoint { joint, resting_height, .. } = self.points[index];
            let velocity = state.joints[joint].velocity.with_y(0.0);
            let speed = velocity.length();
            let swing = ((speed - SWING_SPEEDS[0]) / (SWING_SPEEDS[1] - SWING_SPEEDS[0])).clamp(0.0, 1.0);
            let swing_height = if self.held.is_some() { 0.0 } else { MIN_SWING_HEIGHT * smoothstep(swing) };
            let position = self.position(body, state, joint) + self.correction;
            let direction =
                if self.held.is_some() { Vec3::ZERO } else { velocity / speed.max(EDGE_SPEED * ground.leg_length) };
            let min_height = ground.needed_height(position, direction) + resting_height + swing_height;
            self.correction.y += (min_height - position.y).max(0.0);
        }
    }

    /// Moves the foot of a pose by the correction, by inverse kinematics, and rotates it by its pitch.
    fn apply_correction(&self, body: &BodyPlacement, skeleton: &Skeleton, state: &State, pose: &mut Pose) {
        if self.correction.length_squared() < 1e-10 && self.pitch == 0.0 {
            return;
        }
        let [upper, middle, end] = self.chain;
        let position = |index: usize| body.place(state.joints[index].position);
        let rotation = |index: usize| body.rotation * state.joints[index].rotation;
        let foot = position(end);
        let hinge = rotation(upper) * self.hinge;
        let bones = TwoBone { root: position(upper), middle: position(middle), end: foot, hinge };
        let reach = bones.reach(foot + self.correction);
        let parent_rotation = |index: usize| skeleton.joints()[index].parent.map_or(Quat::IDENTITY, rotation);
        let to_local = |parent: Quat, rotation: Quat| parent.inverse() * rotation * parent;
        let rotations = &mut pose.rotations;
        rotations[upper] = (to_local(parent_rotation(upper), reach.upper) * rotations[upper]).normalize();
        rotations[middle] = (to_local(parent_rotation(middle), reach.lower) * rotations[middle]).normalize();
        let foot_rotation = reach.upper * reach.lower;
        rotations[end] =
            (to_local(parent_rotation(end), foot_rotation.inverse() * self.tilt) * rotations[end]).normalize();
    }
}
