//! `bench experts`: native time of one frame through layers of blended experts, as in controllers and gap fillers.

use crate::Outcome;
use crate::report::{Report, number};
use clap::Args;
use kinestitch::nn::activation::elu;
use kinestitch::nn::experts::PackedExperts;
use kinestitch::nn::weights::write::{NamedTensor, to_bytes};
use kinestitch::nn::weights::{Meta, Precision, Weights};
use std::hint::black_box;
use std::time::Instant;

/// Each figure is the median of this many frames.
const FRAMES: usize = 201;
/// Layer widths of DC-MoE.
const COLUMNS: [usize; 4] = [474, 512, 512, 500];

/// Time of one frame through three layers of blended experts, natively
#[derive(Args)]
pub struct Options {
    /// Number of experts
    #[arg(long, default_value_t = 8)]
    experts: usize,
}

/// Times one frame in every precision. The precisions take turns, so that all see the same load of the machine.
pub fn run(Options { experts }: Options, report: &mut Report) -> Outcome {
    let nets: Vec<(&str, Vec<PackedExperts>)> = Precision::ALL
        .into_iter()
        .filter(|(_, precision)| *precision != Precision::F16) // held in memory as f32
        .map(|(name, precision)| Ok((name, layers(experts, precision)?)))
        .collect::<kinestitch::Result<_>>()?;
    let shares = vec![1.0 / experts as f32; experts];
    let row: Vec<f32> = (0..COLUMNS[0]).map(|index| (0.3 * index as f32).sin()).collect();
    let mut milliseconds = vec![Vec::with_capacity(FRAMES); nets.len()];
    for _ in 0..FRAMES {
        for ((_, layers), milliseconds) in nets.iter().zip(&mut milliseconds) {
            let started = Instant::now();
            black_box(forward(layers, &shares, row.clone()));
            milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    let caption = format!("One row through {COLUMNS:?} columns, {experts} experts, {FRAMES} frames");
    report.table(caption, ["precision", "median, ms", "best, ms"]);
    for ((name, _), mut milliseconds) in nets.iter().zip(milliseconds) {
        milliseconds.sort_by(f64::total_cmp);
        report.row([*name, &number(milliseconds[FRAMES / 2], 3), &number(milliseconds[0], 3)]);
    }
    Ok(())
}

fn layers(experts: usize, precision: Precision) -> kinestitch::Result<Vec<PackedExperts>> {
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

fn forward(layers: &[PackedExperts], shares: &[f32], row: Vec<f32>) -> Vec<f32> {
    layers.iter().enumerate().fold(row, |row, (index, layer)| {
        let mut out = vec![0.0; layer.outputs()];
        layer.apply_row(&row, shares, &mut out);
        if index + 1 < layers.len() {
            elu(&mut out);
        }
        out
    })
}
