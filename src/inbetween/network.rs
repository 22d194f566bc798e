//! Transfers a network's motion in a gap to the user's own skeleton: only its difference from interpolation is
//! applied.
//!
//! Both keys, and the interpolation between them, are read on the canonical body at the network's rate. The
//! difference between the network's motion and that interpolation is a track of rotation vectors and translations.
//! Its value at the second key is the arrival error: it is measured, and removed by inertialization, so that the
//! track has zero value and velocity at both keys. Then it is resampled to the result's rate and added to the
//! interpolation. Fingers and props keep the interpolation.

use super::feet::Contacts;
use super::gap::Window;
use super::key::{Piece, reversed};
use super::session::Session;
use crate::body::apply;
use crate::body::canonical::{Canonical, Fit};
use crate::body::poses::{FPS, PAST, Poses, ROLES, TARGET, joint_positions};
use crate::error::Result;
use crate::method::filler::{BodyGap, BodyMotion};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::inertialize::{BRAKE_SECS, Decay};
use crate::motion::quat::{exp, log, with_nearest_sign};
use crate::motion::resample::resample;
use crate::motion::rig::Rig;
use glam::{Quat, Vec3};
use std::f32::consts::TAU;

/// Time in which an arrival error decays, seconds; at most the whole gap.
const SETTLE_SECS: f64 = 0.4;
/// Number of smoothing passes of each round; after all of them a change is spread over eight steps.
const PASSES: [usize; 5] = [2, 4, 8, 16, 32];
/// Number of rows to each side of a rough frame that are smoothed completely; over as many more the smoothing fades
/// out.
const SMOOTHED: f32 = 8.0;
/// Contact probability from which a part counts as touching.
const TOUCHES: f32 = 0.5;
/// Rotations of all roles, and the position of the hips.
const TRACKS: usize = ROLES + 1;

/// A row of the change: rotation vectors of all roles, each in its own frame, then the translation of the hips.
type Row = [Vec3; TRACKS];

/// A network's motion in a gap, on the user's skeleton.
pub(super) struct NetworkMotion {
    /// One frame for each frame of the gap.
    pub clip: Clip,
    /// Predicted contacts, [side][part][frame].
    pub contacts: Contacts,
    /// Arrival error before its correction: centimetres of the user's body, and degrees.
    pub key_error_cm: f32,
    pub key_error_degrees: f32,
}

/// Number of network frames in a gap, and number of result frames per network step.
pub(super) fn rows(frames: usize, fps: f64) -> (usize, f64) {
    let steps = ((frames + 1) as f64 * FPS / fps).round().max(2.0) as usize;
    (steps - 1, (frames + 1) as f64 / steps as f64)
}

/// The gap after piece 0 of a window, on the canonical biped.
pub(super) fn body_gap(session: &Session, window: &Window, frames: usize) -> Result<BodyGap> {
    let fit = session.fit.as_ref().map_err(Clone::clone)?;
    let (rows, step) = rows(frames, window.clips[0].fps());
    let rate = window.clips[0].fps() / step;
    let [before, after] = window.pieces;
    let mut offsets = [Vec3::ZERO; ROLES];
    for (offset, joint) in offsets.iter_mut().zip(fit.skeleton.joints()) {
        *offset = joint.offset;
    }
    Ok(BodyGap {
        past: past(fit, window.clips[0], before.key.end, rate)?,
        target: target(fit, window.clips[1], after.key.start, rate)?,
        frames: rows,
        offsets,
        ground: ground([before, after]) * fit.scale,
        scale: fit.scale,
    })
}

/// A gap at the network's rate.
pub(super) struct Coarse<'a> {
    /// Its interpolation on the canonical body.
    pub base: Clip,
    /// The network's motion.
    pub filled: &'a BodyMotion,
    /// The gap it was made for.
    pub gap: &'a BodyGap,
}

