//! Rows of DC-MoE (Chu and Yang 2024, section 3.1): the input for a frame and its target, and the prediction of the
//! next frame.
//!
//! Input, 474 columns: position, axes and velocity of every joint; the differences in position and rotation of every
//! joint to the target; the root's path at 13 samples from a second back to a second ahead. Everything is local to
//! the root of its frame, the ground pose below the hips. The gate reads phases at the same samples and the time to
//! arrival (eq. 2). (The paper has six columns per target joint, three of them for its rotation; here these are the
//! rotation vector to the target.)
//!
//! Output: the next frame as a difference from a simple extrapolation that continues the velocities and moves towards
//! the target ([`base`]), in the root of the frame before, so that the difference is zero for a standing foot. In the
//! frame before the target the extrapolation is the target and the difference has weight zero ([`freedom`]): the
//! target is always reached. Velocities are not predicted but computed from positions, so eq. 5 holds by
//! construction. Neither is the path ahead, which is given or follows from the target. Future phases are predicted as
//! vector and frequency; the next phases are the mean of the predicted ones and the rotated last ones
//! ([`next_phases`]), as in DeepPhase.

pub mod mirror;
pub mod path;

pub use super::controller::{AHEAD, FPS, NOW, SAMPLES, SPACING};
use super::controller::{JOINT, JointState, PathSample, back, read_joint, write_joint};
use crate::body::GroundPose;
use crate::body::poses::{CONTACTS, ROLES, parent};
use crate::motion::fk::forward;
use crate::motion::quat::{exp, log};
use crate::motion::rig::Role;
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::TAU;
use std::ops::Range;

/// Number of phase channels of the periodic autoencoder.
pub const CHANNELS: usize = 10;
/// Number of phase vectors from now on: [ahead × channels].
pub const PHASES: usize = AHEAD * CHANNELS;
/// Number of columns of the time to arrival.
pub const TIME: usize = 128;
/// Increased whenever the meaning of a column changes.
pub const VERSION: u32 = 1;

const SAMPLE: usize = 6;
const GOAL: usize = 6;
const STATE: usize = JOINT * ROLES;
/// Number of columns of an input row.
pub const INPUT: usize = STATE + GOAL * ROLES + SAMPLE * SAMPLES;
/// Number of columns of a joint of the next frame: position, forward and up axis.
pub const MOVE: usize = 9;
/// Number of output columns of all joints.
pub const MOVES: usize = MOVE * ROLES;
/// First contact column of an output row.
pub const CONTACT: usize = MOVES;
/// First phase column: vector and frequency of each, [ahead × channels × 3].
pub const PHASE: usize = CONTACT + CONTACTS;
/// Number of columns of an output row.
pub const OUTPUT: usize = PHASE + 3 * PHASES;

/// Longest time to arrival that is encoded, frames; longer times are clamped.
const LONGEST_SPAN: f32 = 120.0;
/// Roles of the contacts, in order.
const FEET: [Role; CONTACTS] = [Role::LeftFoot, Role::LeftToe, Role::RightFoot, Role::RightToe];
/// Contact probabilities at which a foot begins to be held, and at which it is held completely.
const HOLDS: [f32; 2] = [0.4, 0.8];
/// Frames in which the velocities of rotations and limbs, and of the root, decay to 1/e.
const DECAY: [f32; 2] = [8.0, 32.0];

const _: () = assert!(INPUT == 474);

/// Number of columns of the gate's row: phases, time, whether a path is given.
pub const GATE: usize = 2 * CHANNELS * SAMPLES + TIME + 1;

/// Column ranges of an input row: joints, target, path.
pub fn input_columns() -> [Range<usize>; 3] {
    [0..STATE, STATE..STATE + GOAL * ROLES, STATE + GOAL * ROLES..INPUT]
}

/// World pose of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// World positions of all roles.
    pub places: [Vec3; ROLES],
    /// World rotations of all roles.
    pub turns: [Quat; ROLES],
}

impl Body {
    /// Body from local rotations, [22].
    pub fn of(hips: Vec3, rotations: &[Quat], offsets: &[Vec3; ROLES]) -> Self {
        let (mut places, mut turns) = ([hips; ROLES], [rotations[0]; ROLES]);
        let below = Role::ALL[1..].iter().map(|role| (*role as usize, Some(parent(*role))));
        forward(below, |index| (offsets[index], rotations[index]), &mut places, &mut turns);
        Self { places, turns: turns.map(Quat::normalize) }
    }

    /// Local rotations, [22].
    pub fn locals(&self) -> impl Iterator<Item = Quat> {
        let local = |role: &Role| match role {
            Role::Hips => self.turns[0],
            _ => (self.turns[parent(*role)].inverse() * self.turns[*role as usize]).normalize(),
        };
        Role::ALL.iter().map(local)
    }

