//! Devices that networks can be trained on.

use burn::tensor::Device;
use kinestitch::error::{Error, Result};

/// Device names. `cpu` is in every build; the others need the cargo feature of the same name.
pub const NAMES: [&str; 3] = ["cpu", "cuda", "vulkan"];

/// Returns the default device of a name.
///
/// # Errors
/// [`Error::Option`] for an unknown name, and for a name of [`NAMES`] that is not in this build; the message then names
/// the cargo feature.
pub fn from_name(name: &str) -> Result<Device> {
    let message = match name {
        "cpu" => return Ok(Device::flex()),
        #[cfg(feature = "cuda")]
        "cuda" => return Ok(Device::cuda(0_usize)),
        #[cfg(feature = "vulkan")]
        "vulkan" => return Ok(Device::vulkan(burn::tensor::DeviceKind::DefaultDevice)),
        name if NAMES.contains(&name) => format!("this build has no {name}: build with `--features {name}`"),
        other => format!("\"{other}\" is not one of {}", NAMES.join(", ")),
    };
    Err(Error::Option { option: "device", message })
}
