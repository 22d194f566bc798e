//! The network of the controller: a gate on local motion phases blends eight experts for every frame, and the blended
//! network predicts the next frame.
//!
//! Starke et al. 2020, *Local Motion Phases*, section 4 and Figure 2: a mixture of experts as in Zhang et al. 2018
//! (MANN), where the gate reads the velocities of the feet; here it reads phases. Gate and experts have three layers
//! with ELU each, with 256 inner columns (512 in the paper). Rows: [`crate::feature::controller`]; steering:
//! [`crate::control`].
//!
//! Figures: docs/results/control.md. Length of training: docs/notes/controller.md.

pub mod generative;
pub mod network;

use crate::body::{Character, character};
use crate::error::{Error, Result};
use crate::feature::controller::{ACTIONS, Layout, VERSION};
use crate::nn::mixture::PackedMixture;
pub use crate::nn::mixture::{Buffers, FARTHEST};
use crate::nn::weights::{Weights, is_plausible};
use generative::Generative;
use glam::Vec3;
use network::{NAME, Sizes};
use serde::{Deserialize, Serialize};

/// Configuration in a weight file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Sizes.
    pub sizes: Sizes,
    /// Name of the character.
    pub character: String,
    /// Names of the actions; the first is standing, the second moving.
    pub actions: Vec<String>,
    /// Names of the styles.
    pub styles: Vec<String>,
    /// Offsets of its canonical skeleton, metres.
    pub offsets: Vec<[f32; 3]>,
    /// Heights of the contact joints on the ground, metres.
    pub rest: Vec<f32>,
    /// Highest speed with enough recordings, metres per second.
    pub fastest: f32,
    /// Sizes of the generative control model, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generative: Option<generative::Sizes>,
}

/// The network, packed for the CPU.
pub struct Network {
    /// Its configuration.
    pub config: Config,
    /// Its character.
    pub character: &'static Character,
    /// Its column layout.
    pub layout: Layout,
    /// Joints of a standing body, [joints × 12], local to its root.
    pub start: Vec<f32>,
    /// Generative control; `None` where the weights have none.
    pub generative: Option<Generative>,
    mixture: PackedMixture,
}

impl Network {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it belongs to another network or its sizes disagree.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, VERSION)?;
        let config: Config = weights.config()?;
        let wrong = |message: &str| Error::Weights { message: message.to_owned() };
        let character = character::named(&config.character).ok_or_else(|| wrong("its character is not known"))?;
        let (actions, styles) = (config.actions.len(), config.styles.len());
        if !(2..=ACTIONS).contains(&actions) || styles == 0 {
            return Err(wrong("it needs two to six actions, and a style"));
        }
        if config.offsets.len() != character.len() || config.rest.len() != character.contacts.len() {
            return Err(wrong("its bones are not those of its character"));
        }
        let layout = Layout::of(character, actions, styles);
        let Sizes { input, gate, output, .. } = config.sizes;
        if (input, gate, output) != (layout.input(), layout.gate(), layout.output()) {
            return Err(wrong("its rows have other columns than this release's; use the weights of this release"));
        }
        let numbers = config.offsets.iter().flatten().chain(&config.rest);
        if !numbers.chain([&config.fastest]).all(|number| is_plausible(*number)) || config.fastest < 0.0 {
            return Err(wrong("its bones, heights or fastest speed are invalid"));
        }
        if config.generative.is_some_and(|sizes| sizes.path != layout.path().len()) {
            return Err(wrong("its generative control has another path layout"));
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

    /// Evaluates one frame. `input` and `gate` are raw rows and are overwritten; `out`, [output], is raw.
    pub fn run(&self, input: &mut [f32], gate: &mut [f32], out: &mut [f32], buffers: &mut Buffers) {
        self.mixture.run(input, gate, out, buffers);
    }

    /// Bone offsets of its character, [joints], metres.
    pub fn offsets(&self) -> Vec<Vec3> {
        self.config.offsets.iter().map(|offset| Vec3::from_array(*offset)).collect()
    }
}
