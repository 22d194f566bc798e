//! Manifold in-betweener: Tang et al. 2022, *Real-time Controllable Motion Transition for Characters*. Frame by frame, a
//! sampler chooses where on a manifold of natural motion the next frame lies, so that the target is reached in time.
//!
//! The manifold (section 3.1, eq. 4 to 9) is a conditional variational autoencoder of lower body and hips; its decoder is a
//! mixture of six experts that are told the latent variable and the hips' next step in every layer. The sampler (section 3.2,
//! eq. 10 to 14): three encoders with time embedding and target noise, an LSTM, a parse decoder.
//!
//! Changed from the paper:
//! - **Guided.** The sampler says how its frame differs from what the interpolation that carries the motion's speed would do
//!   next ([`crate::feature::manifold::expected`]): from that step of the hips, from those turns of the upper body, and from
//!   where on the manifold the encoder finds it. Untrained it walks the interpolation, projected onto the manifold, and
//!   hips and upper body meet the target by construction.
//! - Everything is seen in the heading of the frame and z-scored; layers are smaller ([`sizes`]).
//! - The manifold also tells which feet touch the ground.
//! - Legs are solved from the predicted places of knees, ankles and toes, so bones keep their lengths (the paper's change by
//!   .64 cm); the solved places are what the next frame starts from.
//! - The noise on the target is off unless a seed asks for it; a seed also lets the latent variable wander ([`seed`]).
//!
//! Asked anew in every frame, an expectation that carries speeds on as long as one asked once overshoots: an untrained
//! sampler then stood at L2P .78/.97/1.29/1.52 of interpolation's at 5/15/30/45 frames (held-out LAFAN1, decays of 8 and 32
//! frames), and at .72/.77/.89/1.02 after 500 steps of 24 windows, three minutes of processor time.

pub mod legs;
mod packed;
pub mod seed;
pub mod sizes;
#[cfg(feature = "flex")]
pub mod tensor;
pub mod walk;

use crate::error::{Error, Result};
use crate::feature::delta::{Poses, ROLES};
use crate::feature::manifold::columns::Row;
use crate::feature::manifold::{VERSION, row};
use crate::method::delta::{Filled, check};
use crate::nn::weights::Weights;
use glam::{Quat, Vec3};
use packed::{Lane, Packed};
use walk::Motion;

/// Name of the networks in weight files and the manifest.
pub const NAME: &str = "manifold";
/// Version of their rows.
pub const LAYOUT: u32 = VERSION;
/// Input columns are held within this many deviations: a strange pose must not explode.
pub const FARTHEST: f32 = 8.0;

/// Manifold and sampler, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Manifold(Packed);

/// A frame that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Place of the hips.
    pub hips: Vec3,
    /// Local rotations, [22].
    pub rotations: Vec<Quat>,
    /// Probability that left heel, left toe, right heel, right toe touch the ground.
    pub contacts: [f32; 4],
}

impl Manifold {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it is of another network or of sizes that do not fit.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.expect(NAME, LAYOUT)?;
        Packed::read(weights).map(Self)
    }

    /// Fills `gap` frames between `past` and `target`, poses at 30 frames a second on one canonical skeleton with these
    /// offsets; one frame of each is enough, more of the past make its speed known. `ground` is the height that feet stand
    /// on. Without a seed the answer is the sampler's mean; each seed gives another.
    ///
    /// # Errors
    /// [`Error::Option`] for a gap of no or of more than [`crate::method::delta::LONGEST`] frames, keys without a frame or
    /// with numbers that are not finite.
    pub fn fill(
        &self,
        past: &Poses,
        target: &Poses,
        gap: usize,
        offsets: &[Vec3; ROLES],
        ground: f32,
        seed: Option<u64>,
    ) -> Result<Filled> {
        check(past, target, gap, offsets, ground)?;
        let mut walk = Walk::new(self, past, offsets, ground, seed, (target.hips[0], target.pose(0)), gap + 1);
        let mut filled = Filled { poses: Poses::default(), contacts: Vec::with_capacity(4 * gap) };
        for made in 0..gap {
            let frame = walk.next((target.hips[0], target.pose(0)), gap + 1 - made);
            filled.poses.push(frame.hips, frame.rotations);
            filled.contacts.extend(frame.contacts);
        }
        let finite = filled.poses.hips.iter().all(|hips| hips.is_finite());
        if !finite || filled.poses.rotations.iter().any(|rotation| !rotation.is_finite()) {
            let message = "the network made numbers that are not finite; use other weights".to_owned();
            return Err(Error::Weights { message });
        }
        Ok(filled)
    }
}

/// A motion on its way to a target, a frame at a time; the target may move between frames.
pub struct Walk<'a> {
    lane: Lane<'a>,
    motion: Motion<Row>,
    rotations: Vec<Quat>,
    offsets: &'a [Vec3; ROLES],
    origin: Vec3,
}

impl<'a> Walk<'a> {
    /// Starts behind the last frame of `past`, `span` frames before the target (place of the hips, rotations). See
    /// [`Manifold::fill`]; `past` must not be empty.
    pub fn new(
        network: &'a Manifold,
        past: &Poses,
        offsets: &'a [Vec3; ROLES],
        ground: f32,
        seed: Option<u64>,
        target: (Vec3, &[Quat]),
        span: usize,
    ) -> Self {
        let last = past.len() - 1;
        let origin = past.hips[last].with_y(ground);
        let at = |frame: usize| row(past.hips[frame], past.pose(frame), offsets, origin);
        let goal = row(target.0, target.1, offsets, origin);
        let mut lane = network.0.lane(seed);
        let now = at(last);
        // Of a single frame nobody knows how it moves: as the way to the target does.
        let mut motion = Motion { rate: steady(&now, &goal, span as f32), row: now };
        for frame in last.saturating_sub(network.0.sizes.past).max(1)..=last {
            motion = Motion::between(&at(frame - 1), &at(frame));
            if frame < last {
                motion.observed(&mut lane, &goal, (span + last - frame) as f32);
            }
        }
        Self { lane, motion, rotations: past.pose(last).to_vec(), offsets, origin }
    }

    /// The next frame; `span`: frames from the last one to the target.
    pub fn next(&mut self, target: (Vec3, &[Quat]), span: usize) -> Made {
        let goal = row(target.0, target.1, self.offsets, self.origin);
        let (mut made, contacts) = self.motion.next(&mut self.lane, &goal, span.max(1) as f32);
        let (hips, rotations) = legs::solved(&mut made.row.0, &self.rotations, self.offsets);
        self.motion = Motion::between(&self.motion.row, &made.row);
        self.rotations.clone_from(&rotations);
        let contacts = std::array::from_fn(|part| 1.0 / (1.0 + (-contacts.0[part]).exp()));
        Made { hips: hips + self.origin, rotations, contacts }
    }
}

fn steady(now: &Row, goal: &Row, span: f32) -> Row {
    Row(now.0.iter().zip(&goal.0).map(|(now, goal)| (goal - now) / span).collect())
}
