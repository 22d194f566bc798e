//! Training of the motion manifold (Tang et al. 2022, sections 3.1 and 4.2): first on pairs of frames, then on
//! rollouts, in which each frame follows from the network's previous output.

use super::recipe::{Recipe, Stage};
use super::source::{Statistics, Window, draw, draw_normal, frame_contacts, frame_rows};
use crate::checkpoint;
use crate::experts::matrix;
use crate::run::{Batch, Training};
use crate::takes::{Cut, Source, Take};
use burn::tensor::{Device, Tensor, activation};
use kinestitch::error::{Error, Result};
use kinestitch::feature::manifold::columns::Columns;
use kinestitch::feature::manifold::{
    CONDITION, LOWER_POINTS, MOVES, STEP, advance, condition, heading, split_change, upper_rotations,
};
use kinestitch::method::manifold::step::MotionState;
use kinestitch::method::manifold::tensor::Manifold;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Number of predicted frames per lane: this many pairs, or as many rollouts as fit into this number of frames.
pub(super) const FRAMES: usize = 24;
/// Number of windows that the normalisation is measured on.
const STATISTICS_WINDOWS: usize = 3000;
/// Frames between the starts of validation windows.
const STRIDE: usize = 97;
/// The normalised truth is clamped to this distance from 0, standard deviations, because recordings contain errors.
const MAX_TRUTH: f32 = 6.0;

/// Weight of the slide of feet, per centimetre. In eq. 5, the reconstruction has weight 1, and the recipe sets the
/// weight of the divergence.
const SLIDE_WEIGHT: f32 = 0.3;
/// Weight of the change of bone lengths, per centimetre.
const STRETCH_WEIGHT: f32 = 0.05;
/// Weight of the cross entropy of contacts.
const CONTACT_WEIGHT: f32 = 0.05;
/// Centimetres in a metre.
const CENTIMETRES: f32 = 100.0;

/// Recordings and recipe of the manifold's training.
pub struct ManifoldTraining<'a> {
    source: &'a Source,
    validation: Vec<Window>,
    recipe: &'a Recipe,
}

impl<'a> ManifoldTraining<'a> {
    /// Prepares the training. `held_out`: takes for validation.
    pub fn new(source: &'a Source, held_out: &[Take], recipe: &'a Recipe) -> Self {
        let windows_of_take = |take: &Take| -> Vec<Window> {
            let end = (take.poses.len() + 1).saturating_sub(FRAMES + 2);
            (0..end).step_by(STRIDE).map(|start| Window::new(&Cut::unchanged(take, start), FRAMES + 2)).collect()
        };
        Self { source, validation: held_out.iter().flat_map(windows_of_take).collect(), recipe }
    }
}

/// Output of the manifold for the step from one frame to the next.
struct StepOutput {
    /// Predicted next frame, with its change from the current frame.
    motion: MotionState<Tensor<2>>,
    /// Mean squared error of the normalised columns.
    error: Tensor<1>,
    /// Divergence of the latent variable from the prior (eq. 9), summed over columns, mean over rows.
    divergence: Tensor<1>,
    /// Predicted columns, denormalised, [rows, [`MOVES`]].
    moves: Tensor<2>,
    /// Logits of the contacts, [rows, 4].
    contacts: Tensor<2>,
}

/// Reconstructs the step from the frame of `motion` to the recorded next frame, `truth`. `draw`: random numbers, [rows,
/// latent], that sample the latent variable. Without `draw`, the latent variable is the mean of the prior if
/// `use_prior` is true, and otherwise the mean of the encoder.
fn reconstruct_step(
    model: &Manifold,
    motion: &MotionState<Tensor<2>>,
    truth: &Tensor<2>,
    draw: Option<Tensor<2>>,
    use_prior: bool,
) -> StepOutput {
    let heading = heading(&motion.row);
    let condition = condition(&motion.row, &motion.rate, &heading);
    let [step, moves] = split_change(&truth.minus(&motion.row), &heading);
    let [mean, log_variance] = model.encode(&condition, &step, &moves);
    // Eq. 9.
    let divergence = (mean.clone().square() + log_variance.clone().exp() - log_variance.clone() - 1.0) * 0.5;
    let latent = match draw {
        Some(draw) => mean + (log_variance * 0.5).exp() * draw,
        None if use_prior => mean * 0.0,
        None => mean,
    };
    let out = model.decode(&condition, &step, &latent);
    let predicted = out.clone().narrow(1, 0, MOVES);
    let error = (predicted.clone() - model.moves.normalise(moves).clamp(-MAX_TRUTH, MAX_TRUTH)).square().mean();
    let predicted = model.moves.denormalise(predicted);
    let row =
        advance(&motion.row, &heading, &step, &predicted, &upper_rotations(truth).minus(&upper_rotations(&motion.row)));
    let contacts = Tensor::narrow(out, 1, MOVES, 4);
    let rows = divergence.dims()[0] as f32;
    let motion = MotionState { rate: row.minus(&motion.row), row };
    StepOutput { motion, error, divergence: divergence.sum() / rows, moves: predicted, contacts }
}

