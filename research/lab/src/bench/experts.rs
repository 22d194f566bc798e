//! `bench experts`: native time of the three expert layers of a mixture of experts for one row, the work of one frame.
//! The sizes are those of the shipped DC-MoE; the values are synthetic. The gate is not included.

use crate::Outcome;
use crate::report::{Report, number};
use clap::Args;
use kinestitch::feature::dcmoe;
use kinestitch::nn::activation::elu;
use kinestitch::nn::experts::PackedExperts;
use kinestitch::nn::weights::write::{NamedTensor, to_bytes};
use kinestitch::nn::weights::{Meta, Precision, Weights};
use std::hint::black_box;
use std::time::Instant;

/// Number of timed rows per precision; odd, so that the median is one of the times.
const ROWS: usize = 201;
/// Numbers of columns of DC-MoE: of the input, of both hidden layers (`hidden` in its recipes) and of the output.
const COLUMNS: [usize; 4] = [dcmoe::INPUT, 256, 256, dcmoe::OUTPUT];

/// Native time of three expert layers for one row, milliseconds
#[derive(Args)]
pub struct Options {
    /// Number of experts
    #[arg(long, default_value_t = 8)]
    experts: usize,
}

/// Times one row in each precision. The precisions take turns, so that all see the same load of the machine.
pub fn run(Options { experts }: Options, report: &mut Report) -> Outcome {
    let nets: Vec<(&str, Vec<PackedExperts>)> = Precision::ALL
        .into_iter()
        // Weights in f16 are converted to f32 when they are read, so they take the same time as those in f32.
        .filter(|(_, precision)| *precision != Precision::F16)
        .map(|(name, precision)| Ok((name, make_layers(experts, precision)?)))
        .collect::<kinestitch::Result<_>>()?;
    let expert_weights = vec![1.0 / experts as f32; experts];
    let row: Vec<f32> = (0..COLUMNS[0]).map(|index| (0.3 * index as f32).sin()).collect();
    let mut milliseconds = vec![Vec::with_capacity(ROWS); nets.len()];
    for _ in 0..ROWS {
        for ((_, layers), milliseconds) in nets.iter().zip(&mut milliseconds) {
            let started = Instant::now();
            black_box(forward(layers, &expert_weights, row.clone()));
            milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    let caption = format!("Time per row: layers of {COLUMNS:?} columns, {experts} experts, {ROWS} rows");
    report.table(caption, ["precision", "median, ms", "best, ms"]);
    for ((name, _), mut milliseconds) in nets.iter().zip(milliseconds) {
        milliseconds.sort_by(f64::total_cmp);
        report.row([*name, &number(milliseconds[ROWS / 2], 3), &number(milliseconds[0], 3)]);
    }
    Ok(())
}

/// Makes the layers, with sine waves as weights: the values do not affect the time.
fn make_layers(experts: usize, precision: Precision) -> kinestitch::Result<Vec<PackedExperts>> {
    let wave = |shape: &[usize]| {
        let count = shape.iter().product();
        (0..count).map(|index: usize| 0.05 * (0.7 * index as f32).sin()).collect()
    };
    let shapes: Vec<[usize; 3]> = COLUMNS.windows(2).map(|pair| [experts, pair[0], pair[1]]).collect();
    let tensors = shapes.iter().enumerate().flat_map(|(index, shape)| {
        let tensor = |kind, shape: &[usize]| NamedTensor {
            name: format!("{index}.{kind}"),
            values: wave(shape),
            shape: shape.to_vec(),
        };
        [tensor("weight", shape), tensor("bias", &[shape[0], shape[2]])]
    });
    let empty = String::new;
    let meta = Meta { name: empty(), layout: 0, config: 0.into(), set: empty(), licence: empty() };
    let bytes = to_bytes(&meta, &tensors.collect::<Vec<_>>(), precision)?;
    let weights = Weights::read(&bytes)?;
    shapes.iter().enumerate().map(|(index, shape)| PackedExperts::read(&weights, &index.to_string(), *shape)).collect()
}

/// Applies the layers to a row, with ELU between them. `expert_weights`: `[experts]`.
fn forward(layers: &[PackedExperts], expert_weights: &[f32], row: Vec<f32>) -> Vec<f32> {
    layers.iter().enumerate().fold(row, |row, (index, layer)| {
        let mut out = vec![0.0; layer.outputs()];
        layer.apply_row(&row, expert_weights, &mut out);
        if index + 1 < layers.len() {
            elu(&mut out);
        }
        out
    })
}