    /// The ground pose below the hips.
    pub fn root(&self) -> GroundPose {
        GroundPose::under(self.places[0], self.turns[0])
    }

    /// The body moved by the fraction `part` of the straight way to another.
    pub fn towards(&self, other: &Self, part: f32) -> Self {
        let turned =
            |role: usize| (exp(way(self.turns[role], other.turns[role]) * part) * self.turns[role]).normalize();
        Self {
            places: std::array::from_fn(|role| self.places[role].lerp(other.places[role], part)),
            turns: std::array::from_fn(turned),
        }
    }

    /// Holds feet with predicted contacts at their previous positions: ankles and toes, by `contacts`, as far as
    /// `freedom` allows.
    pub fn hold(&mut self, before: &Self, contacts: [f32; CONTACTS], freedom: f32) {
        for (role, contact) in FEET.iter().zip(contacts) {
            let part = ((contact - HOLDS[0]) / (HOLDS[1] - HOLDS[0])).clamp(0.0, 1.0) * freedom;
            let (place, was) = (&mut self.places[*role as usize], before.places[*role as usize]);
            *place += part * (was - *place).with_y(0.0);
        }
    }

    /// Translates the whole body.
    pub fn shift(&mut self, by: Vec3) {
        self.places.iter_mut().for_each(|place| *place += by);
    }
}

/// Rotation vector from one world rotation to another.
fn way(from: Quat, to: Quat) -> Vec3 {
    log(to * from.inverse())
}

/// Input of the network: a body, its predecessor and its target.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The last frame.
    pub now: &'a Body,
    /// The frame before.
    pub before: &'a Body,
    /// The target.
    pub target: &'a Body,
    /// Number of frames to the target.
    pub span: f32,
}

impl Question<'_> {
    /// Writes an input row.
    pub fn write(&self, root: GroundPose, path: &[PathSample; SAMPLES], out: &mut [f32]) {
        let turn = back(root);
        let [state, goal, ahead] = input_columns();
        for (role, out) in out[state].chunks_exact_mut(JOINT).enumerate() {
            let velocity = (self.now.places[role] - self.before.places[role]) * FPS as f32;
            let joint = JointState { position: self.now.places[role], rotation: self.now.turns[role], velocity };
            write_joint(root, turn, &joint, out);
        }
        for (role, out) in out[goal].chunks_exact_mut(GOAL).enumerate() {
            (turn * (self.target.places[role] - self.now.places[role])).write_to_slice(out);
            (turn * way(self.now.turns[role], self.target.turns[role])).write_to_slice(&mut out[3..]);
        }
        for (sample, out) in path.iter().zip(out[ahead].chunks_exact_mut(SAMPLE)) {
            let (place, velocity) = (root.local_point(sample.place), turn * sample.velocity);
            let ahead = turn * sample.ahead;
            out.copy_from_slice(&[place.x, place.z, velocity.x, velocity.z, ahead.x, ahead.z]);
        }
    }

    /// Extrapolation to the next frame, [[`MOVES`]]: the body continues its velocities and moves towards the target
    /// (the first step of [`crate::body::interpolate::interpolated`]).
    pub fn base(&self, root: GroundPose) -> Vec<f32> {
        let [now, before, target] = [self.now, self.before, self.target].map(|body| columns(root, body));
        let left = 1.0 - 1.0 / self.span;
        let [turned, shifted] = [left * (-1.0 / DECAY[0]).exp(), left.powi(3) * (-1.0 / DECAY[1]).exp()];
        let beyond = |at: usize| now[at] - before[at] - (target[at] - now[at]) / self.span;
        let step = |at: usize| {
            let carried = match at % MOVE {
                // The translation of the root decays like the root's velocity, the rest of a joint's motion like a
                // rotation.
                axis @ 0..3 => beyond(axis) * shifted + (beyond(at) - beyond(axis)) * turned,
                _ => beyond(at) * turned,
            };
            now[at] + (target[at] - now[at]) / self.span + carried
        };
        (0..MOVES).map(step).collect()
    }

    /// Weight of the prediction, 0 to 1.
    pub fn freedom(&self) -> f32 {
        1.0 - 1.0 / self.span
    }

    /// The next frame from an output row.
    pub fn moved(&self, root: GroundPose, base: &[f32], prediction: &[f32]) -> Body {
        let mut next = self.now.clone();
        let freedom = self.freedom();
        for (role, (base, prediction)) in base.chunks_exact(MOVE).zip(prediction.chunks_exact(MOVE)).enumerate() {
            let mut row = [0.0; JOINT];
            row.iter_mut()
                .zip(base)
                .zip(prediction)
                .for_each(|((row, base), prediction)| *row = base + freedom * prediction);
            let joint = read_joint(root, &row);
            (next.places[role], next.turns[role]) = (joint.position, joint.rotation);
        }
        next
    }
}

