//! Curves for plots: foot speed, contacts and jerk by frame.

use crate::metrics::jerk;
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, contacts, tracks};
use crate::motion::rig::Rig;
use glam::Vec3;
use wasm_bindgen::prelude::*;

/// Curves of one clip. Those of feet are empty where the rig has no two legs.
#[wasm_bindgen]
pub struct CurvesHandle {
    speeds: [Vec<f32>; 2],
    contacts: [Vec<u8>; 2],
    jerk: Vec<f32>,
}

impl CurvesHandle {
    pub(super) fn of(clip: &Clip, rig: &Rig) -> Self {
        let contacts = contacts(clip, rig);
        let speeds = match Legs::of(clip, rig) {
            Some(legs) => tracks(clip, &legs).map(|[heel, _]| horizontal_speed(&heel, clip.fps() as f32)),
            None => Default::default(),
        };
        let touches = |side: usize| match speeds[side].len() {
            0 => Vec::new(),
            _ => contacts.foot(side).into_iter().map(u8::from).collect(),
        };
        Self { contacts: [touches(0), touches(1)], speeds, jerk: jerk(clip) }
    }
}

/// Horizontal speed of a world track in metres, m/s, from the frame before; the first frame takes the second's.
fn horizontal_speed(track: &[Vec3], fps: f32) -> Vec<f32> {
    let step = |pair: &[Vec3]| (pair[1] - pair[0]).with_y(0.0).length() * fps;
    let first = track.windows(2).next().map_or(0.0, step);
    track.iter().take(1).map(|_| first).chain(track.windows(2).map(step)).collect()
}

#[wasm_bindgen]
impl CurvesHandle {
    /// Horizontal speed of the left ankle, m/s.
    #[wasm_bindgen(js_name = leftSpeed)]
    pub fn left_speed(&self) -> Vec<f32> {
        self.speeds[0].clone()
    }

    /// Horizontal speed of the right ankle, m/s.
    #[wasm_bindgen(js_name = rightSpeed)]
    pub fn right_speed(&self) -> Vec<f32> {
        self.speeds[1].clone()
    }

    /// 1 where the left foot touches the ground.
    #[wasm_bindgen(js_name = leftContact)]
    pub fn left_contact(&self) -> Vec<u8> {
        self.contacts[0].clone()
    }

    /// 1 where the right foot touches the ground.
    #[wasm_bindgen(js_name = rightContact)]
    pub fn right_contact(&self) -> Vec<u8> {
        self.contacts[1].clone()
    }

    /// Largest joint jerk, m/s³.
    pub fn jerk(&self) -> Vec<f32> {
        self.jerk.clone()
    }
}
