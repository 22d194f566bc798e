//! `bench device`: networks on tensors, as WebGPU evaluates them, beside the packed networks of the CPU: time and
//! difference. Graphics cards need a build with the feature of the same name:
//!
//!     cargo run --release -p lab --features vulkan --bin bench -- device --device vulkan

use crate::report::{Report, number};
use crate::{Outcome, files};
use burn::tensor::Device;
use clap::Args;
use kinestitch::body::ground_pose::GroundPose;
use kinestitch::body::poses::{PAST, Poses, ROLES};
use kinestitch::feature::delta::{INPUT, NetworkInput, OUTPUT};
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::delta::{self, tensor};
use kinestitch::method::rmr::{PackedRmr, Rmr};
use kinestitch::nn::weights::Weights;
use pollster::block_on;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs before the measured ones: a device compiles its kernels in the first.
const WARM_UP: usize = 3;
/// Each figure is the median of this many runs.
const RUNS: usize = 21;

/// Time and error of networks on tensors, compared with packed networks on the CPU
#[derive(Args)]
pub struct Options {
    /// Device of the tensors
    #[arg(long, value_name = "NAME", default_value = "cpu", value_parser = training::device::NAMES)]
    device: String,
    /// Folder of the weight files
    #[arg(long, value_name = "DIR", default_value = "models")]
    models: PathBuf,
}

/// A network, evaluated on raw rows.
type Network<'a> = Box<dyn Fn() -> Outcome<Vec<f32>> + 'a>;

/// Evaluates the refiner and the delta in-betweener on rows of sines. A time on the device includes the transfer of
/// the rows and of the result.
pub fn run(Options { device: name, models }: Options, report: &mut Report) -> Outcome {
    let device = training::device::from_name(&name)?;
    let columns = ["network", "frames", "packed, ms", &format!("{name}, ms"), "largest difference", "of values up to"];
    report.table(format!("Packed on one core of the CPU, and tensors on {name}: medians of {RUNS} runs"), columns);
    for frames in [60, 180, 600] {
        let rows = sines(frames * RefinerRow::WIDTH);
        let bytes = read(&models, "rmr-open")?;
        let (packed, tensors) = (PackedRmr::from_bytes(&bytes)?, Rmr::load(&bytes, &device)?);
        let networks: [Network; 2] =
            [Box::new(|| Ok(packed.forward(&rows))), Box::new(|| Ok(block_on(tensors.forward_rows(&rows))?))];
        compare("refiner", frames, networks, report)?;
    }
    for name in ["delta-open", "delta-research"] {
        for frames in [30, 120, 240] {
            add_delta(name, frames, &read(&models, name)?, &device, report)?;
        }
    }
    Ok(())
}

/// Adds the row of the delta in-betweener in a gap of `frames` frames. `bytes`: weight file.
fn add_delta(name: &str, frames: usize, bytes: &[u8], device: &Device, report: &mut Report) -> Outcome {
    let packed = delta::Delta::read(&Weights::read(bytes)?)?;
    let tensors = tensor::Delta::load(bytes, device)?;
    let mut base = Poses::default();
    (0..frames).for_each(|_| base.push(Default::default(), [Default::default(); ROLES]));
    let rows = sines((PAST + frames + 1) * INPUT);
    let input = NetworkInput { rows, past: PAST, ground: GroundPose::default(), base };
    let gap = PAST * OUTPUT..(PAST + frames) * OUTPUT;
    let networks: [Network; 2] = [
        Box::new(|| Ok(packed.evaluate(&input))),
        Box::new(|| Ok(block_on(tensors.evaluate(&input.rows))?[gap.clone()].to_vec())),
    ];
    compare(name, frames, networks, report)
}

/// Adds a row: the time of the packed network, then of the tensors, and their largest difference.
fn compare(name: &str, frames: usize, networks: [Network; 2], report: &mut Report) -> Outcome {
    let mut milliseconds = [const { Vec::new() }; 2];
    let (mut difference, mut largest) = (0.0_f32, 0.0_f32);
    for run in 0..WARM_UP + RUNS {
        let mut results = Vec::with_capacity(2);
        for (network, milliseconds) in networks.iter().zip(&mut milliseconds) {
            let start = Instant::now();
            results.push(network()?);
            if run >= WARM_UP {
                milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        // `f32::max` ignores NaN, so a network that fails on the device would have no difference.
        if results.iter().flatten().any(|value| !value.is_finite()) {
            return Err(format!("{name}, {frames} frames: an output is not finite").into());
        }
        for (packed, tensors) in results[0].iter().zip(&results[1]) {
            difference = difference.max((packed - tensors).abs());
            largest = largest.max(packed.abs());
        }
    }
    milliseconds.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let [packed, tensors] = milliseconds.map(|times| number(times[RUNS / 2], 2));
    report.row([name, &frames.to_string(), &packed, &tensors, &format!("{difference:.1e}"), &format!("{largest:.1}")]);
    Ok(())
}

/// Creates `count` numbers between -1 and 1.
fn sines(count: usize) -> Vec<f32> {
    (0..count).map(|index| (0.37 * index as f32).sin()).collect()
}

/// Reads a weight file of the folder `models`.
fn read(models: &Path, name: &str) -> Outcome<Vec<u8>> {
    files::read(&models.join(format!("{name}.safetensors")))
}
