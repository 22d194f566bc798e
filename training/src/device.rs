//! Devices a build can train on.

use burn::tensor::Device;
use kinestitch::error::{Error, Result};

/// Device names: `cpu` in every build, the others with the cargo feature of the same name.
pub const NAMES: [&str; 3] = ["cpu", "cuda", "vulkan"];

/// Default device of a kind.
///
/// # Errors
/// [`Error::Option`] for a name of [`NAMES`] that is not in this build, naming the cargo feature, and for unknown
/// names.
pub fn of_name(name: &str) -> Result<Device> {
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