/// Adds a network's change to `interpolation`, which has the result's rate.
///
/// Where a motion is `rough`, [frames], it is smoothed repeatedly: on motion unlike its training data a network makes
/// jumps within a frame or two, and where it arrives out of step its feet jump at the last frame.
pub(super) fn apply_change(
    fit: &Fit,
    rig: &Rig,
    interpolation: Clip,
    coarse: &Coarse,
    rough: impl Fn(&Clip) -> Result<Vec<bool>>,
) -> Result<NetworkMotion> {
    let Coarse { base: coarse, filled, gap: BodyGap { target, offsets, frames: gap, .. } } = coarse;
    let (base, rate, gap) = (fit.convert(&interpolation)?, coarse.fps(), *gap);
    let mut change: Vec<Row> = (0..gap).map(|row| difference(coarse, &filled.poses, row)).collect();
    let missed = settle(&mut change, rate);
    let (key_error_cm, key_error_degrees) = arrival(&missed, target, offsets, fit.scale);

    let step = (interpolation.frames() + 1) as f64 / (gap + 1) as f64;
    let contacts = [0, 1].map(|side| {
        [0, 1].map(|part| {
            let nearest = |frame: usize| ((frame + 1) as f64 / step).round().clamp(1.0, gap as f64) as usize - 1;
            (0..interpolation.frames())
                .map(|frame| filled.contacts[nearest(frame) * 4 + 2 * side + part] > TOUCHES)
                .collect()
        })
    });
    let canonical = Canonical { character: fit.character, clip: base, scale: fit.scale };
    let mut clip = add_change(&interpolation, rig, &canonical, &change, step)?;
    for passes in PASSES {
        let rough = rough(&clip)?;
        if !rough.contains(&true) {
            break;
        }
        smooth(&mut change, &shares(&rough, gap, step), passes);
        settle(&mut change, rate);
        clip = add_change(&interpolation, rig, &canonical, &change, step)?;
    }
    Ok(NetworkMotion { clip, contacts, key_error_cm, key_error_degrees })
}

/// Adds a change to the interpolation; `step`: number of result frames per row.
fn add_change(interpolation: &Clip, rig: &Rig, base: &Canonical, change: &[Row], step: f64) -> Result<Clip> {
    let mut changed = base.clip.clone();
    for frame in 0..interpolation.frames() {
        let row = row_at(change, (frame + 1) as f64 / step);
        changed.translations_mut()[frame] += row[ROLES];
        let rotations = &mut changed.rotations_mut()[frame * ROLES..][..ROLES];
        for (rotation, turn) in rotations.iter_mut().zip(&row) {
            *rotation = (*rotation * exp(*turn)).normalize();
        }
    }
    apply(interpolation, rig, base, &changed)
}

/// Smoothing weight of each row, [rows]: 1 near a rough frame; `step`: number of result frames per row.
fn shares(rough: &[bool], rows: usize, step: f64) -> Vec<f32> {
    let mut shares = vec![0.0_f32; rows];
    for frame in (0..rough.len()).filter(|&frame| rough[frame]) {
        let at = ((frame + 1) as f64 / step) as f32 - 1.0;
        for (row, share) in shares.iter_mut().enumerate() {
            let beyond = (row as f32 - at).abs() / SMOOTHED - 1.0;
            *share = share.max(1.0 - smoothstep(beyond.clamp(0.0, 1.0)));
        }
    }
    shares
}

/// Passes of a binomial filter over time, weighted per row; a change is zero at the keys, and stays zero. Rotations
/// are averaged as quaternions, because rotation vectors are discontinuous at half a turn.
fn smooth(change: &mut [Row], shares: &[f32], passes: usize) {
    for track in 0..TRACKS {
        let turns = (track < ROLES).then(|| change.iter().map(|row| exp(row[track])).collect::<Vec<_>>());
        match turns {
            Some(mut turns) => {
                filtered(&mut turns, Quat::IDENTITY, shares, passes, |before, now, after, share| {
                    let mean = with_nearest_sign(before, now) * 0.25 + now * 0.5 + with_nearest_sign(after, now) * 0.25;
                    (now * (1.0 - share) + mean * share).normalize()
                });
                change.iter_mut().zip(&turns).for_each(|(row, turn)| row[track] = log(*turn));
            }
            None => {
                let mut places: Vec<Vec3> = change.iter().map(|row| row[track]).collect();
                filtered(&mut places, Vec3::ZERO, shares, passes, |before, now, after, share| {
                    now.lerp(0.25 * (before + after) + 0.5 * now, share)
                });
                change.iter_mut().zip(&places).for_each(|(row, place)| row[track] = *place);
            }
        }
    }
}

