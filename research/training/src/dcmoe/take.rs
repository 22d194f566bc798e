//! Recordings prepared for DC-MoE's training, and their mirror images: bodies, roots, phases and path of every frame.

use crate::periodic::source::rows_of;
use crate::takes::{Cut, Take as PoseTake};
use glam::{Vec2, Vec3};
use kinestitch::body::GroundPose;
use kinestitch::body::poses::CONTACTS;
use kinestitch::error::{Error, Result};
use kinestitch::feature::dcmoe::{Body, CHANNELS, Contacts, SUPPORTS};
use kinestitch::feature::periodic::{COLUMNS, FPS};
use kinestitch::method::periodic::Periodic;
use kinestitch::method::periodic::spectrum::SineWave;
use kinestitch::nn::weights::Weights;
use std::f32::consts::TAU;

/// Standard deviation of the Gaussian that smooths the root's path, frames. A path drawn by a user does not sway with
/// each step.
const SMOOTH_FRAMES: f32 = 6.0;
/// Number of frames between computed phases. The phases between them are extrapolated from both neighbours and mixed.
const STRIDE: usize = 5;

/// Height of the wrist over the ground below which a slow hand is in contact, metres. In LAFAN1, the wrists of hands that
/// support the body are 3 cm below to 8 cm above the height of the soles.
const HAND_CONTACT: f32 = 0.1;
/// Speed over the ground below which a low hand is in contact, metres per second.
const HAND_SPEED: f32 = 0.3;

/// A recording, or the mirror image of a recording.
pub struct Take {
    /// Bodies with heights above the ground.
    pub bodies: Vec<Body>,
    /// Ground pose under the hips in each frame.
    pub roots: Vec<GroundPose>,
    /// Smoothed path of the root, x and z in metres, one point per frame.
    pub path: Vec<Vec2>,
    /// Contacts of each frame, 0 or 1.
    pub contacts: Vec<Contacts>,
    /// Phase vectors of each frame.
    pub phases: Vec<[Vec2; CHANNELS]>,
    /// Frequencies of the phases in each frame, hertz.
    pub hertz: Vec<[f32; CHANNELS]>,
}

/// Periodic autoencoder that computes the phases.
pub struct Phases(Periodic);

/// Phase vectors and frequencies of every frame of a recording.
type PhaseRows = (Vec<[Vec2; CHANNELS]>, Vec<[f32; CHANNELS]>);

impl Phases {
    /// Reads a weight file of the periodic autoencoder.
    ///
    /// # Errors
    /// [`Error::Weights`] if the file holds another network, or a network without exactly [`CHANNELS`] channels.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let network = Periodic::read(&Weights::read(bytes)?)?;
        match network.channels() {
            CHANNELS => Ok(Self(network)),
            count => Err(Error::Weights {
                message: format!("the periodic autoencoder has {count} channels; DC-MoE needs {CHANNELS}"),
            }),
        }
    }

    /// Computes the phase vectors and frequencies of every frame. `rows`: rows of the autoencoder, [frames × columns].
    fn compute(&self, rows: &[f32]) -> Result<PhaseRows> {
        let frames = rows.len() / COLUMNS;
        let encode = |frame: usize| self.0.encode(rows, frame.min(frames - 1));
        let waves: Vec<Vec<SineWave>> = (0..frames + STRIDE).step_by(STRIDE).map(encode).collect::<Result<_>>()?;
        let extrapolate = |wave: &SineWave, frames: f32| {
            wave.amplitude * Vec2::from_angle(wave.phase + TAU * wave.frequency * frames / FPS as f32)
        };
        let interpolate = |frame: usize, channel: usize| {
            let (index, frames_since) = (frame / STRIDE, (frame % STRIDE) as f32);
            let (a, b) = (&waves[index][channel], &waves[index + 1][channel]);
            // The last phase is computed at the last frame, which can be less than STRIDE frames after the previous
            // one.
            let interval = ((index + 1) * STRIDE).min(frames - 1).max(index * STRIDE) - index * STRIDE;
            let (interval, weight) = (interval as f32, frames_since / interval.max(1) as f32);
            let vector = extrapolate(a, frames_since).lerp(extrapolate(b, frames_since - interval), weight);
            (vector, a.frequency + (b.frequency - a.frequency) * weight)
        };
        let row =
            |frame: usize| -> [(Vec2, f32); CHANNELS] { std::array::from_fn(|channel| interpolate(frame, channel)) };
        Ok((0..frames).map(row).map(|row| (row.map(|phase| phase.0), row.map(|phase| phase.1))).unzip())
    }
}

