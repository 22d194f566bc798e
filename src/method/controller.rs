//! The network of the controller. In every frame, a gate blends eight experts by local motion phases, and the blended
//! network predicts the next frame.
//!
//! Starke et al. 2020, *Local Motion Phases*, section 4 and Figure 2: a mixture of experts as in Zhang et al. 2018
//! (MANN). The gate of MANN reads the velocities of the feet, this gate reads phases. Gate and experts have three
//! layers each, with ELU and 256 inner columns (512 in the paper). Rows: [`crate::feature::controller`]; steering:
//! [`crate::control`].
//!
//! Scores: docs/results/control.md. Length of training: research/notes/controller.md.

pub mod generative;
pub mod network;

use crate::body::{Character, character};
use crate::error::{Error, Result};
use crate::feature::controller::{Layout, MAX_ACTIONS, VERSION};
use crate::nn::mixture::PackedMixture;
pub use crate::nn::mixture::{Buffers, MAX_DEVIATIONS};
use crate::nn::weights::{Weights, is_plausible};
use generative::Generative;
use glam::Vec3;
use network::{NAME, Sizes};
use serde::{Deserialize, Serialize};

/// Configuration in a weight file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Sizes of the network.
    pub sizes: Sizes,
    /// Name of the character.
    pub character: String,
    /// Names of the actions; the first is standing, the second moving.
    pub actions: Vec<String>,
    /// Names of the styles.
    pub styles: Vec<String>,
    /// Number of further styles that the network was trained with, and that cannot be requested. Their columns follow
    /// those of `styles`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_styles: u8,
    /// Bone offsets of the character's canonical skeleton, `[joints]`, metres.
    pub offsets: Vec<[f32; 3]>,
    /// Heights of the contact joints over the ground at rest, metres.
    pub rest: Vec<f32>,
    /// Highest speed for which there are enough recordings, metres per second.
    pub fastest: f32,
    /// Sizes of the generative control network, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generative: Option<generative::Sizes>,
}

/// The network, packed for the CPU.
pub struct Network {
    /// Configuration from the weight file.
    pub config: Config,
    /// The character.
    pub character: &'static Character,
    /// Layout of the rows.
    pub layout: Layout,
    /// Joint states of a standing body, [joints × 12], in root space.
    pub start: Vec<f32>,
    /// Generative control; `None` if the weight file has none.
    pub generative: Option<Generative>,
    mixture: PackedMixture,
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl Network {
    /// Reads the network of a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] if the file belongs to another network, or its sizes are inconsistent.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, VERSION)?;
        let config: Config = weights.config()?;
        let error = |message: &str| Error::Weights { message: message.to_owned() };
        let character = character::from_name(&config.character).ok_or_else(|| error("its character is unknown"))?;
        let (actions, styles) = (config.actions.len(), config.styles.len());
        if !(2..=MAX_ACTIONS).contains(&actions) || styles == 0 {
            return Err(error("it needs two to six actions, and at least one style"));
        }
        if config.offsets.len() != character.len() || config.rest.len() != character.contacts.len() {
            return Err(error("its bones are not those of its character"));
        }
        let layout = Layout::new(character, actions, styles + usize::from(config.other_styles));
        let Sizes { input, gate, output, .. } = config.sizes;
        if (input, gate, output) != (layout.input_width(), layout.gate_width(), layout.output_width()) {
            return Err(error("its rows have other columns than in this release; use the weights of this release"));
        }
        let numbers = config.offsets.iter().flatten().chain(&config.rest);
        if !numbers.chain([&config.fastest]).all(|number| is_plausible(*number)) || config.fastest < 0.0 {
            return Err(error("its bones, heights or fastest speed are invalid"));
        }
        if config.generative.is_some_and(|sizes| sizes.path != layout.path().len()) {
            return Err(error("its generative control has another path layout"));
        }
        Ok(Self {
            character,
            layout,
            generative: config.generative.map(|sizes| Generative::read(weights, sizes)).transpose()?,
            start: weights.tensor("start", &[layout.state().len()])?,
            mixture: PackedMixture::read(weights, &config.sizes)?,
            config,
        })
    }

    /// Evaluates one frame. `input` and `gate`: raw rows, which are overwritten. `out`: receives the raw output row.
    pub fn run(&self, input: &mut [f32], gate: &mut [f32], out: &mut [f32], buffers: &mut Buffers) {
        self.mixture.run(input, gate, out, buffers);
    }

    /// Returns the bone offsets of the character, `[joints]`, metres.
    pub fn offsets(&self) -> Vec<Vec3> {
        self.config.offsets.iter().map(|offset| Vec3::from_array(*offset)).collect()
    }
}
