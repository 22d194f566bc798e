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
/// Smallest height of a swinging foot over its resting height, metres: above the height that foot skate counts as
/// low. The network predicts a mean of many swings, which is too low: without this, nine tenths of the foot skate
/// were feet that swung through the lowest two centimetres at 2 to 4 m/s, while held feet slid at 0.05 m/s. At the
/// lowest point of half of their swings, recorded feet of people are 3 cm high, of dogs 1.2 to 2.
const CLEARANCE: f32 = 0.025;
/// A foot rests below the first speed and swings above the second, metres per second.
const SWING_SPEEDS: [f32; 2] = [0.5, 1.5];
/// Half-life of a correction after a foot is released, seconds.
const RELEASE_SECS: f32 = 0.06;
/// Half-life of corrections of height, seconds.
const HEIGHT_SECS: f32 = 0.04;
/// Largest vertical displacement of a foot on uneven ground, leg lengths.
const MAX_VERTICAL: f32 = 0.6;
/// Smallest speed at which a foot rises before edges by the full amount, leg lengths per second.
const EDGE_SPEED: f32 = 0.5;
/// Height over the ground above which a foot does not follow the slope, metres.
const FREE_HEIGHT: f32 = 0.1;
/// Half-life of changes of a foot's pitch, seconds.
const PITCH_SECS: f32 = 0.04;