/// Positions and axes of all joints in the frame of a root, [[`MOVES`]].
pub fn columns(root: GroundPose, body: &Body) -> Vec<f32> {
    let turn = back(root);
    let mut out = vec![0.0; MOVES];
    for (role, out) in out.chunks_exact_mut(MOVE).enumerate() {
        let joint = JointState { position: body.places[role], rotation: body.turns[role], velocity: Vec3::ZERO };
        let mut row = [0.0; JOINT];
        write_joint(root, turn, &joint, &mut row);
        out.copy_from_slice(&row[..MOVE]);
    }
    out
}

/// Writes the gate's row. `past`: phase vectors of each frame up to now, the oldest first; unknown ones are zero.
pub fn write_gate(past: &[[Vec2; CHANNELS]], phases: &[Vec2], span: f32, is_guided: bool, out: &mut [f32]) {
    let (phase, rest) = out.split_at_mut(2 * CHANNELS * SAMPLES);
    let known = |sample: usize| past.len().checked_sub(1 + (NOW - sample) * SPACING).map(|at| past[at]);
    let before = (0..NOW).flat_map(|sample| known(sample).unwrap_or([Vec2::ZERO; CHANNELS]));
    for (vector, out) in before.chain(phases.iter().copied()).zip(phase.chunks_exact_mut(2)) {
        vector.write_to_slice(out);
    }
    let limited = span.min(LONGEST_SPAN);
    for (wave, out) in rest[..TIME].chunks_exact_mut(2).enumerate() {
        let angle = limited / 10_000_f32.powf((2 * wave) as f32 / TIME as f32);
        out.copy_from_slice(&[angle.sin(), angle.cos()]);
    }
    rest[TIME] = f32::from(u8::from(is_guided));
}

/// Phases from the next frame on, computed from those from now on and an output row.
pub fn next_phases(now: &[Vec2], prediction: &[f32], out: &mut [Vec2]) {
    for ((now, prediction), out) in now.iter().zip(prediction[PHASE..].chunks_exact(3)).zip(out) {
        let vector = Vec2::new(prediction[0], prediction[1]);
        let turned = Vec2::from_angle(TAU * prediction[2] / FPS as f32).rotate(*now);
        // Unknown phases cannot be rotated.
        *out = if *now == Vec2::ZERO { vector } else { 0.5 * (vector + turned) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(height: f32, lean: f32) -> Body {
        let offsets = [Vec3::new(0.02, 0.1, 0.01); ROLES];
        let rotations: Vec<Quat> = (0..ROLES).map(|role| Quat::from_rotation_x(lean * (1 + role % 3) as f32)).collect();
        Body::of(Vec3::new(0.3, height, -0.2), &rotations, &offsets)
    }

    #[test]
    fn the_target_is_reached_whatever_is_said() {
        let (before, now, target) = (body(0.9, 0.0), body(0.92, 0.02), body(1.1, 0.3));
        let question = Question { now: &now, before: &before, target: &target, span: 1.0 };
        let root = now.root();
        let next = question.moved(root, &question.base(root), &[5.0; OUTPUT]);
        let off = next.places.iter().zip(&target.places).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(off < 1e-5, "{off}");
        assert!(next.turns.iter().zip(&target.turns).all(|(a, b)| a.dot(*b).abs() > 0.99999));
    }

    #[test]
    fn a_body_at_rest_at_its_target_stays() {
        let now = body(0.9, 0.1);
        let question = Question { now: &now, before: &now, target: &now, span: 30.0 };
        let root = now.root();
        let next = question.moved(root, &question.base(root), &[0.0; OUTPUT]);
        assert!(next.places.iter().zip(&now.places).all(|(a, b)| a.distance(*b) < 1e-5));
        let back = Body::of(now.places[0], &now.locals().collect::<Vec<_>>(), &[Vec3::new(0.02, 0.1, 0.01); ROLES]);
        assert!(back.places.iter().zip(&now.places).all(|(a, b)| a.distance(*b) < 1e-5));
    }

    #[test]
    fn phases_turn_on_as_their_frequency_says() {
        let now = vec![Vec2::X; PHASES];
        let mut prediction = vec![0.0; OUTPUT];
        // Half a turn a second, and the vector after one frame.
        let then = Vec2::from_angle(0.5 * TAU / 30.0);
        prediction[PHASE..]
            .chunks_exact_mut(3)
            .for_each(|prediction| prediction.copy_from_slice(&[then.x, then.y, 0.5]));
        let mut next = vec![Vec2::ZERO; PHASES];
        next_phases(&now, &prediction, &mut next);
        assert!(next.iter().all(|next| next.distance(then) < 1e-5), "{:?}", next[0]);
        next_phases(&vec![Vec2::ZERO; PHASES], &prediction, &mut next);
        assert!(next.iter().all(|next| next.distance(then) < 1e-5));
    }
}
