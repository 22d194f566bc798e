//! Cubic Hermite splines through joint rotations and moving joints (Kochanek and Bartels 1984, with tension).
//!
//! A rotation is interpolated as a rotation vector relative to the first key, in the space of the parent joint. The
//! tangents are the velocities of the keys. In a gap longer than `REACH_SECS`, the difference between a tangent and the
//! mean velocity of the gap is multiplied by `REACH_SECS` / duration of the gap. With full tangents, a knee that swings
//! at 10 rad/s moves 1.5 rad too far in a gap of one second. On LAFAN1, curves with full tangents have a larger L2P
//! than "inertialize" (`research/notes/delta.md`).

use crate::error::{Error, Result};
use crate::method::filler::{End, Filler, Gap, Motion, OptionMap, Velocity, read_options};
use crate::method::frame::Frame;
use crate::method::registry::{Constructor, RegistryEntry};
use crate::motion::quat::exp;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Entry of "hermite" in the registry.
pub const FILLER: RegistryEntry = RegistryEntry::new::<Options>(
    "hermite",
    Constructor::WithoutWeights(|| Box::new(Hermite { options: Options::default() })),
)
.with_label(
    "Spline",
    "A smooth curve from key to key that, in gaps of up to half a second, starts and ends with the speeds of the keys.",
);

/// Longest gap in which the tangents are exactly the velocities of the keys, seconds.
const REACH_SECS: f64 = 0.5;

/// Options of the filler: shape of the spline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Options {
    /// 0 keeps the velocities of the keys in gaps of up to half a second; with 1, the velocity at the keys is zero.
    pub tension: f32,
}

struct Hermite {
    options: Options,
}

impl Filler for Hermite {
    fn name(&self) -> &'static str {
        FILLER.name
    }

    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>> {
        let options: Options = read_options(self.name(), options)?;
        if !(0.0..=1.0).contains(&options.tension) {
            let message = format!("a number from 0 to 1, not {}", options.tension);
            return Err(Error::Option { option: "tension", message });
        }
        Ok(Box::new(Self { options }))
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let [from, to] = gap.ends;
        let length = gap.frames as f32 + 1.0;
        let mean_velocity = Velocity::between(&from.pose, &to.pose, length);
        let reach = length.min((REACH_SECS * gap.fps) as f32);
        // Tangents in units per gap. `select` returns the angular or the linear velocities.
        let tangents = |end: &End, select: fn(&Velocity) -> &Vec<Vec3>| -> Vec<Vec3> {
            let velocities = select(end.velocity.as_ref().unwrap_or(&mean_velocity)).iter().zip(select(&mean_velocity));
            let factor = 1.0 - self.options.tension;
            velocities.map(|(velocity, mean)| (*mean * length + (*velocity - *mean) * reach) * factor).collect()
        };
        let angular_tangents = [from, to].map(|end| tangents(end, |velocity| &velocity.angular));
        let linear_tangents = [from, to].map(|end| tangents(end, |velocity| &velocity.linear));
        let frame = |index: usize| {
            let time = (index + 1) as f32 / length;
            let offset = |tangents: &[Vec<Vec3>; 2], mean: &[Vec3], track: usize| {
                spline(mean[track] * length, tangents[0][track], tangents[1][track], time)
            };
            let rotations = from.pose.rotations.iter().enumerate();
            let translations = from.pose.translations.iter().enumerate();
            Frame {
                rotations: rotations
                    .map(|(joint, key)| {
                        (exp(offset(&angular_tangents, &mean_velocity.angular, joint)) * *key).normalize()
                    })
                    .collect(),
                translations: translations
                    .map(|(slot, key)| *key + offset(&linear_tangents, &mean_velocity.linear, slot))
                    .collect(),
            }
        };
        Ok(Motion::Skeleton((0..gap.frames).map(frame).collect()))
    }
}

/// Evaluates the curve from zero to `end_point` at a time from 0 to 1.
fn spline(end_point: Vec3, start_tangent: Vec3, end_tangent: Vec3, time: f32) -> Vec3 {
    let (square, cube) = (time * time, time * time * time);
    end_point * (3.0 * square - 2.0 * cube)
        + start_tangent * (cube - 2.0 * square + time)
        + end_tangent * (cube - square)
}
