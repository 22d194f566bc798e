//! Transfers a network's motion in a gap to the user's own skeleton: only its difference from interpolation is
//! applied.
//!
//! Both keys, and the interpolation between them, are converted to the canonical body at the network's rate; frames at
//! this rate are called rows. The difference between the network's motion and the interpolation is the change: a
//! rotation vector of each role and a translation of the hips, in each row. Its value at the second key is the arrival
//! error, which is measured. The value and velocity of the change at both keys are removed by inertialization. Then the
//! change is resampled to the result's rate and added to the interpolation. Fingers and props keep the interpolation.

use super::feet::Contacts;
use super::gap::GapKeys;
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

/// Duration of the correction of a change at each key, seconds; at most the whole gap.
const CORRECTION_SECS: f64 = 0.4;
/// Number of smoothing passes of each round: 62 in total, equal to a Gaussian filter with a standard deviation of
/// √31 = 5.6 rows.
const PASSES: [usize; 5] = [2, 4, 8, 16, 32];
/// Number of rows to each side of a rough frame that are smoothed fully; over as many further rows the smoothing fades
/// out.
const FULL_SMOOTHING_ROWS: f32 = 8.0;
/// Contact probability above which a heel or toe counts as touching.
const CONTACT_THRESHOLD: f32 = 0.5;
/// Number of tracks of a change: a rotation vector of each role, and the translation of the hips.
const TRACKS: usize = ROLES + 1;

/// A row of a change: rotation vectors of all roles, each in the local axes of its joint, then the translation of the
/// hips.
type Row = [Vec3; TRACKS];

/// A network's motion in a gap, on the user's skeleton.
pub(super) struct NetworkMotion {
    /// One frame for each frame of the gap.
    pub clip: Clip,
    /// Predicted contacts, [side][heel or toe][frame].
    pub contacts: Contacts,
    /// Arrival error before its correction: centimetres of the user's body, and degrees.
    pub arrival_error_cm: f32,
    pub arrival_error_degrees: f32,
}

/// A gap at the network's rate, on the canonical body.
pub(super) struct NetworkGap<'a> {
    /// Interpolation between the keys.
    pub interpolation: Clip,
    /// The network's motion.
    pub prediction: &'a BodyMotion,
    /// The gap that the network was asked to fill.
    pub gap: &'a BodyGap,
}

/// Returns the number of rows in a gap, and the number of result frames per row.
pub(super) fn count_rows(frames: usize, fps: f64) -> (usize, f64) {
    let intervals = ((frames + 1) as f64 * FPS / fps).round().max(2.0) as usize;
    (intervals - 1, (frames + 1) as f64 / intervals as f64)
}

/// Converts the gap between two keys to the canonical biped.
pub(super) fn body_gap(session: &Session, keys: &GapKeys, frames: usize) -> Result<BodyGap> {
    let fit = session.fit.as_ref().map_err(Clone::clone)?;
    let (rows, frames_per_row) = count_rows(frames, keys.clips[0].fps());
    let rate = keys.clips[0].fps() / frames_per_row;
    let [first_piece, second_piece] = keys.pieces;
    let mut offsets = [Vec3::ZERO; ROLES];
    for (offset, joint) in offsets.iter_mut().zip(fit.skeleton.joints()) {
        *offset = joint.offset;
    }
    Ok(BodyGap {
        past: past(fit, keys.clips[0], first_piece.key.end, rate)?,
        target: target(fit, keys.clips[1], second_piece.key.start, rate)?,
        frames: rows,
        offsets,
        ground: ground_height(keys.pieces) * fit.scale,
        scale: fit.scale,
    })
}

