//! The WebGPU module: networks on Burn, rows in, rows out. It knows no clips and chooses no device: the package fetches it
//! only where there is an adapter, and the light module makes the rows and reads them back.

use super::js_error;
use crate::feature::layout::Refiner as Row;
use crate::method::delta::tensor::Delta;
use crate::method::rmr::{Rmr, WindowOptions};
use crate::nn::device::{cause, webgpu, webgpu_is_sound};
use crate::progress::Progress;
use crate::{Error, Result};
use js_sys::{Float32Array, Function, Promise};
use std::ops::ControlFlow;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

/// Starts the module.
#[wasm_bindgen(start)]
#[allow(unsafe_code)]
pub fn start() {
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }
    // SAFETY: made by the linker, and called once. Where nothing calls it, the linker puts a call at the top of every
    // exported function: Burn's registrations (crate `inventory`) then cost 2.5 ms a call, as its documentation warns.
    unsafe { __wasm_call_ctors() };
    console_error_panic_hook::set_once();
}

/// The recurrent motion refiner on the browser's GPU.
#[wasm_bindgen]
pub struct GpuRefiner {
    // Shared with the promises: a method that held `&self` over an await would block every other call.
    network: Rc<Rmr>,
}

#[wasm_bindgen]
impl GpuRefiner {
    /// Loads a weight file. Ask `navigator.gpu.requestAdapter()` first.
    ///
    /// # Errors
    /// Rejects with code "weights" for a file that does not load, "device" where WebGPU does not start.
    #[wasm_bindgen(unchecked_return_type = "Promise<GpuRefiner>")]
    pub fn load(weights: Vec<u8>) -> Promise {
        future_to_promise(async move {
            let device = webgpu().await.map_err(js_error)?;
            let network = Rc::new(Rmr::load(&weights, &device).map_err(js_error)?);
            Ok(GpuRefiner { network }.into())
        })
    }

    /// Refines rows, [frames × 161], around seams (frames of the rows). `progress(done)` returns whether to go on.
    ///
    /// # Errors
    /// Rejects with code "option" for rows or seams that cannot be, "device" where the GPU fails, "aborted" where `progress`
    /// says so, and with whatever `progress` throws.
    #[wasm_bindgen(unchecked_return_type = "Promise<Float32Array>")]
    pub fn refine(&self, rows: Vec<f32>, seams: Vec<u32>, progress: Function) -> Promise {
        let network = Rc::clone(&self.network);
        future_to_promise(async move {
            let seams: Vec<usize> = seams.iter().map(|&seam| seam as usize).collect();
            let mut thrown = None;
            let mut report = Progress::new(|_, done| match progress.call1(&JsValue::NULL, &done.into()) {
                Ok(more) if more.is_truthy() => ControlFlow::Continue(()),
                Ok(_) => ControlFlow::Break(()),
                Err(error) => {
                    thrown = Some(error);
                    ControlFlow::Break(())
                }
            });
            let refined = sound(network.refine(&rows, &seams, WindowOptions::default(), &mut report).await);
            drop(report);
            let refined = refined.map_err(|error| thrown.unwrap_or_else(|| js_error(error)))?;
            Ok(Float32Array::from(&refined[..]).into())
        })
    }

    /// One pass over all rows, [frames × 161], as if they were one window: what is timed.
    ///
    /// # Errors
    /// Rejects with code "option" for rows that are incomplete, "device" where the GPU fails.
    #[wasm_bindgen(unchecked_return_type = "Promise<Float32Array>")]
    pub fn forward(&self, rows: Vec<f32>) -> Promise {
        let network = Rc::clone(&self.network);
        future_to_promise(async move {
            if rows.is_empty() || !rows.len().is_multiple_of(Row::WIDTH) {
                let message = format!("{} numbers where a multiple of {} is needed", rows.len(), Row::WIDTH);
                return Err(js_error(Error::Option { option: "rows", message }));
            }
            let refined = sound(network.forward_rows(&rows).await).map_err(js_error)?;
            Ok(Float32Array::from(&refined[..]).into())
        })
    }
}

/// The in-betweener that asks once for a whole gap, on the browser's GPU.
#[wasm_bindgen]
pub struct GpuDelta {
    network: Rc<Delta>,
}

#[wasm_bindgen]
impl GpuDelta {
    /// Loads a weight file. Ask `navigator.gpu.requestAdapter()` first.
    ///
    /// # Errors
    /// As [`GpuRefiner::load`].
    #[wasm_bindgen(unchecked_return_type = "Promise<GpuDelta>")]
    pub fn load(weights: Vec<u8>) -> Promise {
        future_to_promise(async move {
            let device = webgpu().await.map_err(js_error)?;
            let network = Rc::new(Delta::load(&weights, &device).map_err(js_error)?);
            Ok(GpuDelta { network }.into())
        })
    }

    /// Output rows of all tokens of a question, [tokens × input] → [tokens × output].
    ///
    /// # Errors
    /// Rejects with code "option" for rows that cannot be, "device" where the GPU fails.
    #[wasm_bindgen(unchecked_return_type = "Promise<Float32Array>")]
    pub fn rows(&self, rows: Vec<f32>) -> Promise {
        let network = Rc::clone(&self.network);
        future_to_promise(async move {
            let answer = sound(network.rows(&rows).await).map_err(js_error)?;
            Ok(Float32Array::from(&answer[..]).into())
        })
    }
}

/// What a GPU answered, where it is to be trusted; its failures by their core.
fn sound<T>(answer: Result<T>) -> Result<T> {
    let answer = answer.and_then(|answer| webgpu_is_sound().map(|()| answer));
    answer.map_err(|error| match error {
        Error::Device { message } => Error::Device { message: cause(&message).to_owned() },
        other => other,
    })
}
