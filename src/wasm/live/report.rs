//! Keys, gaps and warnings of `inbetween`, in the form of the package.

use super::options::FrameRange;
use super::value::to_js;
use crate::inbetween::{Attempt, Inbetween};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Report of a result, as passed to JavaScript.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    keys: Vec<FrameRange>,
    places: Vec<PlaceReport>,
    gaps: Vec<GapReport>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct PlaceReport {
    x: f32,
    z: f32,
    heading: f32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GapReport {
    method: &'static str,
    edited: FrameRange,
    arrival_cm: f32,
    arrival_degrees: f32,
    foot_skate: f32,
    peak_jerk: f32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tried: Vec<AttemptReport>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptReport {
    method: &'static str,
    score: f32,
    foot_skate: f32,
    peak_jerk: f32,
    milliseconds: f64,
}

/// The report of a result.
pub(super) fn report(made: &Inbetween) -> Result<JsValue, JsValue> {
    let gaps = made.gaps.iter().map(|gap| GapReport {
        method: gap.method,
        edited: (&gap.edited).into(),
        arrival_cm: gap.arrival_cm,
        arrival_degrees: gap.arrival_degrees,
        foot_skate: gap.foot_skate,
        peak_jerk: gap.peak_jerk,
        tried: gap.tried.iter().map(attempt).collect(),
    });
    let keys = made.keys.iter().map(FrameRange::from).collect();
    let places =
        made.places.iter().map(|at| PlaceReport { x: at.position.x, z: at.position.z, heading: at.heading }).collect();
    to_js(&Report { keys, places, gaps: gaps.collect(), warnings: &made.warnings })
}

fn attempt(&Attempt { method, score, foot_skate, peak_jerk, milliseconds }: &Attempt) -> AttemptReport {
    AttemptReport { method, score, foot_skate, peak_jerk, milliseconds }
}
