//! Lifts feet that pass below their floor: in a blend of two poses, or with the hips of one clip and the legs of
//! another, a foot may sink although it sinks in neither clip.

use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, Tracks, foot_tracks};
use crate::motion::fk::Pose;
use crate::motion::foot_lock::move_foot;
use crate::motion::hinge::Hinge;
use glam::Vec3;
use std::ops::Range;

/// Depth that stays, metres: less is not visible.
const FREE_DEPTH: f32 = 0.003;
/// Time before and after a depth in which the lift begins and ends, seconds; more for a deep foot, so that it rises at
/// most at [`MAX_SPEED`].
const EASE_SECS: f64 = 0.1;
/// Highest speed of a lift, metres per second.
const MAX_SPEED: f32 = 0.5;
/// Longest time before and after a depth in which a lift begins and ends, seconds.
const MAX_EASE_SECS: f64 = 0.4;

/// Returns the lowest heights of heels and toes in clips, `[side][part]`, metres.
pub fn floors(clips: &[&Clip], legs: &Legs) -> [[f32; 2]; 2] {
    let tracks: Vec<Tracks> = clips.iter().map(|clip| foot_tracks(clip, legs)).collect();
    let lowest = |side: usize, part: usize| {
        let heights = tracks.iter().flat_map(|tracks| &tracks[side][part]).map(|position| position.y);
        heights.fold(f32::INFINITY, f32::min)
    };
    [0, 1].map(|side| [0, 1].map(|part| lowest(side, part)))
}

/// Lifts the feet of a clip in a range of frames until no heel or toe is below its floor, see [`floors`]. Legs follow by
/// inverse kinematics; feet keep their world rotations.
pub fn lift(clip: &mut Clip, legs: &Legs, floors: [[f32; 2]; 2], frames: Range<usize>) {
    let frames_of = |secs: f64| ((secs * clip.fps()).round() as usize).max(1);
    let longest = frames_of(MAX_EASE_SECS);
    let frames = frames.start.saturating_sub(2 * longest)..(frames.end + 2 * longest).min(clip.frames());
    let Ok(near) = clip.trimmed(frames.clone()) else { return };
    let tracks = foot_tracks(&near, legs);
    let lifts = [0, 1].map(|side| {
        let depth = |frame: usize| {
            let below = |part: usize| floors[side][part] - FREE_DEPTH - tracks[side][part][frame].y;
            below(0).max(below(1)).max(0.0)
        };
        let depths: Vec<f32> = (0..near.frames()).map(depth).collect();
        let deepest = depths.iter().copied().fold(0.0, f32::max);
        smooth_cover(&depths, frames_of(f64::from(deepest / MAX_SPEED).clamp(EASE_SECS, MAX_EASE_SECS)))
    });
    if lifts.iter().flatten().all(|lift| *lift == 0.0) {
        return;
    }
    let hinges = [0, 1].map(|side| Hinge::detect(&[clip], legs.chain[side]).map_or(Vec3::ZERO, |hinge| hinge.axis()));
    let mut pose = Pose::default();
    for (index, frame) in frames.enumerate() {
        if lifts.iter().all(|lifts| lifts[index] == 0.0) {
            continue;
        }
        pose.set_joints(clip, frame, &legs.required_joints);
        for side in (0..2).filter(|&side| lifts[side][index] > 0.0) {
            move_foot(clip, frame, &pose, &legs.chain[side], hinges[side], Vec3::Y * lifts[side][index]);
        }
    }
}

/// Returns a smooth curve that is nowhere below `values`, and zero where none of them is above zero within twice the
/// reach: the mean, with triangular weights, of the largest values within the reach.
fn smooth_cover(values: &[f32], reach: usize) -> Vec<f32> {
    let near = |frame: usize| frame.saturating_sub(reach)..(frame + reach + 1).min(values.len());
    let largest: Vec<f32> =
        (0..values.len()).map(|frame| values[near(frame)].iter().copied().fold(0.0, f32::max)).collect();
    let mean = |frame: usize| {
        let weight = |other: usize| (reach + 1 - other.abs_diff(frame)) as f32;
        let (sum, total) = near(frame)
            .fold((0.0, 0.0), |(sum, total), other| (sum + weight(other) * largest[other], total + weight(other)));
        sum / total
    };
    (0..values.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cover_is_smooth_and_nowhere_below_the_values() {
        let mut values = vec![0.0; 30];
        (values[10], values[11], values[20]) = (0.05, 0.08, 0.01);
        let cover = smooth_cover(&values, 3);
        assert!(values.iter().zip(&cover).all(|(value, cover)| value <= cover), "{cover:?}");
        assert!(cover.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.03), "{cover:?}");
        assert_eq!((cover[0], cover[29]), (0.0, 0.0));
    }
}
