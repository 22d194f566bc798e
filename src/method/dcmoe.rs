//! DC-MoE in-betweener: Chu and Yang 2024, *Real-time Diverse Motion In-betweening with Space-time Control*. A mixture
//! of experts predicts, frame by frame, a body that moves to a target in a style and along a path.
//!
//! Section 3.1: experts of three layers read body, target and path. Their gate reads phases and the time to arrival
//! (eq. 2). In training, phases come from the periodic autoencoder ([`crate::method::periodic`]). In a gap, each next
//! phase is the mean of the predicted phase and of the rotated current phase; the unknown phases of the
//! first frame are zero.
//!
//! Changes from the paper:
//! - The gate blends the weights of eight experts of 256 columns ([`crate::nn::mixture`]).
//! - A style is applied to the result ([`crate::feature::posture`]) instead of the input.
//! - The network is also evaluated on the mirrored motion, and the mean of both is used.
//! - The network predicts the difference from an extrapolation towards the target ([`crate::feature::dcmoe`]).
//! - Legs bend to the predicted ankles and toes, and feet in contact are held.
//! - Along a path, the root is corrected in every frame ([`rollout`]).
//!
//! Scores: docs/results/dcmoe.md. Discarded variants: research/notes/dcmoe.md.

mod filler;
pub mod path;
pub mod posture;
pub mod rollout;

pub use filler::{FILLER, Options};

use crate::body::biped;
use crate::body::poses::{CONTACTS, Poses, ROLES};
use crate::error::{Error, Result, quoted};
use crate::feature::dcmoe::{Body, GATE, HANDS, INPUT, OUTPUT, VERSION};
use crate::feature::legs::{FootTargets, reach};
use crate::feature::posture::Posture;
use crate::method::filler::{BodyKeys, BodyMotion, MAX_STEPWISE_GAP, check_gap};
use crate::method::supports::correct_supports;
use crate::motion::clip::Clip;
use crate::motion::quat::with_nearest_sign;
use crate::motion::rig::Role;
use crate::nn::mixture::{PackedMixture, Sizes};
use crate::nn::weights::Weights;
use glam::{Quat, Vec2, Vec3};
use rollout::Rollout;
use serde::{Deserialize, Serialize};

/// Name of the network in weight files and the manifest.
pub const NAME: &str = "dcmoe";
/// Layout version of the network's rows.
pub const LAYOUT: u32 = VERSION;
/// Longest gap, frames at 30 frames per second.
pub const MAX_GAP: usize = MAX_STEPWISE_GAP;
/// Largest number of styles of a network.
const MAX_STYLES: usize = 256;

/// Configuration in a weight file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Sizes of the network.
    pub sizes: Sizes,
    /// Names of the styles; the weight file has one posture for each.
    pub styles: Vec<String>,
}

/// The network, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Network {
    config: Config,
    mixture: PackedMixture,
    postures: Vec<Posture>,
}

/// Optional conditions, in addition to the keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conditions<'a> {
    /// Index of a style; `None` keeps the style of the keys.
    pub style: Option<usize>,
    /// Points on the ground (x, z), metres, at equal time intervals from the last past frame to the target.
    pub path: Option<&'a [Vec2]>,
}

impl Network {
    /// Reads the network of a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] if the file belongs to another network, or its sizes are inconsistent.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, LAYOUT)?;
        let config: Config = weights.config()?;
        let error = |message: &str| Error::Weights { message: message.to_owned() };
        if config.styles.len() > MAX_STYLES {
            return Err(error(&format!("it has {} styles, more than {MAX_STYLES}", config.styles.len())));
        }
        if (config.sizes.input, config.sizes.gate, config.sizes.output) != (INPUT, GATE, OUTPUT) {
            return Err(error("its rows have other columns than in this release; use the weights of this release"));
        }
        let postures = posture::read(weights, config.styles.len())?;
        Ok(Self { mixture: PackedMixture::read(weights, &config.sizes)?, config, postures })
    }

    /// Returns the names of the styles.
    pub fn styles(&self) -> &[String] {
        &self.config.styles
    }

    /// Returns the first and third quartile of the ground speeds in recordings of a style, in metres per second of the
    /// canonical body; `None` for an unknown style.
    pub fn speeds(&self, style: usize) -> Option<[f32; 2]> {
        self.postures.get(style).map(|posture| posture.speeds)
    }

    /// Returns the index of a style.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown name, with a list of all names.
    pub fn style_index(&self, name: &str) -> Result<usize> {
        self.config.styles.iter().position(|style| style == name).ok_or_else(|| {
            let message = format!("{} is not one of {}", quoted(name), self.config.styles.join(", "));
            Error::Option { option: "style", message }
        })
    }

    /// Fills `frames` frames between two keys.
    ///
    /// # Errors
    /// The errors of [`check_gap`], [`path::check`] and [`BodyMotion::validate`].
    pub fn fill(&self, keys: &BodyKeys, frames: usize, conditions: &Conditions) -> Result<BodyMotion> {
        check_gap(keys, frames, MAX_GAP)?;
        conditions.path.map_or(Ok(()), path::check)?;
        let &BodyKeys { past, offsets, ground, .. } = keys;
        let mut rollout = Rollout::new(self, keys, frames + 1, conditions);
        let mut motion = BodyMotion::default();
        let mut feet: Vec<FootTargets> = Vec::with_capacity(frames);
        let mut previous_rotations = past.pose(past.len() - 1).to_vec();
        for _ in 0..frames {
            let (body, contacts) = rollout.step();
            let rotations = body.local_rotations().zip(&previous_rotations);
            previous_rotations = rotations.map(|(rotation, previous)| with_nearest_sign(rotation, *previous)).collect();
            motion.poses.push(body.positions[0] + Vec3::Y * ground, previous_rotations.iter().copied());
            motion.contacts.extend(&contacts[..CONTACTS]);
            motion.hand_contacts.extend(&contacts[HANDS]);
            feet.push(foot_targets(&body, ground));
        }
        motion = motion.validate()?;
        if let Some(posture) = conditions.style.and_then(|style| self.postures.get(style)) {
            posture.apply(&mut motion.poses, ground);
        }
        motion.poses = reach_feet(motion.poses, offsets, &feet)?;
        Ok(correct_supports(motion, keys))
    }
}

/// Returns the predicted world positions of ankles and toes. `ground`: height of the ground, metres.
fn foot_targets(body: &Body, ground: f32) -> FootTargets {
    let position = |role: Role| body.positions[role as usize] + Vec3::Y * ground;
    [(position(Role::LeftFoot), position(Role::LeftToe)), (position(Role::RightFoot), position(Role::RightToe))]
}

/// Bends the legs of poses so that the feet reach their predicted positions.
fn reach_feet(poses: Poses, offsets: &[Vec3; ROLES], feet: &[FootTargets]) -> Result<Poses> {
    let skeleton = biped().skeleton(offsets)?;
    let mut clip = Clip::new("gap", skeleton, 1.0 / crate::body::poses::FPS, poses.rotations, poses.hips)?;
    let original: Vec<Quat> = clip.rotations().to_vec();
    reach(&mut clip, feet);
    let mut poses = Poses::from_clip(&clip, 0..clip.frames());
    let rotations = poses.rotations.iter_mut().zip(&original);
    rotations.for_each(|(rotation, original)| *rotation = with_nearest_sign(*rotation, *original));
    Ok(poses)
}
