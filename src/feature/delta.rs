//! Rows of the delta in-betweener, one per frame (past, gap, target), and their decoder.
//!
//! Oreshkin et al. 2022, *Motion In-Betweening via Deep Δ-Interpolator*: the network reads the interpolated motion in
//! root space of the last past frame, and predicts the difference from it. The interpolation here is better than slerp
//! and straight lines: the velocity at the end of the past decays into the gap, and so does the velocity at the
//! beginning of the target if the target has more than one frame, see [`interpolate`]. On LAFAN1 subjects 1–3,
//! official L2P relative to plain interpolation at 5/15/30/45 frames: Hermite curves 0.64/0.82/0.93/0.95, this
//! interpolation 0.60/0.80/0.90/0.90. The predicted difference is divided by its typical size, which depends on the
//! distance to the nearest keys ([`typical_correction`]); otherwise short gaps, whose differences are millimetres, are
//! learned last.

use crate::body::GroundPose;
use crate::body::interpolate::{interpolate, typical_correction};
use crate::body::mirror::opposite_role;
use crate::body::poses::{CONTACTS, PAST, Poses, ROLES, TARGET, joint_positions};
use crate::body::rotation6d::{POSE_VALUES as ROTATION, encode_rotations, orthonormalize};
use crate::motion::quat::with_nearest_sign;
use crate::motion::vector::mirror_point;
use glam::{Quat, Vec3};
use std::f32::consts::TAU;

/// Version of this layout, stored in weight files; increased whenever the meaning of a column changes.
pub const VERSION: u32 = 1;
/// Number of columns of joint positions.
const JOINTS: usize = 3 * ROLES;
/// Number of sine waves that encode a distance in time, with periods of 4, 8, …, 128 frames.
const WAVES: usize = 6;
/// Number of time columns, see [`time`].
const TIME: usize = 4 * WAVES + 4;
/// Number of columns of an input row: local rotations (first two columns of each matrix); joint positions in root space
/// of the row's frame; heading (sine, cosine); position of the hips; changes of rotations, hips and joints from the
/// previous row; time; kind of row (past, gap or target).
pub const INPUT: usize = ROTATION + JOINTS + 2 + 3 + ROTATION + 3 + JOINTS + TIME + 3;
/// Number of columns of an output row: differences of local rotations (first two columns of each matrix) and of the
/// hips' position, both in units of [`typical_correction`]; four contacts (left heel, left toe, right heel, right toe)
/// as logits.
pub const OUTPUT: usize = ROTATION + 3 + CONTACTS;
/// First contact column.
pub const CONTACT: usize = ROTATION + 3;

/// Mirrors output rows, [rows × [`OUTPUT`]].
pub fn mirror_output(rows: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; rows.len()];
    for (row, out) in rows.chunks_exact(OUTPUT).zip(out.chunks_exact_mut(OUTPUT)) {
        for role in 0..ROLES {
            let from = &row[6 * opposite_role(role)..][..6];
            // Mirroring negates the first axis, and x of both axes.
            (-mirror_point(Vec3::from_slice(from))).write_to_slice(&mut out[6 * role..]);
            mirror_point(Vec3::from_slice(&from[3..])).write_to_slice(&mut out[6 * role + 3..]);
        }
        mirror_point(Vec3::from_slice(&row[ROTATION..])).write_to_slice(&mut out[ROTATION..]);
        out[CONTACT..].copy_from_slice(&row[CONTACT..]);
        out[CONTACT..].rotate_left(CONTACTS / 2);
    }
    out
}

/// Input of the network for one gap.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkInput {
    /// Rows, [past + gap + target, [`INPUT`]], not yet normalised.
    pub rows: Vec<f32>,
    /// Number of rows of the past.
    pub past: usize,
    /// Ground pose below the hips in the last past frame; the rows are relative to it.
    pub ground: GroundPose,
    /// The interpolation, `[gap]`, relative to `ground`.
    pub base: Poses,
}

