//! Devices a build can train on.

use burn::tensor::Device;
use kinestitch::error::{Error, Result};

/// All devices by name: the CPU in every build, the others with the cargo feature of their name.
pub const NAMES: [&str; 3] = ["cpu", "cuda", "vulkan"];

/// The device of a name, the machine's default one of its kind.
///
/// # Errors
/// [`Error::Option`] for a name of [`NAMES`] that this build lacks, with the feature to build with, and for any other.
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
