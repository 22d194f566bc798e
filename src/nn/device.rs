//! The browser's GPU, started once, what its failures say, and values back from any device.

use crate::error::{Error, Result};
#[cfg(feature = "webgpu")]
use burn::tensor::Device;
use burn::tensor::Tensor;

/// A tensor's values. With WebGPU they cannot be had without waiting.
///
/// # Errors
/// [`Error::Weights`] where they cannot be read back from their device.
pub fn values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    let fail =
        |message: String| Error::Weights { message: format!("weights cannot be read from the device: {message}") };
    let data = tensor.try_into_data().map_err(|error| fail(error.to_string()))?;
    data.try_into_vec().map_err(|error| fail(format!("{error:?}")))
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
