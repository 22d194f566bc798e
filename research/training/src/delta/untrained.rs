//! Initial weights of the delta in-betweener: random, or those of a network with as many layers or fewer.

use super::Recipe;
use super::sample::{Sample, draw};
use crate::checkpoint;
use crate::takes::Source;
use burn::tensor::Device;
use kinestitch::error::Result;
use kinestitch::feature::delta::{INPUT, VERSION};
use kinestitch::method::delta::network::{NAME, Parameter, Parameters, Sizes};
use kinestitch::method::delta::{self, tensor::Delta};
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use kinestitch::nn::weights::{Network, Weights, into_module};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Number of samples for the mean and standard deviation of the input.
const STATISTICS_SAMPLES: usize = 1500;

/// Creates the untrained network. The recipe's seed determines its weights. Its output is the interpolation. Its input
/// statistics are those of random samples.
///
/// # Errors
/// [`kinestitch::Error::Weights`] for sizes that no weight file can have.
pub fn untrained_network(recipe: &Recipe, source: &Source, device: &Device) -> Result<Delta> {
    let (sizes, seed) = (recipe.sizes(), recipe.schedule.seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let samples: Vec<Sample> = (0..STATISTICS_SAMPLES).map(|_| draw(source, &mut rng, recipe.longest)).collect();
    let mut tensors = statistics(&samples).to_vec();
    tensors.extend(random_weights(&sizes, seed));
    let bytes = to_bytes(&recipe.header.meta(NAME, VERSION, &sizes)?, &tensors, Precision::F32)?;
    let file = Weights::read(&bytes)?;
    // Rejects sizes that the implementation on the CPU would reject after the training.
    delta::Delta::read(&file)?;
    into_module(&file, device)
}

/// Loads a weight file or a checkpoint. A weight file may have fewer layers than the recipe: the network then has
/// additional layers at its end, which add nothing to the tokens before they are trained.
///
/// # Errors
/// Those of [`checkpoint::load_tensors`].
pub fn load_or_deepen(recipe: &Recipe, path: &Path, device: &Device) -> Result<Delta> {
    let sizes = recipe.sizes();
    checkpoint::load_tensors(Delta::blank(&sizes, device), path, (NAME, VERSION), &recipe.header, |_, file| {
        let mut tensors = checkpoint::read_tensors(file, |_| true)?;
        // Other missing tensors remain missing, so that an incomplete file is refused.
        let additional_layers = file.config::<Sizes>()?.layers..sizes.layers;
        let is_additional = |tensor: &NamedTensor| {
            additional_layers.clone().any(|layer| tensor.name.starts_with(&format!("layers.{layer}.")))
        };
        for mut tensor in random_weights(&sizes, recipe.schedule.seed).into_iter().filter(is_additional) {
            if ends_branch(&tensor.name) {
                tensor.values.fill(0.0);
            }
            tensors.push(tensor);
        }
        Ok(tensors)
    })
}

/// Whether a parameter is the last matrix of a residual branch.
fn ends_branch(name: &str) -> bool {
    name.ends_with("out.weight") || name.ends_with("second.weight")
}

/// Computes the mean and standard deviation of the input columns.
fn statistics(samples: &[Sample]) -> [NamedTensor; 2] {
    let (mut sum, mut squares, mut count) = (vec![0.0_f64; INPUT], vec![0.0_f64; INPUT], 0.0);
    for row in samples.iter().flat_map(|sample| sample.input.rows.chunks_exact(INPUT)) {
        count += 1.0;
        for (column, x) in row.iter().enumerate() {
            sum[column] += f64::from(*x);
            squares[column] += f64::from(*x).powi(2);
        }
    }
    let mean: Vec<f64> = sum.iter().map(|sum| sum / count).collect();
    let deviation = squares.iter().zip(&mean).map(|(squares, mean)| (squares / count - mean * mean).max(0.0).sqrt());
    // Without this lower bound, nearly constant columns (such as a foot's offset in its own bone) would amplify noise.
    let deviation: Vec<f32> = deviation.map(|deviation| deviation.max(3e-3) as f32).collect();
    let mean: Vec<f32> = mean.iter().map(|mean| *mean as f32).collect();
    [NamedTensor::vector("mean", &mean), NamedTensor::vector("deviation", &deviation)]
}

/// Draws random weights. Biases and the output layer are zero.
fn random_weights(sizes: &Sizes, seed: u64) -> Vec<NamedTensor> {
    let mut rng = StdRng::seed_from_u64(seed);
    // Small initial weights of the residual branches keep the residual stream's size independent of the number of
    // layers.
    let branch_scale = 1.0 / (2.0 * sizes.layers as f32).sqrt();
    let tensor = |parameter: &Parameter| {
        let mut values = vec![0.0; parameter.range().len()];
        if parameter.name.ends_with("weight") && !parameter.name.starts_with("output") {
            let scale = if ends_branch(&parameter.name) { branch_scale } else { 1.0 };
            let bound = scale * (3.0 / parameter.shape[0] as f32).sqrt();
            values.iter_mut().for_each(|weight| *weight = rng.random_range(-bound..bound));
        }
        NamedTensor { name: parameter.name.clone(), shape: parameter.stored_shape(), values }
    };
    Parameters::new(sizes).all.iter().map(tensor).collect()
}