/// Computes the horizontal movement of feet in contact, |x| + |z| in metres (eq. 6). This is a mean over all ankles and
/// toes; those without contact count as 0. `planted`: recorded contacts, [rows, 4], 0 or 1.
fn slide(moves: &Tensor<2>, planted: &Tensor<2>) -> Tensor<1> {
    let feet = |axis: usize| {
        let ankle_and_toe = |point: usize| Columns::narrow(moves, axis * (LOWER_POINTS + 2) + point, 2);
        Tensor::cat(vec![ankle_and_toe(1), ankle_and_toe(4)], 1).abs() // [rows, 4]
    };
    ((feet(0) + feet(2)) * planted.clone()).mean()
}

/// Computes the mean difference of the lengths of shins and feet from the recording, metres (eq. 7).
fn stretch(row: &Tensor<2>, truth: &Tensor<2>) -> Tensor<1> {
    // The seven points of a row are the hips, then knee, ankle and toe of the left leg, and those of the right leg.
    let lengths = |row: &Tensor<2>| {
        let axis = |axis: usize| {
            let points = |first: usize| Columns::narrow(row, 7 * axis + first, 2);
            Tensor::cat(vec![points(2) - points(1), points(5) - points(4)], 1).square() // [rows, 4]
        };
        (axis(0) + axis(1) + axis(2) + 1e-8).sqrt()
    };
    (lengths(row) - lengths(truth)).abs().mean()
}

/// Computes the mean cross entropy of contacts. `logits`: predictions; `contacts`: recorded contacts, 0 or 1.
fn contact_entropy(logits: Tensor<2>, contacts: Tensor<2>) -> Tensor<1> {
    (activation::softplus(logits.clone(), 1.0) - logits * contacts).mean()
}

