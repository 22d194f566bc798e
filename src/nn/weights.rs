//! Weight files: safetensors, readable without Burn.
//!
//! Each parameter of a network, including the normalisation, is a tensor named by its path in the module
//! (`recurrent.0.forwards.input.weight`). Properties of the file ([`Meta`]) are JSON in its metadata, under the key
//! [`KEY`]. Tensors of two and more dimensions may be stored in half precision, or as eight-bit integers with a scale
//! for each output column (`….weight.scale`); vectors are always in single precision. All tensors are read as `f32`,
//! one by one.

#[cfg(feature = "flex")]
pub mod module;
pub mod write;

use crate::error::{Error, Result, quoted};
use half::f16;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

#[cfg(feature = "flex")]
pub use module::{Network, into_module, write};
pub use write::Precision;

/// Name of the entry in the file's metadata.
pub const KEY: &str = "kinestitch";
/// Largest size in a configuration, such as the width of a layer.
pub const MAX_SIZE: usize = 8192;
/// Largest magnitude of a value. Values of trained networks are below 20; sums of products of much larger values
/// overflow.
pub const MAX_VALUE: f32 = 1e6;
/// Suffix of the name of the tensor that holds the scales of a tensor of integers.
const SCALE: &str = ".scale";
/// First bytes of weight files of the first release.
const FIRST_RELEASE: &[u8] = b"KINESTCH";

/// Properties of a weight file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Name of the network, such as `rmr`.
    pub name: String,
    /// Version of the row layout that the network was trained with.
    pub layout: u32,
    /// Configuration of the network.
    pub config: serde_json::Value,
    /// Weight set, by the licence of the training data: `open` or `research`.
    pub set: String,
    /// Licence of the weights, as a readable text.
    pub licence: String,
}

/// A weight file whose metadata has been read; tensors are read on demand.
#[derive(Debug)]
pub struct Weights<'a> {
    /// Properties of the file.
    pub meta: Meta,
    tensors: SafeTensors<'a>,
}