/// Passes over rows: each becomes a mean of itself and its neighbours, with `ends` beyond the first and the last.
fn filtered<T: Copy>(rows: &mut [T], ends: T, shares: &[f32], passes: usize, mean: impl Fn(T, T, T, f32) -> T) {
    for _ in 0..passes {
        let mut before = ends;
        for row in 0..rows.len() {
            let now = rows[row];
            if shares[row] > 0.0 {
                rows[row] = mean(before, now, rows.get(row + 1).copied().unwrap_or(ends), shares[row]);
            }
            before = now;
        }
    }
}

/// Height of the ground: resting height of the toes, metres.
fn ground(pieces: [&Piece; 2]) -> f32 {
    pieces.map(|piece| piece.contacts.world_ground[1]).into_iter().fold(f32::MAX, f32::min)
}

/// The last poses up to frame `end` of a clip, at the network's rate, including that frame.
fn past(fit: &Fit, clip: &Clip, end: usize, rate: f64) -> Result<Poses> {
    let reach = (PAST as f64 * clip.fps() / rate).ceil() as usize + 1;
    let back = resample(&reversed(&clip.trimmed(end.saturating_sub(reach)..end)?)?, rate)?;
    poses(fit, &reversed(&back.trimmed(0..back.frames().min(PAST))?)?)
}

/// The first poses from frame `start` of a clip.
fn target(fit: &Fit, clip: &Clip, start: usize, rate: f64) -> Result<Poses> {
    let reach = (TARGET as f64 * clip.fps() / rate).ceil() as usize + 1;
    let ahead = resample(&clip.trimmed(start..(start + reach).min(clip.frames()))?, rate)?;
    poses(fit, &ahead.trimmed(0..ahead.frames().min(TARGET))?)
}

fn poses(fit: &Fit, clip: &Clip) -> Result<Poses> {
    let canonical = fit.convert(clip)?;
    Ok(Poses { hips: canonical.translations().to_vec(), rotations: canonical.rotations().to_vec() })
}

/// Difference from a frame of the interpolation to the network's.
fn difference(coarse: &Clip, poses: &Poses, row: usize) -> Row {
    let mut difference = [Vec3::ZERO; TRACKS];
    for (turn, (base, predicted)) in difference.iter_mut().zip(coarse.frame_rotations(row).iter().zip(poses.pose(row)))
    {
        *turn = log(base.inverse() * *predicted);
    }
    difference[ROLES] = poses.hips[row] - coarse.frame_translations(row)[0];
    difference
}

/// Rows from a key on, with rotation vectors made continuous across half turns.
fn unwound<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Row> {
    let mut before = [Vec3::ZERO; TRACKS];
    let next = |row: &Row| {
        before =
            std::array::from_fn(|track| if track < ROLES { unwrapped(row[track], before[track]) } else { row[track] });
        before
    };
    rows.map(next).collect()
}

/// The vector of the same rotation that is nearest to another.
fn unwrapped(turn: Vec3, like: Vec3) -> Vec3 {
    let angle = turn.length();
    let Some(axis) = turn.try_normalize() else { return turn };
    turn + axis * TAU * ((like.dot(axis) - angle) / TAU).round()
}

/// Value and slope at 0 of the least-squares parabola through values at 1, 2, 3, (4, 5), as weights of the values.
const THREE: [[f32; 5]; 2] = [[3.0, -3.0, 1.0, 0.0, 0.0], [-2.5, 4.0, -1.5, 0.0, 0.0]];
const FIVE: [[f32; 5]; 2] =
    [[1.8, 0.0, -0.8, -0.6, 0.6], [-37.0 / 35.0, 23.0 / 70.0, 6.0 / 7.0, 37.0 / 70.0, -23.0 / 35.0]];

