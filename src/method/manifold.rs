//! Manifold in-betweener: Tang et al. 2022, *Real-time Controllable Motion Transition for Characters*. In every frame,
//! a sampler chooses the next point on a manifold of natural motion, so that the target is reached in time.
//!
//! The manifold (section 3.1, eq. 4 to 9) is a conditional variational autoencoder of lower body and hips; its
//! decoder is a mixture of six experts. The sampler (section 3.2, eq. 10 to 14) has three encoders with time
//! embedding and target noise, an LSTM and a parse decoder.
//!
//! Changes from the paper:
//! - The sampler corrects one fixed interpolation ([`crate::body::interpolate::interpolate`]), so that errors do not
//!   accumulate.
//! - Columns are in the heading space of their frame and z-scored; layers are smaller ([`sizes`]).
//! - The time embedding also contains the number of frames since the last past frame ([`step::Moment`]).
//! - Feet in contact are held ([`crate::feature::manifold::hold_feet`]).
//! - Leg rotations are solved from the predicted positions of ankles and toes, so that bones keep their lengths.
//! - Noise is added only if a seed is given ([`seed`]). Without a seed, the network is also evaluated on the mirrored
//!   motion, and the mean of both is used.
//! - The user may add an offset to the latent variable ([`Conditions::latent`]).
//!
//! Scores: docs/results/inbetween-lafan1.md. Discarded variants: research/notes/manifold.md.

mod filler;
pub mod legs;
mod packed;
pub mod seed;
pub mod sizes;
pub mod step;
#[cfg(feature = "flex")]
pub mod tensor;

pub use filler::{FILLER, Options};

use crate::body::interpolate::interpolate;
use crate::body::poses::{Poses, ROLES};
use crate::error::{Error, Result};
use crate::feature::manifold::columns::{Columns, Row};
use crate::feature::manifold::mirror::{mirror_contacts, mirror_row};
use crate::feature::manifold::{ROW, VERSION, encode, orthonormal_rotations};
use crate::method::filler::{BodyKeys, BodyMotion, MAX_GAP, check_gap};
use crate::method::supports::correct_supports;
use crate::nn::weights::Weights;
use glam::{Quat, Vec3};
use packed::{Lane, PackedManifold};
use step::{Moment, MotionState};

/// Name of the networks in weight files and the manifest.
pub const NAME: &str = "manifold";
/// Layout version of the networks' rows.
pub const LAYOUT: u32 = VERSION;
/// Input columns are clamped to this many standard deviations, so that unusual poses do not cause extreme outputs.
pub const MAX_DEVIATIONS: f32 = 8.0;

/// Manifold and sampler, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Manifold(PackedManifold);

/// Conditions that select one of the possible motions; by default, the mean motion of the sampler.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conditions<'a> {
    /// Seed of the noise; different seeds give different motions ([`seed`]).
    pub seed: Option<u64>,
    /// Offset that is added to the latent variable, in standard deviations of the prior. Its effect is full in the
    /// middle of the gap and fades towards both keys ([`Moment::middle_weight`]). Missing components are 0. The
    /// resulting displacement is also added to the reference interpolation, because the sampler would otherwise undo
    /// the offset in the next frames.
    pub latent: &'a [f32],
}

/// A predicted frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Position of the hips, metres.
    pub hips: Vec3,
    /// Local rotations, `[22]`; the rotation of the hips is in world space.
    pub rotations: Vec<Quat>,
    /// Contact probabilities of left heel, left toe, right heel, right toe.
    pub contacts: [f32; 4],
}

impl Manifold {
    /// Reads the network of a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] if the file belongs to another network, or its sizes are inconsistent.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, LAYOUT)?;
        PackedManifold::read(weights).map(Self)
    }

    /// Fills `frames` frames between two keys.
    ///
    /// # Errors
    /// The errors of [`check_gap`] and [`BodyMotion::validate`]; [`Error::Option`] if the offset of the latent variable
    /// has more components than the latent variable, or is not finite.
    pub fn fill(&self, keys: &BodyKeys, frames: usize, conditions: &Conditions) -> Result<BodyMotion> {
        check_gap(keys, frames, MAX_GAP)?;
        let (components, Conditions { latent, .. }) = (self.0.sizes.latent, conditions);
        if latent.len() > components || !latent.iter().all(|x| x.is_finite()) {
            let message = format!("at most {components} finite numbers, not {latent:?}");
            return Err(Error::Option { option: "latent", message });
        }
        let mut rollout = Rollout::new(self, keys, frames + 1, conditions);
        let mut motion = BodyMotion::default();
        for index in 0..frames {
            let prediction = rollout.next(keys.target, frames + 1 - index);
            motion.poses.push(prediction.hips, prediction.rotations);
            motion.contacts.extend(prediction.contacts);
        }
        motion.validate().map(|motion| correct_supports(motion, keys))
    }
}

/// A motion towards a target, generated frame by frame. The target may move between frames.
pub struct Rollout<'a> {
    lane: Lane<'a>,
    /// State of the sampler for the mirrored motion; `None` with a seed. The mean of both predictions has a smaller
    /// error than each of them.
    mirrored_lane: Option<Lane<'a>>,
    /// Row of the last frame, and its change.
    motion: MotionState<Row>,
    /// The last two poses.
    poses: Poses,
    /// Bone offsets, metres.
    offsets: &'a [Vec3; ROLES],
    /// Point on the ground that rows are relative to: below the hips in the last past frame.
    origin: Vec3,
    /// Interpolation from the last past frame, or from the frame after which the target changed.
    reference: Reference,
}

