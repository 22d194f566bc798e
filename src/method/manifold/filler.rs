//! The manifold in-betweener as a gap filler, with its options.

use super::{Conditions, Manifold, NAME};
use crate::error::Result;
use crate::method::filler::{BodyGap, Filler, Gap, Motion, read_options};
use crate::method::registry::{Registered, Source};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Its entry in the registry.
pub const FILLER: Registered = Registered::of::<Options>(
    NAME,
    Source::Weights(|weights| {
        Ok(Box::new(ManifoldFiller { network: Arc::new(Manifold::read(weights)?), options: Options::default() }))
    }),
)
.shown(
    "Many ways",
    "A network that makes frame after frame, in several variants: three of them side by side. Human bodies only.",
)
.about("A sampler that moves, frame by frame, on a manifold of leg motion");

/// Choice of one of many possible motions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Options {
    /// Different seeds give different motions; omitted, the mean motion.
    #[cfg_attr(feature = "types", ts(type = "number | null"))]
    pub seed: Option<u64>,
    /// Offset on the manifold of motions: added to the components of the latent variable, in deviations, in full in
    /// the middle of each gap and less towards its ends. Missing components are 0; beyond ±4.5 nothing changes.
    #[cfg_attr(feature = "types", ts(type = "readonly number[]"))]
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

    fn with(&self, options: &crate::method::filler::Options) -> Result<Box<dyn Filler>> {
        Ok(Box::new(Self { options: read_options(NAME, options)?, ..self.clone() }))
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let BodyGap { past, target, frames, offsets, ground, .. } = gap.body()?;
        // Equal gaps get different noise.
        let of_gap = |seed: u64| seed.wrapping_add((gap.index as u64).wrapping_mul(0x5851_f42d_4c95_7f2d));
        let conditions = Conditions { seed: self.options.seed.map(of_gap), latent: &self.options.latent };
        self.network.fill(past, target, *frames, offsets, *ground, &conditions).map(Motion::Body)
    }
}
