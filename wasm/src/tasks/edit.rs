//! Clip tools: edits, concatenation, root motion and retargeting. The methods have the names of the package.

use super::{ClipHandle, js_error};
use crate::value::from_js;
use kinestitch::motion::edit::{self, root_motion};
use kinestitch::motion::floor::{Ground, describe_move};
use kinestitch::motion::mirror::mirror;
use kinestitch::motion::retarget::{left_out, retarget_with};
use kinestitch::motion::root::Root;
use kinestitch::stitch::Input;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl ClipHandle {
    /// Returns the clip from `from` to `to` seconds (excluded).
    ///
    /// # Errors
    /// Throws the errors of [`edit::slice`].
    pub fn slice(&self, from: f64, to: f64) -> Result<ClipHandle, JsValue> {
        Ok(self.derived(edit::slice(self.input().clip, from, to).map_err(js_error)?))
    }

    /// Returns the reversed clip.
    pub fn reverse(&self) -> ClipHandle {
        self.derived(edit::reverse(self.input().clip))
    }

    /// Returns the clip with left and right exchanged.
    ///
    /// # Errors
    /// Throws the errors of [`mirror`].
    pub fn mirror(&self) -> Result<ClipHandle, JsValue> {
        let Input { clip, rig } = self.input();
        Ok(self.derived(mirror(clip, rig).map_err(js_error)?))
    }

    /// Returns the clip at `factor` times its speed.
    ///
    /// # Errors
    /// Throws the errors of [`edit::speed`].
    #[wasm_bindgen(js_name = timeScale)]
    pub fn time_scale(&self, factor: f64) -> Result<ClipHandle, JsValue> {
        Ok(self.derived(edit::speed(self.input().clip, factor).map_err(js_error)?))
    }

    /// Returns the pose at a time in seconds, as a clip of one frame.
    ///
    /// # Errors
    /// Throws the errors of [`edit::at`].
    pub fn at(&self, seconds: f64) -> Result<ClipHandle, JsValue> {
        Ok(self.derived(edit::at(self.input().clip, seconds).map_err(js_error)?))
    }

    /// Returns the clip followed by others, without blending.
    ///
    /// # Errors
    /// Throws the errors of [`edit::concat`].
    pub fn concat(&self, others: Vec<ClipHandle>) -> Result<ClipHandle, JsValue> {
        let clips: Vec<_> = std::iter::once(self).chain(&others).map(|handle| handle.input().clip).collect();
        Ok(self.derived(edit::concat(&clips).map_err(js_error)?))
    }

    /// Returns the root motion: the position relative to the first frame, metres, [frames × (x, z)].
    #[wasm_bindgen(js_name = rootMotion)]
    pub fn root_motion(&self) -> Vec<f32> {
        let Input { clip, rig } = self.input();
        root_motion::path(clip, rig).iter().flat_map(|position| [position.x, position.z]).collect()
    }

    /// Returns the clip with root motion computed from its feet.
    ///
    /// # Errors
    /// Throws the errors of [`root_motion::from_feet`].
    #[wasm_bindgen(js_name = rootMotionFromFeet)]
    pub fn root_motion_from_feet(&self) -> Result<ClipHandle, JsValue> {
        let Input { clip, rig } = self.input();
        Ok(self.derived(root_motion::from_feet(clip, rig).map_err(js_error)?.clip))
    }

    /// Returns the motion without its travel over the ground.
    #[wasm_bindgen(js_name = inPlace)]
    pub fn in_place(&self) -> ClipHandle {
        let Input { clip, rig } = self.input();
        let mut in_place = clip.clone();
        Root::new(clip.skeleton(), &[clip], rig).remove_travel(&mut in_place);
        self.derived(in_place)
    }

    /// Retargets the motion to the skeleton of `target`. `ground`: "level" or "asInFile"; undefined: the default. The
    /// warnings of the result name motion that the skeleton of `target` cannot show, and a move to its floor.
    ///
    /// # Errors
    /// Throws the errors of [`retarget_with`], and an option error for another `ground`.
    pub fn retarget(&self, target: &ClipHandle, ground: JsValue) -> Result<ClipHandle, JsValue> {
        let ground: Option<Ground> = from_js("ground", ground)?;
        let ground = ground.unwrap_or_default();
        let (from, to) = (self.input(), target.input());
        let result = retarget_with(from.clip, from.rig, (to.clip, to.rig), ground).map_err(js_error)?;
        let moved = || describe_move((from.clip, from.rig), (to.clip, to.rig));
        let moved = (ground == Ground::Level).then(moved).flatten();
        let warnings = left_out(from.clip, from.rig, to.clip, to.rig).into_iter().chain(moved);
        Ok(target.derived(result).with_warnings(warnings))
    }
}
