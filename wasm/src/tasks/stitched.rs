//! The result of `stitch`.

use super::ClipHandle;
use super::options::{FrameRange, JoinFields, REFINED};
use super::value::to_js;
use kinestitch::method::lscore::Cut;
use kinestitch::stitch::{Fault, Rejection, Seam, Stitched, Trial};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// [`Cut`] as a JavaScript object.
#[derive(Serialize)]
pub(super) struct CutReport {
    takeoff: u32,
    landing: u32,
    inject: u32,
    score: f32,
    euclidean: f32,
}

impl From<Cut> for CutReport {
    fn from(cut: Cut) -> Self {
        let [takeoff, landing, inject] = [cut.takeoff, cut.landing, cut.inject].map(|frames| frames as u32);
        Self { takeoff, landing, inject, score: cut.score, euclidean: cut.euclidean }
    }
}

/// [`Seam`] as a JavaScript object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SeamReport {
    frame: u32,
    method: &'static str,
    edited_range: FrameRange,
    measured_range: FrameRange,
    foot_skate: f32,
    peak_jerk: f32,
    faults: Vec<FaultReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<CutReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drift_cm: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback_reason: Option<&'static str>,
    /// Number of frames inserted between the clips.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<u32>,
    /// Method that filled the inserted frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_method: Option<&'static str>,
    /// The chosen join options, if they were chosen automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<JoinFields>,
    /// Tried join options, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trials: Vec<TrialReport>,
}

/// [`Fault`] as a JavaScript object.
#[derive(Serialize)]
pub(super) struct FaultReport {
    kind: &'static str,
    value: f32,
    text: String,
    remedy: &'static str,
}

impl From<Fault> for FaultReport {
    fn from(fault: Fault) -> Self {
        let Fault { kind, value } = fault;
        Self { kind: kind.name(), value, text: fault.text(), remedy: kind.remedy() }
    }
}

/// [`Trial`] as a JavaScript object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TrialReport {
    options: JoinFields,
    score: f32,
    foot_skate: f32,
    peak_jerk: f32,
    milliseconds: f64,
}

impl From<&Trial> for TrialReport {
    fn from(trial: &Trial) -> Self {
        let &Trial { score, foot_skate, peak_jerk, milliseconds, .. } = trial;
        Self { options: JoinFields::of(trial), score, foot_skate, peak_jerk, milliseconds }
    }
}

impl From<Seam> for SeamReport {
    fn from(seam: Seam) -> Self {
        Self {
            frame: seam.frame as u32,
            method: if seam.refinement.is_some() { REFINED } else { seam.join.name() },
            edited_range: (&seam.edited_range).into(),
            measured_range: (&seam.measured_range).into(),
            foot_skate: seam.foot_skate,
            peak_jerk: seam.peak_jerk,
            faults: seam.measures.faults().into_iter().map(FaultReport::from).collect(),
            cut: seam.cut.map(CutReport::from),
            drift_cm: seam.refinement.map(|report| report.drift_cm),
            fallback_reason: seam.refinement.and_then(|report| report.fallback_reason).map(Rejection::reason),
            gap: (seam.inserted > 0).then_some(seam.inserted as u32),
            gap_method: (seam.inserted > 0).then_some(seam.options.filler),
            options: seam.trials.first().map(JoinFields::of),
            trials: seam.trials.iter().map(TrialReport::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct Report {
    starts: Vec<u32>,
    seams: Vec<SeamReport>,
    warnings: Vec<String>,
}

/// Result of `stitch`.
#[wasm_bindgen]
pub struct StitchedHandle {
    clip: ClipHandle,
    aligned: Vec<ClipHandle>,
    report: Report,
}

impl StitchedHandle {
    pub(super) fn new(stitched: Stitched, first: &ClipHandle) -> Self {
        let Stitched { clip, aligned, starts, seams, warnings } = stitched;
        Self {
            clip: first.derived(clip),
            aligned: aligned.into_iter().map(|clip| first.derived(clip)).collect(),
            report: Report {
                starts: starts.iter().map(|&start| start as u32).collect(),
                seams: seams.into_iter().map(SeamReport::from).collect(),
                warnings,
            },
        }
    }
}

#[wasm_bindgen]
impl StitchedHandle {
    /// Returns the stitched motion as a clip.
    pub fn clip(&self) -> ClipHandle {
        self.clip.share()
    }

    /// Returns the inputs after trimming, resampling, retargeting and placement on the ground.
    pub fn aligned(&self) -> Vec<ClipHandle> {
        self.aligned.iter().map(ClipHandle::share).collect()
    }

    /// Returns the report: `starts`, `seams` and `warnings` of the package's result.
    ///
    /// # Errors
    /// None known.
    pub fn report(&self) -> Result<JsValue, JsValue> {
        to_js(&self.report)
    }
}
