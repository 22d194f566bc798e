//! Rows of DC-MoE (Chu and Yang 2024, section 3.1): the input for a frame and its target, and the prediction of the
//! next frame.
//!
//! Input, 474 columns: position, axes and velocity of every joint; the differences in position and rotation from every
//! joint to the target; the root's path at 13 samples from one second in the past to one second in the future. All
//! columns are in root space of the current frame: relative to the ground pose below the hips. The gate reads phases at
//! the same samples, the time to arrival (eq. 2), and whether a path is given. (The paper has six columns per target
//! joint, three of them for its rotation; here these three are the rotation vector to the target.)
//!
//! Output: the next frame as a difference from a simple extrapolation, which continues the velocities and moves towards
//! the target ([`NetworkInput::extrapolation`]). It is in root space of the current frame, so that the difference is
//! zero for a standing foot. Contacts with the ground are predicted for feet and hands ([`SUPPORTS`]). In the last
//! frame before the target, the extrapolation equals the target and the difference has weight zero
//! ([`NetworkInput::prediction_weight`]), so the target is always reached. Velocities are computed from positions, so
//! eq. 5 holds by construction. The future path is given, or follows from the target. Future phases are predicted as
//! vector and frequency. The next phases are the mean of the predicted phases and of the rotated current phases
//! ([`next_phases`]), as in DeepPhase.

pub mod mirror;
pub mod path;

pub use super::controller::{AHEAD, FPS, NOW, SAMPLES, SPACING};
use super::controller::{JOINT_WIDTH, JointState, PathSample, read_joint, world_to_root, write_joint};
use crate::body::GroundPose;
use crate::body::poses::{ROLES, parent_index};
use crate::motion::fk::world_transforms;
use crate::motion::quat::{exp, log};
use crate::motion::rig::Role;
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::TAU;
use std::ops::Range;

/// Number of phase channels of the periodic autoencoder.
pub const CHANNELS: usize = 10;
/// Number of phase vectors from the current frame on: [samples ahead × channels].
pub const PHASES: usize = AHEAD * CHANNELS;
/// Number of columns that encode the time to arrival.
pub const TIME: usize = 128;
/// Version of this layout, stored in weight files; increased whenever the meaning of a column changes.
pub const VERSION: u32 = 2;
/// Joints whose contacts with the ground are predicted, in the order of their columns. Those of the feet are first.
pub const SUPPORTS: [Role; 6] =
    [Role::LeftFoot, Role::LeftToe, Role::RightFoot, Role::RightToe, Role::LeftHand, Role::RightHand];

/// Number of columns of a path sample: position, velocity, facing, x and z each.
const SAMPLE: usize = 6;
/// Number of columns of a joint of the target: difference in position, rotation vector.
const GOAL: usize = 6;
/// Number of columns of the state of all joints.
const STATE: usize = JOINT_WIDTH * ROLES;
/// Number of columns of an input row.
pub const INPUT: usize = STATE + GOAL * ROLES + SAMPLE * SAMPLES;
/// Number of columns of a joint of the next frame: position, forward and up axis.
pub const MOVE: usize = 9;
/// Number of output columns of all joints.
pub const MOVES: usize = MOVE * ROLES;
/// First contact column of an output row.
pub const CONTACT: usize = MOVES;
/// First phase column: vector and frequency of each phase, [samples ahead × channels × 3].
pub const PHASE: usize = CONTACT + SUPPORTS.len();
/// Number of columns of an output row.
pub const OUTPUT: usize = PHASE + 3 * PHASES;

/// Indices of the hands in [`SUPPORTS`].
pub const HANDS: Range<usize> = 4..6;
/// Probabilities of the contacts of [`SUPPORTS`].
pub type Contacts = [f32; SUPPORTS.len()];

/// Longest time to arrival that is encoded, frames; longer times are clamped.
const MAX_SPAN: f32 = 120.0;
/// Contact probabilities between which the hold of a joint rises from none to full.
const HOLD_RANGE: [f32; 2] = [0.4, 0.8];
/// Number of frames in which the velocities of rotations and limbs decay to 1/e.
const ROTATION_DECAY: f32 = 8.0;
/// Number of frames in which the velocity of the root decays to 1/e.
const ROOT_DECAY: f32 = 32.0;

const _: () = assert!(INPUT == 474);

/// Number of columns of the gate's row: phases, time to arrival, whether a path is given.
pub const GATE: usize = 2 * CHANNELS * SAMPLES + TIME + 1;

