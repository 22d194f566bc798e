//! Conversion to another frame rate, by Catmull-Rom curves through rotations and translations.
//!
//! Linear interpolation would make the speed of the feet piecewise constant: at four times the rate, the peak jerk
//! would be 21 times the peak jerk of the clip. With the curves it is 5.3 times (`ada-walk`, tests/native/resample.rs).

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::quat::{exp, log};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Range of target rates, frames per second.
pub const FPS_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// Largest number of rotations (frames × joints) in a resampled clip: one gigabyte.
pub const MAX_ROTATIONS: u64 = 1 << 26;

/// Relative difference below which two rates count as equal: programs print the frame time of 30 frames per second as
/// 0.0333333, 0.033333 or 0.03333.
pub const SAME_RATE: f64 = 2e-4;

/// Largest angle from a frame to the others of its curve, radians. If one is larger, slerp replaces the curve.
const MAX_CURVE_ANGLE: f32 = 2.0;

/// Converts the clip to `fps` frames per second. At the clip's own rate (within [`SAME_RATE`]) the result is
/// bit-identical, with the same frame time. The first frame is kept; the result ends with the sample nearest to the last
/// frame of the clip, so the duration changes by at most half a frame of the slower rate. A sample after the last frame
/// continues the motion at the speed of its end. No low-pass filter is applied.
///
/// # Errors
/// [`Error::Option`] for a rate outside [`FPS_RANGE`], [`Error::Limit`] over [`MAX_ROTATIONS`].
pub fn resample(clip: &Clip, fps: f64) -> Result<Clip> {
    if !FPS_RANGE.contains(&fps) {
        let message = format!("must be from {} to {} frames per second, not {fps}", FPS_RANGE.start(), FPS_RANGE.end());
        return Err(Error::Option { option: "fps", message });
    }
    let step = frame_step(clip.fps(), fps);
    if step == 1.0 {
        return Ok(clip.clone());
    }
    sample_every(clip, step, 1.0 / fps)
}

/// Returns the number of frames of a clip at `clip_fps` frames per second for each frame of the motion resampled to
/// `fps`; exactly 1 if both rates are equal within [`SAME_RATE`].
pub fn frame_step(clip_fps: f64, fps: f64) -> f64 {
    let step = clip_fps / fps;
    if (step - 1.0).abs() <= SAME_RATE { 1.0 } else { step }
}

/// Samples the clip at frames 0, `step`, 2 · `step`… of the clip, to the sample nearest to the last frame.
pub(crate) fn sample_every(clip: &Clip, step: f64, frame_time_secs: f64) -> Result<Clip> {
    let Some(last_frame) = clip.frames().checked_sub(1) else {
        return Clip::new(clip.name.clone(), Arc::clone(clip.skeleton()), frame_time_secs, Vec::new(), Vec::new());
    };
    // Saturating: a clip of extreme duration has more frames than a u64 counts. From half a sample after the last frame
    // on, none is taken.
    let frames = ((last_frame as f64 / step + 0.5 - 1e-6).floor() as u64).saturating_add(1);
    let found = frames.saturating_mul(clip.joints() as u64);
    if found > MAX_ROTATIONS {
        return Err(Error::Limit { what: "rotations of the resampled clip", found, limit: MAX_ROTATIONS });
    }
    let frames = frames as usize;
    let mut rotations = Vec::with_capacity(frames * clip.joints());
    let mut translations: Vec<Vec3> = Vec::with_capacity(frames * clip.skeleton().translated().len());
    for frame in 0..frames {
        append_pose(clip, frame as f64 * step, &mut rotations, &mut translations);
    }
    let late = (frames - 1) as f64 * step - last_frame as f64;
    if late > 1e-6 * step && frames > 1 {
        let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
        let before = (last_frame as f64 - step).max(0.0);
        let weight = (late / (last_frame as f64 - before)) as f32;
        let end = (&mut rotations[(frames - 1) * joints..], &mut translations[(frames - 1) * width..]);
        continue_motion(clip, before, weight, end);
    }
    Clip::new(clip.name.clone(), Arc::clone(clip.skeleton()), frame_time_secs, rotations, translations)
}

