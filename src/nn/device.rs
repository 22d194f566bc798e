//! Where a network runs: the CPU or the browser's GPU, as asked or as measured.

use crate::error::{Error, Result};
use burn::tensor::Device;

/// What a user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asked {
    /// The faster of the two, measured with the loaded network.
    #[default]
    Auto,
    /// The browser's GPU, or an error where there is none.
    WebGpu,
    /// The CPU.
    Cpu,
}

impl Asked {
    /// "auto", "webgpu" or "cpu".
    pub fn name(self) -> &'static str {
        match self {
            Asked::Auto => "auto",
            Asked::WebGpu => Kind::WebGpu.name(),
            Asked::Cpu => Kind::Cpu.name(),
        }
    }

    /// The choice of a name.
    ///
    /// # Errors
    /// [`Error::Option`] for any other word.
    pub fn from_name(name: &str) -> Result<Self> {
        let known = [Asked::Auto, Asked::WebGpu, Asked::Cpu].into_iter().find(|asked| asked.name() == name);
        let message = || format!("\"{name}\" is not one of auto, webgpu, cpu");
        known.ok_or_else(|| Error::Option { option: "device", message: message() })
    }
}

/// A kind of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The browser's GPU.
    WebGpu,
    /// The CPU.
    Cpu,
}

impl Kind {
    /// "webgpu" or "cpu".
    pub fn name(self) -> &'static str {
        match self {
            Kind::WebGpu => "webgpu",
            Kind::Cpu => "cpu",
        }
    }
}

/// Frames of the forward passes that `Auto` compares.
pub const MEASURED_FRAMES: usize = 60;

/// Frames of the pass that goes before: a GPU that needs longer for these than the CPU for [`MEASURED_FRAMES`] (one that is
/// emulated) is not made to run the rest, which would take it minutes.
pub const PROBE_FRAMES: usize = 1;

/// Largest difference of outputs, in the rows' own units, at which `Auto` still trusts a GPU.
pub const LARGEST_DIFFERENCE: f32 = 1e-2;

/// Time of a warm forward pass on the GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GpuTime {
    /// Of [`MEASURED_FRAMES`], in milliseconds.
    Measured(f64),
    /// Of [`PROBE_FRAMES`], in milliseconds; the rest was not run.
    TooSlow(f64),
}

/// The faster device, and why in words. `cpu`: milliseconds of a warm forward pass of [`MEASURED_FRAMES`].
pub fn faster(cpu: f64, gpu: GpuTime) -> (Kind, String) {
    let frames = MEASURED_FRAMES;
    match gpu {
        GpuTime::TooSlow(gpu) => {
            let reason = format!(
                "the CPU is faster: {frames} frames in {cpu:.0} ms, where WebGPU took {gpu:.0} ms for {PROBE_FRAMES}"
            );
            (Kind::Cpu, reason)
        }
        GpuTime::Measured(gpu) if gpu < cpu => {
            (Kind::WebGpu, format!("WebGPU is faster: {frames} frames in {gpu:.0} ms, {cpu:.0} ms on the CPU"))
        }
        GpuTime::Measured(gpu) => {
            (Kind::Cpu, format!("the CPU is faster: {frames} frames in {cpu:.0} ms, {gpu:.0} ms with WebGPU"))
        }
    }
}

/// The CPU.
pub fn cpu() -> Device {
    Device::flex()
}

/// The browser's GPU. Ask `navigator.gpu.requestAdapter()` first: without an adapter this may fail late.
///
/// # Errors
/// [`Error::Device`] where no GPU device is to be had.
#[cfg(feature = "webgpu")]
pub async fn webgpu() -> Result<Device> {
    use burn::tensor::{DeviceKind, wgpu::WgpuInitError};
    thread_local! {
        // A device is registered once; asking again is an error.
        static DEVICE: std::cell::RefCell<Option<Device>> = const { std::cell::RefCell::new(None) };
    }
    if let Some(device) = DEVICE.with_borrow(Clone::clone) {
        return Ok(device);
    }
    let device = match Device::wgpu_options().init_with_setup_async().await {
        Ok((device, setup)) => {
            // Burn's handler panics, which in wasm ends the whole module.
            setup.device.on_uncaptured_error(std::sync::Arc::new(|error| set_fault(error.to_string())));
            device
        }
        // Another load, running at the same time, was first.
        Err(WgpuInitError::Registration { .. }) => Device::wgpu(DeviceKind::DefaultDevice),
        Err(error) => return Err(Error::Device { message: format!("WebGPU does not start: {error}") }),
    };
    DEVICE.set(Some(device.clone()));
    Ok(device)
}

/// First thing that went wrong on the GPU without an operation saying so: what it computed since is not to be trusted.
#[cfg(feature = "webgpu")]
static FAULT: std::sync::OnceLock<String> = std::sync::OnceLock::new();

#[cfg(feature = "webgpu")]
fn set_fault(message: String) {
    // Later faults follow from the first.
    let _ = FAULT.set(message);
}

/// Whether the browser's GPU has made no silent mistake since it was started.
///
/// # Errors
/// [`Error::Device`] with the first one: out of memory, or a command it refused.
#[cfg(feature = "webgpu")]
pub fn webgpu_is_sound() -> Result<()> {
    FAULT.get().map_or(Ok(()), |message| Err(Error::Device { message: message.clone() }))
}

/// What an error of a device says at its core: Burn wraps it in "caused by" lines and an empty backtrace, browsers add where.
pub fn cause(message: &str) -> &str {
    let said = message.split("Backtrace:").next().unwrap_or(message).trim();
    let is_core = |line: &&str| !line.is_empty() && !line.starts_with("- ");
    said.lines().map(str::trim).rfind(is_core).unwrap_or(said)
}
