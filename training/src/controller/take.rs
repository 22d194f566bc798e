//! Recordings prepared for the controller's training: the values of the rows for every frame, on the network's
//! skeleton.

use super::jump::jump_weights;
use glam::{Quat, Vec2, Vec3};
use kinestitch::body::{Character, GroundPose};
use kinestitch::error::Result;
use kinestitch::feature::controller::{ACTIONS, FPS, JointState, PathSample};
use kinestitch::feature::encode;
use kinestitch::method::phase::phase_vectors;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::contact::ground_contacts;
use kinestitch::motion::fk::Pose;
use std::sync::Arc;

/// Standard deviations of the Gaussians that smooth the root's position and heading, seconds.
const SMOOTH_SECS: [f64; 2] = [0.12, 0.2];
/// Speed from which a body counts as moving, metres per second; the weight of moving falls to 0 at speed 0 (A.1).
const MOVES: f32 = 0.5;

/// Speed from which a body travels, metres per second.
const GOES: f32 = 0.5;
/// Cosine of the largest angle between travel and facing at which a body goes ahead; backwards likewise.
const AHEAD_COS: f32 = 0.7;

/// Direction of travel relative to the facing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// Standing, or starting to move.
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
    places: Vec<Vec3>,
    /// World rotations of the joints, [frames × joints].
    rotations: Vec<Quat>,
    /// Smoothed ground pose of the root in each frame.
    pub roots: Vec<GroundPose>,
    /// Weights of the actions in each frame; their sum is 1.
    pub actions: Vec<[f32; ACTIONS]>,
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
    pub fn of(clip: &Clip, character: &Character, offsets: &[Vec3], style: usize) -> Result<Self> {
        let skeleton = character.skeleton(offsets)?;
        let rotations = clip.rotations().to_vec();
        let translations = clip.translations().to_vec();
        let mut clip = Clip::new("take", Arc::clone(&skeleton), clip.frame_time_secs(), rotations, translations)?;
        let (ground, _) = encode::ground_of(&clip, character);
        clip.translations_mut().iter_mut().for_each(|place| place.y -= ground);
        let (fps, frames, joints) = (clip.fps(), clip.frames(), character.len());
        let (mut places, mut world) = (Vec::with_capacity(frames * joints), Vec::with_capacity(frames * joints));
        let mut pose = Pose::default();
        for frame in 0..frames {
            pose.set(&clip, frame);
            places.extend_from_slice(&pose.world_positions);
            world.extend_from_slice(&pose.world_rotations);
        }
        let roots = roots(character, &places, &world, fps);
        let track = |joint: usize| -> Vec<Vec3> { places.iter().skip(joint).step_by(joints).copied().collect() };
        let touching: Vec<Vec<bool>> = character
            .contacts
            .iter()
            .map(|contact| {
                let ([flags], _) = ground_contacts([&track(contact.joint)[..]], character.leg_length, fps);
                flags
            })
            .collect();
        let limb = |limb: &kinestitch::body::character::Limb| {
            let any: Vec<bool> = (0..frames).map(|at| limb.contacts.iter().any(|&one| touching[one][at])).collect();
            phase_vectors(&any, &track(limb.joint), fps)
        };
        let limbs: Vec<Vec<Vec2>> = character.limbs().iter().map(limb).collect();
        let stride = (fps / FPS).round().max(1.0) as usize;
        let mut take = Self {
            fps,
            stride,
            joints,
            actions: Vec::new(),
            contacts: (0..frames)
                .flat_map(|at| touching.iter().map(move |flags| f32::from(u8::from(flags[at]))))
                .collect(),
            phases: (0..frames).flat_map(|at| limbs.iter().map(move |limb| limb[at])).collect(),
            places,
            rotations: world,
            roots,
            style,
        };
        take.actions = take.labels(character);
        Ok(take)
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.roots.len()
    }

    /// Returns the state of a joint in world space. The velocity is the mean since the previous network frame; at the
    /// start of the take, the mean up to the next network frame.
    pub fn joint(&self, frame: usize, joint: usize) -> JointState {
        let at = |frame: usize| frame * self.joints + joint;
        let before = frame.saturating_sub(self.stride);
        let (from, to) = if frame >= self.stride { (before, frame) } else { (frame, frame + self.stride) };
        let to = to.min(self.frames() - 1);
        let secs = ((to - from) as f64 / self.fps).max(1e-6) as f32;
        JointState {
            position: self.places[at(frame)],
            rotation: self.rotations[at(frame)],
            velocity: (self.places[at(to)] - self.places[at(from)]) / secs,
        }
    }

    /// Returns the world position of a joint, metres.
    pub fn place(&self, frame: usize, joint: usize) -> Vec3 {
        self.places[frame * self.joints + joint]
    }

    /// Returns the mean velocity of the root from the previous to the next network frame, metres per second.
    fn velocity(&self, frame: usize) -> Vec3 {
        let (before, after) = (frame.saturating_sub(self.stride), (frame + self.stride).min(self.frames() - 1));
        let secs = ((after - before) as f64 / self.fps).max(1e-6) as f32;
        (self.roots[after].position - self.roots[before].position) / secs
    }

    /// Returns the direction of travel at a frame.
    pub fn course(&self, frame: usize) -> Course {
        let velocity = self.velocity(frame);
        let along = velocity.normalize_or_zero().dot(self.roots[frame].rotation() * Vec3::Z);
        match velocity.length() {
            ..GOES => Course::Stands,
            _ if along > AHEAD_COS => Course::Ahead,
            _ if along < -AHEAD_COS => Course::Backwards,
            _ => Course::Sideways,
        }
    }

    /// Returns the path sample at a frame. Beyond both ends, the position is extrapolated linearly.
    pub fn path(&self, frame: isize) -> PathSample {
        let last = self.frames() as isize - 1;
        let inside = frame.clamp(0, last);
        let at = inside as usize;
        let velocity = self.velocity(at);
        let beyond = ((frame - inside) as f64 / self.fps) as f32;
        PathSample {
            position: self.roots[at].position + velocity * beyond,
            facing: self.roots[at].rotation() * Vec3::Z,
            velocity,
            actions: self.actions[at],
        }
    }

    /// Returns the phase vector of a limb at a frame. Beyond both ends, the vector keeps rotating at the rate of that
    /// end. `limbs`: number of limbs of the character.
    pub fn phase(&self, frame: isize, limb: usize, limbs: usize) -> Vec2 {
        let last = self.frames() as isize - 1;
        let inside = frame.clamp(0, last);
        let at = |frame: isize| self.phases[frame as usize * limbs + limb];
        let vector = at(inside);
        if inside == frame || last < 2 {
            return vector;
        }
        let near = if inside == 0 { [at(0), at(1)] } else { [at(last - 1), at(last)] };
        let step = if near[0].length() * near[1].length() > 1e-6 { near[0].angle_to(near[1]) } else { 0.0 };
        Vec2::from_angle(step * (frame - inside) as f32).rotate(vector)
    }

    /// Returns the contacts at a frame, [contacts]; beyond both ends, the contacts of the first or last frame.
    pub fn contact(&self, frame: isize, contacts: usize) -> &[f32] {
        let at = frame.clamp(0, self.frames() as isize - 1) as usize;
        &self.contacts[at * contacts..][..contacts]
    }

    /// Computes the weights of the actions in each frame: standing and moving (A.1). People also jump. Dogs also sit,
    /// with low hips and a raised chest, and lie.
    fn labels(&self, character: &Character) -> Vec<[f32; ACTIONS]> {
        let trunk = [character.trunk[0], character.trunk[character.trunk.len() - 1]];
        let heights = |joint: usize| -> Vec<f32> { (0..self.frames()).map(|at| self.place(at, joint).y).collect() };
        let usual = STANDS.map(|lengths| lengths * character.leg_length);
        let [hips, chest] = trunk.map(heights);
        let touches: Vec<bool> =
            self.contacts.chunks_exact(character.contacts.len()).map(|flags| flags.contains(&1.0)).collect();
        let jumps = jump_weights(&hips, &touches, self.fps);
        let lower = |height: f32, usual: f32| (usual - height) / usual;
        let label = |at: usize| {
            let speed = self.velocity(at).length();
            let [third, fourth] = match character.name {
                "dog" => {
                    // A sitting dog's chest is above half its standing height, a lying dog's near the ground.
                    let lies = smooth(lower(chest[at], usual[1]), 0.55, 0.75);
                    [smooth(lower(hips[at], usual[0]), 0.3, 0.55) * (1.0 - lies), lies]
                }
                _ => [jumps[at], 0.0],
            };
            let rest = 1.0 - third - fourth;
            let moves = smooth(speed, 0.0, MOVES);
            [rest * (1.0 - moves), rest * moves, third, fourth, 0.0, 0.0]
        };
        (0..self.frames()).map(label).collect()
    }
}