/// Brings a change to zero value and velocity at both keys. Returns its value at the second key before that.
///
/// The value is extrapolated to the key by a parabola, the shape of a change that starts with zero value and
/// velocity. (A straight line would make an error of twice the first row, which in short gaps is most of the change.)
/// With fewer than three rows no value can be extrapolated, and nothing is changed.
fn settle(change: &mut [Row], rate: f64) -> Row {
    let gap = change.len();
    let weights = match gap {
        0..3 => return [Vec3::ZERO; TRACKS],
        3..5 => THREE,
        _ => FIVE,
    };
    let length = gap as f32 + 1.0;
    let frames = length.min((SETTLE_SECS * rate) as f32);
    let at_key = |rows: &Vec<Row>| -> [(Vec3, Vec3); TRACKS] {
        std::array::from_fn(|track| {
            let sum = |weights: &[f32; 5]| rows.iter().zip(weights).map(|(row, weight)| row[track] * *weight).sum();
            (sum(&weights[0]), sum(&weights[1]))
        })
    };
    let from_key = [unwound(change.iter()), unwound(change.iter().rev())];
    let ends = from_key.each_ref().map(at_key);
    let decays = ends.map(|tracks| tracks.map(|(off, speed)| Decay::new(off, speed, frames, BRAKE_SECS * rate as f32)));
    for (row, tracks) in change.iter_mut().enumerate() {
        let since = row as f32 + 1.0;
        *tracks = if 2 * row < gap { from_key[0][row] } else { from_key[1][gap - 1 - row] };
        for (track, value) in tracks.iter_mut().enumerate() {
            *value -= decays[0][track].offset_at(since) + decays[1][track].offset_at(length - since);
        }
    }
    ends[1].map(|(off, _)| off)
}

/// A change interpolated between its rows, `time` steps after the first key; zero at the keys.
fn row_at(change: &[Row], time: f64) -> Row {
    let at = |step: isize| match step {
        step if step < 1 || step > change.len() as isize => [Vec3::ZERO; TRACKS],
        step => change[step as usize - 1],
    };
    let from = time.floor();
    let part = (time - from) as f32;
    let [a, b, c, d] = [-1, 0, 1, 2].map(|away| at(from as isize + away));
    if part < 1e-6 {
        return b;
    }
    // Catmull-Rom.
    std::array::from_fn(|track| {
        let near_b = |value: Vec3| if track < ROLES { unwrapped(value, b[track]) } else { value };
        let [a, b, c, d] = [near_b(a[track]), b[track], near_b(c[track]), near_b(d[track])];
        let (start, end) = ((c - a) * 0.5, (d - b) * 0.5);
        let (square, cube) = (part * part, part * part * part);
        b * (2.0 * cube - 3.0 * square + 1.0)
            + start * (cube - 2.0 * square + part)
            + c * (3.0 * square - 2.0 * cube)
            + end * (cube - square)
    })
}

/// Effect of an arrival error on the joints of the target pose: mean distance in centimetres of the user's body, mean
/// angle in degrees.
fn arrival(missed: &Row, target: &Poses, offsets: &[Vec3; ROLES], scale: f32) -> (f32, f32) {
    let pose = target.pose(0);
    let turned: Vec<_> = pose.iter().zip(missed).map(|(rotation, turn)| *rotation * exp(*turn)).collect();
    let (there, off) = (
        joint_positions(target.hips[0], pose, offsets),
        joint_positions(target.hips[0] + missed[ROLES], &turned, offsets),
    );
    let distance = there.iter().zip(&off).map(|(a, b)| a.distance(*b)).sum::<f32>() / ROLES as f32;
    let angle = missed[..ROLES].iter().map(|turn| turn.length()).sum::<f32>() / ROLES as f32;
    (100.0 * distance / scale, angle.to_degrees())
}
