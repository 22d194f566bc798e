//! The delta in-betweener on the CPU.

use super::js_error;
use crate::nn::weights::Weights;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

pub(super) use crate::method::delta::Delta;

/// A network that fills gaps between keys.
#[wasm_bindgen]
pub struct CpuDelta {
    network: Rc<Delta>,
}

#[wasm_bindgen]
impl CpuDelta {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" where it does not load.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<CpuDelta, JsValue> {
        let network = Weights::read(weights).and_then(|weights| Delta::read(&weights));
        Ok(Self { network: Rc::new(network.map_err(js_error)?) })
    }
}

impl CpuDelta {
    pub(super) fn share(&self) -> Rc<Delta> {
        Rc::clone(&self.network)
    }
}