/// Adds a network's change to `interpolation`, which has the result's rate.
///
/// `find_rough_frames` marks frames of the result, [frames]. Around marked frames the change is smoothed, in several
/// rounds. There are two causes of rough frames: on keys unlike its training data, a network's motion jumps for one or
/// two frames; and if its feet are not in step with those of the second key, they jump at the last frame.
pub(super) fn apply_change(
    fit: &Fit,
    rig: &Rig,
    interpolation: Clip,
    network_gap: &NetworkGap,
    find_rough_frames: impl Fn(&Clip) -> Result<Vec<bool>>,
) -> Result<NetworkMotion> {
    let NetworkGap { interpolation: interpolation_rows, prediction, gap } = network_gap;
    let (rows, rate) = (gap.frames, interpolation_rows.fps());
    let mut change: Vec<Row> = (0..rows).map(|row| difference(interpolation_rows, &prediction.poses, row)).collect();
    let arrival_error = remove_key_offsets(&mut change, rate);
    let (arrival_error_cm, arrival_error_degrees) = measure_arrival_error(&arrival_error, gap);

    let frames_per_row = (interpolation.frames() + 1) as f64 / (rows + 1) as f64;
    let contacts = [0, 1].map(|side| {
        [0, 1].map(|part| {
            let nearest_row =
                |frame: usize| ((frame + 1) as f64 / frames_per_row).round().clamp(1.0, rows as f64) as usize - 1;
            (0..interpolation.frames())
                .map(|frame| prediction.contacts[nearest_row(frame) * 4 + 2 * side + part] > CONTACT_THRESHOLD)
                .collect()
        })
    });
    let canonical = Canonical { character: fit.character, clip: fit.convert(&interpolation)?, scale: fit.scale };
    let mut clip = add_change(&interpolation, rig, &canonical, &change, frames_per_row)?;
    for passes in PASSES {
        let is_rough = find_rough_frames(&clip)?;
        if !is_rough.contains(&true) {
            break;
        }
        smooth(&mut change, &smoothing_weights(&is_rough, rows, frames_per_row), passes);
        remove_key_offsets(&mut change, rate);
        clip = add_change(&interpolation, rig, &canonical, &change, frames_per_row)?;
    }
    Ok(NetworkMotion { clip, contacts, arrival_error_cm, arrival_error_degrees })
}

/// Adds a change to the interpolation; `canonical` is its canonical body.
fn add_change(
    interpolation: &Clip,
    rig: &Rig,
    canonical: &Canonical,
    change: &[Row],
    frames_per_row: f64,
) -> Result<Clip> {
    let mut edited_body = canonical.clip.clone();
    for frame in 0..interpolation.frames() {
        let row = interpolate_rows(change, (frame + 1) as f64 / frames_per_row);
        edited_body.translations_mut()[frame] += row[ROLES];
        let rotations = &mut edited_body.rotations_mut()[frame * ROLES..][..ROLES];
        for (rotation, rotation_vector) in rotations.iter_mut().zip(&row) {
            *rotation = (*rotation * exp(*rotation_vector)).normalize();
        }
    }
    apply(interpolation, rig, canonical, &edited_body)
}

/// Computes the smoothing weight of each row, [rows]: 1 near rough frames, 0 far from them.
fn smoothing_weights(is_rough: &[bool], rows: usize, frames_per_row: f64) -> Vec<f32> {
    let mut weights = vec![0.0_f32; rows];
    for frame in (0..is_rough.len()).filter(|&frame| is_rough[frame]) {
        let rough_row = ((frame + 1) as f64 / frames_per_row) as f32 - 1.0;
        for (row, weight) in weights.iter_mut().enumerate() {
            let fade = (row as f32 - rough_row).abs() / FULL_SMOOTHING_ROWS - 1.0;
            *weight = weight.max(1.0 - smoothstep(fade.clamp(0.0, 1.0)));
        }
    }
    weights
}

/// Smooths a change with passes of a binomial filter over time. `weights`: smoothing weight of each row. The change is
/// zero at the keys. Rotations are averaged as quaternions, because rotation vectors are discontinuous at half a turn.
fn smooth(change: &mut [Row], weights: &[f32], passes: usize) {
    for role in 0..ROLES {
        let mut rotations: Vec<Quat> = change.iter().map(|row| exp(row[role])).collect();
        filter_in_place(&mut rotations, Quat::IDENTITY, weights, passes, |previous, current, next, weight| {
            let (previous, next) = (with_nearest_sign(previous, current), with_nearest_sign(next, current));
            let mean = previous * 0.25 + current * 0.5 + next * 0.25;
            (current * (1.0 - weight) + mean * weight).normalize()
        });
        change.iter_mut().zip(&rotations).for_each(|(row, rotation)| row[role] = log(*rotation));
    }
    let mut translations: Vec<Vec3> = change.iter().map(|row| row[ROLES]).collect();
    filter_in_place(&mut translations, Vec3::ZERO, weights, passes, |previous, current, next, weight| {
        current.lerp(0.25 * (previous + next) + 0.5 * current, weight)
    });
    change.iter_mut().zip(&translations).for_each(|(row, translation)| row[ROLES] = *translation);
}

