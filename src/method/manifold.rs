//! Manifold in-betweener: Tang et al. 2022, *Real-time Controllable Motion Transition for Characters*. Frame by
//! frame, a sampler chooses the next point on a manifold of natural motion, so that the target is reached in time.
//!
//! The manifold (section 3.1, eq. 4 to 9) is a conditional variational autoencoder of lower body and hips; its
//! decoder is a mixture of six experts. The sampler (section 3.2, eq. 10 to 14) has three encoders with time
//! embedding and target noise, an LSTM and a parse decoder.
//!
//! Changes from the paper: the sampler corrects one fixed interpolation ([`crate::body::interpolate::interpolated`]),
//! so that errors do not accumulate; columns are in the heading of the frame and z-scored, layers are smaller
//! ([`sizes`]); the time embedding also contains the frames since the past ([`walk::Moment`]); feet in contact are
//! held ([`crate::feature::manifold::held`]); legs are solved from the predicted positions of knees, ankles and toes,
//! so that bones keep their lengths; without a seed the network is also evaluated on the mirrored motion, and the
//! mean is used; noise is added only with a seed ([`seed`]), and the latent variable may be offset.
//!
//! Scores: docs/results/inbetween-lafan1.md. Discarded variants: docs/notes/manifold.md.

mod filler;
pub mod legs;
mod packed;
pub mod seed;
pub mod sizes;
#[cfg(feature = "flex")]
pub mod tensor;
pub mod walk;

use crate::body::interpolate::interpolated;
use crate::body::poses::{Poses, ROLES};
pub use filler::{FILLER, Options};

use crate::error::{Error, Result};
use crate::feature::manifold::columns::{Columns, Row};
use crate::feature::manifold::mirror::{mirrored, mirrored_contacts};
use crate::feature::manifold::{ROW, VERSION, row, upright};
use crate::method::filler::{Filled, check};
use crate::nn::weights::Weights;
use glam::{Quat, Vec3};
use packed::{Lane, Packed};
use walk::{Moment, Motion};

/// Name of the networks in weight files and the manifest.
pub const NAME: &str = "manifold";
/// Version of their rows.
pub const LAYOUT: u32 = VERSION;
/// Input columns are clamped to this many deviations, so that unusual poses do not diverge.
pub const FARTHEST: f32 = 8.0;

/// Manifold and sampler, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Manifold(Packed);

/// Choice of one of many possible motions; by default the sampler's mean.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conditions<'a> {
    /// Different seeds give different motions ([`seed`]).
    pub seed: Option<u64>,
    /// Offset on the manifold: added to the components of the latent variable, in deviations of the prior, in full in
    /// the middle of the gap and less towards its ends ([`Moment::middle`]). Missing components are 0. The reference
    /// interpolation is shifted by the resulting displacement and returns at the target; otherwise the next frames
    /// would undo the offset.
    pub latent: &'a [f32],
}

/// A predicted frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Position of the hips.
    pub hips: Vec3,
    /// Local rotations, [22].
    pub rotations: Vec<Quat>,
    /// Contact probabilities of left heel, left toe, right heel, right toe.
    pub contacts: [f32; 4],
}

impl Manifold {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it belongs to another network or its sizes disagree.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, LAYOUT)?;
        Packed::read(weights).map(Self)
    }

    /// Fills `gap` frames between `past` and `target`, poses at 30 frames per second on one canonical skeleton with
    /// these offsets. One frame of each is enough; more frames of the past give its velocity. `ground`: height of the
    /// ground.
    ///
    /// # Errors
    /// Those of [`check`] and [`Filled::finite`]; [`Error::Option`] for a latent variable with more components than
    /// the manifold's, or not finite.
    pub fn fill(
        &self,
        past: &Poses,
        target: &Poses,
        gap: usize,
        offsets: &[Vec3; ROLES],
        ground: f32,
        conditions: &Conditions,
    ) -> Result<Filled> {
        check(past, target, gap, offsets, ground)?;
        let (has, Conditions { latent, .. }) = (self.0.sizes.latent, conditions);
        if latent.len() > has || !latent.iter().all(|x| x.is_finite()) {
            let message = format!("up to {has} finite numbers, the manifold's components; not {latent:?}");
            return Err(Error::Option { option: "latent", message });
        }
        let mut walk = Walk::new(self, past, offsets, ground, conditions, target, gap + 1);
        let mut filled = Filled { poses: Poses::default(), contacts: Vec::with_capacity(4 * gap) };
        for made in 0..gap {
            let frame = walk.next(target, gap + 1 - made);
            filled.poses.push(frame.hips, frame.rotations);
            filled.contacts.extend(frame.contacts);
        }
        filled.finite()
    }
}

/// A motion towards a target, one frame at a time; the target may move between frames.
pub struct Walk<'a> {
    lane: Lane<'a>,
    /// The mirrored evaluation, used without a seed: the mean has a smaller error than either. With a seed there is a
    /// single evaluation.
    other: Option<Lane<'a>>,
    motion: Motion<Row>,
    /// The last two poses.
    poses: Poses,
    offsets: &'a [Vec3; ROLES],
    origin: Vec3,
    way: Way,
}