/// The interpolation that the sampler corrects.
struct Reference {
    target: Poses,
    /// Rows of the interpolation, then the row of the target.
    rows: Vec<Row>,
    /// Number of frames generated since the interpolation was computed.
    elapsed: usize,
    /// Displacement from the interpolation, caused by the offset of the latent variable.
    displacement: Row,
}

impl Reference {
    /// Interpolates from `past` to `target`. `span`: number of frames to the target. `encode`: encodes one frame of the
    /// poses as a row.
    fn new(past: &Poses, target: &Poses, span: usize, encode: impl Fn(&Poses, usize) -> Row) -> Self {
        let interpolation = interpolate(past, target, span - 1);
        let rows = (0..span - 1).map(|frame| encode(&interpolation, frame)).chain([encode(target, 0)]).collect();
        Self { target: target.clone(), rows, elapsed: 0, displacement: Row(vec![0.0; ROW]) }
    }
}

impl<'a> Rollout<'a> {
    /// Starts at the last frame of the past, `span` frames before the target. Both keys have at least one frame.
    pub fn new(network: &'a Manifold, keys: &BodyKeys<'a>, span: usize, conditions: &Conditions) -> Self {
        let &BodyKeys { past, target, offsets, ground } = keys;
        let (last, span) = (past.len() - 1, span.max(1));
        let origin = past.hips[last].with_y(ground);
        let row = |poses: &Poses, frame: usize| encode(poses.hips[frame], poses.pose(frame), offsets, origin);
        let poses = last_two(past);
        let reference = Reference::new(&poses, target, span, row);
        let goal = &reference.rows[span - 1];
        let mut lane = network.0.lane(conditions);
        let mut mirrored_lane = conditions.seed.is_none().then(|| network.0.lane(&Conditions::default()));
        let current = row(past, last);
        // A single frame has no velocity; the mean velocity to the target is used instead.
        let mut motion = MotionState { rate: mean_rate(&current, goal, span as f32), row: current };
        // The sampler reads the past except its last frame, from which the first prediction starts.
        for frame in last.saturating_sub(network.0.sizes.past).max(1)..=last {
            motion = MotionState::between(&row(past, frame - 1), &row(past, frame));
            if frame < last {
                let moment = Moment { elapsed: 0, span: span + last - frame };
                let next = row(past, frame + 1);
                motion.observe(&mut lane, goal, &next, moment);
                if let Some(mirrored_lane) = &mut mirrored_lane {
                    motion.mirrored().observe(mirrored_lane, &mirror_row(goal), &mirror_row(&next), moment);
                }
            }
        }
        Self { lane, mirrored_lane, motion, poses, offsets, origin, reference }
    }

    /// Generates the next frame. `span`: number of frames from the last generated frame to the target.
    pub fn next(&mut self, target: &Poses, span: usize) -> Prediction {
        let span = span.max(1);
        // The interpolation is computed again only if the target or its time has changed.
        if *target != self.reference.target || self.reference.rows.len() - self.reference.elapsed != span {
            let row =
                |poses: &Poses, frame: usize| encode(poses.hips[frame], poses.pose(frame), self.offsets, self.origin);
            self.reference = Reference::new(&self.poses, target, span, row);
        }
        let Reference { rows, elapsed, displacement, .. } = &mut self.reference;
        let moment = Moment { elapsed: *elapsed, span };
        let (goal, reference) = (&rows[rows.len() - 1], rows[*elapsed].plus(displacement));
        let motion_without_offset =
            self.lane.without_offset().map(|mut lane| self.motion.next(&mut lane, goal, &reference, moment).0);
        let (mut motion, mut contacts) = self.motion.next(&mut self.lane, goal, &reference, moment);
        let row_without_offset =
            motion_without_offset.as_ref().map_or_else(|| motion.row.clone(), |motion| motion.row.clone());
        if motion_without_offset.is_some() {
            // The displacement decays to zero, with zero velocity, at the target.
            let decay = span.saturating_sub(2) as f32 / span as f32;
            *displacement = displacement.plus(&motion.row.minus(&row_without_offset)).scale(decay);
        }
        if let Some(lane) = &mut self.mirrored_lane {
            let (goal, reference) = (mirror_row(goal), mirror_row(&reference));
            let (mirrored_motion, mirrored_contacts) = self.motion.mirrored().next(lane, &goal, &reference, moment);
            // The offset of the latent variable is not mirrored. So the correction is computed between the two
            // predictions without offset, and added to the prediction with offset.
            let correction = mirror_row(&mirrored_motion.row).minus(&row_without_offset).scale(0.5);
            let row = orthonormal_rotations(&motion.row.plus(&correction));
            motion = MotionState { rate: row.minus(&self.motion.row), row };
            contacts = contacts.plus(&mirror_contacts(&mirrored_contacts)).scale(0.5);
        }
        *elapsed += 1;
        let last = self.poses.len() - 1;
        let (hips, rotations) = legs::solve(&motion.row.0, self.poses.pose(last), self.offsets);
        self.motion = motion;
        let hips = hips + self.origin;
        self.poses.push(hips, rotations.iter().copied());
        self.poses = last_two(&self.poses);
        let contacts = std::array::from_fn(|contact| 1.0 / (1.0 + (-contacts.0[contact]).exp()));
        Prediction { hips, rotations, contacts }
    }
}

/// Returns the last two poses, or the only one.
fn last_two(poses: &Poses) -> Poses {
    let start = poses.len().saturating_sub(2);
    Poses { hips: poses.hips[start..].to_vec(), rotations: poses.rotations[start * ROLES..].to_vec() }
}

/// Returns the mean change per frame from a row to a goal `span` frames later.
fn mean_rate(row: &Row, goal: &Row, span: f32) -> Row {
    Row(row.0.iter().zip(&goal.0).map(|(value, goal)| (goal - value) / span).collect())
}