/// Replaces each value by a weighted mean of itself and both neighbours, in several passes. `boundary`: value before
/// the first and after the last. `mean` receives the previous, current and next value, and the weight.
fn filter_in_place<T: Copy>(
    values: &mut [T],
    boundary: T,
    weights: &[f32],
    passes: usize,
    mean: impl Fn(T, T, T, f32) -> T,
) {
    for _ in 0..passes {
        let mut previous = boundary;
        for row in 0..values.len() {
            let current = values[row];
            if weights[row] > 0.0 {
                values[row] = mean(previous, current, values.get(row + 1).copied().unwrap_or(boundary), weights[row]);
            }
            previous = current;
        }
    }
}

/// Returns the height of the ground, metres: the resting height of the toes, the lower one of both keys.
pub(super) fn ground_height(pieces: [&Piece; 2]) -> f32 {
    pieces.map(|piece| piece.contacts.world_ground[1]).into_iter().fold(f32::MAX, f32::min)
}

/// Returns the last poses before frame `end` of a clip, at the network's rate. The clip is reversed for the resampling,
/// which keeps the first frame: here that is frame `end` − 1.
fn past(fit: &Fit, clip: &Clip, end: usize, rate: f64) -> Result<Poses> {
    let frames = (PAST as f64 * clip.fps() / rate).ceil() as usize + 1;
    let backward = resample(&reversed(&clip.trimmed(end.saturating_sub(frames)..end)?)?, rate)?;
    poses(fit, &reversed(&backward.trimmed(0..backward.frames().min(PAST))?)?)
}

/// Returns the first poses of a clip from frame `start` on, at the network's rate.
fn target(fit: &Fit, clip: &Clip, start: usize, rate: f64) -> Result<Poses> {
    let frames = (TARGET as f64 * clip.fps() / rate).ceil() as usize + 1;
    let forward = resample(&clip.trimmed(start..(start + frames).min(clip.frames()))?, rate)?;
    poses(fit, &forward.trimmed(0..forward.frames().min(TARGET))?)
}

fn poses(fit: &Fit, clip: &Clip) -> Result<Poses> {
    let canonical = fit.convert(clip)?;
    Ok(Poses { hips: canonical.translations().to_vec(), rotations: canonical.rotations().to_vec() })
}

/// Computes the difference from the interpolation to the network's motion in one row.
fn difference(interpolation: &Clip, prediction: &Poses, row: usize) -> Row {
    let mut difference = [Vec3::ZERO; TRACKS];
    let rotations = interpolation.frame_rotations(row).iter().zip(prediction.pose(row));
    for (rotation_vector, (interpolated, predicted)) in difference.iter_mut().zip(rotations) {
        *rotation_vector = log(interpolated.inverse() * *predicted);
    }
    difference[ROLES] = prediction.hips[row] - interpolation.frame_translations(row)[0];
    difference
}

/// Makes rotation vectors continuous across half turns, beginning at a key, where they are zero.
fn unwrap_rows<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Row> {
    let mut previous = [Vec3::ZERO; TRACKS];
    let unwrap_row = |row: &Row| {
        previous =
            std::array::from_fn(|track| if track < ROLES { unwrap(row[track], previous[track]) } else { row[track] });
        previous
    };
    rows.map(unwrap_row).collect()
}

/// Returns the rotation vector of the same rotation that is nearest to `reference`.
fn unwrap(rotation_vector: Vec3, reference: Vec3) -> Vec3 {
    let angle = rotation_vector.length();
    let Some(axis) = rotation_vector.try_normalize() else { return rotation_vector };
    rotation_vector + axis * TAU * ((reference.dot(axis) - angle) / TAU).round()
}

/// Extrapolation by a parabola: value and slope at 0 as weighted sums of the values at 1, 2, 3 (and 4, 5). The parabola
/// goes through three values …
const PARABOLA_OF_3: [[f32; 5]; 2] = [[3.0, -3.0, 1.0, 0.0, 0.0], [-2.5, 4.0, -1.5, 0.0, 0.0]];
/// … or is fitted to five by least squares.
const PARABOLA_OF_5: [[f32; 5]; 2] =
    [[1.8, 0.0, -0.8, -0.6, 0.6], [-37.0 / 35.0, 23.0 / 70.0, 6.0 / 7.0, 37.0 / 70.0, -23.0 / 35.0]];

