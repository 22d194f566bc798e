//! The networks' module: rows in, rows out. It knows no clips; the light module makes the rows and reads them back.

mod browser;
mod choose;

use super::js_error;
use crate::error::{Error, Result};
use crate::feature::layout::Refiner as Row;
use crate::method::rmr::WindowOptions;
use crate::nn::device::{Asked, Kind, cause, webgpu_is_sound};
use crate::progress::Progress;
use choose::{Chosen, choose, on_cpu};
use js_sys::{Float32Array, Function, Promise};
use std::cell::RefCell;
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
    browser::report_panics();
}

/// The recurrent motion refiner on a device.
#[wasm_bindgen]
pub struct Refiner {
    // Shared with the promises: a method that held `&self` over an await would block every other call.
    inner: Rc<Inner>,
}

struct Inner {
    asked: Asked,
    /// Kept for the way back to the CPU.
    weights: Vec<u8>,
    chosen: RefCell<Rc<Chosen>>,
}

#[wasm_bindgen]
impl Refiner {
    /// Loads a weight file on "auto", "webgpu" or "cpu".
    ///
    /// # Errors
    /// Rejects with code "weights" for a file that does not load, "device" where WebGPU was asked for and there is none,
    /// "option" for another word.
    #[wasm_bindgen(unchecked_return_type = "Promise<Refiner>")]
    pub fn load(weights: Vec<u8>, device: String) -> Promise {
        future_to_promise(async move {
            let asked = Asked::from_name(&device).map_err(js_error)?;
            let chosen = choose(&weights, asked).await.map_err(js_error)?;
            let inner = Inner { asked, weights, chosen: RefCell::new(Rc::new(chosen)) };
            Ok(Refiner { inner: Rc::new(inner) }.into())
        })
    }

    /// Refines rows, [frames × 161], around seams (frames of the rows). `progress(done)` returns whether to go on.
    ///
    /// # Errors
    /// Rejects with code "option" for rows or seams that cannot be, "aborted" where `progress` says so, and with whatever
    /// `progress` throws.
    #[wasm_bindgen(unchecked_return_type = "Promise<Float32Array>")]
    pub fn refine(&self, rows: Vec<f32>, seams: Vec<u32>, progress: Function) -> Promise {
        let inner = Rc::clone(&self.inner);
        future_to_promise(async move {
            let seams = check(&rows, &seams).map_err(js_error)?;
            let mut thrown = None;
            let mut most = 0.0_f32;
            // A lost GPU makes the work begin again; what a person sees does not go back.
            let mut report = Progress::new(|_, done| {
                most = done.max(most);
                match progress.call1(&JsValue::NULL, &most.into()) {
                    Ok(more) if more.is_truthy() => ControlFlow::Continue(()),
                    Ok(_) => ControlFlow::Break(()),
                    Err(error) => {
                        thrown = Some(error);
                        ControlFlow::Break(())
                    }
                }
            });
            let refined = inner.refine(&rows, &seams, &mut report).await;
            drop(report);
            let refined = refined.map_err(|error| thrown.unwrap_or_else(|| js_error(error)))?;
            Ok(Float32Array::from(&refined[..]).into())
        })
    }

    /// One pass over all rows, as if they were one window: what a benchmark times.
    ///
    /// # Errors
    /// Rejects with code "option" for rows that cannot be, "device" where the device fails.
    #[wasm_bindgen(unchecked_return_type = "Promise<Float32Array>")]
    pub fn forward(&self, rows: Vec<f32>) -> Promise {
        let chosen = self.inner.chosen();
        future_to_promise(async move {
            check(&rows, &[]).map_err(js_error)?;
            let refined = chosen.refiner.forward(&rows).await.map_err(js_error)?;
            Ok(Float32Array::from(&refined[..]).into())
        })
    }

