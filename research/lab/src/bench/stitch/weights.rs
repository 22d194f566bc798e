//! Weight files to measure.

use crate::{Outcome, files};
use burn::tensor::Device;
use kinestitch::method::rmr::{PackedRmr, Rmr};
use sha2::{Digest, Sha256};
use std::path::Path;

/// A refiner in both forms, and the digest that identifies it in the tables.
pub struct Network {
    /// First digits of the file's SHA-256.
    pub digest: String,
    /// The network on packed blocks, as in the page.
    pub packed: PackedRmr,
    /// The network on tensors.
    pub tensors: Rmr,
}

impl Network {
    /// Reads a weight file; both forms compute on the CPU.
    pub fn read(path: &Path) -> Outcome<Self> {
        let bytes = files::read(path)?;
        let digest: String = Sha256::digest(&bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let packed = PackedRmr::from_bytes(&bytes).map_err(files::at(path))?;
        let tensors = Rmr::load(&bytes, &Device::flex()).map_err(files::at(path))?;
        Ok(Self { digest, packed, tensors })
    }
}
