//! `loop`: the cycle of a motion, and one turn of it once it is stitched to itself.

use super::options::LoopWords;
use super::value::{from_js, to_js};
use super::{ClipHandle, js_error};
use crate::stitch::cycle::{self, Closing, Cycle, LoopOptions, Looped};
use crate::stitch::{Input, StitchOptions};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A motion on its way to a loop.
#[wasm_bindgen]
pub struct Looper {
    source: ClipHandle,
    options: LoopOptions,
    cycle: Cycle,
}

/// [`Cycle`] as the package tells it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CycleReport {
    from: u32,
    to: u32,
    apart_cm: f32,
    is_closed: bool,
}

#[wasm_bindgen]
impl Looper {
    /// Looks for the cycle of a clip of bytes. `options` are [`LoopWords`].
    ///
    /// # Errors
    /// Throws an option error for what is none, and what [`cycle::cycle`] returns.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8], options: JsValue) -> Result<Self, JsValue> {
        let words: LoopWords = from_js("loop", options)?;
        let source = ClipHandle::unpacked(bytes, None)?;
        let options = words.options();
        let cycle = cycle::cycle(source.input(), &options).map_err(js_error)?;
        Ok(Self { source, options, cycle })
    }

    /// Where it is.
    ///
    /// # Errors
    /// None that is known.
    pub fn cycle(&self) -> Result<JsValue, JsValue> {
        let Cycle { frames, apart_cm, is_closed } = &self.cycle;
        let (from, to) = (frames.start as u32, frames.end as u32);
        to_js(&CycleReport { from, to, apart_cm: *apart_cm, is_closed: *is_closed })
    }

    /// Length of the blend that closes it, seconds, by a method of `stitch`; its default where none is wanted.
    pub fn blend(&self, wanted: Option<f64>, method: &str) -> f64 {
        // Ways that are no blend take a length of their own.
        let join = crate::Join::from_name(method).unwrap_or_default();
        let wanted = wanted.unwrap_or(StitchOptions::default().blend_secs);
        cycle::blend_secs(wanted, self.cycle.frames.len(), self.source.fps(), join)
    }

    /// The loop where the cycle is one as it is.
    ///
    /// # Errors
    /// Throws what [`crate::Clip::trimmed`] returns.
    #[wasm_bindgen(js_name = asItIs)]
    pub fn as_it_is(&self) -> Result<LoopedHandle, JsValue> {
        let Input { clip, rig } = self.source.input();
        let part = clip.trimmed(self.cycle.frames.clone()).map_err(js_error)?;
        Ok(self.done(cycle::as_it_is(part, rig, self.options.in_place)))
    }

    /// The loop of the cycle stitched to itself, a clip of bytes: frames from the one beginning to the other, and
    /// those that the seam changed.
    ///
    /// # Errors
    /// Throws what [`cycle::closed`] returns.
    pub fn close(&self, stitched: &[u8], period: usize, from: usize, to: usize) -> Result<LoopedHandle, JsValue> {
        let stitched = ClipHandle::unpacked(stitched, Some(&self.source))?;
        let Input { clip, rig } = stitched.input();
        let closing = Closing { period, edited: from..to };
        Ok(self.done(cycle::closed(clip, rig, &closing, self.options.in_place).map_err(js_error)?))
    }

    fn done(&self, Looped { clip, travel }: Looped) -> LoopedHandle {
        LoopedHandle { clip: self.source.derived(clip), travel: vec![travel.slide.x, travel.slide.z, travel.yaw] }
    }
}

/// One turn of a motion.
#[wasm_bindgen]
pub struct LoopedHandle {
    clip: ClipHandle,
    travel: Vec<f32>,
}

#[wasm_bindgen]
impl LoopedHandle {
    /// The loop.
    pub fn clip(&self) -> ClipHandle {
        self.clip.share()
    }

    /// Where a turn leads: a turn about the vertical, radians (third), then a slide on the ground, x and z.
    pub fn travel(&self) -> Vec<f32> {
        self.travel.clone()
    }
}