/// The reference interpolation.
struct Way {
    target: Poses,
    /// Its rows; the last one is the target's.
    rows: Vec<Row>,
    /// Number of frames made so far.
    made: usize,
    /// Displacement from it caused by the offset of the latent variable.
    away: Row,
}

impl Way {
    /// `span`: frames to the target.
    fn new(past: &Poses, target: &Poses, span: usize, row: impl Fn(&Poses, usize) -> Row) -> Self {
        let between = interpolated(past, target, span - 1);
        let rows = (0..span - 1).map(|frame| row(&between, frame)).chain([row(target, 0)]).collect();
        Self { target: target.clone(), rows, made: 0, away: Row(vec![0.0; ROW]) }
    }
}

impl<'a> Walk<'a> {
    /// Starts behind the last frame of `past`, `span` frames before the target. See [`Manifold::fill`]; neither
    /// `past` nor `target` may be empty.
    pub fn new(
        network: &'a Manifold,
        past: &Poses,
        offsets: &'a [Vec3; ROLES],
        ground: f32,
        conditions: &Conditions,
        target: &Poses,
        span: usize,
    ) -> Self {
        let (last, span) = (past.len() - 1, span.max(1));
        let origin = past.hips[last].with_y(ground);
        let at = |poses: &Poses, frame: usize| row(poses.hips[frame], poses.pose(frame), offsets, origin);
        let poses = tail(past);
        let way = Way::new(&poses, target, span, at);
        let goal = &way.rows[span - 1];
        let mut lane = network.0.lane(conditions);
        let mut other = conditions.seed.is_none().then(|| network.0.lane(&Conditions::default()));
        let now = at(past, last);
        // A single frame has no velocity: use that of the straight way to the target.
        let mut motion = Motion { rate: steady(&now, goal, span as f32), row: now };
        for frame in last.saturating_sub(network.0.sizes.past).max(1)..=last {
            motion = Motion::between(&at(past, frame - 1), &at(past, frame));
            if frame < last {
                let moment = Moment { since: 0, span: span + last - frame };
                let next = at(past, frame + 1);
                motion.observed(&mut lane, goal, &next, moment);
                if let Some(other) = &mut other {
                    motion.mirrored().observed(other, &mirrored(goal), &mirrored(&next), moment);
                }
            }
        }
        Self { lane, other, motion, poses, offsets, origin, way }
    }

    /// The next frame; `span`: frames from the last one to the target.
    pub fn next(&mut self, target: &Poses, span: usize) -> Prediction {
        let span = span.max(1);
        if *target != self.way.target || self.way.rows.len() - self.way.made != span {
            let at = |poses: &Poses, frame: usize| row(poses.hips[frame], poses.pose(frame), self.offsets, self.origin);
            self.way = Way::new(&self.poses, target, span, at);
        }
        let Way { rows, made, away, .. } = &mut self.way;
        let moment = Moment { since: *made, span };
        let (goal, reference) = (&rows[rows.len() - 1], rows[*made].plus(away));
        let unpushed = self.lane.unpushed().map(|mut lane| self.motion.next(&mut lane, goal, &reference, moment).0);
        let (mut motion, mut contacts) = self.motion.next(&mut self.lane, goal, &reference, moment);
        let plain = unpushed.as_ref().map_or_else(|| motion.row.clone(), |unpushed| unpushed.row.clone());
        if unpushed.is_some() {
            // It decays to zero, with zero velocity, at the target.
            let decay = span.saturating_sub(2) as f32 / span as f32;
            *away = away.plus(&motion.row.minus(&plain)).scaled(decay);
        }
        if let Some(other) = &mut self.other {
            let (seen, touching) = self.motion.mirrored().next(other, &mirrored(goal), &mirrored(&reference), moment);
            let row = upright(&motion.row.plus(&mirrored(&seen.row).minus(&plain).scaled(0.5)));
            motion = Motion { rate: row.minus(&self.motion.row), row };
            contacts = contacts.plus(&mirrored_contacts(&touching)).scaled(0.5);
        }
        *made += 1;
        let last = self.poses.len() - 1;
        let (hips, rotations) = legs::solved(&motion.row.0, self.poses.pose(last), self.offsets);
        self.motion = motion;
        let hips = hips + self.origin;
        self.poses.push(hips, rotations.iter().copied());
        self.poses = tail(&self.poses);
        let contacts = std::array::from_fn(|part| 1.0 / (1.0 + (-contacts.0[part]).exp()));
        Prediction { hips, rotations, contacts }
    }
}

/// The last two poses, or the only one.
fn tail(poses: &Poses) -> Poses {
    let from = poses.len().saturating_sub(2);
    Poses { hips: poses.hips[from..].to_vec(), rotations: poses.rotations[from * ROLES..].to_vec() }
}

fn steady(now: &Row, goal: &Row, span: f32) -> Row {
    Row(now.0.iter().zip(&goal.0).map(|(now, goal)| (goal - now) / span).collect())
}