/// Returns the column ranges of an input row: joints, target, path.
pub fn input_columns() -> [Range<usize>; 3] {
    [0..STATE, STATE..STATE + GOAL * ROLES, STATE + GOAL * ROLES..INPUT]
}

/// Pose of a body in world space.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// World positions of all roles, metres.
    pub positions: [Vec3; ROLES],
    /// World rotations of all roles.
    pub rotations: [Quat; ROLES],
}

impl Body {
    /// Creates a body from the position of its hips, metres, and its local rotations, `[22]`. `offsets`: bone offsets,
    /// metres.
    pub fn from_local_rotations(hips: Vec3, local_rotations: &[Quat], offsets: &[Vec3; ROLES]) -> Self {
        let (mut positions, mut rotations) = ([hips; ROLES], [local_rotations[0]; ROLES]);
        let children = Role::ALL[1..].iter().map(|role| (*role as usize, Some(parent_index(*role))));
        world_transforms(children, |index| (offsets[index], local_rotations[index]), &mut positions, &mut rotations);
        Self { positions, rotations: rotations.map(Quat::normalize) }
    }

    /// Returns the local rotations, `[22]`.
    pub fn local_rotations(&self) -> impl Iterator<Item = Quat> {
        let local = |role: &Role| match role {
            Role::Hips => self.rotations[0],
            _ => (self.rotations[parent_index(*role)].inverse() * self.rotations[*role as usize]).normalize(),
        };
        Role::ALL.iter().map(local)
    }

    /// Returns the ground pose below the hips.
    pub fn root(&self) -> GroundPose {
        GroundPose::from_root(self.positions[0], self.rotations[0])
    }

    /// Interpolates to another body: 0 is this body, 1 the other. Other fractions extrapolate.
    pub fn interpolate(&self, other: &Self, fraction: f32) -> Self {
        let rotation = |role: usize| {
            let rotation_vector = rotation_between(self.rotations[role], other.rotations[role]);
            (exp(rotation_vector * fraction) * self.rotations[role]).normalize()
        };
        Self {
            positions: std::array::from_fn(|role| self.positions[role].lerp(other.positions[role], fraction)),
            rotations: std::array::from_fn(rotation),
        }
    }

    /// Holds joints in contact at their horizontal positions in the previous frame. `contacts`: probabilities of the
    /// contacts of [`SUPPORTS`]. `weight`: weight of the hold, 0 to 1.
    pub fn hold_supports(&mut self, previous: &Self, contacts: &Contacts, weight: f32) {
        for (role, contact) in SUPPORTS.iter().zip(contacts) {
            let hold = hold_weight(*contact) * weight;
            let (position, held_position) = (&mut self.positions[*role as usize], previous.positions[*role as usize]);
            *position += hold * (held_position - *position).with_y(0.0);
        }
    }

    /// Translates the whole body, metres.
    pub fn translate(&mut self, translation: Vec3) {
        self.positions.iter_mut().for_each(|position| *position += translation);
    }
}

/// Returns how firmly a joint is held, 0 to 1, by the probability of its contact.
pub fn hold_weight(contact: f32) -> f32 {
    ((contact - HOLD_RANGE[0]) / (HOLD_RANGE[1] - HOLD_RANGE[0])).clamp(0.0, 1.0)
}

/// Returns the derivative of [`hold_weight`].
pub fn hold_weight_slope(contact: f32) -> f32 {
    let is_between = HOLD_RANGE[0] < contact && contact < HOLD_RANGE[1];
    if is_between { 1.0 / (HOLD_RANGE[1] - HOLD_RANGE[0]) } else { 0.0 }
}

/// Returns the contact probabilities of an output row.
pub fn contacts(prediction: &[f32]) -> Contacts {
    std::array::from_fn(|support| prediction[CONTACT + support].clamp(0.0, 1.0))
}

/// Returns the rotation vector from one world rotation to another, radians.
fn rotation_between(from: Quat, to: Quat) -> Vec3 {
    log(to * from.inverse())
}

/// Input of the network for one frame: a body, its predecessor and its target.
#[derive(Debug, Clone, Copy)]
pub struct NetworkInput<'a> {
    /// The body in the current frame, the last one known.
    pub current: &'a Body,
    /// The body in the frame before.
    pub previous: &'a Body,
    /// The target.
    pub target: &'a Body,
    /// Number of frames to the target.
    pub span: f32,
}