/// Encodes a gap of `gap` frames between `past` and `target`, which must not be empty. Uses the last [`PAST`] frames of
/// the past and the first [`TARGET`] frames of the target. `offsets`: bone offsets of the skeleton, `[22]`, metres.
/// `ground`: height of the ground, metres.
pub fn encode(past: &Poses, target: &Poses, gap: usize, offsets: &[Vec3; ROLES], ground: f32) -> NetworkInput {
    let last = past.len() - 1;
    let origin = GroundPose::from_root(past.hips[last], past.pose(last)[0]).with_height(ground);
    let past = past.slice(past.len().saturating_sub(PAST)..past.len()).to_local(origin);
    let target = target.slice(0..target.len().min(TARGET)).to_local(origin);
    let base = interpolate(&past, &target, gap);
    let mut poses = past.clone();
    poses.extend(&base);
    poses.extend(&target);
    let mut rows = vec![0.0; poses.len() * INPUT];
    let joints: Vec<[Vec3; ROLES]> =
        (0..poses.len()).map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), offsets)).collect();
    for (frame, row) in rows.chunks_exact_mut(INPUT).enumerate() {
        // The frame before the target is unknown, so the velocity in the first frame of the target is measured from the
        // first frame to the second.
        let is_first_of_target = frame == past.len() + gap && target.len() > 1;
        let (to, from) = if frame == 0 || is_first_of_target { (frame + 1, frame) } else { (frame, frame - 1) };
        let mut put = column_writer(row);
        put(&encode_rotations(poses.pose(frame)));
        let GroundPose { position: root, heading } = GroundPose::from_root(poses.hips[frame], poses.pose(frame)[0]);
        let level = Quat::from_rotation_y(-heading);
        put(&flatten(joints[frame].iter().map(|joint| level * (*joint - root))));
        put(&[heading.sin(), heading.cos()]);
        put(&poses.hips[frame].to_array());
        let change: Vec<f32> = encode_rotations(poses.pose(to))
            .iter()
            .zip(encode_rotations(poses.pose(from)))
            .map(|(a, b)| a - b)
            .collect();
        put(&change);
        put(&(poses.hips[to] - poses.hips[from]).to_array());
        put(&flatten(joints[to].iter().zip(&joints[from]).map(|(a, b)| *a - *b)));
        let (from_past, to_target) = (frame as f32 + 1.0 - past.len() as f32, (past.len() + gap) as f32 - frame as f32);
        put(&time(from_past, to_target));
        // 0 past, 1 gap, 2 target.
        let kind = usize::from(frame >= past.len()) + usize::from(frame >= past.len() + gap);
        put(&std::array::from_fn::<f32, 3, _>(|index| f32::from(u8::from(index == kind))));
    }
    NetworkInput { rows, past: past.len(), ground: origin, base }
}

/// Decodes output rows, [gap, [`OUTPUT`]]: returns the motion, and the contact probabilities, [gap × 4].
pub fn decode(input: &NetworkInput, rows: &[f32]) -> (Poses, Vec<f32>) {
    let (base, gap) = (&input.base, input.base.len());
    let mut poses = Poses::default();
    let mut contacts = Vec::with_capacity(gap * CONTACTS);
    for (frame, row) in rows.chunks_exact(OUTPUT).take(gap).enumerate() {
        let [rotation_unit, hips_unit] = typical_correction(frame + 1, gap);
        let interpolated = encode_rotations(base.pose(frame));
        let rotation = |role: usize| {
            let axis = |start: usize| -> Vec3 {
                let column = role * 6 + start;
                Vec3::from_slice(&interpolated[column..]) + rotation_unit * Vec3::from_slice(&row[column..])
            };
            with_nearest_sign(Quat::from_mat3(&orthonormalize(axis(0), axis(3))), base.pose(frame)[role])
        };
        poses.push(base.hips[frame] + hips_unit * Vec3::from_slice(&row[ROTATION..]), (0..ROLES).map(rotation));
        contacts.extend(row[CONTACT..].iter().map(|logit| 1.0 / (1.0 + (-logit).exp())));
    }
    (poses.to_world(input.ground), contacts)
}

/// Encodes the position of a row in time. `from_past`, `to_target`: frames from the last past frame, and to the first
/// target frame. Columns: sines and cosines of both; the fraction of the gap that has passed; from_past × to_target /
/// (8 × (from_past + to_target)), which is largest in the middle of the gap; 1 / (1 + from_past); 1 / (1 + to_target).
fn time(from_past: f32, to_target: f32) -> [f32; TIME] {
    let mut out = [0.0; TIME];
    let mut put = column_writer(&mut out);
    for distance in [from_past, to_target] {
        for wave in 0..WAVES {
            let angle = distance * TAU / (4 << wave) as f32;
            put(&[angle.sin(), angle.cos()]);
        }
    }
    let (from_past, to_target) = (from_past.max(0.0), to_target.max(0.0));
    let span = (from_past + to_target).max(1.0);
    put(&[from_past / span, from_past * to_target / (8.0 * span), 1.0 / (1.0 + from_past), 1.0 / (1.0 + to_target)]);
    drop(put);
    out
}

/// Returns the coordinates of points, one point after the other.
fn flatten(points: impl Iterator<Item = Vec3>) -> Vec<f32> {
    points.flat_map(|point| point.to_array()).collect()
}

/// Returns a function that writes groups of values into a row, each behind the previous one.
fn column_writer(row: &mut [f32]) -> impl FnMut(&[f32]) {
    let mut start = 0;
    move |values| {
        row[start..start + values.len()].copy_from_slice(values);
        start += values.len();
    }
}
