//! The result of `stitch`.

use super::ClipHandle;
use super::value::to_js;
use kinestitch::stitch::{Fault, SeamReport, Stitched};
use serde::Serialize;
use wasm_bindgen::prelude::*;

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

/// The report on a seam, with its visible faults in words.
#[derive(Serialize)]
struct Seam {
    #[serde(flatten)]
    report: SeamReport,
    faults: Vec<FaultReport>,
}

impl From<SeamReport> for Seam {
    fn from(report: SeamReport) -> Self {
        let faults = report.measures.faults().into_iter().map(FaultReport::from).collect();
        Self { report, faults }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    starts: Vec<usize>,
    seam_reports: Vec<Seam>,
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
        let Stitched { clip, aligned, starts, seam_reports, warnings } = stitched;
        Self {
            clip: first.derived(clip),
            aligned: aligned.into_iter().map(|clip| first.derived(clip)).collect(),
            report: Report { starts, seam_reports: seam_reports.into_iter().map(Seam::from).collect(), warnings },
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

    /// Returns the report: `starts`, `seamReports` and `warnings` of the package's result.
    ///
    /// # Errors
    /// None known.
    pub fn report(&self) -> Result<JsValue, JsValue> {
        to_js(&self.report)
    }
}
