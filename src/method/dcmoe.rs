//! DC-MoE in-betweener: Chu and Yang 2024, *Real-time Diverse Motion In-betweening with Space-time Control*. Frame by frame, a
//! mixture of experts predicts the next pose of a body on its way to a target, in a style and along a path.
//!
//! Section 3.1: experts of three layers read body, target and path; their gate reads phases and the time to arrive (eq. 2).
//! Phases come from the periodic autoencoder in training ([`crate::method::periodic`]); in a gap half of each next phase is
//! predicted and half is the last one turned on. At the first frame they are unknown and count as zero.
//!
//! Changed from the paper: eight experts of 256 columns, whose weights the gate blends ([`crate::nn::mixture`]); a style is applied
//! to the result ([`crate::feature::posture`]), not an input; the network also runs mirrored, and the mean counts; it predicts
//! the difference from carrying the speed on towards the target ([`crate::feature::dcmoe`]); legs bend to the predicted ankles and
//! toes; feet that touch are held; along a path the root is drawn towards it in every frame ([`walk`]).
//!
//! Scores: docs/results/dcmoe.md. Forms that were tried: docs/notes/dcmoe.md.

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
/// Most styles of a network.
const MOST_STYLES: usize = 256;

/// What a weight file says of its network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Sizes.
    pub sizes: Sizes,
    /// Names of the styles whose postures it has.
    pub styles: Vec<String>,
}

/// The network, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Network {
    config: Config,
    mixture: PackedMixture,
    postures: Vec<Posture>,
}

/// What is wished for, beside the keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wish<'a> {
    /// Index of a style; without, it goes on as the keys do.
    pub style: Option<usize>,
    /// Points on the ground, x and z, metres, passed at equal intervals of time from the last past frame to the target.
    pub path: Option<&'a [Vec2]>,
}

impl Network {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it is of another network or of sizes that do not fit.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.expect(NAME, LAYOUT)?;
        let config: Config = weights.config()?;
        let wrong = |message: &str| Error::Weights { message: message.to_owned() };
        if config.styles.len() > MOST_STYLES {
            return Err(wrong("it has more styles than any network"));
        }
        if (config.sizes.input, config.sizes.gate, config.sizes.output) != (INPUT, GATE, OUTPUT) {
            return Err(wrong("its rows have other columns than this release's; use the weights of this release"));
        }
        let postures = posture::read(weights, config.styles.len())?;
        Ok(Self { mixture: PackedMixture::read(weights, &config.sizes)?, config, postures })
    }

    /// Names of the styles it knows.
    pub fn styles(&self) -> &[String] {
        &self.config.styles
    }

    /// Speeds over the ground, the slower and the faster, between which half of a style's recordings lie, metres of the canonical
    /// body a second.
    pub fn speeds(&self, style: usize) -> Option<[f32; 2]> {
        self.postures.get(style).map(|posture| posture.speeds)
    }

    /// Index of a style.
    ///
    /// # Errors
    /// [`Error::Option`] that names those there are.
    pub fn style(&self, name: &str) -> Result<usize> {
        self.config.styles.iter().position(|known| known == name).ok_or_else(|| {
            let message = format!("{} is not one of {}", quoted(name), self.config.styles.join(", "));
            Error::Option { option: "style", message }
        })
    }

    /// Fills `gap` frames between `past` and `target`, poses at 30 frames a second on one canonical skeleton with these
    /// offsets; one frame of each is enough, more of the past make its speed known. `ground` is the height that feet stand on.
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
        wish: &Wish,
    ) -> Result<Filled> {
        if gap > LONGEST {
            let message = format!("a gap has 1 to {LONGEST} frames at 30 a second, not {gap}");
            return Err(Error::Option { option: "frames", message });
        }
        // It goes frame by frame: the limit of networks that fill a gap at once is not its own.
        check(past, target, gap.min(1), offsets, ground)?;
        wish.path.map_or(Ok(()), path::check)?;
        let mut walk = Walk::new(self, past, target, offsets, ground, gap + 1, wish);
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
        if let Some(posture) = wish.style.and_then(|style| self.postures.get(style)) {
            posture.put_on(&mut filled.poses, ground);
        }
        filled.poses = standing(filled.poses, offsets, &feet)?;
        Ok(filled)
    }
}

/// Where ankles and toes are said to be.
fn feet_of(body: &Body, ground: f32) -> FootTargets {
    let at = |role: Role| body.places[role as usize] + Vec3::Y * ground;
    [(at(Role::LeftFoot), at(Role::LeftToe)), (at(Role::RightFoot), at(Role::RightToe))]
}

/// Poses with legs that bend to where their feet are said to be.
fn standing(poses: Poses, offsets: &[Vec3; ROLES], feet: &[FootTargets]) -> Result<Poses> {
    let skeleton = biped().skeleton(offsets)?;
    let mut clip = Clip::new("gap", skeleton, 1.0 / crate::body::poses::FPS, poses.rotations, poses.hips)?;
    let signs: Vec<Quat> = clip.rotations().to_vec();
    reach(&mut clip, feet);
    let mut poses = Poses::of(&clip, 0..clip.frames());
    poses.rotations.iter_mut().zip(&signs).for_each(|(rotation, like)| *rotation = near(*rotation, *like));
    Ok(poses)
}
