//! Converts between weight files and Burn modules. Tensors and parameters are matched by name.

use super::write::{NamedTensor, Precision, to_bytes};
use super::{Meta, Weights, wrong};
use crate::error::{Error, Result, quoted};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::HashSet;

/// A network that can be stored in weight files.
pub trait Network: Module {
    /// Name in weight files and in the manifest.
    const NAME: &str;
    /// Version of the columns of the network's rows; increased whenever the meaning of a column changes.
    const LAYOUT: u32;
    /// Configuration that the network is built from.
    type Config: Serialize + DeserializeOwned;

    /// Checks the configuration of a weight file, before memory is allocated for the network.
    ///
    /// # Errors
    /// [`Error::Weights`] if no network can have this configuration.
    fn check(config: &Self::Config, weights: &Weights) -> Result<()>;

    /// Creates a network with the shapes of a configuration that [`Self::check`] accepts. Its weights are arbitrary until
    /// they are loaded or trained.
    fn blank(config: &Self::Config, device: &Device) -> Self;
}

/// Encodes a network as a weight file. `set` and `licence`: see [`Meta`].
///
/// # Errors
/// [`Error::Weights`] if a parameter cannot be read back from the device, or is out of the range of `precision`.
pub fn write<N: Network>(
    network: &N,
    config: &N::Config,
    (set, licence): (&str, &str),
    precision: Precision,
) -> Result<Vec<u8>> {
    let config = serde_json::to_value(config).map_err(|error| wrong(error.to_string()))?;
    let (name, set, licence) = (N::NAME.to_owned(), set.to_owned(), licence.to_owned());
    to_bytes(&Meta { name, layout: N::LAYOUT, config, set, licence }, &tensors(network)?, precision)
}

/// Reads the parameters of a module, each with its path as name.
///
/// # Errors
/// [`Error::Weights`] if one cannot be read back from the device.
pub fn tensors<M: Module>(module: &M) -> Result<Vec<NamedTensor>> {
    let mut collector = ParameterCollector { path: Vec::new(), tensors: Ok(Vec::new()) };
    module.visit(&mut collector);
    collector.tensors
}

/// Builds the network of a weight file on a device.
///
/// # Errors
/// [`Error::Weights`] if the file holds another network or layout version, a configuration that no network can have, or
/// tensors of other names or shapes.
pub fn into_module<N: Network>(weights: &Weights, device: &Device) -> Result<N> {
    weights.check_layout(N::NAME, N::LAYOUT)?;
    let config = weights.config()?;
    N::check(&config, weights)?;
    load_into(N::blank(&config, device), weights)
}

/// Loads the tensors of a weight file into `module`, on the module's device.
///
/// # Errors
/// [`Error::Weights`] if the file lacks a parameter of the module, has it in another shape, or contains a tensor that the
/// module does not have.
pub fn load_into<M: Module>(module: M, weights: &Weights) -> Result<M> {
    let mut loader = ParameterLoader { path: Vec::new(), weights, used: HashSet::new(), error: None };
    let module = module.map(&mut loader);
    if let Some(error) = loader.error {
        return Err(error);
    }
    match weights.names().into_iter().find(|name| !loader.used.contains(*name)) {
        Some(name) => Err(wrong(format!("weights of another network: this network has no tensor {}", quoted(name)))),
        None => Ok(module),
    }
}

/// Reads all parameters of a module.
struct ParameterCollector {
    path: Vec<String>,
    tensors: Result<Vec<NamedTensor>>,
}

impl ModuleVisitor for ParameterCollector {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Ok(tensors) = &mut self.tensors else { return };
        let (name, shape) = (self.path.join("."), param.val().dims().to_vec());
        match param.val().try_into_vec_as::<f32>() {
            Ok(values) => tensors.push(NamedTensor { name, shape, values }),
            Err(error) => self.tensors = Err(wrong(format!("\"{name}\" cannot be read from its device: {error}"))),
        }
    }
}

/// Replaces all parameters of a module by the tensors of a weight file.
struct ParameterLoader<'a, 'b> {
    path: Vec<String>,
    weights: &'a Weights<'b>,
    used: HashSet<String>,
    error: Option<Error>,
}

impl ModuleMapper for ParameterLoader<'_, '_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.path.join(".");
        param.map(|tensor| match self.weights.tensor(&name, &tensor.dims()) {
            Ok(values) => {
                self.used.insert(name);
                // The new tensor must require gradients if the parameter did.
                Tensor::from_data(TensorData::new(values, tensor.dims()), &tensor.device())
                    .set_require_grad(tensor.is_require_grad())
            }
            Err(error) => {
                self.error.get_or_insert(error);
                tensor
            }
        })
    }
}
