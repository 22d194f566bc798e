//! Chooses the windows of a sequence that are refined, and merges refined windows into the sequence: RMR, section 6.
//!
//! The paper shifts its window over the whole sequence and blends the first 10 frames of each window. Here only windows
//! with a seam are refined, so frames far from a seam stay bit-identical. Both ends of a window are blended: a decaying
//! offset (inertialization) brings the correction (refined minus current: differences of positions, rotation vectors)
//! and its velocity to zero at the first frame of the window and, backwards in time, at the last frame. At the ends of
//! the sequence, nothing is blended.
//!
//! Other fade lengths: research/notes/rmr.md.

use crate::feature::layout::RefinerRow;
use crate::motion::ease::smoothstep;
use crate::motion::inertialize::{BRAKE_SECS, Decay};
use crate::motion::quat::{exp, log, with_positive_w};
use glam::{Quat, Vec3};
use std::ops::Range;

/// Smallest distance of a seam from both ends of its window, frames. In training, no seam was nearer to an end.
pub const MARGIN: usize = 10;

/// Length, positions and blends of windows (section 6 of the paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowOptions {
    /// w: length of a window, frames. In a shorter sequence, the window is the whole sequence.
    pub window: usize,
    /// s: smallest distance between the starts of two windows, frames. A seam is `window` − `shift` frames after the
    /// start of its window.
    pub shift: usize,
    /// Number of frames over which a window is blended in.
    pub blend: usize,
    /// Number of frames over which a window is blended out; the paper does not blend the end.
    pub fade: usize,
}

impl Default for WindowOptions {
    fn default() -> Self {
        Self { window: 60, shift: 30, blend: 10, fade: 20 }
    }
}

/// Returns the windows to refine, in order, for a sequence of `frames` frames. `seams`: first frame of each clip after
/// the first. Each seam is in a window, at least [`MARGIN`] frames from the ends of the window if the sequence is long
/// enough.
pub fn windows(frames: usize, seams: &[usize], options: WindowOptions) -> Vec<Range<usize>> {
    let length = options.window.max(1).min(frames);
    let shift = options.shift.clamp(1, options.window.max(1));
    let mut seams: Vec<usize> = seams.iter().copied().filter(|&seam| seam > 0 && seam < frames).collect();
    seams.sort_unstable();
    let mut windows: Vec<Range<usize>> = Vec::new();
    for seam in seams {
        let earliest_start = match windows.last() {
            Some(last) if seam + MARGIN <= last.end || last.end == frames => continue,
            Some(last) => last.start + shift,
            None => 0,
        };
        let start = seam.saturating_sub(options.window - shift.min(options.window)).max(earliest_start);
        let start = start.min(seam.saturating_sub(MARGIN)).min(frames - length);
        windows.push(start..start + length);
    }
    windows
}

/// Merges a refined window into `rows`, and blends its ends: the first `blend` and the last `fade` frames. Contacts,
/// which must be within 0..1, are mixed by weight. Values that `refined` does not change stay bit-identical.
pub fn merge(rows: &mut [f32], window: Range<usize>, refined: &[f32], blend: usize, fade: usize) {
    let frames = rows.len() / RefinerRow::WIDTH;
    let begin = if window.start > 0 { blend.min(window.len() / 2) } else { 0 };
    let end = if window.end < frames { fade.min(window.len() / 2) } else { 0 };
    let current = &mut rows[window.start * RefinerRow::WIDTH..window.end * RefinerRow::WIDTH];
    for column in vector_columns() {
        let values = read_track(current, column, vector);
        let target = read_track(refined, column, vector);
        let mut corrections: Vec<Vec3> = values.iter().zip(&target).map(|(value, target)| *target - *value).collect();
        fade_ends(&mut corrections, begin, end);
        for (frame, correction) in corrections.iter().enumerate().filter(|(_, correction)| **correction != Vec3::ZERO) {
            let value = values[frame] + *correction;
            current[frame * RefinerRow::WIDTH + column..][..3].copy_from_slice(&value.to_array());
        }
    }
    for column in RefinerRow::ROTATION.range().step_by(4) {
        let values = read_track(current, column, rotation);
        let target = read_track(refined, column, rotation);
        let mut corrections: Vec<Vec3> =
            values.iter().zip(&target).map(|(value, target)| rotation_vector_between(*value, *target)).collect();
        fade_ends(&mut corrections, begin, end);
        for (frame, correction) in corrections.iter().enumerate().filter(|(_, correction)| **correction != Vec3::ZERO) {
            let value = with_positive_w((exp(*correction) * values[frame].normalize()).normalize());
            current[frame * RefinerRow::WIDTH + column..][..4].copy_from_slice(&value.to_array());
        }
    }
    for frame in 0..window.len() {
        let weight = |distance: usize, blend: usize| smoothstep((distance as f32 / blend.max(1) as f32).min(1.0));
        let begin_weight = if begin > 0 { weight(frame, begin) } else { 1.0 };
        let end_weight = if end > 0 { weight(window.len() - 1 - frame, end) } else { 1.0 };
        for column in RefinerRow::CONTACT.range() {
            let index = frame * RefinerRow::WIDTH + column;
            current[index] += (refined[index] - current[index]) * (begin_weight * end_weight);
        }
    }
}

/// Returns the first columns of all three-dimensional vectors: root displacement, positions, velocities.
fn vector_columns() -> impl Iterator<Item = usize> {
    [RefinerRow::ROOT, RefinerRow::POSITION, RefinerRow::VELOCITY]
        .into_iter()
        .flat_map(|column| column.range().step_by(3))
}

/// Reads one value of all rows.
fn read_track<T>(rows: &[f32], column: usize, read: fn(&[f32]) -> T) -> Vec<T> {
    rows.chunks_exact(RefinerRow::WIDTH).map(|row| read(&row[column..])).collect()
}

fn vector(columns: &[f32]) -> Vec3 {
    Vec3::from_slice(columns)
}

fn rotation(columns: &[f32]) -> Quat {
    Quat::from_slice(columns)
}

/// Returns the rotation vector from `current` to `target`; zero if `target` equals `current` or is zero. Neither needs
/// unit length.
fn rotation_vector_between(current: Quat, target: Quat) -> Vec3 {
    if current == target || target.length_squared() < 1e-8 {
        return Vec3::ZERO;
    }
    log(target.normalize() * current.normalize().conjugate())
}

/// Brings corrections to zero, with zero velocity, at the first frame (over `begin` frames) and at the last frame (over
/// `end` frames). An end with 0 frames keeps its values.
fn fade_ends(corrections: &mut [Vec3], begin: usize, end: usize) {
    fade_first(corrections, begin);
    corrections.reverse();
    fade_first(corrections, end);
    corrections.reverse();
}

/// Brings corrections to zero, with zero velocity, at the first frame, over `blend` frames.
fn fade_first(corrections: &mut [Vec3], blend: usize) {
    let (&[first, second, ..], 1..) = (&*corrections, blend) else { return };
    let brake = BRAKE_SECS * RefinerRow::FPS as f32;
    let decay = Decay::new(-first, first - second, blend as f32, brake);
    for (frame, correction) in corrections.iter_mut().enumerate().take(blend) {
        *correction = if frame == 0 { Vec3::ZERO } else { *correction + decay.offset_at(frame as f32) };
    }
}
