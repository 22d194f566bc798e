//! Gap filler "dcmoe" with its options.

use super::{Conditions, MAX_GAP, NAME, Network, path};
use crate::error::{Error, Result};
use crate::method::filler::{Filler, FootHold, Gap, Motion, OptionMap, Postprocessing, read_options};
use crate::method::registry::{Constructor, RegistryEntry};
use glam::Vec2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Entry in the registry.
pub const FILLER: RegistryEntry = RegistryEntry::new::<Options>(
    NAME,
    Constructor::Weights(|weights| {
        Ok(Box::new(DcmoeFiller { network: Arc::new(Network::read(weights)?), options: Options::default() }))
    }),
)
.with_label("Along a path", "A network that follows a path: several motions to choose from. Human bodies only.")
.with_about("A mixture of experts generates frames one by one along a path; candidates follow paths of recordings")
.with_max_gap(MAX_GAP);

/// Options of the filler: style and path of the motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Options {
    /// Name of a style of the network. If omitted, the style of the keys continues.
    pub style: Option<String>,
    /// Points on the ground (x, z), metres, at equal time intervals on a smooth curve between two keys. The ends of the
    /// curve are moved to the keys. If omitted, the network chooses a path.
    #[schemars(with = "Option<Vec<[f32; 2]>>")]
    pub path: Option<Vec<Vec2>>,
}

#[derive(Clone)]
struct DcmoeFiller {
    network: Arc<Network>,
    options: Options,
}

impl Filler for DcmoeFiller {
    fn name(&self) -> &'static str {
        NAME
    }

    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>> {
        let options: Options = read_options(NAME, options)?;
        options.style.as_ref().map(|style| self.network.style_index(style)).transpose()?;
        options.path.as_ref().map_or(Ok(()), |points| path::check(points))?;
        Ok(Box::new(Self { options, ..self.clone() }))
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let body_gap = gap.body()?;
        let Options { style, path } = &self.options;
        let path: Option<Vec<Vec2>> =
            path.as_ref().map(|points| points.iter().map(|point| *point * body_gap.scale).collect());
        let style = style.as_ref().map(|style| self.network.style_index(style)).transpose()?;
        let conditions = Conditions { style, path: path.as_deref() };
        self.network.fill(&body_gap.keys(), body_gap.frames, &conditions).map(Motion::Body)
    }

    fn check(&self, key_count: usize) -> Result<()> {
        if self.options.path.is_some() && key_count > 2 {
            let message = format!("a path needs exactly two keys, not {key_count}");
            return Err(Error::Option { option: "path", message });
        }
        Ok(())
    }

    /// Returns a low jerk limit: along a path the network chooses the timing of the steps, so the last step seldom
    /// matches the target. Of 280 candidates in LAFAN1 (`bench diverse`), 25 had more than twice the jerk of the
    /// recording at `max_jerk_ratio` 1.5, three at 1.2 and one at 1.
    fn postprocessing(&self) -> Postprocessing {
        Postprocessing { max_jerk_ratio: 1.0, foot_hold: FootHold::UnlessJerky }
    }

    fn requested_step(&self, frames: usize) -> f32 {
        let Some(points) = &self.options.path else { return 0.0 };
        let longest_segment = points.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
        longest_segment * (points.len() - 1) as f32 / (frames + 1) as f32
    }

    fn styles(&self) -> &[String] {
        self.network.styles()
    }

    fn speeds(&self, style: &str) -> Option<[f32; 2]> {
        self.network.speeds(self.network.style_index(style).ok()?)
    }
}
