//! Starts the browser's GPU and reports its errors; reads tensor values back from any device.

use crate::error::{Error, Result};
#[cfg(feature = "webgpu")]
use burn::tensor::Device;
use burn::tensor::Tensor;

/// Reads the values of a tensor. Does not work on WebGPU, where values cannot be read synchronously.
///
/// # Errors
/// [`Error::Weights`] if they cannot be read back from the device.
pub fn values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    let fail =
        |message: String| Error::Weights { message: format!("values cannot be read from the device: {message}") };
    let data = tensor.try_into_data().map_err(|error| fail(error.to_string()))?;
    data.try_into_vec().map_err(|error| fail(format!("{error:?}")))
}

/// Starts the browser's GPU, or returns the device if it has already been started. Call
/// `navigator.gpu.requestAdapter()` before: without an adapter, the first operation may fail instead of this function.
///
/// # Errors
/// [`Error::Device`] if no GPU device is available.
#[cfg(feature = "webgpu")]
pub async fn webgpu() -> Result<Device> {
    use burn::tensor::{DeviceKind, wgpu::WgpuInitError};
    thread_local! {
        // A device can be registered only once.
        static DEVICE: std::cell::RefCell<Option<Device>> = const { std::cell::RefCell::new(None) };
    }
    if let Some(device) = DEVICE.with_borrow(Clone::clone) {
        return Ok(device);
    }
    let device = match Device::wgpu_options().init_with_setup_async().await {
        Ok((device, setup)) => {
            // Burn's default handler panics, which in wasm ends the whole module.
            setup.device.on_uncaptured_error(std::sync::Arc::new(|error| set_fault(error.to_string())));
            device
        }
        // A concurrent call has started the device.
        Err(WgpuInitError::Registration { .. }) => Device::wgpu(DeviceKind::DefaultDevice),
        Err(error) => return Err(Error::Device { message: format!("WebGPU does not start: {error}") }),
    };
    DEVICE.set(Some(device.clone()));
    Ok(device)
}

/// First GPU error that no operation reported. Results after this error may be wrong.
#[cfg(feature = "webgpu")]
static FAULT: std::sync::OnceLock<String> = std::sync::OnceLock::new();

#[cfg(feature = "webgpu")]
fn set_fault(message: String) {
    // Later faults follow from the first.
    let _ = FAULT.set(message);
}

/// Checks that the browser's GPU has had no unreported error since it was started.
///
/// # Errors
/// [`Error::Device`] with the first such error: out of memory, or a rejected command.
#[cfg(feature = "webgpu")]
pub fn check_webgpu() -> Result<()> {
    FAULT.get().map_or(Ok(()), |message| Err(Error::Device { message: message.clone() }))
}

/// Extracts the cause from a device's error message. Burn adds "caused by" lines and an empty backtrace, browsers add a
/// location.
pub fn cause(message: &str) -> &str {
    let text = message.split("Backtrace:").next().unwrap_or(message).trim();
    let is_core = |line: &&str| !line.is_empty() && !line.starts_with("- ");
    text.lines().map(str::trim).rfind(is_core).unwrap_or(text)
}
