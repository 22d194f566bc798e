//! `loop`: finds the cycle of a motion, and makes the loop after `stitch` has joined the cycle to itself.

use super::options::LoopFields;
use super::value::{from_js, to_js};
use super::{ClipHandle, js_error};
use kinestitch::stitch::cycle::{self, Cycle, CycleSeam, Loop, LoopOptions};
use kinestitch::stitch::{BLEND_SECS, BlendKind, Input, Join, JoinChoice, Transition};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A motion and its cycle.
#[wasm_bindgen]
pub struct Looper {
    source: ClipHandle,
    options: LoopOptions,
    cycle: Cycle,
}

/// [`Cycle`] as a JavaScript object.
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
    /// Finds the cycle of a clip, given by its bytes. `options`: [`LoopFields`].
    ///
    /// # Errors
    /// Throws an option error for invalid options, and the errors of [`kinestitch::motion::pack::unpack`] and
    /// [`cycle::find_cycle`].
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8], options: JsValue) -> Result<Self, JsValue> {
        let fields: LoopFields = from_js("loop", options)?;
        let source = ClipHandle::unpacked(bytes, None)?;
        let options = fields.options();
        let cycle = cycle::find_cycle(source.input(), &options).map_err(js_error)?;
        Ok(Self { source, options, cycle })
    }

    /// Returns the cycle as a plain object.
    ///
    /// # Errors
    /// None known.
    pub fn cycle(&self) -> Result<JsValue, JsValue> {
        let Cycle { frames, distance_cm, is_closed } = &self.cycle;
        let (from, to) = (frames.start as u32, frames.end as u32);
        to_js(&CycleReport { from, to, apart_cm: *distance_cm, is_closed: *is_closed })
    }

    /// Returns the length of the blend that closes the cycle by a method of `stitch`, seconds. `secs`: the requested
    /// length; `None`: the default of `stitch`.
    pub fn blend(&self, secs: Option<f64>, method: &str) -> f64 {
        // Other methods ignore this length.
        let blend = if method == "crossfade" { BlendKind::Crossfade } else { BlendKind::Inertialize };
        let join = Join::from(Transition::Blend { blend, seconds: secs.unwrap_or(BLEND_SECS) });
        match cycle::closing_join(&join.into(), self.cycle.frames.len(), self.source.input().clip.fps()) {
            JoinChoice::With(Join { transition: Transition::Blend { seconds, .. }, .. }) => seconds,
            _ => BLEND_SECS,
        }
    }

    /// Returns the loop of a cycle that is already closed: its frames do not change. `name`: name of the loop; by
    /// default, the name of the clip.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::Clip::trimmed`].
    #[wasm_bindgen(js_name = asItIs)]
    pub fn keep(&self, name: Option<String>) -> Result<LoopedHandle, JsValue> {
        let Input { clip, rig } = self.source.input();
        let mut cycle_clip = clip.trimmed(self.cycle.frames.clone()).map_err(js_error)?;
        cycle_clip.name = name.unwrap_or(cycle_clip.name);
        self.handle(cycle::keep_cycle(cycle_clip, rig, self.options.in_place))
    }

    /// Returns the loop of a cycle that was stitched to itself. `stitched`: the bytes of that clip; `period`: number of
    /// frames from the start of the first copy to the start of the second; `from..to`: frames of `stitched` that the
    /// seam changed.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`] and [`cycle::close_clip`].
    pub fn close(&self, stitched: &[u8], period: usize, from: usize, to: usize) -> Result<LoopedHandle, JsValue> {
        let stitched = ClipHandle::unpacked(stitched, Some(&self.source))?;
        let Input { clip, rig } = stitched.input();
        let seam = CycleSeam { period, edited_range: from..to };
        self.handle(cycle::close_clip(clip, rig, &seam, self.options.in_place).map_err(js_error)?)
    }

    /// Returns the loop, bent back if it turns too far.
    fn handle(&self, looped: Loop) -> Result<LoopedHandle, JsValue> {
        let source = self.source.input();
        let max_turn = cycle::max_turn(source, &self.options).map_err(js_error)?;
        let Loop { clip, travel, .. } = looped.straightened(source.rig, max_turn);
        Ok(LoopedHandle {
            clip: self.source.derived(clip),
            travel: vec![travel.translation.x, travel.translation.z, travel.yaw],
        })
    }
}

/// Result of `loop`.
#[wasm_bindgen]
pub struct LoopedHandle {
    clip: ClipHandle,
    travel: Vec<f32>,
}

#[wasm_bindgen]
impl LoopedHandle {
    /// Returns the loop.
    pub fn clip(&self) -> ClipHandle {
        self.clip.share()
    }

    /// Returns the travel of one cycle, [x, z, heading]: the next cycle is rotated by `heading` (radians, about the
    /// vertical through the origin), then moved by x and z (metres).
    pub fn travel(&self) -> Vec<f32> {
        self.travel.clone()
    }
}