impl Training for ManifoldTraining<'_> {
    type Model = Manifold;
    const LOG: &'static [&'static str] = &["total", "error", "divergence", "slide_cm", "stretch_cm", "touch"];
    const VALIDATION: &'static [&'static str] =
        &["validation", "pair", "pair_prior", "divergence_pair", "rollout", "ankle_cm"];

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Manifold> {
        let longest_rollout = self.recipe.stages.iter().map(|stage| stage.frames).fold(1, usize::max);
        self.source.check_length(longest_rollout + 2)?;
        if self.validation.is_empty() {
            let message = format!("no recording for validation has {} frames or more", FRAMES + 2);
            return Err(Error::Option { option: "data", message });
        }
        let mut model = Manifold::new(&self.recipe.sizes, device);
        if let Some(path) = from {
            return checkpoint::load(model, path);
        }
        let mut rng = StdRng::seed_from_u64(self.recipe.seed);
        let mut measured = [CONDITION, STEP, MOVES].map(Statistics::new);
        for _ in 0..STATISTICS_WINDOWS {
            let Window { rows, .. } = draw(self.source, &mut rng, 3);
            let motion = MotionState::between(&rows[0], &rows[1]);
            let heading = heading(&motion.row);
            measured[0].add(&condition(&motion.row, &motion.rate, &heading));
            let [step, moves] = split_change(&rows[2].minus(&rows[1]), &heading);
            measured[1].add(&step);
            measured[2].add(&moves);
        }
        let [condition, step, moves] = &measured;
        let normal = |statistics: &Statistics, min_deviation| statistics.normal(min_deviation, device);
        model.condition = normal(condition, 5e-3);
        model.step = normal(step, 1e-3);
        model.moves = normal(moves, 2e-3);
        Ok(model)
    }

    fn loss(&self, model: &Manifold, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let Stage { frames, blur, .. } = self.recipe.stage(batch.step);
        let (mut windows, mut draws, latent) = (Vec::new(), vec![Vec::new(); frames], self.recipe.sizes.latent);
        for lane in batch.lanes.clone() {
            let mut rng = batch.rng(lane);
            for _ in 0..FRAMES / frames {
                let mut window = draw(self.source, &mut rng, frames + 2);
                add_noise(&mut window, blur, &mut rng);
                windows.push(window);
                draws
                    .iter_mut()
                    .for_each(|draw: &mut Vec<f32>| draw.extend((0..latent).map(|_| draw_normal(&mut rng))));
            }
        }
        let device = batch.device;
        let mut motion = MotionState::between(&frame_rows(&windows, 0, device), &frame_rows(&windows, 1, device));
        let mut sums: Option<[Tensor<1>; 5]> = None;
        for (frame, draw) in draws.into_iter().enumerate() {
            let truth = frame_rows(&windows, frame + 2, device);
            let planted = frame_contacts(&windows, frame + 2, device);
            let output = reconstruct_step(model, &motion, &truth, Some(matrix(draw, latent, device)), false);
            let terms = [
                output.error,
                output.divergence,
                slide(&output.moves, &planted) * CENTIMETRES,
                stretch(&output.motion.row, &truth) * CENTIMETRES,
                contact_entropy(output.contacts, planted),
            ];
            motion = output.motion;
            sums = Some(match sums {
                None => terms,
                Some(sums) => {
                    let mut pairs = sums.into_iter().zip(terms);
                    std::array::from_fn(|_| pairs.next().map_or_else(|| Tensor::zeros([1], device), |(a, b)| a + b))
                }
            });
        }
        let terms = sums.unwrap_or_else(|| std::array::from_fn(|_| Tensor::zeros([1], device)));
        let terms = terms.map(|term| term / frames as f32);
        let [error, divergence, slide, stretch, touch] = terms.clone();
        let total = error
            + divergence * self.recipe.divergence
            + slide * SLIDE_WEIGHT
            + stretch * STRETCH_WEIGHT
            + touch * CONTACT_WEIGHT;
        Ok(std::iter::once(total).chain(terms).collect())
    }

    /// Computes the values named in `VALIDATION`: the sum of the errors of pairs and of rollouts; the error of pairs
    /// with the encoder's mean, and with the prior's mean; the divergence of pairs; the error of rollouts; and the
    /// mean distance of the ankles from the recording at the end of a rollout, centimetres.
    fn validate(&self, model: &Manifold, device: &Device) -> Result<Vec<f32>> {
        let windows = &self.validation;
        let mut motion = MotionState::between(&frame_rows(windows, 0, device), &frame_rows(windows, 1, device));
        let scalar = |value: Tensor<1>| value.into_scalar::<f32>();
        let prior = scalar(reconstruct_step(model, &motion, &frame_rows(windows, 2, device), None, true).error);
        let (mut pair, mut rollout, mut ankle_distance) = ([0.0; 2], 0.0, 0.0);
        for frame in 0..FRAMES {
            let truth = frame_rows(windows, frame + 2, device);
            let output = reconstruct_step(model, &motion, &truth, None, false);
            let error = scalar(output.error);
            rollout += error / FRAMES as f32;
            if frame == 0 {
                pair = [error, scalar(output.divergence)];
            }
            motion = output.motion;
            let square = |axis: usize| {
                let difference = |point: usize| {
                    Columns::narrow(&motion.row, 7 * axis + point, 1) - Columns::narrow(&truth, 7 * axis + point, 1)
                };
                Tensor::cat(vec![difference(2), difference(5)], 1).square()
            };
            ankle_distance = scalar((square(0) + square(1) + square(2)).sqrt().mean()) * CENTIMETRES;
        }
        Ok(vec![pair[0] + rollout, pair[0], prior, pair[1], rollout, ankle_distance])
    }
}

/// Adds noise to the first two frames of a window, so that the manifold learns to recover from errors. The standard
/// deviation is a centimetre for lower points and about a degree for the rotations of hips and legs, times a random
/// factor between 0 and `blur`.
fn add_noise(window: &mut Window, blur: f32, rng: &mut StdRng) {
    let scale = blur * rng.random::<f32>();
    if scale == 0.0 {
        return;
    }
    // A row has three planes of 7 points, of which the first is the hips; then six planes of 22 rotations, of which the
    // first nine belong to hips and legs.
    let columns = (0..21).filter(|column| column % 7 > 0).map(|column| (column, 0.01));
    let rotations = (0..6).flat_map(|plane| (0..9).map(move |role| (21 + 22 * plane + role, 0.02)));
    for (column, deviation) in columns.chain(rotations) {
        let shift = scale * deviation * draw_normal(rng);
        let change = 0.3 * scale * deviation * draw_normal(rng);
        window.rows[1].0[column] += shift;
        window.rows[0].0[column] += shift + change;
    }
}
