//! The networks' module: rows in, rows out. It knows no clips; the light module makes the rows and reads them back.

mod browser;
mod choose;

use super::js_error;
use crate::error::{Error, Result};
use crate::feature::layout::Refiner as Row;
use crate::nn::device::{Asked, Kind};
use burn::tensor::{Tensor, TensorData};
use choose::{Chosen, choose, on_cpu, read};
use js_sys::{Function, Promise};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

/// Starts the module.
#[wasm_bindgen(start)]
pub fn start() {
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
            check(&rows, &seams).map_err(js_error)?;
            let refined = inner.refine(&rows).await.map_err(js_error)?;
            if progress.call1(&JsValue::NULL, &1.0.into())?.is_falsy() {
                return Err(js_error(Error::Aborted));
            }
            Ok(js_sys::Float32Array::from(&refined[..]).into())
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

    /// Refines on the chosen device; where a GPU is lost on the way, on the CPU from then on.
    async fn refine(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let chosen = self.chosen();
        match refine_on(&chosen, rows).await {
            Err(Error::Device { message }) if chosen.kind == Kind::WebGpu => {
                let cpu = on_cpu(&self.weights, format!("WebGPU was lost ({message})"))?;
                let cpu = Rc::new(Chosen {
                    cpu_milliseconds: chosen.cpu_milliseconds,
                    webgpu_milliseconds: chosen.webgpu_milliseconds,
                    ..cpu
                });
                self.chosen.replace(Rc::clone(&cpu));
                refine_on(&cpu, rows).await
            }
            done => done,
        }
    }
}

async fn refine_on(chosen: &Chosen, rows: &[f32]) -> Result<Vec<f32>> {
    let (model, device) = (&chosen.model, &chosen.device);
    let frames = rows.len() / Row::WIDTH;
    let steps = rows.chunks_exact(Row::WIDTH).map(|row| {
        let row = Tensor::from_data(TensorData::new(row.to_vec(), [1, Row::WIDTH]), device);
        model.normal.normalise(row) // [1, 161]
    });
    let refined = model.forward(&steps.collect::<Vec<_>>()); // [frames, 161]
    let refined = read(model.normal.denormalise(refined)).await?;
    if refined.len() != frames * Row::WIDTH || !refined.iter().all(|value| value.is_finite()) {
        return Err(Error::Device { message: "it gave rows that are not finite".to_owned() });
    }
    Ok(refined)
}

/// # Errors
/// [`Error::Option`] for rows that are none, incomplete or not finite, and for seams outside of them.
fn check(rows: &[f32], seams: &[u32]) -> Result<()> {
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
        None => Ok(()),
    }
}
