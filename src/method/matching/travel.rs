//! Travel of clips that were made in place: the body moves opposite to the slide of the limbs that stand.

use super::FPS;
use crate::motion::clip::Clip;
use crate::motion::fk::point_tracks;
use crate::motion::ground_limbs::GroundLimb;
use crate::motion::root::Root;
use glam::Vec3;

/// A clip is made in place if its body moves less than this fraction of a limb's length.
const MAX_MOVEMENT: f32 = 0.35;
/// Slowest travel that a clip in place is given, limb lengths per second: below it, the limbs stand.
const MIN_SPEED: f32 = 0.35;
/// Height at which the weight of a tip falls to 1/e, limb lengths.
const FALLOFF_HEIGHT: f32 = 0.03;
/// Vertical speed at which the weight of a tip falls to 1/e, limb lengths per second.
const FALLOFF_RISE: f32 = 0.35;
/// Smallest total weight of a frame in which limbs stand.
const MIN_WEIGHT: f32 = 0.2;

/// Returns the clip with travel computed from its limbs, if it was made in place and its limbs slide; else `None`.
/// `clip` has [`FPS`] frames per second.
pub fn from_limbs(clip: &Clip, root: &Root, limbs: &[GroundLimb]) -> Option<Clip> {
    let length = limbs.iter().map(|limb| limb.length).sum::<f32>() / limbs.len().max(1) as f32;
    if limbs.is_empty() || clip.frames() < 3 || extent(clip, root) > MAX_MOVEMENT * length {
        return None;
    }
    let velocity = mean_velocity(clip, limbs, length)?;
    if velocity.length() < MIN_SPEED * length {
        return None;
    }
    let mut moved = clip.clone();
    root.slide(&mut moved, |_, frame| velocity * (frame as f64 / FPS) as f32);
    Some(moved)
}

/// Returns the largest distance of the body on the ground from its place in the first frame, metres.
fn extent(clip: &Clip, root: &Root) -> f32 {
    let track = &point_tracks(clip, &[(root.joint(), Vec3::ZERO)])[0];
    track.iter().map(|position| (*position - track[0]).with_y(0.0).length()).fold(0.0, f32::max)
}

/// Returns the mean velocity of the body that keeps standing limbs in place, metres per second: the weighted median of
/// the frames, so that limbs that swing low do not count.
fn mean_velocity(clip: &Clip, limbs: &[GroundLimb], length: f32) -> Option<Vec3> {
    let tips: Vec<(usize, Vec3)> = limbs.iter().map(|limb| limb.tip).collect();
    let tracks = point_tracks(clip, &tips);
    let fps = FPS as f32;
    let mut samples: Vec<(Vec3, f32)> = Vec::new();
    for track in &tracks {
        let ground = track.iter().map(|position| position.y).fold(f32::INFINITY, f32::min);
        for pair in track.windows(2) {
            let height = ((pair[0].y + pair[1].y) / 2.0 - ground) / (FALLOFF_HEIGHT * length);
            let rise = (pair[1].y - pair[0].y) * fps / (FALLOFF_RISE * length);
            let weight = (-height * height - rise * rise).exp();
            samples.push(((pair[0] - pair[1]).with_y(0.0) * fps, weight));
        }
    }
    if samples.iter().map(|(_, weight)| weight).sum::<f32>() < MIN_WEIGHT {
        return None;
    }
    Some(Vec3::new(weighted_median(&samples, 0), 0.0, weighted_median(&samples, 2)))
}

fn weighted_median(samples: &[(Vec3, f32)], axis: usize) -> f32 {
    let mut values: Vec<(f32, f32)> = samples.iter().map(|(value, weight)| (value[axis], *weight)).collect();
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f32>() / 2.0;
    let mut sum = 0.0;
    for &(value, weight) in &values {
        sum += weight;
        if sum >= half {
            return value;
        }
    }
    0.0
}
