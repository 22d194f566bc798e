//! Gap filler "manifold" with its options.

use super::{Conditions, Manifold, NAME};
use crate::error::Result;
use crate::method::filler::{Filler, Gap, MAX_GAP, Motion, OptionMap, read_options};
use crate::method::registry::{Constructor, RegistryEntry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Entry in the registry.
pub const FILLER: RegistryEntry = RegistryEntry::new::<Options>(
    NAME,
    Constructor::Weights(|weights| {
        Ok(Box::new(ManifoldFiller { network: Arc::new(Manifold::read(weights)?), options: Options::default() }))
    }),
)
.with_label(
    "Variants",
    "A network that generates the motion frame by frame. Shows three variants side by side. Human bodies only.",
)
.with_about("Generates frames one by one from a learned manifold of lower-body motion")
.with_max_gap(MAX_GAP);

/// Options of the filler: they select one of the possible motions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Options {
    /// Seed: different seeds give different motions. If omitted, the result is the mean motion.
    pub seed: Option<u64>,
    /// Offset that is added to the latent variable, in standard deviations: moves the result on the manifold of
    /// motions. Its effect is full in the middle of each gap and fades towards both keys. Missing components are 0; the
    /// latent variable is clamped to ±4.5.
    pub latent: Vec<f32>,
}

#[derive(Clone)]
struct ManifoldFiller {
    network: Arc<Manifold>,
    options: Options,
}

impl Filler for ManifoldFiller {
    fn name(&self) -> &'static str {
        NAME
    }

    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>> {
        Ok(Box::new(Self { options: read_options(NAME, options)?, ..self.clone() }))
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        // Each gap gets different noise. The factor is the multiplier of a linear congruential generator (Knuth).
        let gap_seed = |seed: u64| seed.wrapping_add((gap.index as u64).wrapping_mul(0x5851_f42d_4c95_7f2d));
        let conditions = Conditions { seed: self.options.seed.map(gap_seed), latent: &self.options.latent };
        let body_gap = gap.body()?;
        self.network.fill(&body_gap.keys(), body_gap.frames, &conditions).map(Motion::Body)
    }
}
