//! Windows of a sequence to refine, and how a refined window is merged: RMR, section 6.
//!
//! The paper shifts its window over the whole sequence and blends the first 10 frames of each. Here only windows with
//! a seam are refined, so frames far from a seam stay bit-equal, and both ends of a window are blended: the
//! correction (refined minus current: differences of positions, rotation vectors) is brought to zero, in value and
//! velocity, by an inertialized offset at the window's first frame and, backwards in time, at its last. At the ends
//! of the sequence there is nothing to blend with.
//!
//! Other fade lengths: docs/notes/rmr.md.

use crate::feature::layout::RefinerRow;
use crate::motion::ease::smoothstep;
use crate::motion::inertialize::{BRAKE_SECS, Decay};
use crate::motion::quat::{exp, log, positive};
use glam::{Quat, Vec3};
use std::ops::Range;

/// Smallest distance of a seam from both ends of its window in training, frames.
pub const MARGIN: usize = 10;

/// Positions of windows; section 6 of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowOptions {
    /// Length of a window, w, frames; shorter where the sequence is.
    pub window: usize,
    /// Smallest distance between two windows, s, frames. A seam is `window` − `shift` frames after the start of its
    /// window.
    pub shift: usize,
    /// Number of frames over which a window is blended in.
    pub blend: usize,
    /// Number of frames over which it is blended out; the paper does not blend the end.
    pub fade: usize,
}

impl Default for WindowOptions {
    fn default() -> Self {
        Self { window: 60, shift: 30, blend: 10, fade: 20 }
    }
}

/// The windows to refine, in order, for a sequence of `frames` with the first frame of each incoming clip in `seams`.
/// Every seam is in a window, [`MARGIN`] frames from its ends where the sequence is long enough.
pub fn windows(frames: usize, seams: &[usize], options: WindowOptions) -> Vec<Range<usize>> {
    let length = options.window.max(1).min(frames);
    let shift = options.shift.clamp(1, options.window.max(1));
    let mut seams: Vec<usize> = seams.iter().copied().filter(|&seam| seam > 0 && seam < frames).collect();
    seams.sort_unstable();
    let mut windows: Vec<Range<usize>> = Vec::new();
    for seam in seams {
        let next = match windows.last() {
            Some(last) if seam + MARGIN <= last.end || last.end == frames => continue,
            Some(last) => last.start + shift,
            None => 0,
        };
        let start = seam.saturating_sub(options.window - shift.min(options.window)).max(next);
        let start = start.min(seam.saturating_sub(MARGIN)).min(frames - length);
        windows.push(start..start + length);
    }
    windows
}

/// Writes a refined window into the rows it was made from, with its ends blended into the rows around it. Contacts,
/// which must be within 0..1, are mixed by weight. Rows that `refined` does not change stay bit-equal.
pub fn put_back(rows: &mut [f32], window: Range<usize>, refined: &[f32], blend: usize, fade: usize) {
    let frames = rows.len() / RefinerRow::WIDTH;
    let begin = if window.start > 0 { blend.min(window.len() / 2) } else { 0 };
    let end = if window.end < frames { fade.min(window.len() / 2) } else { 0 };
    let standing = &mut rows[window.start * RefinerRow::WIDTH..window.end * RefinerRow::WIDTH];
    for column in vectors() {
        let now = track(standing, column, vector);
        let target = track(refined, column, vector);
        let mut corrections: Vec<Vec3> = now.iter().zip(&target).map(|(now, target)| *target - *now).collect();
        settle(&mut corrections, begin, end);
        for (frame, correction) in corrections.iter().enumerate().filter(|(_, correction)| **correction != Vec3::ZERO) {
            let value = now[frame] + *correction;
            standing[frame * RefinerRow::WIDTH + column..][..3].copy_from_slice(&value.to_array());
        }
    }
    for column in RefinerRow::ROTATION.range().step_by(4) {
        let now = track(standing, column, rotation);
        let target = track(refined, column, rotation);
        let mut corrections: Vec<Vec3> = now.iter().zip(&target).map(|(now, target)| turn(*now, *target)).collect();
        settle(&mut corrections, begin, end);
        for (frame, correction) in corrections.iter().enumerate().filter(|(_, correction)| **correction != Vec3::ZERO) {
            let value = positive((exp(*correction) * now[frame].normalize()).normalize());
            standing[frame * RefinerRow::WIDTH + column..][..4].copy_from_slice(&value.to_array());
        }
    }
    for frame in 0..window.len() {
        let weight = |away: usize, blend: usize| smoothstep((away as f32 / blend.max(1) as f32).min(1.0));
        let inside = if begin > 0 { weight(frame, begin) } else { 1.0 };
        let inside = inside * if end > 0 { weight(window.len() - 1 - frame, end) } else { 1.0 };
        for column in RefinerRow::CONTACT.range() {
            let at = frame * RefinerRow::WIDTH + column;
            standing[at] += (refined[at] - standing[at]) * inside;
        }
    }
}

/// First columns of all three-vectors: root displacement, positions, velocities.
fn vectors() -> impl Iterator<Item = usize> {
    [RefinerRow::ROOT, RefinerRow::POSITION, RefinerRow::VELOCITY]
        .into_iter()
        .flat_map(|column| column.range().step_by(3))
}

fn track<T>(rows: &[f32], column: usize, read: fn(&[f32]) -> T) -> Vec<T> {
    rows.chunks_exact(RefinerRow::WIDTH).map(|row| read(&row[column..])).collect()
}

fn vector(columns: &[f32]) -> Vec3 {
    Vec3::from_slice(columns)
}

fn rotation(columns: &[f32]) -> Quat {
    Quat::from_slice(columns)
}

/// Rotation vector from `now` to `target`, which need not be unit; zero where `target` is the same or zero.
fn turn(now: Quat, target: Quat) -> Vec3 {
    if now == target || target.length_squared() < 1e-8 {
        return Vec3::ZERO;
    }
    log(target.normalize() * now.normalize().conjugate())
}

/// Brings corrections to zero, with zero velocity, at the first frame over `begin` frames and at the last over `end`;
/// with 0 that end keeps its value.
fn settle(corrections: &mut [Vec3], begin: usize, end: usize) {
    settle_first(corrections, begin);
    corrections.reverse();
    settle_first(corrections, end);
    corrections.reverse();
}

fn settle_first(corrections: &mut [Vec3], blend: usize) {
    let (&[first, second, ..], 1..) = (&*corrections, blend) else { return };
    let brake = BRAKE_SECS * RefinerRow::FPS as f32;
    let decay = Decay::new(-first, first - second, blend as f32, brake);
    for (frame, correction) in corrections.iter_mut().enumerate().take(blend) {
        *correction = if frame == 0 { Vec3::ZERO } else { *correction + decay.at(frame as f32) };
    }
}
