//! Options of `inbetween` as JavaScript names them: the live module reads them, the light one tells their defaults.

use crate::inbetween::{InbetweenOptions, Inbetweener};
use serde::{Deserialize, Serialize};

/// Those left out are the crate's defaults.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct InbetweenWords {
    pub method: String,
    pub frames: Vec<usize>,
    #[serde(skip_serializing)]
    pub fps: Option<f64>,
    pub foot_lock: bool,
    #[serde(skip_serializing)]
    pub seed: Option<u64>,
    #[serde(skip_serializing)]
    pub latent: Vec<f32>,
    #[serde(skip_serializing)]
    pub style: Option<String>,
    /// x and z of points.
    #[serde(skip_serializing)]
    pub path: Option<Vec<[f32; 2]>>,
    #[serde(skip_serializing)]
    pub name: Option<String>,
}

impl Default for InbetweenWords {
    fn default() -> Self {
        let InbetweenOptions { frames, fps, foot_lock, seed, latent, style, name, .. } = InbetweenOptions::default();
        Self {
            method: Inbetweener::default().name().to_owned(),
            frames,
            fps,
            foot_lock,
            seed,
            latent,
            style,
            path: None,
            name,
        }
    }
}
