//! JavaScript options of `inbetween`: the live module reads them, the light one returns their defaults.

use crate::error::{Error, Result};
use crate::inbetween::InbetweenOptions;
use crate::method::registry::Choice;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Omitted options have the crate's defaults.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct InbetweenWords {
    /// A name, or an object of the name and the method's own options.
    pub method: Choice,
    pub frames: Vec<usize>,
    #[serde(skip_serializing)]
    pub fps: Option<f64>,
    pub foot_lock: bool,
    #[serde(skip_serializing)]
    pub name: Option<String>,
    /// Options of a method are also accepted here, beside it.
    #[serde(skip_serializing)]
    pub seed: Option<Value>,
    #[serde(skip_serializing)]
    pub latent: Option<Value>,
    #[serde(skip_serializing)]
    pub style: Option<Value>,
    #[serde(skip_serializing)]
    pub path: Option<Value>,
}

impl Default for InbetweenWords {
    fn default() -> Self {
        let InbetweenOptions { frames, fps, foot_lock, name } = InbetweenOptions::default();
        let (seed, latent, style, path) = (None, None, None, None);
        Self { method: Choice::default(), frames, fps, foot_lock, name, seed, latent, style, path }
    }
}

impl InbetweenWords {
    /// The method with its options from both places, and the other options. `has` returns whether a method has an
    /// option.
    ///
    /// # Errors
    /// [`Error::Option`] for options that the method lacks. A seed is dropped instead, because it also selects among
    /// candidates.
    #[cfg_attr(not(feature = "live"), allow(dead_code))]
    pub(super) fn settled(self, has: impl Fn(&str, &str) -> bool) -> Result<(Choice, InbetweenOptions)> {
        let Self { mut method, frames, fps, foot_lock, name, seed, latent, style, path } = self;
        for (option, value) in [("seed", seed), ("latent", latent), ("style", style), ("path", path)] {
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            if has(&method.name, option) {
                method.options.insert(option.to_owned(), value);
            } else if option != "seed" {
                return Err(Error::Option { option, message: format!("\"{}\" knows none", method.name) });
            }
        }
        Ok((method, InbetweenOptions { frames, fps, foot_lock, name }))
    }
}
