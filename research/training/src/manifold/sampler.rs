//! Training of the transition sampler (Tang et al. 2022, sections 3.2 and 4.3). The manifold stays fixed, or is trained
//! too in the final steps ([`Recipe::along`]).

use super::check::{GAPS, Gap, fill_scores, gaps};
use super::loss::loss;
use super::recipe::Recipe;
use super::rollout::Gaps;
use super::source::{Statistics, draw, draw_normal, frame_contacts, frame_rows};
use crate::checkpoint;
use crate::experts::matrix;
use crate::kinematics::planes;
use crate::run::{Batch, Training};
use crate::takes::{Source, Take};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use kinestitch::error::{Error, Result};
use kinestitch::feature::manifold::columns::{Columns, Row};
use kinestitch::feature::manifold::{OFFSET, ROW, STATE, TARGET, condition, encoder_inputs, heading};
use kinestitch::method::filler::BodyKeys;
use kinestitch::method::manifold::seed::VARIANCE;
use kinestitch::method::manifold::step::MotionState;
use kinestitch::method::manifold::tensor::{Manifold, ManifoldSampler};
use kinestitch::method::manifold::{self, Conditions};
use kinestitch::nn::weights::{self, Precision, Weights};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Number of windows that the normalisation is measured on.
const STATISTICS_WINDOWS: usize = 2000;
/// Frames between the starts of validation windows.
const STRIDE: usize = 211;
/// Probability that a batch has a single past frame, without known speed.
const SINGLE_PAST: f64 = 0.1;
/// Probability that the target's speed is known in a lane.
const KNOWN_TARGET_SPEED: f64 = 0.3;
/// Probability that a lane has no noise on the target.
const WITHOUT_NOISE: f64 = 0.5;

/// Recordings and recipe of the sampler's training.
pub struct SamplerTraining<'a> {
    source: &'a Source,
    validation: [Vec<Gap>; GAPS.len()],
    recipe: &'a Recipe,
    /// Checkpoint of the manifold.
    manifold: &'a Path,
}

impl<'a> SamplerTraining<'a> {
    /// Prepares the training. `held_out`: takes for validation. `manifold`: checkpoint (.bpk) of the manifold's run.
    pub fn new(source: &'a Source, held_out: &[Take], recipe: &'a Recipe, manifold: &'a Path) -> Self {
        Self { source, validation: GAPS.map(|gap| gaps(held_out, gap, STRIDE)), recipe, manifold }
    }

    /// Draws the length of the batch's gaps, and whether their past is a single frame.
    fn draw_gap(&self, batch: &Batch) -> (usize, bool) {
        let mut rng = StdRng::seed_from_u64(batch.seed.wrapping_add(1).wrapping_mul(batch.step as u64 + 1));
        let [min_gap, max_gap] = self.recipe.gaps;
        (rng.random_range(min_gap..=max_gap), rng.random_bool(SINGLE_PAST))
    }
}

/// Returns the number of frames of a training window. The last frame follows the target; the target's speed comes from
/// it. `last`: index of the last frame before the gap.
fn window_frames(last: usize, gap: usize) -> usize {
    last + gap + 3
}