impl Take {
    /// Prepares a recording, or its mirror image.
    ///
    /// # Errors
    /// Those of [`Periodic::encode`].
    pub fn new(take: &PoseTake, mirrored: bool, phases: &Phases) -> Result<Self> {
        let (whole, frames) = (Cut { mirrored, ..Cut::unchanged(take, 0) }, take.poses.len());
        let (poses, offsets, foot_contacts) = (whole.poses(0, frames), whole.offsets(), whole.contacts(0, frames));
        let body = |frame: usize| {
            Body::from_local_rotations(poses.hips[frame] - Vec3::Y * take.ground, poses.pose(frame), &offsets)
        };
        let bodies: Vec<Body> = (0..poses.len()).map(body).collect();
        let roots: Vec<GroundPose> = bodies.iter().map(Body::root).collect();
        let contacts = (0..bodies.len()).map(|frame| contacts(&bodies, &foot_contacts, frame)).collect();
        let (phases, hertz) = phases.compute(&rows_of(take, mirrored))?;
        Ok(Self { path: smooth_path(&roots), bodies, roots, contacts, phases, hertz })
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.bodies.len()
    }

    /// Returns the smoothed path from frame `first` to frame `last`, both included, x and z in metres. A linearly
    /// changing offset is added, so that the path starts and ends below the hips.
    pub fn path_between(&self, first: usize, last: usize) -> Vec<Vec2> {
        let offset = |frame: usize| {
            let hips = self.bodies[frame].positions[0];
            Vec2::new(hips.x, hips.z) - self.path[frame]
        };
        let (a, b) = (offset(first), offset(last));
        let span = (last - first).max(1) as f32;
        (first..=last).map(|frame| self.path[frame] + a.lerp(b, (frame - first) as f32 / span)).collect()
    }
}

/// Returns the contacts in a frame. `foot_contacts`: those of the feet, [frames × 4]. Hands are in contact if they are
/// low and slow.
fn contacts(bodies: &[Body], foot_contacts: &[f32], frame: usize) -> Contacts {
    let previous = frame.saturating_sub(1);
    let elapsed_secs = (frame - previous).max(1) as f32 / FPS as f32;
    std::array::from_fn(|support| {
        if support < CONTACTS {
            return foot_contacts[frame * CONTACTS + support];
        }
        let position = |frame: usize| bodies[frame].positions[SUPPORTS[support] as usize];
        let speed = (position(frame) - position(previous)).with_y(0.0).length() / elapsed_secs;
        f32::from(u8::from(position(frame).y < HAND_CONTACT && speed < HAND_SPEED))
    })
}

/// Smooths the root positions by a Gaussian. Beyond both ends, the positions are mirrored through the end position, so
/// that the smoothed path keeps its velocity there. Returns x and z, metres.
fn smooth_path(roots: &[GroundPose]) -> Vec<Vec2> {
    let reach = (3.0 * SMOOTH_FRAMES) as isize;
    let last = roots.len() as isize - 1;
    let position = |frame: isize| {
        let root = roots[frame.clamp(0, last) as usize].position;
        Vec2::new(root.x, root.z)
    };
    let value = |frame: isize| match (0..=last).contains(&frame) {
        true => position(frame),
        false => 2.0 * position(frame) - position(2 * frame.clamp(0, last) - frame),
    };
    let weights: Vec<f32> =
        (-reach..=reach).map(|offset| (-0.5 * (offset as f32 / SMOOTH_FRAMES).powi(2)).exp()).collect();
    let total: f32 = weights.iter().sum();
    let mean = |frame: isize| {
        let terms = weights.iter().zip(-reach..).map(|(weight, offset)| *weight * value(frame + offset));
        terms.sum::<Vec2>() / total
    };
    (0..=last).map(mean).collect()
}
