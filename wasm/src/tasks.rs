//! The functions of the main module: clip tools, stitching, loops, in-betweening, control, scores of cuts, phases and
//! networks on the CPU.

mod candidates;
mod clock;
mod control;
mod defaults;
mod draft;
mod edit;
mod inbetween;
mod inbetween_auto;
mod inbetween_fields;
mod inbetweener;
mod judge;
mod listener;
mod looper;
mod lscore;
mod matching;
mod options;
mod periodic;
mod phase;
mod refiner;
mod report;
mod stitch;
mod stitched;

use crate::clip::ClipHandle;
use crate::error::js_error;
use crate::value;
use kinestitch::motion::widen::widen;
use wasm_bindgen::JsValue;

impl ClipHandle {
    /// Adds a clip, given by its bytes, to `clips`. A clip with the skeleton of the first one shares it. The first clip
    /// gets translations for all joints that any clip of its body moves.
    fn gather(clips: &mut Vec<ClipHandle>, bytes: &[u8]) -> Result<(), JsValue> {
        let clip = Self::unpacked(bytes, clips.first())?;
        if let Some(first) = clips.first_mut()
            && let Some(widened) = widen(first.input().clip, &[clip.input().clip])
        {
            *first = first.derived(widened);
        }
        clips.push(clip);
        Ok(())
    }
}
