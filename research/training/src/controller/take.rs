//! Recordings prepared for the controller's training: the values of the rows for every frame, on the network's
//! skeleton. A.1 is a section of Starke et al. 2020, *Local Motion Phases*.

use super::jump::jump_weights;
use glam::{Quat, Vec2, Vec3};
use kinestitch::body::{Character, GroundPose};
use kinestitch::error::Result;
use kinestitch::feature::controller::{FPS, JointState, MAX_ACTIONS, PathSample};
use kinestitch::feature::encode;
use kinestitch::method::phase::phase_vectors;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::contact::ground_contacts;
use kinestitch::motion::fk::Pose;
use std::sync::Arc;

/// Standard deviations of the Gaussians that smooth the root's position and heading, seconds.
const SMOOTH_SECS: [f64; 2] = [0.12, 0.2];
/// Speed from which the action "move" has its full weight, metres per second. The weight falls to 0 at speed 0 (A.1).
const FULL_MOVING_SPEED: f32 = 0.5;

/// Minimum speed at which a frame has a direction of travel, metres per second.
const MIN_TRAVEL_SPEED: f32 = 0.5;
/// Cosine of the largest angle between travel and facing at which a body goes forwards. For backwards travel, the limit
/// is the same angle from the opposite direction.
const AHEAD_COS: f32 = 0.7;

/// Direction of travel relative to the facing direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// Standing, or moving slower than 0.5 m/s.
    Stands,
    /// Forwards.
    Ahead,
    /// To a side.
    Sideways,
    /// Backwards.
    Backwards,
}

impl Course {
    /// All values with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("stands", Self::Stands),
        ("ahead", Self::Ahead),
        ("sideways", Self::Sideways),
        ("backwards", Self::Backwards),
    ];
}

/// A recording, or the mirror image of a recording.
pub struct Take {
    /// Frame rate of the recording, frames per second.
    pub fps: f64,
    /// Frames of the recording per network frame.
    pub stride: usize,
    /// Number of joints of the character.
    pub joints: usize,
    /// World positions of the joints, [frames × joints], metres.
    positions: Vec<Vec3>,
    /// World rotations of the joints, [frames × joints].
    rotations: Vec<Quat>,
    /// Smoothed ground pose of the root in each frame.
    pub roots: Vec<GroundPose>,
    /// Weights of the actions in each frame; their sum is 1.
    pub actions: Vec<[f32; MAX_ACTIONS]>,
    /// Contacts, [frames × contacts], 0 or 1.
    pub contacts: Vec<f32>,
    /// Phase vectors, [frames × limbs].
    pub phases: Vec<Vec2>,
    /// Index of the style.
    pub style: usize,
}

impl Take {
    /// Prepares a canonical clip. `offsets`: joint offsets of the network's skeleton, metres. `style`: index of the
    /// style.
    ///
    /// # Errors
    /// Those of [`Character::skeleton`] and [`Clip::new`].
    pub fn new(clip: &Clip, character: &Character, offsets: &[Vec3], style: usize) -> Result<Self> {
        let skeleton = character.skeleton(offsets)?;
        let rotations = clip.rotations().to_vec();
        let translations = clip.translations().to_vec();
        let mut clip = Clip::new("take", Arc::clone(&skeleton), clip.frame_time_secs(), rotations, translations)?;
        let (ground, _) = encode::ground_of(&clip, character);
        clip.translations_mut().iter_mut().for_each(|root| root.y -= ground);
        let (fps, frames, joints) = (clip.fps(), clip.frames(), character.len());
        let (mut positions, mut world_rotations) =
            (Vec::with_capacity(frames * joints), Vec::with_capacity(frames * joints));
        let mut pose = Pose::default();
        for frame in 0..frames {
            pose.set(&clip, frame);
            positions.extend_from_slice(&pose.world_positions);
            world_rotations.extend_from_slice(&pose.world_rotations);
        }
        let roots = smooth_roots(character, &positions, &world_rotations, fps);
        let track = |joint: usize| -> Vec<Vec3> { positions.iter().skip(joint).step_by(joints).copied().collect() };
        let in_contact: Vec<Vec<bool>> = character
            .contacts
            .iter()
            .map(|contact| {
                let ([flags], _) = ground_contacts([&track(contact.joint)[..]], character.leg_length, fps);
                flags
            })
            .collect();
        let limb_phases = |limb: &kinestitch::body::character::Limb| {
            let flags: Vec<bool> =
                (0..frames).map(|frame| limb.contacts.iter().any(|&contact| in_contact[contact][frame])).collect();
            phase_vectors(&flags, &track(limb.joint), fps)
        };
        let phases: Vec<Vec<Vec2>> = character.limbs().iter().map(limb_phases).collect();
        let stride = (fps / FPS).round().max(1.0) as usize;
        let mut take = Self {
            fps,
            stride,
            joints,
            actions: Vec::new(),
            contacts: (0..frames)
                .flat_map(|frame| in_contact.iter().map(move |flags| f32::from(u8::from(flags[frame]))))
                .collect(),
            phases: (0..frames).flat_map(|frame| phases.iter().map(move |limb| limb[frame])).collect(),
            positions,
            rotations: world_rotations,
            roots,
            style,
        };
        take.actions = take.action_weights(character);
        Ok(take)
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.roots.len()
    }

