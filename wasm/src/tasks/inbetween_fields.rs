//! JavaScript options of `inbetween`.

use kinestitch::inbetween::InbetweenOptions;
use kinestitch::method::registry::FillerChoice;
use kinestitch::motion::floor::Ground;
use serde::{Deserialize, Serialize};

/// Options of `inbetween`; omitted ones have the crate's defaults.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct InbetweenFields {
    /// A name, or an object of the name and the method's own options.
    pub method: FillerChoice,
    pub frames: Vec<usize>,
    #[serde(skip_serializing)]
    pub fps: Option<f64>,
    pub foot_lock: bool,
    pub ground: Ground,
    #[serde(skip_serializing)]
    pub name: Option<String>,
}

impl Default for InbetweenFields {
    fn default() -> Self {
        let InbetweenOptions { frames, fps, foot_lock, ground, name } = InbetweenOptions::default();
        Self { method: FillerChoice::default(), frames, fps, foot_lock, ground, name }
    }
}

impl InbetweenFields {
    /// Splits into the method and the options of the motion.
    pub(super) fn into_options(self) -> (FillerChoice, InbetweenOptions) {
        let Self { method, frames, fps, foot_lock, ground, name } = self;
        (method, InbetweenOptions { frames, fps, foot_lock, ground, name })
    }
}
