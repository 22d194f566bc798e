//! DC-MoE in-betweener: Chu and Yang 2024, *Real-time Diverse Motion In-betweening with Space-time Control*. A
//! mixture of experts predicts frame after frame of a body that moves to a target, in a style and along a path.
//!
//! Section 3.1: experts of three layers read body, target and path; their gate reads phases and the time to arrival
//! (eq. 2). In training, phases come from the periodic autoencoder ([`crate::method::periodic`]); in a gap each next
//! phase is the mean of the predicted one and the rotated last one. In the first frame they are unknown and set to
//! zero.
//!
//! Changes from the paper: eight experts of 256 columns, whose weights the gate blends ([`crate::nn::mixture`]); a
//! style is applied to the result ([`crate::feature::posture`]) instead of the input; the network is also evaluated
//! on the mirrored motion, and the mean is used; it predicts the difference from an extrapolation towards the target
//! ([`crate::feature::dcmoe`]); legs bend to the predicted ankles and toes; feet in contact are held; along a path
//! the root is corrected in every frame ([`walk`]).
//!
//! Scores: docs/results/dcmoe.md. Discarded variants: docs/notes/dcmoe.md.

mod filler;
pub mod path;
pub mod posture;
pub mod walk;

pub use filler::{FILLER, Options};

use crate::body::biped;
use crate::body::poses::{CONTACTS, Poses, ROLES};
use crate::error::{Error, Result, quoted};
use crate::feature::dcmoe::{Body, GATE, INPUT, OUTPUT, VERSION};
use crate::feature::legs::{FootTargets, reach};
use crate::feature::posture::Posture;
use crate::method::filler::{Filled, LONGEST_STEPWISE, check};
use crate::motion::clip::Clip;
use crate::motion::quat::near;
use crate::motion::rig::Role;
use crate::nn::mixture::{PackedMixture, Sizes};
use crate::nn::weights::Weights;
use glam::{Quat, Vec2, Vec3};
use serde::{Deserialize, Serialize};
use walk::Walk;

/// Name of the network in weight files and the manifest.
pub const NAME: &str = "dcmoe";
/// Version of its rows.
pub const LAYOUT: u32 = VERSION;
/// Longest gap, frames at 30 a second.
pub const LONGEST: usize = LONGEST_STEPWISE;
/// Largest number of styles of a network.
const MOST_STYLES: usize = 256;

/// Configuration in a weight file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Sizes.
    pub sizes: Sizes,
    /// Names of the styles, one for each posture.
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
    /// Points on the ground, x and z, metres, at equal intervals of time from the last past frame to the target.
    pub path: Option<&'a [Vec2]>,
}

impl Network {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it belongs to another network or its sizes disagree.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, LAYOUT)?;
        let config: Config = weights.config()?;
        let wrong = |message: &str| Error::Weights { message: message.to_owned() };
        if config.styles.len() > MOST_STYLES {
            return Err(wrong("it has too many styles"));
        }
        if (config.sizes.input, config.sizes.gate, config.sizes.output) != (INPUT, GATE, OUTPUT) {
            return Err(wrong("its rows have other columns than this release's; use the weights of this release"));
        }
        let postures = posture::read(weights, config.styles.len())?;
        Ok(Self { mixture: PackedMixture::read(weights, &config.sizes)?, config, postures })
    }

    /// Names of its styles.
    pub fn styles(&self) -> &[String] {
        &self.config.styles
    }

    /// First and third quartile of the speeds over the ground in recordings of a style, metres of the canonical body
    /// a second.
    pub fn speeds(&self, style: usize) -> Option<[f32; 2]> {
        self.postures.get(style).map(|posture| posture.speeds)
    }

    /// Index of a style.
    ///
    /// # Errors
    /// [`Error::Option`] with a list of all names.
    pub fn style(&self, name: &str) -> Result<usize> {
        self.config.styles.iter().position(|known| known == name).ok_or_else(|| {
            let message = format!("{} is not one of {}", quoted(name), self.config.styles.join(", "));
            Error::Option { option: "style", message }
        })
    }

    /// Fills `gap` frames between `past` and `target`, poses at 30 frames per second on one canonical skeleton with
    /// these offsets. One frame of each is enough; more frames of the past give its velocity. `ground`: height of the
    /// ground.
    ///
    /// # Errors
    /// Those of [`check`], [`path::check`] and [`Filled::finite`].
    pub fn fill(
        &self,
        past: &Poses,
        target: &Poses,
        gap: usize,
        offsets: &[Vec3; ROLES],
        ground: f32,
        conditions: &Conditions,
    ) -> Result<Filled> {
        if gap > LONGEST {
            let message = format!("a gap has 1 to {LONGEST} frames at 30 a second, not {gap}");
            return Err(Error::Option { option: "frames", message });
        }
        // It works frame by frame: the length limit of networks that fill a gap at once does not apply.
        check(past, target, gap.min(1), offsets, ground)?;
        conditions.path.map_or(Ok(()), path::check)?;
        let mut walk = Walk::new(self, past, target, offsets, ground, gap + 1, conditions);
        let mut filled = Filled { poses: Poses::default(), contacts: Vec::with_capacity(CONTACTS * gap) };
        let mut feet: Vec<FootTargets> = Vec::with_capacity(gap);
        let mut like = past.pose(past.len() - 1).to_vec();
        for _ in 0..gap {
            let (body, contacts) = walk.step();
            like = body.locals().zip(&like).map(|(rotation, like)| near(rotation, *like)).collect();
            filled.poses.push(body.places[0] + Vec3::Y * ground, like.iter().copied());
            filled.contacts.extend(contacts);
            feet.push(feet_of(&body, ground));
        }
        filled = filled.finite()?;
        if let Some(posture) = conditions.style.and_then(|style| self.postures.get(style)) {
            posture.put_on(&mut filled.poses, ground);
        }
        filled.poses = standing(filled.poses, offsets, &feet)?;
        Ok(filled)
    }
}

/// Predicted positions of ankles and toes.
fn feet_of(body: &Body, ground: f32) -> FootTargets {
    let at = |role: Role| body.places[role as usize] + Vec3::Y * ground;
    [(at(Role::LeftFoot), at(Role::LeftToe)), (at(Role::RightFoot), at(Role::RightToe))]
}

/// Poses with legs bent to the predicted feet.
fn standing(poses: Poses, offsets: &[Vec3; ROLES], feet: &[FootTargets]) -> Result<Poses> {
    let skeleton = biped().skeleton(offsets)?;
    let mut clip = Clip::new("gap", skeleton, 1.0 / crate::body::poses::FPS, poses.rotations, poses.hips)?;
    let signs: Vec<Quat> = clip.rotations().to_vec();
    reach(&mut clip, feet);
    let mut poses = Poses::of(&clip, 0..clip.frames());
    poses.rotations.iter_mut().zip(&signs).for_each(|(rotation, like)| *rotation = near(*rotation, *like));
    Ok(poses)
}