    /// Standard deviation of each column of the rows: what one normalised unit is.
    ///
    /// # Errors
    /// Rejects with code "device" where a lost GPU held them.
    #[wasm_bindgen(unchecked_return_type = "Promise<Float32Array>")]
    pub fn deviations(&self) -> Promise {
        let chosen = self.inner.chosen();
        future_to_promise(async move {
            let deviations = chosen.refiner.deviations().await.map_err(js_error)?;
            Ok(Float32Array::from(&deviations[..]).into())
        })
    }

    /// What was asked for: "auto", "webgpu" or "cpu".
    #[wasm_bindgen(getter)]
    pub fn asked(&self) -> String {
        self.inner.asked.name().to_owned()
    }

    /// Where it runs: "webgpu" or "cpu".
    #[wasm_bindgen(getter)]
    pub fn used(&self) -> String {
        self.inner.chosen().kind.name().to_owned()
    }

    /// Why it runs there, a sentence for people.
    #[wasm_bindgen(getter)]
    pub fn reason(&self) -> String {
        self.inner.chosen().reason.clone()
    }

    /// Warm forward pass of 60 frames on the CPU, where it was measured.
    #[wasm_bindgen(getter, js_name = cpuMilliseconds)]
    pub fn cpu_milliseconds(&self) -> Option<f64> {
        self.inner.chosen().cpu_milliseconds
    }

    /// Warm forward pass of 60 frames with WebGPU, where it was measured.
    #[wasm_bindgen(getter, js_name = webgpuMilliseconds)]
    pub fn webgpu_milliseconds(&self) -> Option<f64> {
        self.inner.chosen().webgpu_milliseconds
    }
}

impl Inner {
    fn chosen(&self) -> Rc<Chosen> {
        Rc::clone(&self.chosen.borrow())
    }

    /// Refines on the chosen device; where a GPU is lost on the way, again on the CPU, which is used from then on.
    async fn refine(&self, rows: &[f32], seams: &[usize], progress: &mut Progress<'_>) -> Result<Vec<f32>> {
        let chosen = self.chosen();
        let refine = async |chosen: &Chosen, progress: &mut Progress<'_>| {
            let refined = chosen.refiner.refine(rows, seams, WindowOptions::default(), progress).await?;
            if chosen.kind == Kind::WebGpu { webgpu_is_sound().map(|()| refined) } else { Ok(refined) }
        };
        match refine(&chosen, progress).await {
            Err(Error::Device { message }) if chosen.kind == Kind::WebGpu => {
                let reason = format!("WebGPU failed: {}", cause(&message));
                let cpu = Rc::new(Chosen {
                    cpu_milliseconds: chosen.cpu_milliseconds,
                    webgpu_milliseconds: chosen.webgpu_milliseconds,
                    ..on_cpu(&self.weights, reason)?
                });
                self.chosen.replace(Rc::clone(&cpu));
                refine(&cpu, progress).await
            }
            done => done,
        }
    }
}

/// The seams as indices.
///
/// # Errors
/// [`Error::Option`] for rows that are none, incomplete or not finite, and for seams outside of them.
fn check(rows: &[f32], seams: &[u32]) -> Result<Vec<usize>> {
    let wrong = |option, message| Err(Error::Option { option, message });
    let frames = rows.len() / Row::WIDTH;
    if rows.is_empty() || !rows.len().is_multiple_of(Row::WIDTH) {
        return wrong("rows", format!("{} numbers where a multiple of {} is needed", rows.len(), Row::WIDTH));
    }
    if let Some(at) = rows.iter().position(|value| !value.is_finite()) {
        return wrong("rows", format!("frame {} is not finite in column {}", at / Row::WIDTH, at % Row::WIDTH));
    }
    match seams.iter().find(|&&seam| seam as usize >= frames) {
        Some(seam) => wrong("seams", format!("{seam} is outside of the {frames} frames")),
        None => Ok(seams.iter().map(|&seam| seam as usize).collect()),
    }
}
