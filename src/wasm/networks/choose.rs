//! Loads the refiner on the device asked for; where none is, on both, and keeps the faster.

use super::browser::{adapter, milliseconds};
use crate::error::{Error, Result};
use crate::feature::layout::Refiner as Row;
use crate::method::rmr::Rmr;
use crate::nn::device::{self, Asked, GpuTime, Kind, LARGEST_DIFFERENCE, MEASURED_FRAMES, PROBE_FRAMES};
use burn::tensor::{Device, Tensor, TensorData};

/// The refiner on its device.
pub struct Chosen {
    /// The network.
    pub model: Rmr,
    /// Where it is.
    pub device: Device,
    /// What that is.
    pub kind: Kind,
    /// Why, in words.
    pub reason: String,
    /// Milliseconds of a warm forward pass of [`MEASURED_FRAMES`], where it was measured.
    pub cpu_milliseconds: Option<f64>,
    /// The same with WebGPU.
    pub webgpu_milliseconds: Option<f64>,
}

/// The refiner of a weight file on the CPU.
pub fn on_cpu(weights: &[u8], reason: String) -> Result<Chosen> {
    let device = device::cpu();
    let model = Rmr::load(weights, &device)?;
    Ok(Chosen { model, device, kind: Kind::Cpu, reason, cpu_milliseconds: None, webgpu_milliseconds: None })
}

async fn on_webgpu(weights: &[u8], name: &str) -> Result<Chosen> {
    let device = device::webgpu().await?;
    let model = Rmr::load(weights, &device)?;
    let reason = format!("asked for; the GPU is {name}");
    Ok(Chosen { model, device, kind: Kind::WebGpu, reason, cpu_milliseconds: None, webgpu_milliseconds: None })
}

/// The refiner of a weight file on the device asked for.
///
/// # Errors
/// [`Error::Weights`] where the file does not load, [`Error::Device`] where WebGPU was asked for and there is none.
pub async fn choose(weights: &[u8], asked: Asked) -> Result<Chosen> {
    if asked == Asked::Cpu {
        return on_cpu(weights, "asked for".to_owned());
    }
    let name = adapter().await;
    match (asked, name) {
        (Asked::WebGpu, None) => {
            let message = "this browser has no WebGPU, or no GPU for it; ask for \"cpu\" or \"auto\"".to_owned();
            Err(Error::Device { message })
        }
        (Asked::WebGpu, Some(name)) => on_webgpu(weights, &name).await,
        (_, None) => on_cpu(weights, "this browser has no WebGPU, or no GPU for it".to_owned()),
        (_, Some(name)) => measure(weights, &name).await,
    }
}

/// Both devices, the faster kept.
async fn measure(weights: &[u8], name: &str) -> Result<Chosen> {
    let mut cpu = on_cpu(weights, String::new())?;
    let (cpu_time, expected) = timed(&cpu, MEASURED_FRAMES).await?;
    cpu.cpu_milliseconds = Some(cpu_time);
    let gpu = match on_webgpu(weights, name).await {
        Ok(gpu) => gpu,
        Err(error) => return Ok(Chosen { reason: format!("WebGPU ({name}) failed: {error}"), ..cpu }),
    };
    match gpu_time(&gpu, cpu_time, &expected).await {
        Err(error) => Ok(Chosen { reason: format!("WebGPU ({name}) failed: {error}"), ..cpu }),
        Ok(time) => {
            let (kind, reason) = device::faster(cpu_time, time);
            let kept = if kind == Kind::Cpu { cpu } else { gpu };
            let webgpu_milliseconds = if let GpuTime::Measured(time) = time { Some(time) } else { None };
            let reason = format!("{reason} ({name})");
            Ok(Chosen { reason, cpu_milliseconds: Some(cpu_time), webgpu_milliseconds, ..kept })
        }
    }
}

/// How long the GPU takes, where it is not hopeless and computes what the CPU does.
async fn gpu_time(gpu: &Chosen, cpu_time: f64, expected: &[f32]) -> Result<GpuTime> {
    let (probe, _) = timed(gpu, PROBE_FRAMES).await?;
    if probe > cpu_time {
        return Ok(GpuTime::TooSlow(probe));
    }
    let (time, found) = timed(gpu, MEASURED_FRAMES).await?;
    let differs = |(a, b): (&f32, &f32)| !((a - b).abs() <= LARGEST_DIFFERENCE);
    if found.len() != expected.len() || found.iter().zip(expected).any(differs) {
        return Err(Error::Device { message: "it does not compute what the CPU does".to_owned() });
    }
    Ok(GpuTime::Measured(time))
}

/// Milliseconds of the second of two forward passes, and what came out: normalised rows, [frames × 161].
async fn timed(on: &Chosen, frames: usize) -> Result<(f64, Vec<f32>)> {
    forward(on, frames).await?;
    let started = milliseconds();
    let rows = forward(on, frames).await?;
    Ok((milliseconds() - started, rows))
}

/// A forward pass of smooth normalised rows.
async fn forward(on: &Chosen, frames: usize) -> Result<Vec<f32>> {
    let row = |frame: usize| {
        let values = (0..Row::WIDTH).map(|column| (0.1 * frame as f32 + 0.7 * column as f32).sin()).collect();
        Tensor::from_data(TensorData::new(values, [1, Row::WIDTH]), &on.device) // [1, 161]
    };
    let steps: Vec<Tensor<2>> = (0..frames).map(row).collect();
    read(on.model.forward(&steps)).await
}

/// A tensor's values. Never blocks.
pub async fn read(tensor: Tensor<2>) -> Result<Vec<f32>> {
    let data = tensor.into_data_async().await.map_err(|error| Error::Device { message: error.to_string() })?;
    data.try_into_vec::<f32>().map_err(|error| Error::Device { message: error.to_string() })
}