/// Moves `end`, the last pose of the clip, on by `weight` times the motion from frame `before` to the last frame.
fn continue_motion(clip: &Clip, before: f64, weight: f32, (rotations, translations): (&mut [Quat], &mut [Vec3])) {
    let (mut old_rotations, mut old_translations) = (Vec::new(), Vec::new());
    append_pose(clip, before, &mut old_rotations, &mut old_translations);
    for (rotation, old) in rotations.iter_mut().zip(old_rotations) {
        *rotation = (*rotation * exp(log(old.conjugate() * *rotation) * weight)).normalize();
    }
    for (translation, old) in translations.iter_mut().zip(old_translations) {
        *translation += (*translation - old) * weight;
    }
}

/// Appends the pose at `time`, in frames, to `rotations` and `translations`. The clip must have frames.
pub(crate) fn append_pose(clip: &Clip, time: f64, rotations: &mut Vec<Quat>, translations: &mut Vec<Vec3>) {
    let last_frame = clip.frames() - 1;
    let frame = (time.floor() as usize).min(last_frame);
    let fraction = (time - frame as f64).clamp(0.0, 1.0) as f32;
    // The first and the last frame are also their own neighbours.
    let neighbours = [frame.saturating_sub(1), frame, (frame + 1).min(last_frame), (frame + 2).min(last_frame)];
    let [q0, q1, q2, q3] = neighbours.map(|frame| clip.frame_rotations(frame));
    rotations
        .extend((0..clip.joints()).map(|joint| rotation_curve(q0[joint], q1[joint], q2[joint], q3[joint], fraction)));
    let [t0, t1, t2, t3] = neighbours.map(|frame| clip.frame_translations(frame));
    translations.extend((0..t1.len()).map(|slot| match fraction {
        0.0 => t1[slot],
        _ => t1[slot] + curve(t0[slot] - t1[slot], t2[slot] - t1[slot], t3[slot] - t1[slot], fraction),
    }));
}

/// Evaluates the Catmull-Rom curve through four points at a fraction of the way from the second point to the third.
/// Points and result are relative to the second point, which is not passed.
pub(super) fn curve(before: Vec3, to: Vec3, after: Vec3, fraction: f32) -> Vec3 {
    let (start, end) = ((to - before) * 0.5, after * 0.5);
    let (square, cube) = (fraction * fraction, fraction * fraction * fraction);
    start * (cube - 2.0 * square + fraction) + to * (3.0 * square - 2.0 * cube) + end * (cube - square)
}

/// Evaluates [`curve`] through rotations, as rotation vectors relative to `from`; the result is in the hemisphere of
/// `from`.
pub(super) fn rotation_curve(before: Quat, from: Quat, to: Quat, after: Quat, fraction: f32) -> Quat {
    if fraction == 0.0 {
        return from;
    }
    let inverse = from.conjugate();
    let [before, to, after] = [before, to, after].map(|rotation| log(inverse * rotation));
    // Near half a turn per frame the shortest rotation is ambiguous, and the slope of a curve would be noise.
    if before.length().max(to.length()).max(after.length()) > MAX_CURVE_ANGLE {
        return from.slerp((from * exp(to)).normalize(), fraction).normalize();
    }
    (from * exp(curve(before, to, after, fraction))).normalize()
}

/// Interpolates spherically along the shortest rotation; exact at both ends. The result is in the hemisphere of `from`,
/// except for weights of 1 and above, which return `to`.
pub fn slerp(from: Quat, to: Quat, weight: f32) -> Quat {
    if weight <= 0.0 {
        return from;
    }
    if weight >= 1.0 {
        return to;
    }
    from.slerp(to, weight).normalize()
}
