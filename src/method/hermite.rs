//! Cubic Hermite splines through joint rotations and moving joints (Kochanek and Bartels 1984, with tension).
//!
//! For a rotation, the rotation vector relative to the first key is interpolated, in the parent's frame; tangents are
//! the velocities of the keys. The part of a tangent beyond the mean velocity is limited to [`REACH_SECS`]: otherwise
//! a knee that swings at 10 rad/s would be carried 1.5 rad too far within a second, and on LAFAN1 subjects 1–3 L2P
//! would be .64/.82/.93/.95 of plain interpolation's at 5/15/30/45 frames, behind "inertialize".

use crate::error::{Error, Result};
use crate::method::filler::{End, Filler, Gap, Motion, Options as Given, Speed, read_options};
use crate::method::frame::Frame;
use crate::method::registry::{Registered, Source};
use crate::motion::quat::exp;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Its entry in the registry.
pub const FILLER: Registered =
    Registered::of::<Options>("hermite", Source::Plain(|| Box::new(Hermite { options: Options::default() })))
        .shown("Spline", "A smooth curve from key to key, with the speeds of the keys at both ends.");

/// Longest time for which a velocity beyond the mean of the gap continues, seconds.
const REACH_SECS: f64 = 0.5;

/// Shape of the spline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Options {
    /// 0 keeps the velocities of the keys, 1 stops at them.
    pub tension: f32,
}

struct Hermite {
    options: Options,
}

impl Filler for Hermite {
    fn name(&self) -> &'static str {
        FILLER.name
    }

    fn with(&self, options: &Given) -> Result<Box<dyn Filler>> {
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
        let way = Speed::between(&from.pose, &to.pose, length);
        let carried = length.min((REACH_SECS * gap.fps) as f32);
        // Tangents over the whole gap.
        let tangent = |end: &End, of: fn(&Speed) -> &Vec<Vec3>| -> Vec<Vec3> {
            let speeds = of(end.speed.as_ref().unwrap_or(&way)).iter().zip(of(&way));
            let slack = 1.0 - self.options.tension;
            speeds.map(|(own, mean)| (*mean * length + (*own - *mean) * carried) * slack).collect()
        };
        let turns = [from, to].map(|end| tangent(end, |speed| &speed.turns));
        let shifts = [from, to].map(|end| tangent(end, |speed| &speed.shifts));
        let frame = |index: usize| {
            let part = (index + 1) as f32 / length;
            let at = |ends: &[Vec<Vec3>; 2], way: &[Vec3], track: usize| {
                spline(way[track] * length, ends[0][track], ends[1][track], part)
            };
            let rotations = from.pose.rotations.iter().enumerate();
            let translations = from.pose.translations.iter().enumerate();
            Frame {
                rotations: rotations
                    .map(|(joint, own)| (exp(at(&turns, &way.turns, joint)) * *own).normalize())
                    .collect(),
                translations: translations.map(|(slot, own)| *own + at(&shifts, &way.shifts, slot)).collect(),
            }
        };
        Ok(Motion::Own((0..gap.frames).map(frame).collect()))
    }
}

/// From zero to `way`, with tangents `start` and `end`; `part` from 0 to 1.
fn spline(way: Vec3, start: Vec3, end: Vec3, part: f32) -> Vec3 {
    let (square, cube) = (part * part, part * part * part);
    way * (3.0 * square - 2.0 * cube) + start * (cube - 2.0 * square + part) + end * (cube - square)
}
