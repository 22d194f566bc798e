//! Gradients of one training step. The lanes of the batch are split over threads. Each thread uses a fork of the model,
//! which shares the parameters but has its own autodiff graph. (Clones would share one graph and its lock.)

use crate::run::{Batch, Training};
use crate::schedule::Schedule;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::{Device, Tensor};
use kinestitch::error::Result;
use kinestitch::nn::device::values;
use std::ops::Range;

/// Losses and gradients of a batch.
pub struct Gradients {
    /// Gradients of the mean loss over the whole batch, clipped.
    pub params: GradientsParams,
    /// Losses in the order of [`Training::LOG`], means over the whole batch.
    pub losses: Vec<f32>,
    /// Norm of all gradients together before clipping.
    pub norm: f32,
}

/// Computes the gradients of a step's batch on `threads` threads. Apart from rounding, the result does not depend on
/// the number of threads if the loss of a batch is a mean over its lanes and random numbers come from [`Batch::rng`].
///
/// # Errors
/// Those of [`Training::loss`], and those of [`values`] if the norm cannot be read from the device.
pub fn gradients<T: Training>(
    training: &T,
    model: &T::Model,
    schedule: &Schedule,
    step: usize,
    threads: usize,
    device: &Device,
) -> Result<Gradients> {
    let size = schedule.batch;
    let lane_ranges = split_lanes(size, threads);
    let run = |model: T::Model, lanes: Range<usize>| {
        let batch = Batch { seed: schedule.seed, step, size, lanes, device };
        let (gradients, losses) = training.gradients(&model, &batch)?;
        let weighted: Vec<f32> = losses.into_iter().map(|loss| loss * batch.weight()).collect();
        Ok((gradients, weighted))
    };
    let results: Vec<Result<_>> = match &lane_ranges[..] {
        [all_lanes] => vec![run(model.clone(), all_lanes.clone())],
        lane_ranges => std::thread::scope(|scope| {
            let start = |lanes: &Range<usize>| {
                let (model, lanes, run) = (model.clone().fork(device), lanes.clone(), &run);
                scope.spawn(move || run(model, lanes))
            };
            let workers: Vec<_> = lane_ranges.iter().map(start).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        }),
    };
    let mut sum = GradientsAccumulator::new();
    let mut losses = vec![0.0; T::LOG.len()];
    for result in results {
        let (gradients, values) = result?;
        sum.accumulate(model, gradients);
        losses.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    let mut params = sum.grads();
    let norm = clip(model, &mut params, schedule.clip())?;
    Ok(Gradients { params, losses, norm })
}

/// Splits the lanes of a batch evenly over threads.
fn split_lanes(batch: usize, threads: usize) -> Vec<Range<usize>> {
    let threads = threads.clamp(1, batch.max(1));
    (0..threads).map(|index| index * batch / threads..(index + 1) * batch / threads).collect()
}

/// Scales all gradients down if the norm of all together exceeds `max_norm`. Returns the original norm.
///
/// # Errors
/// Those of [`values`].
fn clip<M: Module>(model: &M, gradients: &mut GradientsParams, max_norm: f32) -> Result<f32> {
    struct Squares<'a>(&'a GradientsParams, Vec<Tensor<1>>);
    impl ModuleVisitor for Squares<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Some(gradient) = self.0.get::<D>(param.id) {
                self.1.push(gradient.square().sum());
            }
        }
    }
    struct Scale<'a>(&'a mut GradientsParams, f32);
    impl ModuleVisitor for Scale<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Some(gradient) = self.0.remove::<D>(param.id) {
                self.0.register(param.id, gradient * self.1);
            }
        }
    }
    let mut squares = Squares(gradients, Vec::new());
    model.visit(&mut squares);
    if squares.1.is_empty() {
        return Ok(0.0);
    }
    let norm = values(Tensor::cat(squares.1, 0).sum().sqrt())?[0];
    if norm > max_norm {
        model.visit(&mut Scale(gradients, max_norm / norm));
    }
    Ok(norm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::nn::{Linear, LinearConfig};
    use burn::tensor::TensorData;
    use rand::Rng;
    use std::path::Path;

    /// Test model: a linear layer on random points.
    struct Line;

    impl Training for Line {
        type Model = Linear;
        const LOG: &'static [&'static str] = &["total"];
        const VALIDATION: &'static [&'static str] = &["validation"];

        fn model(&self, _: Option<&Path>, device: &Device) -> Result<Linear> {
            Ok(LinearConfig::new(3, 1).init(device))
        }

        fn loss(&self, model: &Linear, batch: &Batch) -> Result<Vec<Tensor<1>>> {
            let points: Vec<f32> = batch.lanes.clone().flat_map(|lane| batch.rng(lane).random::<[f32; 3]>()).collect();
            let points = Tensor::<2>::from_data(TensorData::new(points, [batch.lanes.len(), 3]), batch.device);
            Ok(vec![(model.forward(points) - 20.0).square().mean()])
        }

        fn validate(&self, _: &Linear, _: &Device) -> Result<Vec<f32>> {
            Ok(vec![0.0])
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_gradients() {
        let text = r#"{ "steps": 1, "batch": 7, "rate": 0.01, "warmup": 0, "seed": 1, "clip": 2.0 }"#;
        let schedule: Schedule = serde_json::from_str(text).unwrap();
        let device = Device::flex().autodiff();
        let model = Line.model(None, &device).unwrap();
        let run = |threads| gradients(&Line, &model, &schedule, 3, threads, &device).unwrap();
        let values = |gradients: &Gradients| -> Vec<f32> {
            gradients.params.get::<2>(model.weight.id).unwrap().into_data().try_into_vec().unwrap()
        };
        let (one, three) = (run(1), run(3));
        assert!((one.losses[0] - three.losses[0]).abs() < 1e-3 * one.losses[0], "{:?}, {:?}", one.losses, three.losses);
        assert!(values(&one).iter().zip(values(&three)).all(|(a, b)| (a - b).abs() < 1e-4));
        assert!(one.norm > 2.0, "{}", one.norm);
        let squares = values(&one).iter().map(|value| value * value).sum::<f32>();
        let bias: f32 = one.params.get::<1>(model.bias.as_ref().unwrap().id).unwrap().into_scalar();
        assert!(((squares + bias * bias).sqrt() - 2.0).abs() < 1e-4, "clipped to a norm of 2");
    }
}
