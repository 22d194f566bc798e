//! Sine waves of a whole body's motion at any time of a clip, by the periodic autoencoder.

use super::{ClipHandle, js_error};
use js_sys::Float32Array;
use kinestitch::Error;
use kinestitch::feature::periodic::{COLUMNS, FPS, rows};
use kinestitch::method::periodic::Periodic;
use kinestitch::nn::weights::Weights;
use kinestitch::stitch::Input;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Number of values of a wave: amplitude, frequency, phase, offset.
const WAVE_VALUES: usize = 4;

/// The encoder of the periodic autoencoder.
#[wasm_bindgen]
pub struct CpuPeriodic {
    network: Rc<Periodic>,
}

#[wasm_bindgen]
impl CpuPeriodic {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" if it cannot be loaded.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<CpuPeriodic, JsValue> {
        let network = Weights::read(weights).and_then(|weights| Periodic::read(&weights));
        Ok(Self { network: Rc::new(network.map_err(js_error)?) })
    }

    /// Prepares a packed clip for queries.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`] and [`rows`].
    pub fn session(&self, clip: &[u8]) -> Result<PeriodicSession, JsValue> {
        let clip = ClipHandle::unpacked(clip, None)?;
        let Input { clip, rig } = clip.input();
        Ok(PeriodicSession { network: Rc::clone(&self.network), rows: rows(clip, rig).map_err(js_error)? })
    }
}

/// A clip prepared for queries.
#[wasm_bindgen]
pub struct PeriodicSession {
    network: Rc<Periodic>,
    rows: Vec<f32>,
}

#[wasm_bindgen]
impl PeriodicSession {
    /// Returns the number of waves.
    #[wasm_bindgen(getter)]
    pub fn channels(&self) -> usize {
        self.network.channels()
    }

    /// Fills an array with the waves at a time, [channels × 4].
    ///
    /// # Errors
    /// Throws with code "option" for an array of another length or a time that is not finite, and with code
    /// "weights" if the network's output is not finite.
    pub fn at(&self, seconds: f64, into: &Float32Array) -> Result<(), JsValue> {
        let length = WAVE_VALUES * self.network.channels();
        let fail = |option: &'static str, message: String| Err(js_error(Error::Option { option, message }));
        if into.length() as usize != length {
            return fail("into", format!("the array must hold {length} numbers, not {}", into.length()));
        }
        if !seconds.is_finite() {
            return fail("seconds", format!("a finite number is needed, not {seconds}"));
        }
        let last = self.rows.len() / COLUMNS - 1;
        let frame = ((seconds * FPS).round().max(0.0) as usize).min(last);
        let waves = self.network.encode(&self.rows, frame).map_err(js_error)?;
        let values: Vec<f32> =
            waves.iter().flat_map(|wave| [wave.amplitude, wave.frequency, wave.phase, wave.offset]).collect();
        into.copy_from(&values);
        Ok(())
    }
}
