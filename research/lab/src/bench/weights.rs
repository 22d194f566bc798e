//! `bench weights`: converts a weight file to another precision, and measures the error.

use crate::{Outcome, files};
use clap::Args;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::{self, PackedRmr};
use kinestitch::nn::weights::write::{NamedTensor, to_bytes};
use kinestitch::nn::weights::{Precision, Weights};
use std::path::PathBuf;

/// Convert a weight file to another precision and print the error
#[derive(Args)]
pub struct Options {
    /// Weight file
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// f32, f16 or int8
    #[arg(long, default_value = "f32")]
    precision: String,
}

/// Reads every tensor and writes it in the new precision.
pub fn run(Options { weights, out, precision }: Options) -> Outcome {
    let named_precision = Precision::ALL.into_iter().find(|(name, _)| *name == precision);
    let (_, precision) =
        named_precision.ok_or_else(|| format!("--precision {precision} is not one of f32, f16, int8"))?;
    let bytes = files::read(&weights)?;
    let original = Weights::read(&bytes)?;
    let tensors: Vec<NamedTensor> = original
        .names()
        .into_iter()
        .map(|name| {
            let shape = original.shape(name).unwrap_or_default();
            Ok(NamedTensor { name: name.to_owned(), values: original.tensor(name, &shape)?, shape })
        })
        .collect::<kinestitch::Result<_>>()?;
    let written = to_bytes(&original.meta, &tensors, precision)?;
    std::fs::write(&out, &written).map_err(files::at(&out))?;
    println!("{}: {} tensors, {} bytes, {} before", out.display(), tensors.len(), written.len(), bytes.len());

    let converted = Weights::read(&written)?;
    let mut sums = [0.0_f64; 2];
    for NamedTensor { name, shape, values } in tensors.iter().filter(|tensor| tensor.shape.len() > 1) {
        for (a, b) in values.iter().zip(converted.tensor(name, shape)?) {
            sums[0] += f64::from(a - b).powi(2);
            sums[1] += f64::from(*a).powi(2);
        }
    }
    println!("matrices differ by {:.2} % of their root mean square", 100.0 * (sums[0] / sums[1]).sqrt());
    if original.meta.name == rmr::NAME {
        compare(&PackedRmr::read(&original)?, &PackedRmr::read(&converted)?);
    }
    Ok(())
}

/// Compares the outputs of two refiners on smooth rows about the mean.
fn compare(original: &PackedRmr, converted: &PackedRmr) {
    let value =
        |index: usize| (0.1 * (index / RefinerRow::WIDTH) as f32 + 0.7 * (index % RefinerRow::WIDTH) as f32).sin();
    let rows: Vec<f32> = (0..180 * RefinerRow::WIDTH).map(value).collect();
    let (a, b) = (original.infer(&rows), converted.infer(&rows));
    let is_pose = |index: usize| index % RefinerRow::WIDTH < RefinerRow::CONTACT.start;
    let values = || a.iter().zip(&b).zip(&rows).enumerate().filter(|(index, _)| is_pose(*index));
    let count = values().count() as f32;
    let root_mean = |square: &dyn Fn(f32, f32, f32) -> f32| {
        (values().map(|(_, ((a, b), row))| square(*a, *b, *row)).sum::<f32>() / count).sqrt()
    };
    let (error, change) = (root_mean(&|a, b, _| (a - b).powi(2)), root_mean(&|a, _, row| (a - row).powi(2)));
    let largest = values().map(|(_, ((a, b), _))| (a - b).abs()).fold(0.0, f32::max);
    println!(
        "180 rows of poses: the outputs differ by {error:.5} standard deviations (at most {largest:.4}); the network \
         itself changes its input by {change:.4}"
    );
}