impl NetworkInput<'_> {
    /// Writes the input row, [[`INPUT`]].
    pub fn write(&self, root: GroundPose, path: &[PathSample; SAMPLES], out: &mut [f32]) {
        let to_root = world_to_root(root);
        let [state, goal, path_columns] = input_columns();
        for (role, out) in out[state].chunks_exact_mut(JOINT_WIDTH).enumerate() {
            let (position, rotation) = (self.current.positions[role], self.current.rotations[role]);
            let velocity = (position - self.previous.positions[role]) * FPS as f32;
            let joint = JointState { position, rotation, velocity };
            write_joint(root, to_root, &joint, out);
        }
        for (role, out) in out[goal].chunks_exact_mut(GOAL).enumerate() {
            (to_root * (self.target.positions[role] - self.current.positions[role])).write_to_slice(out);
            (to_root * rotation_between(self.current.rotations[role], self.target.rotations[role]))
                .write_to_slice(&mut out[3..]);
        }
        for (sample, out) in path.iter().zip(out[path_columns].chunks_exact_mut(SAMPLE)) {
            let (position, velocity) = (root.local_point(sample.position), to_root * sample.velocity);
            let facing = to_root * sample.facing;
            out.copy_from_slice(&[position.x, position.z, velocity.x, velocity.z, facing.x, facing.z]);
        }
    }

    /// Extrapolates to the next frame, [[`MOVES`]]: the body continues its velocities and moves towards the target. The
    /// formula is that of the first step of [`crate::body::interpolate::interpolate`], but the excess velocity of the
    /// hips has one more factor 1 − 1 / span.
    pub fn extrapolation(&self, root: GroundPose) -> Vec<f32> {
        let [current, previous, target] = [self.current, self.previous, self.target].map(|body| columns(root, body));
        let [root_decay, rotation_decay] = extrapolation_decays(self.span);
        // Velocity beyond the mean velocity to the target.
        let excess =
            |column: usize| current[column] - previous[column] - (target[column] - current[column]) / self.span;
        let next = |column: usize| {
            let carried = match column % MOVE {
                // Columns 0 to 2 of the row are the position of the hips. The excess velocity of the hips decays
                // slowly, the motion of a joint relative to the hips decays like a rotation.
                axis @ 0..3 => excess(axis) * root_decay + (excess(column) - excess(axis)) * rotation_decay,
                _ => excess(column) * rotation_decay,
            };
            current[column] + (target[column] - current[column]) / self.span + carried
        };
        (0..MOVES).map(next).collect()
    }

    /// Returns the weight of the prediction, 0 to 1: 0 in the last frame before the target.
    pub fn prediction_weight(&self) -> f32 {
        1.0 - 1.0 / self.span
    }

    /// Computes the next frame: the extrapolation, [[`MOVES`]], plus the weighted prediction. `prediction`: an output
    /// row.
    pub fn next_body(&self, root: GroundPose, extrapolation: &[f32], prediction: &[f32]) -> Body {
        let mut next = self.current.clone();
        let weight = self.prediction_weight();
        for (role, (base, prediction)) in
            extrapolation.chunks_exact(MOVE).zip(prediction.chunks_exact(MOVE)).enumerate()
        {
            let mut row = [0.0; JOINT_WIDTH];
            row.iter_mut()
                .zip(base)
                .zip(prediction)
                .for_each(|((row, base), prediction)| *row = base + weight * prediction);
            let joint = read_joint(root, &row);
            (next.positions[role], next.rotations[role]) = (joint.position, joint.rotation);
        }
        next
    }
}

/// Returns the factors of the excess velocity in [`NetworkInput::extrapolation`]: that of the hips, and that of rotations
/// and limbs. `span`: number of frames to the target.
pub fn extrapolation_decays(span: f32) -> [f32; 2] {
    let remaining = 1.0 - 1.0 / span;
    [remaining.powi(3) * (-1.0 / ROOT_DECAY).exp(), remaining * (-1.0 / ROTATION_DECAY).exp()]
}

/// Returns positions and axes of all joints in root space, [[`MOVES`]].
pub fn columns(root: GroundPose, body: &Body) -> Vec<f32> {
    let to_root = world_to_root(root);
    let mut out = vec![0.0; MOVES];
    for (role, out) in out.chunks_exact_mut(MOVE).enumerate() {
        let joint = JointState { position: body.positions[role], rotation: body.rotations[role], velocity: Vec3::ZERO };
        let mut row = [0.0; JOINT_WIDTH];
        write_joint(root, to_root, &joint, &mut row);
        out.copy_from_slice(&row[..MOVE]);
    }
    out
}

