//! DC-MoE in-betweener: Chu and Yang 2024, *Real-time Diverse Motion In-betweening with Space-time Control*. Frame by frame, a
//! mixture of experts says the next pose of a body on its way to a target, in a style and along a path.
//!
//! Section 3.1: experts of three layers read the body, the target and the root's path; their gate reads phases, the style and
//! the time to arrive (eq. 2). Phases come from the periodic autoencoder in training ([`crate::method::periodic`]); in a gap
//! they are carried forward as in DeepPhase: the network says vector and frequency of every phase from the next frame on, and
//! half of each next phase is what it says, half the last one turned on. At the first frame they are not known: the future
//! that the autoencoder would have to see is the gap. They count as nothing there, which training shows the network too.
//!
//! Changed from the paper:
//! - Eight experts of 256 inner columns, ELU, and the gate blends the experts' weights in every layer
//!   ([`crate::nn::mixture`], one piece with the controller's).
//! - A style is no input. Recordings never change theirs, so a network that is told one looks at the keys instead: an embedding
//!   in the gate was recognised in 14.7 % of held-out gaps (chance 14.3), also where keys were bent to another style's mean
//!   posture for 3,500 steps of training. What makes most of a style is how people hold themselves, and that is put on what
//!   the network made ([`crate::feature::posture`]), legs bent to where the feet stood; ways to choose from are as fast as
//!   people of that style go.
//! - It is asked twice in every frame, the second time in the mirror, each time with phases of its own; what counts is the mean
//!   ([`crate::feature::dcmoe::mirror`]). On LAFAN1's subject 1, of which the open weights know nothing, L2P fell from
//!   .81/.84/.86/.89 of interpolation's at 15/30/60/90 frames to .79/.82/.84/.86, L2Q by 2 to 3 %, for twice the time.
//! - What is said is the difference from carrying the speed on and heading for the target ([`crate::feature::dcmoe`]); the
//!   frame before the target needs nothing said.
//! - Ankles and toes stand where they are said to, and legs bend to them, since rotations alone slide.
//! - A foot that is said to touch is held where it was, in the frame that goes back to the network.
//! - Along an asked path the root is drawn a part of the way to it in every frame, so it never strays ([`walk`]).
//!
//! Numbers: README, "In-between, scored". After 500 steps of 256 rows L2P stood at .83/.87/.76/.75 of interpolation's at 15/30/60/90
//! frames (held-out recordings), after 4,000 at .71/.72/.68/.68, after 9,000 at .69/.70/.66/.68, and after 3,500 more of
//! 20-frame lanes in which planted feet count four times as much at .62/.71/.64/.65, with a quarter less slide. Asked in the mirror,
//! too, that network stands at .63/.71/.62/.66; one that learned from nothing in 20-frame lanes, 512 rows a step, 20,000 steps, at
//! .62/.67/.59/.64. 6,000 steps more in lanes of 45 frames made .63/.69/.59/.63 of it: what is far gains, what is near loses.

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