    /// Returns the state of a joint in world space. The velocity is the mean since the previous network frame; at the
    /// start of the take, the mean up to the next network frame.
    pub fn joint(&self, frame: usize, joint: usize) -> JointState {
        let index = |frame: usize| frame * self.joints + joint;
        let (from, to) = if frame >= self.stride { (frame - self.stride, frame) } else { (frame, frame + self.stride) };
        let to = to.min(self.frames() - 1);
        let secs = ((to - from) as f64 / self.fps).max(1e-6) as f32;
        JointState {
            position: self.positions[index(frame)],
            rotation: self.rotations[index(frame)],
            velocity: (self.positions[index(to)] - self.positions[index(from)]) / secs,
        }
    }

    /// Returns the world position of a joint, metres.
    pub fn position(&self, frame: usize, joint: usize) -> Vec3 {
        self.positions[frame * self.joints + joint]
    }

    /// Returns the mean velocity of the root from the previous to the next network frame, metres per second.
    fn velocity(&self, frame: usize) -> Vec3 {
        let (previous, next) = (frame.saturating_sub(self.stride), (frame + self.stride).min(self.frames() - 1));
        let secs = ((next - previous) as f64 / self.fps).max(1e-6) as f32;
        (self.roots[next].position - self.roots[previous].position) / secs
    }

    /// Returns the direction of travel at a frame.
    pub fn course(&self, frame: usize) -> Course {
        let velocity = self.velocity(frame);
        let cosine = velocity.normalize_or_zero().dot(self.roots[frame].rotation() * Vec3::Z);
        match velocity.length() {
            ..MIN_TRAVEL_SPEED => Course::Stands,
            _ if cosine > AHEAD_COS => Course::Ahead,
            _ if cosine < -AHEAD_COS => Course::Backwards,
            _ => Course::Sideways,
        }
    }

    /// Returns the path sample at a frame. Beyond both ends, the position is extrapolated linearly.
    pub fn path(&self, frame: isize) -> PathSample {
        let last = self.frames() as isize - 1;
        let nearest = frame.clamp(0, last);
        let index = nearest as usize;
        let velocity = self.velocity(index);
        let secs_beyond = ((frame - nearest) as f64 / self.fps) as f32;
        PathSample {
            position: self.roots[index].position + velocity * secs_beyond,
            facing: self.roots[index].rotation() * Vec3::Z,
            velocity,
            actions: self.actions[index],
        }
    }

    /// Returns the phase vector of a limb at a frame. Beyond both ends, the vector keeps rotating at the rate of that
    /// end. `limbs`: number of limbs of the character.
    pub fn phase(&self, frame: isize, limb: usize, limbs: usize) -> Vec2 {
        let last = self.frames() as isize - 1;
        let nearest = frame.clamp(0, last);
        let recorded = |frame: isize| self.phases[frame as usize * limbs + limb];
        let vector = recorded(nearest);
        if nearest == frame || last < 2 {
            return vector;
        }
        let [a, b] = if nearest == 0 { [recorded(0), recorded(1)] } else { [recorded(last - 1), recorded(last)] };
        let step = if a.length() * b.length() > 1e-6 { a.angle_to(b) } else { 0.0 };
        Vec2::from_angle(step * (frame - nearest) as f32).rotate(vector)
    }

    /// Returns the contacts at a frame, `[contacts]`; beyond both ends, the contacts of the first or last frame.
    pub fn contact(&self, frame: isize, contacts: usize) -> &[f32] {
        let index = frame.clamp(0, self.frames() as isize - 1) as usize;
        &self.contacts[index * contacts..][..contacts]
    }

