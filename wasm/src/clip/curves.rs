//! Curves for plots: foot speed, contacts and jerk per frame.

use glam::Vec3;
use js_sys::{Array, Float32Array, Object, Reflect, Uint8Array};
use kinestitch::Input;
use kinestitch::metrics::{SHOWN_FPS, shown_jerk};
use kinestitch::motion::contact::{Legs, contacts_from_tracks, foot_tracks};
use wasm_bindgen::prelude::*;

/// Returns the `ClipCurves` of a clip: `footSpeed` (m/s, left and right ankle) and `contact` (1 if the foot touches),
/// both empty if the rig lacks a leg, and `jerk` (largest of any joint, m/s³); each with one entry per frame. Speed and
/// jerk are measured at [`SHOWN_FPS`].
pub(super) fn curves(Input { clip, rig }: Input) -> JsValue {
    let (speeds, touches): ([Vec<f32>; 2], [Vec<u8>; 2]) = match Legs::detect(clip, rig) {
        Some(legs) if clip.frames() > 0 => {
            let tracks = foot_tracks(clip, &legs);
            let contacts = contacts_from_tracks(clip, &legs, &tracks);
            let touches = [0, 1].map(|side| contacts.foot(side).into_iter().map(u8::from).collect());
            (tracks.map(|[heel, _]| horizontal_speed(&heel, clip.fps() as f32)), touches)
        }
        _ => Default::default(),
    };
    let object = Object::new();
    // Setting a property of a fresh ordinary object cannot fail.
    let set = |key: &str, value: JsValue| drop(Reflect::set(&object, &key.into(), &value));
    set("footSpeed", Array::of2(&floats(&speeds[0]), &floats(&speeds[1])).into());
    set("contact", Array::of2(&bytes(&touches[0]), &bytes(&touches[1])).into());
    set("jerk", floats(&shown_jerk(clip, rig)));
    object.into()
}

pub(crate) fn floats(values: &[f32]) -> JsValue {
    Float32Array::from(values).into()
}

pub(crate) fn bytes(values: &[u8]) -> JsValue {
    Uint8Array::from(values).into()
}

/// Returns the horizontal speed along a world trajectory in metres, m/s, measured from the frame 1 / [`SHOWN_FPS`]
/// seconds before; the first frames have the speed of the frame that late.
fn horizontal_speed(track: &[Vec3], fps: f32) -> Vec<f32> {
    let step = (fps / SHOWN_FPS as f32).round().max(1.0) as usize;
    let step = step.min(track.len().saturating_sub(1));
    if step == 0 {
        return vec![0.0; track.len()];
    }
    let speed = |frame: usize| {
        let frame = frame.max(step);
        (track[frame] - track[frame - step]).with_y(0.0).length() * fps / step as f32
    };
    (0..track.len()).map(speed).collect()
}
