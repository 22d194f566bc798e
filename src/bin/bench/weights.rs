//! `bench weights`: a weight file as safetensors in single precision, for the benchmarks of other runtimes.

use crate::Outcome;
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor};
use clap::Args;
use kinestitch::method::rmr::Rmr;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Write a weight file as safetensors in single precision, for the benchmarks of other runtimes
#[derive(Args)]
pub struct Options {
    /// Weight file
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// File to write
    #[arg(long, value_name = "FILE.safetensors")]
    out: PathBuf,
}

/// Writes every parameter of the refiner under its path in the module.
pub fn run(Options { weights, out }: Options) -> Outcome {
    let bytes = std::fs::read(&weights).map_err(|error| format!("{}: {error}", weights.display()))?;
    let mut file = Safetensors::default();
    Rmr::load(&bytes, &Device::flex())?.visit(&mut file);
    if let Some(problem) = file.problem {
        return Err(problem.into());
    }
    let head = serde_json::to_vec(&file.head)?;
    let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
    bytes.extend(head);
    bytes.extend(file.data);
    std::fs::write(&out, bytes).map_err(|error| format!("{}: {error}", out.display()))?;
    println!("{}: {} tensors", out.display(), file.head.len());
    Ok(())
}

#[derive(Default)]
struct Safetensors {
    path: Vec<String>,
    head: Map<String, Value>,
    data: Vec<u8>,
    problem: Option<String>,
}

impl ModuleVisitor for Safetensors {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let start = self.data.len();
        match param.val().try_into_vec_as::<f32>() {
            Ok(values) => self.data.extend(values.iter().flat_map(|value| value.to_le_bytes())),
            Err(error) => self.problem = Some(error.to_string()),
        }
        let shape = param.val().dims().to_vec();
        let entry = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, self.data.len()] });
        self.head.insert(self.path.join("."), entry);
    }
}
