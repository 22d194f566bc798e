//! The mixture of experts as a gap filler, with its options.

use super::{Conditions, NAME, Network, path};
use crate::error::{Error, Result};
use crate::method::filler::{BodyGap, Filler, Finish, Gap, Grip, Motion, read_options};
use crate::method::registry::{Registered, Source};
use glam::Vec2;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Its entry in the registry.
pub const FILLER: Registered = Registered::of::<Options>(
    NAME,
    Source::Weights(|weights| {
        Ok(Box::new(DcmoeFiller { network: Arc::new(Network::read(weights)?), options: Options::default() }))
    }),
)
.shown("Along a path", "A network that follows a path: several motions to choose from. Human bodies only.")
.about("A mixture of experts that follows a path frame by frame, with a gallery of recorded paths");

/// Style and path of the motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Options {
    /// Name of a style of the network; omitted, the style of the keys continues.
    pub style: Option<String>,
    /// Points on the ground, x and z, metres, at equal intervals of time on a smooth curve between two keys; its ends
    /// are moved to the keys. Without a path, the network chooses its own.
    #[cfg_attr(feature = "types", ts(type = "readonly (readonly [x: number, z: number])[] | null"))]
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

    fn with(&self, options: &crate::method::filler::Options) -> Result<Box<dyn Filler>> {
        let options: Options = read_options(NAME, options)?;
        options.style.as_ref().map(|style| self.network.style(style)).transpose()?;
        options.path.as_ref().map_or(Ok(()), |points| path::check(points))?;
        Ok(Box::new(Self { options, ..self.clone() }))
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let BodyGap { past, target, frames, offsets, ground, scale } = gap.body()?;
        let Options { style, path } = &self.options;
        let path: Option<Vec<Vec2>> = path.as_ref().map(|points| points.iter().map(|point| *point * *scale).collect());
        let style = style.as_ref().map(|style| self.network.style(style)).transpose()?;
        let conditions = Conditions { style, path: path.as_deref() };
        self.network.fill(past, target, *frames, offsets, *ground, &conditions).map(Motion::Body)
    }

    fn check(&self, keys: usize) -> Result<()> {
        if self.options.path.is_some() && keys > 2 {
            let message = format!("a path needs exactly two keys, not {keys}");
            return Err(Error::Option { option: "path", message });
        }
        Ok(())
    }

    /// Along a path the timing is the network's own, so its last step seldom matches the target's. Of 280 candidates
    /// in LAFAN1 (`bench diverse`), 25 had more than twice the jerk of the recording at a factor of 1.5, 3 at 1.2 and
    /// one at 1.
    fn finish(&self) -> Finish {
        Finish { rough: 1.0, grip: Grip::UnlessRough }
    }

    fn requested_step(&self, frames: usize) -> f32 {
        let Some(points) = &self.options.path else { return 0.0 };
        let longest = points.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
        longest * (points.len() - 1) as f32 / (frames + 1) as f32
    }

    fn styles(&self) -> &[String] {
        self.network.styles()
    }

    fn speeds(&self, style: &str) -> Option<[f32; 2]> {
        self.network.speeds(self.network.style(style).ok()?)
    }
}
