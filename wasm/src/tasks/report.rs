//! Keys, gaps and warnings of `inbetween`, as JavaScript objects.

use super::options::FrameRange;
use super::value::to_js;
use kinestitch::inbetween::{GapTrial, Inbetween};
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

/// Converts the report of a result to a plain object.
pub(super) fn report(result: &Inbetween) -> Result<JsValue, JsValue> {
    let gaps = result.gaps.iter().map(|gap| GapReport {
        method: gap.method,
        range: (&gap.range).into(),
        key_error_cm: gap.key_error_cm,
        key_error_degrees: gap.key_error_degrees,
        foot_skate: gap.foot_skate,
        peak_jerk: gap.peak_jerk,
        trials: gap.trials.iter().map(trial_report).collect(),
    });
    let keys = result.keys.iter().map(FrameRange::from).collect();
    let ground_poses = result
        .ground_poses
        .iter()
        .map(|pose| GroundPoseReport { x: pose.position.x, z: pose.position.z, heading: pose.heading })
        .collect();
    to_js(&Report { keys, ground_poses, gaps: gaps.collect(), warnings: &result.warnings })
}

fn trial_report(&GapTrial { method, score, foot_skate, peak_jerk, milliseconds }: &GapTrial) -> TrialReport {
    TrialReport { method, score, foot_skate, peak_jerk, milliseconds }
}
