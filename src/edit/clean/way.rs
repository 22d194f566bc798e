//! Way: the length of the way over the ground, from how feet slide that carry the body.
//!
//! If a way is scaled by k and the body is not, feet on the ground slide along with the hips at (k − 1) / k of their
//! speed. The median of this ratio over all supports tells k. Swinging feet are faster than the hips and do not count.

use super::supports::Body;
use crate::edit::{Edit, EditKind};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::Root;

/// Least speed of the hips in frames that count, leg lengths per second.
const MIN_SPEED: f32 = 0.45;
/// Range of ratios that count, and the least one that is corrected: in short walks of CMU, heels roll on by up to 8 %.
const MAX_RATIO: f32 = 0.45;
const MIN_RATIO: f32 = 0.1;
/// Ratio of sound recordings: standing feet roll on with the body.
const RECORDED_RATIO: f32 = 0.013;
/// Largest median deviation of the ratios from their median.
const MAX_SPREAD: f32 = 0.12;
/// Least duration of the supports that count, seconds.
const MIN_SECS: f64 = 1.5;

/// Corrects the way of a clip; `strength`: fraction of the correction.
pub(super) fn correct(clip: &mut Clip, rig: &Rig, strength: f32) -> Option<Edit> {
    let body = Body::new(clip, rig)?;
    let mut ratios: Vec<f32> = Vec::new();
    for support in body.supports(clip.fps()) {
        let hips = support.hips_velocity.with_y(0.0);
        if hips.length() > MIN_SPEED * body.leg_length {
            let ratio = support.velocity.dot(hips) / hips.length_squared();
            let aside = (support.velocity.with_y(0.0) - hips * ratio).length() / hips.length();
            if ratio.abs() < MAX_RATIO && aside < MAX_RATIO {
                ratios.push(ratio);
            }
        }
    }
    // Two feet with two parts each may carry the body at once.
    if (ratios.len() as f64) < 2.0 * MIN_SECS * clip.fps() {
        return None;
    }
    let middle = median(&mut ratios);
    let mut deviations: Vec<f32> = ratios.iter().map(|other| (other - middle).abs()).collect();
    let ratio = middle - RECORDED_RATIO;
    if ratio.abs() < MIN_RATIO || median(&mut deviations) > MAX_SPREAD {
        return None;
    }
    let factor = 1.0 / (1.0 - ratio);
    let correction = (1.0 / factor - 1.0) * strength;
    let root = Root::new(clip.skeleton(), &[clip], rig);
    let mut first = None;
    root.slide(clip, |position, _| (position - *first.get_or_insert(position)).with_y(0.0) * correction);
    let longer = if factor > 1.0 { "longer" } else { "shorter" };
    Some(Edit {
        kind: EditKind::Way,
        frames: 0..clip.frames(),
        joints: Vec::new(),
        text: format!("way over the ground {:.0} % {longer} than the steps corrected", 100.0 * (factor - 1.0).abs()),
        before: factor,
        after: factor * (1.0 + correction),
        unit: "× the steps",
    })
}

fn median(values: &mut [f32]) -> f32 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}
