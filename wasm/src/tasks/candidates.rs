//! Candidate paths from the first key of a session to the second, with their JavaScript options and results.

use super::inbetweener::LoadedNetworks;
use super::js_error;
use super::value::{from_js, to_js};
use glam::Vec2;
use kinestitch::error::{Error, quoted};
use kinestitch::inbetween::{CandidateOptions, Pace, Plan, Session};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// The JavaScript options; omitted options have the defaults of [`CandidateOptions`].
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CandidateFields {
    candidates: usize,
    seed: Option<u64>,
    speed: Option<String>,
    frames: Option<usize>,
    style: Option<String>,
    path: Option<Vec<Vec2>>,
    similar_to: Option<Vec<Vec2>>,
    tolerance: f32,
}

impl Default for CandidateFields {
    fn default() -> Self {
        let CandidateOptions { count, tolerance, .. } = CandidateOptions::default();
        Self {
            candidates: count,
            seed: None,
            speed: None,
            frames: None,
            style: None,
            path: None,
            similar_to: None,
            tolerance,
        }
    }
}

/// A candidate as a JavaScript object.
#[derive(Serialize)]
struct PlanReport {
    path: Vec<[f32; 2]>,
    frames: usize,
    speed: &'static str,
}

/// Finds candidate paths from the first key of a session to the second. Returns an array of [`PlanReport`].
///
/// # Errors
/// [`Error::Option`] for invalid options and if no gallery is loaded, and the errors of [`Session::candidates`].
pub(super) fn candidates(session: &Session, networks: &LoadedNetworks, options: JsValue) -> Result<JsValue, JsValue> {
    let fields: CandidateFields = from_js("options", options)?;
    let gallery = networks.gallery.as_deref().ok_or_else(|| {
        let message = "candidates need the gallery of their network: load it first".to_owned();
        js_error(Error::Option { option: "candidates", message })
    })?;
    let pace = fields.speed.as_deref().map(|name| {
        let message = || format!("{} is not one of {}", quoted(name), Pace::ALL.map(Pace::name).join(", "));
        Pace::from_name(name).ok_or_else(|| js_error(Error::Option { option: "speed", message: message() }))
    });
    let options = CandidateOptions {
        count: fields.candidates,
        seed: fields.seed.unwrap_or_default(),
        pace: pace.transpose()?,
        frames: fields.frames,
        speed_range: fields.style.as_deref().and_then(|style| networks.fillers.speeds(style)),
        style: fields.style,
        path: fields.path,
        similar_to: fields.similar_to,
        tolerance: fields.tolerance,
    };
    let plans = session.candidates(gallery, &options).map_err(js_error)?;
    let report = |Plan { path, frames, pace }: Plan| PlanReport {
        path: path.iter().map(|point| point.to_array()).collect(),
        frames,
        speed: pace.name(),
    };
    to_js(&plans.into_iter().map(report).collect::<Vec<_>>())
}