/// A leg.
#[derive(Debug, Clone)]
struct Leg {
    /// Upper joint, middle joint, end.
    chain: [usize; 3],
    /// Hinge axis in the local axes of the upper joint; positive rotations fold the leg.
    hinge: Vec3,
    /// Contacts of heel and toe, or of a paw: index of the contact, its joint and its resting height, metres.
    contacts: Vec<(usize, usize, f32)>,
    /// The held contact (index in `contacts`) and its position, world metres.
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

/// The legs of a character.
#[derive(Debug, Clone)]
pub struct Hold {
    legs: Vec<Leg>,
    leg_length: f32,
    body: BodyPlacement,
}

impl Hold {
    /// Creates the legs, with no foot held. `rest`: resting heights of the contacts, metres. `state`: at rest.
    pub fn new(character: &Character, rest: &[f32], state: &State) -> Self {
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
            let back = state.joints[upper].rotation.inverse();
            let hinge = if fold.length() > 0.3 { back * fold.normalize_or(Vec3::X) } else { Vec3::X };
            let contacts = limb.contacts.iter().map(|&index| (index, character.contacts[index].joint, rest[index]));
            let contacts = contacts.collect();
            Some(Leg {
                chain: [upper, middle, end],
                hinge,
                contacts,
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
            let middle = distances.iter().sum::<f32>() / distances.len() as f32;
            legs.iter_mut().zip(distances).for_each(|(leg, distance)| leg.is_front = distance > middle);
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
        // The first frame is placed at once.
        let previous = if previous.is_placed() { previous } else { body };
        for leg in &mut self.legs {
            // Feet do not move with the body.
            let paw = leg.paw(state);
            leg.correction -= body.place(paw) - previous.place(paw);
            leg.pitch(&body, state, &ground);
            leg.follow(&body, state, &ground);
            leg.lift(&body, state, &ground);
            leg.reach(&body, skeleton, state, pose);
        }
        pose.root = body.place(pose.root);
        pose.rotations[0] = (body.rotation * pose.rotations[0]).normalize();
        set_positions(skeleton, pose);
    }

    /// Returns the ground that the body stands on: the lowest of all legs, or of hind and front legs.
    fn support(&self, state: &State, ground: &Ground) -> Support {
        let legs = |is_front: bool| self.legs.iter().filter(move |leg| leg.is_front == is_front);
        let lowest = |is_front| legs(is_front).map(|leg| leg.landing(state, ground)).reduce(f32::min);
        let middle = |is_front| {
            let count = legs(is_front).count().max(1) as f32;
            legs(is_front).map(|leg| leg.paw(state).with_y(0.0)).sum::<Vec3>() / count
        };
        let hind = lowest(false).unwrap_or(0.0);
        Support {
            heights: [hind, lowest(true).unwrap_or(hind)],
            length: if lowest(true).is_some() { middle(false).distance(middle(true)) } else { 0.0 },
            hind: middle(false),
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
        self.contacts.last().map_or(Vec3::ZERO, |&(_, joint, _)| state.joints[joint].position)
    }

    /// Returns the position of a joint of the foot on the placed body before the correction, world metres.
    fn position(&self, body: &BodyPlacement, state: &State, joint: usize) -> Vec3 {
        let (ankle, position) = (state.joints[self.chain[2]].position, state.joints[joint].position);
        body.place(ankle) + self.tilt * (body.rotation * (position - ankle))
    }

    /// Returns the height of the ground on which the foot stands, or stands next, metres.
    fn landing(&self, state: &State, ground: &Ground) -> f32 {
        match (self.held, self.contacts.last()) {
            (Some((_, position)), _) => ground.below(position),
            (None, Some(&(_, joint, _))) => {
                let joint = &state.joints[joint];
                ground.landing(joint.position + self.correction, joint.velocity)
            }
            (None, None) => 0.0,
        }
    }

    /// Rotates a foot with heel and toe to the slope of the ground; the effect decreases with its height over the
    /// ground.
    fn pitch(&mut self, body: &BodyPlacement, state: &State, ground: &Ground) {
        let &[(_, heel, heel_height), (_, toe, toe_height)] = self.contacts.as_slice() else { return };
        if ground.field.is_none() && self.pitch == 0.0 {
            return;
        }
        let points = [heel, toe].map(|joint| self.position(body, state, joint) + self.correction);
        let height = |point: Vec3, rest: f32| point.y - rest - ground.below(point);
        let height = height(points[0], heel_height).min(height(points[1], toe_height));
        let nearness = 1.0 - smoothstep((height / FREE_HEIGHT).clamp(0.0, 1.0));
        let goal = ground.pitch(points[0], points[1]) * nearness;
        self.pitch = goal + (self.pitch - goal) * decay_factor(PITCH_SECS);
        let forward = (state.joints[toe].position - state.joints[heel].position).with_y(0.0).normalize_or(Vec3::Z);
        self.tilt = Quat::from_axis_angle(forward.cross(Vec3::Y), self.pitch);
    }

    /// Chooses the held contact, and the correction of this frame.
    fn follow(&mut self, body: &BodyPlacement, state: &State, ground: &Ground) {
        let max_displacement = MAX_DISPLACEMENT * ground.leg_length;
        let max_vertical = if ground.field.is_some() { MAX_VERTICAL * ground.leg_length } else { max_displacement };
        let contacts = state.current_contacts();
        let touches = |index: usize, level: usize| {
            contacts.get(index).is_some_and(|contacts| *contacts > CONTACT_THRESHOLDS[level])
        };
        if self.held.is_some_and(|(contact, _)| !touches(self.contacts[contact].0, 1)) {
            self.held = None;
        }
        if self.held.is_none() {
            // The toe before the heel, because a foot rolls over its toe.
            let contact = (0..self.contacts.len()).rev().find(|&contact| touches(self.contacts[contact].0, 0));
            self.held = contact.map(|contact| {
                let (_, joint, rest) = self.contacts[contact];
                let position = self.position(body, state, joint) + self.correction;
                (contact, position.with_y(rest + ground.below(position)))
            });
        }
        let Some((contact, position)) = self.held else {
            self.correction *= decay_factor(RELEASE_SECS);
            return;
        };
        let current = self.position(body, state, self.contacts[contact].1);
        let level = (position - current).with_y(0.0).clamp_length_max(max_displacement);
        let height = self.contacts[contact].2 + ground.below(current + level);
        self.held = Some((contact, (current + level).with_y(height)));
        let height = (height - current.y).clamp(-max_vertical, max_vertical);
        self.correction = level.with_y(height + (self.correction.y - height) * decay_factor(HEIGHT_SECS));
    }

    /// Keeps every part of a foot above its resting height over the ground, and swinging feet above the clearance and
    /// edges ahead.
    fn lift(&mut self, body: &BodyPlacement, state: &State, ground: &Ground) {
        for index in 0..self.contacts.len() {
            let (_, joint, rest) = self.contacts[index];
            let velocity = state.joints[joint].velocity.with_y(0.0);
            let speed = velocity.length();
            let swings = ((speed - SWING_SPEEDS[0]) / (SWING_SPEEDS[1] - SWING_SPEEDS[0])).clamp(0.0, 1.0);
            let clearance = if self.held.is_some() { 0.0 } else { CLEARANCE * smoothstep(swings) };
            let position = self.position(body, state, joint) + self.correction;
            let direction =
                if self.held.is_some() { Vec3::ZERO } else { velocity / speed.max(EDGE_SPEED * ground.leg_length) };
            let missing = ground.clearance(position, direction) + rest + clearance - position.y;
            self.correction.y += missing.max(0.0);
        }
    }

    /// Moves the foot of a pose by the correction, by inverse kinematics, and rotates it by its pitch.
    fn reach(&self, body: &BodyPlacement, skeleton: &Skeleton, state: &State, pose: &mut Pose) {
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