/// Heights of a standing dog's hips and chest, in lengths of the character's leg.
const STANDS: [f32; 2] = [1.3, 1.25];

/// Rises smoothly from 0 at the value `none` to 1 at the value `all`.
fn smooth(value: f32, none: f32, all: f32) -> f32 {
    kinestitch::motion::ease::smoothstep(((value - none) / (all - none)).clamp(0.0, 1.0))
}

/// Computes smoothed ground poses under the hips, with the heading of the trunk (A.1). The paper's filter of the
/// heading adapts to the turn rate; our filter has a constant, short width.
fn roots(character: &Character, places: &[Vec3], rotations: &[Quat], fps: f64) -> Vec<GroundPose> {
    let joints = character.len();
    let ground: Vec<Vec3> = places.iter().step_by(joints).map(|place| place.with_y(0.0)).collect();
    let ahead = |pose: &[Quat]| {
        let forward: Vec3 = character.trunk.iter().map(|&joint| pose[joint] * Vec3::Z).sum();
        forward.with_y(0.0).normalize_or(Vec3::Z)
    };
    let ahead: Vec<Vec3> = rotations.chunks_exact(joints).map(ahead).collect();
    let (ground, ahead) = (smoothed(&ground, fps * SMOOTH_SECS[0]), smoothed(&ahead, fps * SMOOTH_SECS[1]));
    let both = ground.into_iter().zip(ahead);
    both.map(|(position, ahead)| GroundPose { position, heading: ahead.x.atan2(ahead.z) }).collect()
}

/// Computes Gaussian means. `deviation`: standard deviation, frames. Beyond both ends, the values are mirrored through
/// the end value, so that the means do not lag there.
fn smoothed(values: &[Vec3], deviation: f64) -> Vec<Vec3> {
    let reach = (3.0 * deviation).ceil() as isize;
    let last = values.len() as isize - 1;
    let at = |frame: isize| {
        let inside = frame.clamp(0, last);
        let mirrored = (2 * inside - frame).clamp(0, last);
        2.0 * values[inside as usize] - values[mirrored as usize]
    };
    let value = |frame: isize| if (0..=last).contains(&frame) { values[frame as usize] } else { at(frame) };
    (0..=last)
        .map(|frame| {
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            for off in -reach..=reach {
                let share = (-0.5 * (off as f64 / deviation).powi(2)).exp() as f32;
                sum += value(frame + off) * share;
                total += share;
            }
            sum / total
        })
        .collect()
}