impl Training for SamplerTraining<'_> {
    type Model = ManifoldSampler;
    const LOG: &'static [&'static str] = &["total", "rotation", "position", "change", "slide", "agree"];
    const VALIDATION: &'static [&'static str] =
        &["validation", "ratio_5", "ratio_15", "ratio_30", "ratio_45", "slide_cm"];

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<ManifoldSampler> {
        let sizes = &self.recipe.sizes;
        self.source.check_length(window_frames(sizes.past + 1, self.recipe.gaps[1]))?;
        let blank = Manifold::new(sizes, device);
        if let Some(path) = from {
            return checkpoint::load_network(ManifoldSampler::new(blank, sizes, device), path, &self.recipe.header);
        }
        let manifold = checkpoint::load(blank, self.manifold)?;
        let mut rng = StdRng::seed_from_u64(self.recipe.seed + 1);
        let mut measured = [STATE, TARGET, OFFSET].map(Statistics::new);
        let [min_gap, max_gap] = self.recipe.gaps;
        for _ in 0..STATISTICS_WINDOWS {
            let gap = rng.random_range(min_gap..=max_gap);
            let window = draw(self.source, &mut rng, gap + 3);
            let frame = rng.random_range(1..=gap);
            let motion = MotionState::between(&window.rows[frame - 1], &window.rows[frame]);
            let guess = window.interpolation(1, gap, [2, 1])[frame - 1].minus(&motion.row);
            let heading = heading(&motion.row);
            let condition = condition(&motion.row, &motion.rate, &heading);
            let inputs = encoder_inputs(&motion.row, &motion.rate, &window.rows[gap + 2], &guess, &condition, &heading);
            measured.iter_mut().zip(&inputs).for_each(|(statistics, row)| statistics.add(row));
        }
        let mut model = ManifoldSampler::new(manifold, sizes, device);
        model.inputs = measured.map(|statistics| statistics.normal(5e-3, device));
        Ok(model)
    }

    fn loss(&self, model: &ManifoldSampler, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let (gap, is_single) = self.draw_gap(batch);
        let sizes = &self.recipe.sizes;
        let (device, past) = (&batch.device.clone().inner(), if is_single { 0 } else { sizes.past });
        // Index of the last frame before the gap.
        let last = past + 1;
        let (mut windows, mut interpolations, mut noise) = (Vec::new(), Vec::<Vec<Row>>::new(), Vec::new());
        for lane in batch.lanes.clone() {
            let mut rng = batch.rng(lane);
            let window = draw(self.source, &mut rng, window_frames(last, gap));
            let known_frames = [if is_single { 1 } else { 2 }, if rng.random_bool(KNOWN_TARGET_SPEED) { 2 } else { 1 }];
            interpolations.push(window.interpolation(last, gap, known_frames));
            windows.push(window);
            let deviation = if rng.random_bool(WITHOUT_NOISE) { 0.0 } else { VARIANCE.sqrt() };
            noise.extend((0..sizes.embedding[1]).map(|_| deviation * draw_normal(&mut rng)));
        }
        let noise = matrix(noise, sizes.embedding[1], device);
        let truth: Vec<Tensor<2>> = (0..last + gap + 2).map(|frame| frame_rows(&windows, frame, device)).collect();
        let interpolated_rows = |frame: usize| {
            let rows = interpolations.iter().flat_map(|rows| rows[frame].0.iter().copied());
            matrix(rows.collect(), ROW, device)
        };
        let interpolation: Vec<Tensor<2>> = (0..gap).map(interpolated_rows).collect();
        let gaps = Gaps { truth: &truth, interpolation: &interpolation, past, is_single };
        let inputs = gaps.roll_out(&model.valid(), noise.clone());
        let mut trained = model.clone();
        if self.recipe.along.is_none_or(|first_step| batch.step < first_step) {
            trained.manifold = trained.manifold.no_grad();
        }
        let generated = gaps.recompute(&trained, noise, &inputs);
        let planted =
            Tensor::cat((0..gap).map(|frame| frame_contacts(&windows, last + 1 + frame, device)).collect(), 0);
        let offsets: Vec<_> = windows.iter().map(|window| window.offsets).collect();
        Ok(loss(generated, &truth[last..], planted, &planes(&offsets, device), self.recipe.slide))
    }

    /// Computes the L2P of the packed network divided by the L2P of interpolation: the mean over the gap lengths, then
    /// the value of each gap length. Then computes the mean slide of planted feet, centimetres per frame.
    fn validate(&self, model: &ManifoldSampler, _: &Device) -> Result<Vec<f32>> {
        let bytes = weights::write(model, &self.recipe.sizes, ("", ""), Precision::F32)?;
        let network = manifold::Manifold::read(&Weights::read(&bytes)?)?;
        let mut out = vec![0.0];
        let mut slides = 0.0;
        for gaps in &self.validation {
            let fill = |past: &_, target: &_, gap, offsets: &_, ground| {
                network.fill(&BodyKeys { past, target, offsets, ground }, gap, &Conditions::default())
            };
            let [ratio, slide] = fill_scores(gaps, fill)?;
            out.push(ratio);
            slides += slide / GAPS.len() as f32;
        }
        out[0] = out[1..].iter().sum::<f32>() / GAPS.len() as f32;
        if !out[0].is_finite() {
            let message = "validation is not a number; are there held-out recordings?".to_owned();
            return Err(Error::Option { option: "validation", message });
        }
        out.push(slides);
        Ok(out)
    }
}
