//! The refiner on the CPU, window by window.

use super::js_error;
use js_sys::Float32Array;
use kinestitch::Error;
use kinestitch::feature::layout::RefinerRow as Row;
use kinestitch::method::rmr::{PackedRmr, Refinement, WindowOptions};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The recurrent motion refiner, on the CPU.
#[wasm_bindgen]
pub struct CpuRefiner {
    network: Rc<PackedRmr>,
}

impl CpuRefiner {
    /// Returns the shared network.
    pub(super) fn share(&self) -> Rc<PackedRmr> {
        Rc::clone(&self.network)
    }
}

#[wasm_bindgen]
impl CpuRefiner {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" if it cannot be loaded.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<CpuRefiner, JsValue> {
        Ok(Self { network: Rc::new(PackedRmr::from_bytes(weights).map_err(js_error)?) })
    }

    /// Starts to refine rows, [frames × 161], around seams (row indices).
    ///
    /// # Errors
    /// Throws with code "option" for invalid rows or seams.
    pub fn begin(&self, rows: Vec<f32>, seams: &[u32]) -> Result<RefinementHandle, JsValue> {
        let seams: Vec<usize> = seams.iter().map(|&seam| seam as usize).collect();
        let refinement = Refinement::new(rows, &seams, WindowOptions::default()).map_err(js_error)?;
        Ok(RefinementHandle { network: Rc::clone(&self.network), refinement })
    }

    /// Evaluates the network once on all rows, [frames × 161], as one window; for timing.
    ///
    /// # Errors
    /// Throws with code "option" for rows that are incomplete.
    pub fn forward(&self, rows: &[f32]) -> Result<Float32Array, JsValue> {
        if rows.is_empty() || !rows.len().is_multiple_of(Row::WIDTH) {
            let message = format!("{} numbers, which is not a positive multiple of {}", rows.len(), Row::WIDTH);
            return Err(js_error(Error::Option { option: "rows", message }));
        }
        Ok(Float32Array::from(&self.network.forward(rows)[..]))
    }

    /// Returns the standard deviation of each column of the rows: the size of one normalised unit.
    pub fn deviations(&self) -> Float32Array {
        Float32Array::from(self.network.deviations())
    }
}

/// State of a refinement.
#[wasm_bindgen]
pub struct RefinementHandle {
    network: Rc<PackedRmr>,
    refinement: Refinement,
}

#[wasm_bindgen]
impl RefinementHandle {
    /// Refines the next window. Returns the completed fraction, 1 at the end.
    ///
    /// # Errors
    /// Throws with code "device" if the network's output is not finite.
    pub fn step(&mut self) -> Result<f32, JsValue> {
        if let Some(input) = self.refinement.input() {
            self.refinement.merge_output(&self.network.forward(&input)).map_err(js_error)?;
        }
        Ok(self.refinement.progress())
    }

    /// Returns the rows in their current state.
    pub fn rows(&self) -> Float32Array {
        Float32Array::from(self.refinement.refined())
    }
}
