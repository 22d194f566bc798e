//! Recipe of a controller's training.

use super::feet::Weights;
use super::learn::Rule;
use crate::data::Recording;
use crate::data::sets::glob;
use crate::schedule::Level;
use kinestitch::body::{Character, character};
use kinestitch::error::{Error, Result};
use kinestitch::method::controller::Gate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Which weights they are: `open` or `research`.
    pub set: String,
    /// Permitted use of the weights, in words.
    pub licence: String,
    /// Body.
    pub character: String,
    /// Of each data set, the recordings it takes, by name (`*` stands for anything), and how much a second of them
    /// counts. The longest pattern that fits holds.
    pub takes: BTreeMap<String, BTreeMap<String, f64>>,
    /// Names of actions, of those that recordings are labelled with, in their order.
    pub actions: Vec<String>,
    /// Names of styles, the usual one first; recordings of others are left out. `neutral` is the usual one.
    pub styles: Vec<String>,
    /// Styles under another name: what recordings say → which of `styles` it is.
    #[serde(default)]
    pub alias: BTreeMap<String, String>,
    /// Part of the usual style's frames that stand, start, or go backwards or sideways which is learned as another
    /// style: most styles have been recorded ahead alone, and a network that never saw one go backwards slides.
    #[serde(default)]
    pub lend: f64,
    /// Fastest speed that it is asked for, metres a second.
    pub fastest: f32,
    /// Input of the gate.
    #[serde(default)]
    pub gate: Gate,
    /// Width of the gate's inner rows.
    pub gate_hidden: usize,
    /// Experts.
    pub experts: usize,
    /// Width of inner rows.
    pub hidden: usize,
    /// Part of the frames in which the network is given back what it said, reached half-way through the steps before
    /// the cool-down.
    pub feedback: f64,
    /// Deviation of the noise on input columns, normalised.
    pub noise: f32,
    /// Part of inner columns that dropout lets fall.
    pub dropout: f32,
    /// Decay of the weights.
    pub decay: f32,
    /// How much the places of feet count, found on the bones of the character; 0: not at all.
    #[serde(default)]
    pub feet: f32,
    /// How much the slide of planted feet counts.
    #[serde(default)]
    pub slide: f32,
    /// How long and how fast it learns.
    pub schedule: Level,
}

impl Recipe {
    /// How a step learns.
    pub fn rule(&self, step: usize) -> Rule {
        let level = self.schedule.steps.saturating_sub(self.schedule.cooldown).max(1) as f64;
        Rule {
            batch: self.schedule.batch,
            rate: self.schedule.rate_at(step) as f32,
            feedback: self.feedback * (2.0 * step as f64 / level).min(1.0),
            noise: self.noise,
            dropout: self.dropout,
            decay: self.decay,
            lend: self.lend,
            feet: Weights { place: self.feet, slide: self.slide },
            seed: self.schedule.seed,
        }
    }

    /// Its body.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown one.
    pub fn body(&self) -> Result<&'static Character> {
        let unknown = || Error::Option { option: "character", message: format!("\"{}\" is not known", self.character) };
        character::named(&self.character).ok_or_else(unknown)
    }

    /// How much a second of a recording counts, and its style; `None` where it is not wanted.
    pub fn wants(&self, recording: &Recording) -> Option<(f64, usize)> {
        let globs = self.takes.get(&recording.set)?;
        let fits = globs.iter().filter(|(pattern, _)| glob(pattern, &recording.name));
        let weight = fits.max_by_key(|(pattern, _)| pattern.len())?.1;
        let style = match recording.style.as_str() {
            "neutral" | "Neutral" => Some(0),
            style => {
                let style = self.alias.get(style).map_or(style, String::as_str);
                self.styles.iter().position(|known| known == style)
            }
        };
        (recording.character == self.character).then_some((*weight, style?)).filter(|(weight, _)| *weight > 0.0)
    }
}