/// Writes the gate's row, [[`GATE`]]. `past`: phase vectors of each frame up to the current one, the oldest first;
/// unknown ones are zero. `phases`: phase vectors from the current frame on, [[`PHASES`]]. `span`: number of frames to
/// the target. `has_path`: whether a path is given.
pub fn write_gate(past: &[[Vec2; CHANNELS]], phases: &[Vec2], span: f32, has_path: bool, out: &mut [f32]) {
    let (phase_columns, other_columns) = out.split_at_mut(2 * CHANNELS * SAMPLES);
    let past_sample = |sample: usize| past.len().checked_sub(1 + (NOW - sample) * SPACING).map(|frame| past[frame]);
    let past_phases = (0..NOW).flat_map(|sample| past_sample(sample).unwrap_or([Vec2::ZERO; CHANNELS]));
    for (vector, out) in past_phases.chain(phases.iter().copied()).zip(phase_columns.chunks_exact_mut(2)) {
        vector.write_to_slice(out);
    }
    let clamped = span.min(MAX_SPAN);
    for (wave, out) in other_columns[..TIME].chunks_exact_mut(2).enumerate() {
        let angle = clamped / 10_000_f32.powf((2 * wave) as f32 / TIME as f32);
        out.copy_from_slice(&[angle.sin(), angle.cos()]);
    }
    other_columns[TIME] = f32::from(u8::from(has_path));
}

/// Computes the phase vectors from the next frame on, [[`PHASES`]]. `current`: phase vectors from the current frame on.
/// `prediction`: an output row.
pub fn next_phases(current: &[Vec2], prediction: &[f32], out: &mut [Vec2]) {
    for ((current, prediction), out) in current.iter().zip(prediction[PHASE..].chunks_exact(3)).zip(out) {
        let vector = Vec2::new(prediction[0], prediction[1]);
        let rotated = Vec2::from_angle(TAU * prediction[2] / FPS as f32).rotate(*current);
        // Unknown phases cannot be rotated.
        *out = if *current == Vec2::ZERO { vector } else { 0.5 * (vector + rotated) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(height: f32, lean: f32) -> Body {
        let offsets = [Vec3::new(0.02, 0.1, 0.01); ROLES];
        let rotations: Vec<Quat> = (0..ROLES).map(|role| Quat::from_rotation_x(lean * (1 + role % 3) as f32)).collect();
        Body::from_local_rotations(Vec3::new(0.3, height, -0.2), &rotations, &offsets)
    }

    #[test]
    fn the_target_is_reached_with_any_prediction() {
        let (previous, current, target) = (body(0.9, 0.0), body(0.92, 0.02), body(1.1, 0.3));
        let input = NetworkInput { current: &current, previous: &previous, target: &target, span: 1.0 };
        let root = current.root();
        let next = input.next_body(root, &input.extrapolation(root), &[5.0; OUTPUT]);
        let error = next.positions.iter().zip(&target.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(error < 1e-5, "{error}");
        assert!(next.rotations.iter().zip(&target.rotations).all(|(a, b)| a.dot(*b).abs() > 0.99999));
    }

    #[test]
    fn a_body_at_rest_at_its_target_stays() {
        let current = body(0.9, 0.1);
        let input = NetworkInput { current: &current, previous: &current, target: &current, span: 30.0 };
        let root = current.root();
        let next = input.next_body(root, &input.extrapolation(root), &[0.0; OUTPUT]);
        assert!(next.positions.iter().zip(&current.positions).all(|(a, b)| a.distance(*b) < 1e-5));
        let rotations: Vec<Quat> = current.local_rotations().collect();
        let copy = Body::from_local_rotations(current.positions[0], &rotations, &[Vec3::new(0.02, 0.1, 0.01); ROLES]);
        assert!(copy.positions.iter().zip(&current.positions).all(|(a, b)| a.distance(*b) < 1e-5));
    }

    #[test]
    fn phases_rotate_by_their_frequency() {
        let current = vec![Vec2::X; PHASES];
        let mut prediction = vec![0.0; OUTPUT];
        // Half a rotation per second, and the vector after one frame.
        let expected = Vec2::from_angle(0.5 * TAU / 30.0);
        prediction[PHASE..]
            .chunks_exact_mut(3)
            .for_each(|prediction| prediction.copy_from_slice(&[expected.x, expected.y, 0.5]));
        let mut next = vec![Vec2::ZERO; PHASES];
        next_phases(&current, &prediction, &mut next);
        assert!(next.iter().all(|next| next.distance(expected) < 1e-5), "{:?}", next[0]);
        next_phases(&vec![Vec2::ZERO; PHASES], &prediction, &mut next);
        assert!(next.iter().all(|next| next.distance(expected) < 1e-5));
    }
}
