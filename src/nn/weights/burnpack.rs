//! Weight files of the first release: bytes ↔ module.
//!
//! A file is the word `KINESTCH`, the layout version (u32, little endian), the SHA-256 of the rest, and the rest: a
//! burnpack record in half precision. Everything is checked before a module is touched.

use crate::error::{Error, Result};
use burn::module::{Module, ModuleMapper, Param};
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, DType, Tensor};
use sha2::{Digest, Sha256};

/// How such a file begins.
pub const MAGIC: &[u8; 8] = b"KINESTCH";
const HEAD: usize = 8 + 4 + 32;

/// The bytes of a module's weights, in half precision. `layout` is the version of the rows it was trained on.
///
/// # Errors
/// [`Error::Weights`] where a tensor cannot be read back from its device.
pub fn to_bytes<M: Module>(module: M, layout: u32) -> Result<Vec<u8>> {
    let record = module.map(&mut Halve).into_record();
    let payload = record.into_bytes().map_err(|error| damaged(error.to_string()))?;
    let mut bytes = Vec::with_capacity(HEAD + payload.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&layout.to_le_bytes());
    bytes.extend_from_slice(&Sha256::digest(&payload[..]));
    bytes.extend_from_slice(&payload);
    Ok(bytes)
}

/// `module` with the weights of a file, in the module's own precision and on its device.
///
/// # Errors
/// [`Error::Weights`] for a file that is no weight file, is cut short or damaged, is of another layout version, or holds
/// tensors of another network.
pub fn from_bytes<M: Module>(module: M, layout: u32, bytes: &[u8]) -> Result<M> {
    let Some((head, payload)) = bytes.split_at_checked(HEAD).filter(|(head, _)| head.starts_with(MAGIC)) else {
        return Err(damaged("this is no Kinestitch weight file; download it again".to_owned()));
    };
    let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    if version != layout {
        let message = format!("layout version {version} where {layout} is needed; use the weights of this release");
        return Err(damaged(message));
    }
    if Sha256::digest(payload)[..] != head[12..] {
        return Err(damaged("the file is cut short or damaged; download it again".to_owned()));
    }
    let record = ModuleRecord::from_bytes(Bytes::from_bytes_vec(payload.to_vec()));
    let record = record.map_err(|error| damaged(error.to_string()))?.cast_to_module_dtype();
    module.try_load_record(record).map_err(|error| damaged(format!("weights of another network: {error}")))
}

fn damaged(message: String) -> Error {
    Error::Weights { message }
}

/// Casts every float parameter to half precision.
struct Halve;

impl ModuleMapper for Halve {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|tensor| tensor.cast(DType::F16))
    }
}
