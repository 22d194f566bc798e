//! Holds feet with predicted contacts where they landed; the legs follow by inverse kinematics.

use super::state::State;
use super::{Pose, set_positions};
use crate::body::Character;
use crate::feature::controller::FPS;
use crate::motion::ease::smoothstep;
use crate::motion::ik::TwoBone;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// A contact begins above the first probability, and ends below the second.
const TOUCHES: [f32; 2] = [0.4, 0.2];
/// Largest distance of a held foot from its predicted position, leg lengths; beyond it the foot is dragged along.
const FARTHEST: f32 = 0.3;
/// Smallest height of a swinging foot over its resting height, metres: above the height that foot skate counts as
/// low. The network predicts a mean of many swings, which is too low: without this, nine tenths of the foot skate
/// were feet that swung through the lowest two centimetres at 2 to 4 m/s, while held feet slid at .05. At the lowest
/// point of half of their swings, recorded feet of people are 3 cm high, of dogs 1.2 to 2.
const CLEARANCE: f32 = 0.025;
/// Speeds between which a foot changes from resting to swinging, metres per second.
const SWINGS: [f32; 2] = [0.5, 1.5];
/// Half-life of a correction after a foot is released, and of corrections of height, seconds.
const RELEASE_SECS: f32 = 0.06;
const HEIGHT_SECS: f32 = 0.04;

/// A leg.
#[derive(Debug, Clone)]
struct Leg {
    /// Upper joint, middle joint, end.
    chain: [usize; 3],
    /// Hinge axis, in the frame of the upper joint; positive folds the leg.
    hinge: Vec3,
    /// Contacts with their joints and resting heights: heel and toe, or a paw.
    contacts: Vec<(usize, usize, f32)>,
    /// The held contact and its position.
    held: Option<(usize, Vec3)>,
    /// Displacement of the foot, world metres.
    correction: Vec3,
}

/// The legs of a character.
#[derive(Debug, Clone)]
pub struct Hold {
    legs: Vec<Leg>,
    farthest: f32,
}

impl Hold {
    /// Nothing held; `state` is at rest.
    pub fn new(character: &Character, rest: &[f32], state: &State) -> Self {
        let above = |joint: usize| character.joints[joint].parent;
        let leg = |limb: crate::body::character::Limb| {
            let end = if limb.contacts.len() > 1 { limb.joint } else { above(limb.joint)? };
            let middle = above(end)?;
            let upper = above(middle)?;
            let at = |joint: usize| state.joints[joint].position;
            let fold = (at(middle) - at(upper)).normalize_or_zero().cross((at(end) - at(middle)).normalize_or_zero());
            // The leg of a standing person is too straight to show the axis of its knee; knees fold backwards.
            let back = state.joints[upper].rotation.inverse();
            let hinge = if fold.length() > 0.3 { back * fold.normalize_or(Vec3::X) } else { Vec3::X };
            let contacts = limb.contacts.iter().map(|&index| (index, character.contacts[index].joint, rest[index]));
            let contacts = contacts.collect();
            Some(Leg { chain: [upper, middle, end], hinge, contacts, held: None, correction: Vec3::ZERO })
        };
        Self { legs: character.limbs().into_iter().filter_map(leg).collect(), farthest: FARTHEST * character.leg }
    }

    /// Moves the feet of a pose; `state` gives the contacts.
    pub fn apply(&mut self, skeleton: &Skeleton, state: &State, pose: &mut Pose) {
        for leg in &mut self.legs {
            leg.follow(state, self.farthest);
            leg.lift(state);
            leg.reach(skeleton, state, pose);
        }
        set_positions(skeleton, pose);
    }
}

fn kept(half_life: f32) -> f32 {
    0.5_f32.powf(1.0 / (FPS as f32 * half_life))
}

impl Leg {
    /// Chooses the held contact, and the correction of this frame.
    fn follow(&mut self, state: &State, farthest: f32) {
        let contacts = state.contacts_now();
        let touches =
            |index: usize, level: usize| contacts.get(index).is_some_and(|contacts| *contacts > TOUCHES[level]);
        if self.held.is_some_and(|(which, _)| !touches(self.contacts[which].0, 1)) {
            self.held = None;
        }
        if self.held.is_none() {
            // The toe before the heel, because a foot rolls over its toe.
            let which = (0..self.contacts.len()).rev().find(|&which| touches(self.contacts[which].0, 0));
            self.held = which.map(|which| {
                let (_, joint, rest) = self.contacts[which];
                (which, (state.joints[joint].position + self.correction).with_y(rest))
            });
        }
        let Some((which, place)) = self.held else {
            self.correction *= kept(RELEASE_SECS);
            return;
        };
        let now = state.joints[self.contacts[which].1].position;
        let level = (place - now).with_y(0.0).clamp_length_max(farthest);
        self.held = Some((which, (now + level).with_y(place.y)));
        let height = (place.y - now.y).clamp(-farthest, farthest);
        self.correction = level.with_y(height + (self.correction.y - height) * kept(HEIGHT_SECS));
    }

    /// Keeps every part of a foot above its resting height, and swinging feet above the clearance.
    fn lift(&mut self, state: &State) {
        for &(_, joint, rest) in &self.contacts {
            let speed = state.joints[joint].velocity.with_y(0.0).length();
            let swings = ((speed - SWINGS[0]) / (SWINGS[1] - SWINGS[0])).clamp(0.0, 1.0);
            let clear = if self.held.is_some() { 0.0 } else { CLEARANCE * smoothstep(swings) };
            let below = rest + clear - (state.joints[joint].position.y + self.correction.y);
            self.correction.y += below.max(0.0);
        }
    }

    fn reach(&self, skeleton: &Skeleton, state: &State, pose: &mut Pose) {
        if self.correction.length_squared() < 1e-10 {
            return;
        }
        let [upper, middle, end] = self.chain;
        let joint = |index: usize| &state.joints[index];
        let (root, knee, foot) = (joint(upper).position, joint(middle).position, joint(end).position);
        let bones = TwoBone { root, middle: knee, end: foot, hinge: joint(upper).rotation * self.hinge };
        let reach = bones.reach(foot + self.correction);
        let above = |index: usize| match skeleton.joints()[index].parent {
            Some(parent) => joint(parent).rotation,
            None => Quat::IDENTITY,
        };
        let in_frame_of = |parent: Quat, turn: Quat| parent.inverse() * turn * parent;
        let rotations = &mut pose.rotations;
        rotations[upper] = (in_frame_of(above(upper), reach.upper) * rotations[upper]).normalize();
        rotations[middle] = (in_frame_of(above(middle), reach.lower) * rotations[middle]).normalize();
        let turned = reach.upper * reach.lower;
        rotations[end] = (in_frame_of(above(end), turned.inverse()) * rotations[end]).normalize();
    }
}