impl<'a> Weights<'a> {
    /// Reads the metadata of a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] if the file is not a weight file, or is truncated.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        if bytes.starts_with(FIRST_RELEASE) {
            return Err(wrong("this file is of an earlier release; use the weights of this release"));
        }
        let invalid = |error| wrong(format!("this is not a complete safetensors file ({error}); download it again"));
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(invalid)?;
        let Some(meta) = header.metadata().as_ref().and_then(|entries| entries.get(KEY)) else {
            return Err(wrong("this is not a Kinestitch weight file: its metadata does not name the network"));
        };
        let meta =
            serde_json::from_str(meta).map_err(|error| wrong(format!("its metadata cannot be read: {error}")))?;
        Ok(Self { meta, tensors: SafeTensors::deserialize(bytes).map_err(invalid)? })
    }

    /// Checks the name and the layout version of the network.
    ///
    /// # Errors
    /// [`Error::Weights`] if one of them differs; the message states the expected and the actual value.
    pub fn check_layout(&self, name: &str, layout: u32) -> Result<()> {
        let Meta { name: actual_name, layout: actual_layout, .. } = &self.meta;
        if actual_name != name {
            return Err(wrong(format!("this is the network {}, where \"{name}\" is needed", quoted(actual_name))));
        }
        if *actual_layout != layout {
            let message =
                format!("layout version {actual_layout} where {layout} is needed; use the weights of this release");
            return Err(wrong(message));
        }
        Ok(())
    }

    /// Reads the configuration of the network.
    ///
    /// # Errors
    /// [`Error::Weights`] if the configuration does not fit `C`, such as that of another network.
    pub fn config<C: DeserializeOwned>(&self) -> Result<C> {
        C::deserialize(&self.meta.config).map_err(|error| wrong(format!("its configuration does not fit: {error}")))
    }

    /// Checks the sizes of a configuration before they are multiplied or memory is allocated.
    ///
    /// # Errors
    /// [`Error::Weights`] if a size is 0 or greater than [`MAX_SIZE`].
    pub fn check_sizes(&self, sizes: &[usize]) -> Result<()> {
        match sizes.iter().find(|size| !(1..=MAX_SIZE).contains(*size)) {
            Some(size) => {
                Err(wrong(format!("its configuration has a size of {size}, which is not between 1 and {MAX_SIZE}")))
            }
            None => Ok(()),
        }
    }

    /// Lists the names of all tensors but the scales, in alphabetical order.
    pub fn names(&self) -> Vec<&str> {
        let mut names = self.tensors.names();
        names.retain(|name| name.strip_suffix(SCALE).is_none_or(|scaled| self.tensors.tensor(scaled).is_err()));
        names.sort_unstable();
        names
    }

    /// Returns the shape of a tensor; `None` if no tensor has this name.
    pub fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.tensors.tensor(name).ok().map(|tensor| tensor.shape().to_vec())
    }

    /// Reads the values of a tensor, the last dimension innermost.
    ///
    /// # Errors
    /// [`Error::Weights`] if the tensor is missing, has another shape, or contains a value that is not finite or
    /// exceeds [`MAX_VALUE`].
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let (integers, scales) = match self.stored(name, shape)? {
            Stored::Floats(values) => return Ok(values),
            Stored::Integers(integers, scales) => (integers, scales),
        };
        let &[.., rows, columns] = shape else { return Ok(Vec::new()) };
        let mut values: Vec<f32> = integers.iter().map(|&value| f32::from(value)).collect();
        if rows * columns > 0 {
            for (matrix, scales) in values.chunks_exact_mut(rows * columns).zip(scales.chunks_exact(columns)) {
                for row in matrix.chunks_exact_mut(columns) {
                    row.iter_mut().zip(scales).for_each(|(value, scale)| *value *= scale);
                }
            }
        }
        Ok(values)
    }

    /// Reads a tensor as integers or as floating-point numbers, whichever the file holds; half precision is converted
    /// to single precision.
    ///
    /// # Errors
    /// Those of [`Weights::tensor`].
    pub fn stored(&self, name: &str, shape: &[usize]) -> Result<Stored<'a>> {
        let tensor = self.tensors.tensor(name).map_err(|_| wrong(format!("it contains no tensor \"{name}\"")))?;
        if tensor.shape() != shape {
            let actual = tensor.shape();
            return Err(wrong(format!("tensor \"{name}\" has the shape {actual:?}, but {shape:?} is needed")));
        }
        let values: Vec<f32> = match tensor.dtype() {
            Dtype::F32 => tensor.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
            Dtype::F16 => tensor.data().chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32()).collect(),
            Dtype::I8 => {
                let &[ref stacks @ .., _, columns] = shape else {
                    return Err(wrong(format!("tensor \"{name}\" is a vector, but only matrices may hold integers")));
                };
                let scales = self.tensor(&format!("{name}{SCALE}"), &[stacks, &[columns]].concat())?;
                let integers: &[i8] = bytemuck::cast_slice(tensor.data());
                check_products(name, integers, &scales, shape)?;
                return Ok(Stored::Integers(integers, scales));
            }
            other => return Err(wrong(format!("tensor \"{name}\" holds {other:?}; F32, F16 and I8 are known"))),
        };
        if let Some(value) = values.iter().find(|value| !is_plausible(**value)) {
            let message = format!("tensor \"{name}\" holds {value:e}, which is beyond {MAX_VALUE:e} or not a number");
            return Err(wrong(format!("{message}; download the weights again, or train the network again")));
        }
        Ok(Stored::Floats(values))
    }
}

/// Values of a tensor, as integers or floating-point numbers as in the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored<'a> {
    /// Single precision.
    Floats(Vec<f32>),
    /// Integers, and their scales: one for each column of each matrix, [… × columns].
    Integers(&'a [i8], Vec<f32>),
}

/// Checks that the product of each integer and its scale is at most [`MAX_VALUE`].
fn check_products(name: &str, integers: &[i8], scales: &[f32], shape: &[usize]) -> Result<()> {
    // The scales of all common files are far below this limit.
    if scales.iter().all(|scale| is_plausible(f32::from(i8::MIN) * scale)) {
        return Ok(());
    }
    let [.., rows, columns] = shape else { return Ok(()) };
    let matrices = integers.chunks((rows * columns).max(1)).zip(scales.chunks(*columns));
    let products = matrices.flat_map(|(matrix, scales)| {
        matrix.iter().zip(scales.iter().cycle()).map(|(&integer, scale)| f32::from(integer) * scale)
    });
    match products.into_iter().find(|&product| !is_plausible(product)) {
        Some(product) => {
            let message = format!("tensor \"{name}\" holds {product:e} (integer times scale), beyond {MAX_VALUE:e}");
            Err(wrong(format!("{message}; download the weights again, or train the network again")))
        }
        None => Ok(()),
    }
}

/// Returns whether the magnitude of a value is finite and at most [`MAX_VALUE`].
pub(crate) fn is_plausible(value: f32) -> bool {
    value.abs() <= MAX_VALUE
}

/// Creates an [`Error::Weights`].
pub(crate) fn wrong(message: impl Into<String>) -> Error {
    Error::Weights { message: message.into() }
}
