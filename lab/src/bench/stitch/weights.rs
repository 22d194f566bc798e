//! Weight files to measure.

use burn::tensor::Device;
use kinestitch::method::rmr::{PackedRmr, Rmr};
use sha2::{Digest, Sha256};
use std::path::Path;
use training::recipe;

/// A refiner and its name in the tables.
pub struct Network {
    /// `rmr`, followed by the cell type if it is not the default.
    pub method: String,
    /// First digits of the file's SHA-256.
    pub sum: String,
    /// The network on packed blocks, as in the page.
    pub refiner: PackedRmr,
    /// The network on tensors.
    pub model: Rmr,
}

impl Network {
    /// Reads a weight file with any recurrent cell, onto the CPU.
    pub fn read(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (cell, model) = recipe::load_any(&bytes, &Device::flex())?;
        let sum: String = Sha256::digest(&bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            method: if cell == "bgru" { "rmr".to_owned() } else { format!("rmr-{cell}") },
            sum,
            refiner: PackedRmr::from_bytes(&bytes)?,
            model,
        })
    }
}