    /// Computes the weights of the actions in each frame: standing and moving (A.1). The third action of people is
    /// jumping. The third and fourth action of dogs are sitting, with low hips and a raised chest, and lying, with a
    /// low chest. Weights of further actions, which no recipe uses, are 0.
    fn action_weights(&self, character: &Character) -> Vec<[f32; MAX_ACTIONS]> {
        let trunk = [character.trunk[0], character.trunk[character.trunk.len() - 1]];
        let heights =
            |joint: usize| -> Vec<f32> { (0..self.frames()).map(|frame| self.position(frame, joint).y).collect() };
        let standing = STANDING_HEIGHTS.map(|lengths| lengths * character.leg_length);
        let [hips, chest] = trunk.map(heights);
        let touches: Vec<bool> =
            self.contacts.chunks_exact(character.contacts.len()).map(|flags| flags.contains(&1.0)).collect();
        let jumps = jump_weights(&hips, &touches, self.fps);
        let lowering = |height: f32, standing: f32| (standing - height) / standing;
        let weights = |frame: usize| {
            let speed = self.velocity(frame).length();
            let [third, fourth] = match character.name {
                "dog" => {
                    // A sitting dog's chest is above half its standing height; a lying dog's chest is near the ground.
                    let lies = smooth(lowering(chest[frame], standing[1]), 0.55, 0.75);
                    [smooth(lowering(hips[frame], standing[0]), 0.3, 0.55) * (1.0 - lies), lies]
                }
                _ => [jumps[frame], 0.0],
            };
            let remainder = 1.0 - third - fourth;
            let moves = smooth(speed, 0.0, FULL_MOVING_SPEED);
            [remainder * (1.0 - moves), remainder * moves, third, fourth, 0.0, 0.0]
        };
        (0..self.frames()).map(weights).collect()
    }
}

/// Heights of a standing dog's hips and chest, in leg lengths.
const STANDING_HEIGHTS: [f32; 2] = [1.3, 1.25];

/// Rises smoothly from 0 at the value `low` to 1 at the value `high`.
fn smooth(value: f32, low: f32, high: f32) -> f32 {
    kinestitch::motion::ease::smoothstep(((value - low) / (high - low)).clamp(0.0, 1.0))
}

/// Computes smoothed ground poses below the hips, with the heading of the trunk (A.1). The paper's filter of the
/// heading adapts to the turn rate; this filter has a constant, short width. `positions`, `rotations`: world space,
/// [frames × joints].
fn smooth_roots(character: &Character, positions: &[Vec3], rotations: &[Quat], fps: f64) -> Vec<GroundPose> {
    let joints = character.len();
    let ground: Vec<Vec3> = positions.iter().step_by(joints).map(|hips| hips.with_y(0.0)).collect();
    let facing = |pose: &[Quat]| {
        let forward: Vec3 = character.trunk.iter().map(|&joint| pose[joint] * Vec3::Z).sum();
        forward.with_y(0.0).normalize_or(Vec3::Z)
    };
    let facing: Vec<Vec3> = rotations.chunks_exact(joints).map(facing).collect();
    let (ground, facing) =
        (smooth_by_gaussian(&ground, fps * SMOOTH_SECS[0]), smooth_by_gaussian(&facing, fps * SMOOTH_SECS[1]));
    let pairs = ground.into_iter().zip(facing);
    pairs.map(|(position, facing)| GroundPose { position, heading: facing.x.atan2(facing.z) }).collect()
}

/// Smooths values by a Gaussian. `deviation`: standard deviation of the Gaussian, frames. Beyond both ends, the values
/// are mirrored through the end value, so that the smoothed values keep their rate of change there.
fn smooth_by_gaussian(values: &[Vec3], deviation: f64) -> Vec<Vec3> {
    let reach = (3.0 * deviation).ceil() as isize;
    let last = values.len() as isize - 1;
    let mirrored = |frame: isize| {
        let nearest = frame.clamp(0, last);
        let image = (2 * nearest - frame).clamp(0, last);
        2.0 * values[nearest as usize] - values[image as usize]
    };
    let value = |frame: isize| if (0..=last).contains(&frame) { values[frame as usize] } else { mirrored(frame) };
    (0..=last)
        .map(|frame| {
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            for offset in -reach..=reach {
                let weight = (-0.5 * (offset as f64 / deviation).powi(2)).exp() as f32;
                sum += value(frame + offset) * weight;
                total += weight;
            }
            sum / total
        })
        .collect()
}
