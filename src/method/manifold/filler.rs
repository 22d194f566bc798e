//! The manifold in-betweener as a gap filler, with its options.

use super::{Manifold, NAME, Wish};
use crate::error::Result;
use crate::method::filler::{BodyGap, Filler, Gap, Motion, read_options};
use crate::method::registry::{Registered, Source};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Its entry in the list.
pub const FILLER: Registered = Registered::of::<Options>(
    NAME,
    Source::Weights(|weights| {
        Ok(Box::new(ManifoldFiller { network: Arc::new(Manifold::read(weights)?), options: Options::default() }))
    }),
);

/// Which of the possible motions is made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Options {
    /// Each seed another motion; none its mean.
    #[cfg_attr(feature = "types", ts(type = "number | null"))]
    pub seed: Option<u64>,
    /// Where on its manifold of motions it goes: added to the latent variable's components, in deviations, in the middle of
    /// each gap, and less towards its ends. Those left out count as 0; beyond ±4.5 nothing changes.
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
        // Two gaps alike are not filled alike.
        let of_gap = |seed: u64| seed.wrapping_add((gap.index as u64).wrapping_mul(0x5851_f42d_4c95_7f2d));
        let wish = Wish { seed: self.options.seed.map(of_gap), latent: &self.options.latent };
        self.network.fill(past, target, *frames, offsets, *ground, &wish).map(Motion::Body)
    }
}