/// Brings a change to zero value and velocity at both keys. Returns its former value at the second key.
///
/// The value at a key is extrapolated by a parabola, because a change with zero value and velocity at the key grows
/// like t² at first. (A straight line through a and 4 a, the values at 1 and 2, gives −2 a at 0 instead of 0;
/// removing that would remove most of the change in a short gap.) With fewer than three rows no value can be
/// extrapolated, and nothing is changed.
fn remove_key_offsets(change: &mut [Row], rate: f64) -> Row {
    let rows = change.len();
    let weights = match rows {
        0..3 => return [Vec3::ZERO; TRACKS],
        3..5 => PARABOLA_OF_3,
        _ => PARABOLA_OF_5,
    };
    let second_key = rows as f32 + 1.0;
    let decay_rows = second_key.min((CORRECTION_SECS * rate) as f32);
    let extrapolate = |change: &Vec<Row>| -> [(Vec3, Vec3); TRACKS] {
        std::array::from_fn(|track| {
            let sum = |weights: &[f32; 5]| change.iter().zip(weights).map(|(row, weight)| row[track] * *weight).sum();
            (sum(&weights[0]), sum(&weights[1]))
        })
    };
    let from_keys = [unwrap_rows(change.iter()), unwrap_rows(change.iter().rev())];
    let offsets_at_keys = from_keys.each_ref().map(extrapolate);
    let brake_rows = BRAKE_SECS * rate as f32;
    let decays = offsets_at_keys
        .map(|tracks| tracks.map(|(offset, velocity)| Decay::new(offset, velocity, decay_rows, brake_rows)));
    for (row, tracks) in change.iter_mut().enumerate() {
        let time = row as f32 + 1.0;
        *tracks = if 2 * row < rows { from_keys[0][row] } else { from_keys[1][rows - 1 - row] };
        for (track, value) in tracks.iter_mut().enumerate() {
            *value -= decays[0][track].offset_at(time) + decays[1][track].offset_at(second_key - time);
        }
    }
    offsets_at_keys[1].map(|(offset, _)| offset)
}

/// Interpolates a change between its rows (Catmull-Rom), `time` rows after the first key; it is zero at the keys.
fn interpolate_rows(change: &[Row], time: f64) -> Row {
    let row_at = |number: isize| match number {
        1.. if number <= change.len() as isize => change[number as usize - 1],
        _ => [Vec3::ZERO; TRACKS],
    };
    let start = time.floor();
    let fraction = (time - start) as f32;
    let [a, b, c, d] = [-1, 0, 1, 2].map(|step| row_at(start as isize + step));
    if fraction < 1e-6 {
        return b;
    }
    std::array::from_fn(|track| {
        let near_b = |value: Vec3| if track < ROLES { unwrap(value, b[track]) } else { value };
        let [a, b, c, d] = [near_b(a[track]), b[track], near_b(c[track]), near_b(d[track])];
        let (slope_b, slope_c) = ((c - a) * 0.5, (d - b) * 0.5);
        let (square, cube) = (fraction * fraction, fraction * fraction * fraction);
        b * (2.0 * cube - 3.0 * square + 1.0)
            + slope_b * (cube - 2.0 * square + fraction)
            + c * (3.0 * square - 2.0 * cube)
            + slope_c * (cube - square)
    })
}

/// Measures an arrival error on the joints of the target pose. Returns the mean distance in centimetres of the user's
/// body, and the mean angle in degrees.
fn measure_arrival_error(arrival_error: &Row, gap: &BodyGap) -> (f32, f32) {
    let target_rotations = gap.target.pose(0);
    let predicted_rotations: Vec<_> =
        target_rotations.iter().zip(arrival_error).map(|(target, error)| *target * exp(*error)).collect();
    let hips = gap.target.hips[0];
    let target_positions = joint_positions(hips, target_rotations, &gap.offsets);
    let predicted_positions = joint_positions(hips + arrival_error[ROLES], &predicted_rotations, &gap.offsets);
    let distances = target_positions.iter().zip(&predicted_positions).map(|(a, b)| a.distance(*b));
    let distance = distances.sum::<f32>() / ROLES as f32;
    let angle = arrival_error[..ROLES].iter().map(|error| error.length()).sum::<f32>() / ROLES as f32;
    (100.0 * distance / gap.scale, angle.to_degrees())
}
