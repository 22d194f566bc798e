//! Recipe of a controller's training.

use crate::data::Recording;
use crate::data::sets::longest_match;
use crate::recipe::{Header, check_probability};
use crate::schedule::Schedule;
use kinestitch::body::{Character, character};
use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::{Layout, MAX_ACTIONS};
use kinestitch::method::controller::network::Sizes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name, set and licence.
    #[serde(flatten)]
    pub header: Header,
    /// Character: `biped` or `dog`.
    pub character: String,
    /// For each data set, glob patterns of recordings with their sampling weight per second. The longest matching
    /// pattern applies.
    pub takes: BTreeMap<String, BTreeMap<String, f64>>,
    /// Actions in the order of the columns: stand, move; then jump for people, or sit and lie for dogs.
    pub actions: Vec<String>,
    /// Names of the styles that can be requested. The first is the default style; recordings with the style `neutral`
    /// have it. Recordings of styles that are neither here nor in `other_styles` are left out.
    pub styles: Vec<String>,
    /// Further styles, which cannot be requested. Their recordings make the other styles more robust, but are too few
    /// to learn a style from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_styles: Vec<String>,
    /// Styles of recordings whose file names do not state one, by set and glob pattern as in `takes`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, BTreeMap<String, String>>,
    /// Aliases of styles: name in the recordings → name in `styles`.
    #[serde(default)]
    pub alias: BTreeMap<String, String>,
    /// Probability that a lane of the default style is trained with another style, if the body stands, starts, stops,
    /// or moves backwards or sideways at the lane's first frame ([`super::sample::RowWriter::draw_style`]). The
    /// recordings of most styles only go forwards; without such lanes, a character in these styles slides when it goes
    /// backwards.
    #[serde(default)]
    pub lend: f64,
    /// Highest speed that can be requested, metres per second.
    pub fastest: f32,
    /// Width of the gate's hidden layers.
    pub gate_hidden: usize,
    /// Number of experts.
    pub experts: usize,
    /// Width of the hidden layers.
    pub hidden: usize,
    /// Final probability of feedback: that the input of a frame contains the network's own prediction of this frame. The
    /// probability grows from 0 and reaches this value half-way through the steps before the cool-down.
    pub feedback: f64,
    /// Standard deviation of the noise on the normalised path and joint columns of the input.
    pub noise: f32,
    /// Probability that dropout sets an input column of a layer of the experts to zero.
    pub dropout: f32,
    /// Weight decay.
    pub decay: f32,
    /// Length and learning rate of the run.
    pub schedule: Schedule,
}

impl Recipe {
    /// Returns the probability of feedback in a training step.
    pub fn feedback_at(&self, step: usize) -> f64 {
        let before_cooldown = self.schedule.steps.saturating_sub(self.schedule.cooldown.unwrap_or(0)).max(1) as f64;
        self.feedback * (2.0 * step as f64 / before_cooldown).min(1.0)
    }

    /// Returns the names of all styles, in the order of their columns.
    pub fn all_styles(&self) -> impl Iterator<Item = &String> {
        self.styles.iter().chain(&self.other_styles)
    }

    /// Returns the column layout of the rows.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown character, for a number of actions or styles that no network can have, and for
    /// a probability outside 0 to 1.
    pub fn layout(&self) -> Result<Layout> {
        if !(2..=MAX_ACTIONS).contains(&self.actions.len()) {
            let message = format!("2 to {MAX_ACTIONS} actions are needed, not {}", self.actions.len());
            return Err(Error::Option { option: "actions", message });
        }
        if self.styles.is_empty() {
            let message = "at least one style is needed: the first is the default".to_owned();
            return Err(Error::Option { option: "styles", message });
        }
        check_probability("lend", self.lend)?;
        check_probability("feedback", self.feedback)?;
        Ok(Layout::new(self.body()?, self.actions.len(), self.all_styles().count()))
    }

    /// Returns the sizes of the network.
    ///
    /// # Errors
    /// Those of [`Recipe::layout`].
    pub fn sizes(&self) -> Result<Sizes> {
        let layout = self.layout()?;
        Ok(Sizes {
            input: layout.input_width(),
            gate: layout.gate_width(),
            gate_hidden: self.gate_hidden,
            experts: self.experts,
            hidden: self.hidden,
            output: layout.output_width(),
        })
    }

    /// Returns the character.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown character.
    pub fn body(&self) -> Result<&'static Character> {
        let unknown = || Error::Option { option: "character", message: format!("\"{}\" is not known", self.character) };
        character::from_name(&self.character).ok_or_else(unknown)
    }

    /// Returns the sampling weight per second and the style index of a recording; `None` if the recipe does not use it.
    pub fn select(&self, recording: &Recording) -> Option<(f64, usize)> {
        let weight = *longest_match(self.takes.get(&recording.set)?, &recording.name)?;
        let label = self.labels.get(&recording.set).and_then(|globs| longest_match(globs, &recording.name));
        let style = match label.unwrap_or(&recording.style).as_str() {
            "neutral" | "Neutral" => 0,
            style => {
                let style = self.alias.get(style).map_or(style, String::as_str);
                self.all_styles().position(|name| name == style)?
            }
        };
        (recording.character == self.character && weight > 0.0).then_some((weight, style))
    }
}
