//! Loads the refiner on the device asked for; where none is, on both, and keeps the faster.

use super::browser::{Adapter, adapter, milliseconds};
use crate::error::{Error, Result};
use crate::feature::layout::Refiner as Row;
use crate::method::rmr::{Refiner, Rmr};
use crate::nn::device::{self, Asked, GpuTime, Kind, LARGEST_DIFFERENCE, MEASURED_FRAMES, PROBE_FRAMES};

/// The refiner on its device.
pub struct Chosen {
    /// The network, and where it is.
    pub refiner: Refiner,
    /// What kind of device that is.
    pub kind: Kind,
    /// Why, in words.
    pub reason: String,
    /// Milliseconds of a warm forward pass of [`MEASURED_FRAMES`], where it was measured.
    pub cpu_milliseconds: Option<f64>,
    /// The same with WebGPU.
    pub webgpu_milliseconds: Option<f64>,
}

impl Chosen {
    fn new(refiner: Refiner, kind: Kind, reason: String) -> Self {
        Self { refiner, kind, reason, cpu_milliseconds: None, webgpu_milliseconds: None }
    }
}

/// The refiner of a weight file on the CPU.
///
/// # Errors
/// [`Error::Weights`] where the file does not load.
pub fn on_cpu(weights: &[u8], reason: String) -> Result<Chosen> {
    Ok(Chosen::new(Refiner::on_cpu(weights)?, Kind::Cpu, reason))
}

async fn on_webgpu(weights: &[u8], adapter: &str) -> Result<Chosen> {
    let device = device::webgpu().await?;
    let reason = format!("WebGPU was asked for; its adapter is {adapter}");
    let refiner = Refiner::new(Rmr::load(weights, &device)?, device);
    Ok(Chosen::new(refiner, Kind::WebGpu, reason))
}

/// The refiner of a weight file on the device asked for.
///
/// # Errors
/// [`Error::Weights`] where the file does not load, [`Error::Device`] where WebGPU was asked for and there is none.
pub async fn choose(weights: &[u8], asked: Asked) -> Result<Chosen> {
    if asked == Asked::Cpu {
        return on_cpu(weights, "the CPU was asked for".to_owned());
    }
    match adapter().await {
        Some(adapter) if asked == Asked::WebGpu => on_webgpu(weights, &adapter.name).await,
        // Measuring it takes seconds, to find what is known.
        Some(Adapter { name, emulated: true }) => {
            on_cpu(weights, format!("this browser emulates WebGPU on the CPU ({name})"))
        }
        Some(adapter) => measure(weights, &adapter.name).await,
        None if asked == Asked::WebGpu => {
            let message = "this browser has no WebGPU, or no GPU for it; ask for \"cpu\" or \"auto\"".to_owned();
            Err(Error::Device { message })
        }
        None => on_cpu(weights, "this browser has no WebGPU, or no GPU for it".to_owned()),
    }
}

/// Both devices, the faster kept.
async fn measure(weights: &[u8], adapter: &str) -> Result<Chosen> {
    let mut cpu = on_cpu(weights, String::new())?;
    let (cpu_time, expected) = timed(&cpu, MEASURED_FRAMES).await?;
    cpu.cpu_milliseconds = Some(cpu_time);
    let measured = async {
        let gpu = on_webgpu(weights, adapter).await?;
        let time = gpu_time(&gpu, cpu_time, &expected).await?;
        Ok::<_, Error>((gpu, time))
    };
    let (gpu, time) = match measured.await {
        Ok(measured) => measured,
        Err(error) => {
            let reason = format!("WebGPU ({adapter}) does not work: {}", device::cause(&error.to_string()));
            return Ok(Chosen { reason, ..cpu });
        }
    };
    let (kind, reason) = device::faster(cpu_time, time);
    let kept = if kind == Kind::Cpu { cpu } else { gpu };
    let webgpu_milliseconds = if let GpuTime::Measured(time) = time { Some(time) } else { None };
    let reason = format!("{reason} ({adapter})");
    Ok(Chosen { reason, cpu_milliseconds: Some(cpu_time), webgpu_milliseconds, ..kept })
}

/// How long the GPU takes, where it is not hopeless and computes what the CPU does.
async fn gpu_time(gpu: &Chosen, cpu_time: f64, expected: &[f32]) -> Result<GpuTime> {
    let (probe, _) = timed(gpu, PROBE_FRAMES).await?;
    if probe > cpu_time {
        return Ok(GpuTime::TooSlow(probe));
    }
    let (time, found) = timed(gpu, MEASURED_FRAMES).await?;
    device::webgpu_is_sound()?;
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= LARGEST_DIFFERENCE;
    if found.len() != expected.len() || !found.iter().zip(expected).all(is_near) {
        return Err(Error::Device { message: "it does not compute what the CPU does".to_owned() });
    }
    Ok(GpuTime::Measured(time))
}

/// Milliseconds of the second of two forward passes over smooth rows, and what came out, [frames × 161].
async fn timed(on: &Chosen, frames: usize) -> Result<(f64, Vec<f32>)> {
    let value = |at: usize| 0.1 * (0.1 * (at / Row::WIDTH) as f32 + (at % Row::WIDTH) as f32).sin();
    let rows: Vec<f32> = (0..frames * Row::WIDTH).map(value).collect();
    on.refiner.forward(&rows).await?;
    let started = milliseconds();
    let refined = on.refiner.forward(&rows).await?;
    Ok((milliseconds() - started, refined))
}
