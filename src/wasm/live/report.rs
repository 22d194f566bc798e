//! Keys, gaps and warnings of `inbetween`, in the form of the package.

use super::options::FrameRange;
use super::value::to_js;
use crate::inbetween::{GapTrial, Inbetween};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Report of a result, as passed to JavaScript.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    keys: Vec<FrameRange>,
    ground_poses: Vec<GroundPoseReport>,
    gaps: Vec<GapReport>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct GroundPoseReport {
    x: f32,
    z: f32,
    heading: f32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GapReport {
    method: &'static str,
    range: FrameRange,
    key_error_cm: f32,
    key_error_degrees: f32,
    foot_skate: f32,
    peak_jerk: f32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trials: Vec<TrialReport>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TrialReport {
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
        range: (&gap.range).into(),
        key_error_cm: gap.key_error_cm,
        key_error_degrees: gap.key_error_degrees,
        foot_skate: gap.foot_skate,
        peak_jerk: gap.peak_jerk,
        trials: gap.trials.iter().map(trial_report).collect(),
    });
    let keys = made.keys.iter().map(FrameRange::from).collect();
    let ground_poses = made
        .ground_poses
        .iter()
        .map(|at| GroundPoseReport { x: at.position.x, z: at.position.z, heading: at.heading })
        .collect();
    to_js(&Report { keys, ground_poses, gaps: gaps.collect(), warnings: &made.warnings })
}

fn trial_report(&GapTrial { method, score, foot_skate, peak_jerk, milliseconds }: &GapTrial) -> TrialReport {
    TrialReport { method, score, foot_skate, peak_jerk, milliseconds }
}
