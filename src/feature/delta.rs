//! Rows of the delta in-betweener, one per frame (past, gap, target), and their decoding.
//!
//! Oreshkin et al. 2022, *Motion In-Betweening via Deep Δ-Interpolator*: the network reads the interpolated motion in
//! the frame of the last past frame, and predicts the difference to it. The interpolation here is better than slerp
//! and straight lines: the velocity at the end of the past (and at the beginning of the target, where more than one
//! of its frames is given) decays into the gap, see [`interpolated`]. On LAFAN1 subjects 1–3, official L2P relative
//! to plain interpolation at 5/15/30/45 frames: Hermite curves .64/.82/.93/.95, this .60/.80/.90/.90. The predicted
//! difference is divided by its typical size, which depends on the distance to the nearest keys
//! ([`usual_difference`]); otherwise short gaps, whose differences are millimetres, are learned last.

use crate::body::GroundPose;
use crate::body::interpolate::{interpolated, usual_difference};
use crate::body::mirror::{flip, opposite};
use crate::body::poses::{CONTACTS, PAST, Poses, ROLES, TARGET, joints};
use crate::body::rotation6d::{POSE as ROTATION, orthonormal, six};
use crate::motion::quat::near;
use glam::{Quat, Vec3};
use std::f32::consts::TAU;

/// Increased whenever the meaning of a column changes.
pub const VERSION: u32 = 1;
const JOINTS: usize = 3 * ROLES;
const WAVES: usize = 6;
const TIME: usize = 4 * WAVES + 4;
/// Number of columns of an input row: local rotations (first two columns of each matrix); joint positions relative to
/// the root in its own heading; heading (sine, cosine); root; changes of rotations, root and joints since the row
/// before; time; kind of row.
pub const INPUT: usize = ROTATION + JOINTS + 2 + 3 + ROTATION + 3 + JOINTS + TIME + 3;
/// Number of columns of an output row: differences of local rotations (first two columns of each matrix) and of the
/// root, both in units of [`usual_difference`]; four contacts (left heel, left toe, right heel, right toe) as logits.
pub const OUTPUT: usize = ROTATION + 3 + CONTACTS;
/// First contact column.
pub const CONTACT: usize = ROTATION + 3;

/// Mirrors output rows.
pub fn mirror_answer(rows: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; rows.len()];
    for (row, out) in rows.chunks_exact(OUTPUT).zip(out.chunks_exact_mut(OUTPUT)) {
        for role in 0..ROLES {
            let from = &row[6 * opposite(role)..][..6];
            // Mirroring negates the first axis, and x of both axes.
            (-flip(Vec3::from_slice(from))).write_to_slice(&mut out[6 * role..]);
            flip(Vec3::from_slice(&from[3..])).write_to_slice(&mut out[6 * role + 3..]);
        }
        flip(Vec3::from_slice(&row[ROTATION..])).write_to_slice(&mut out[ROTATION..]);
        out[CONTACT..].copy_from_slice(&row[CONTACT..]);
        out[CONTACT..].rotate_left(CONTACTS / 2);
    }
    out
}

/// Encoded input of the network for one gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Rows, [past + gap + target, [`INPUT`]], not yet normalised.
    pub rows: Vec<f32>,
    /// Number of past frames among them.
    pub past: usize,
    /// Ground pose below the last past frame; the rows are local to it.
    pub ground: GroundPose,
    /// The interpolation, [gap], local to `ground`.
    pub base: Poses,
}

/// Encodes a gap between `past` and `target`, both not empty. `offsets`: those of the skeleton, [22]. Of the past the
/// last [`PAST`] frames are used, of the target the first [`TARGET`].
pub fn question(past: &Poses, target: &Poses, gap: usize, offsets: &[Vec3; ROLES], ground: f32) -> Question {
    let last = past.len() - 1;
    let origin = GroundPose::under(past.hips[last], past.pose(last)[0]).at_height(ground);
    let past = past.cut(past.len().saturating_sub(PAST)..past.len()).moved(origin);
    let target = target.cut(0..target.len().min(TARGET)).moved(origin);
    let base = interpolated(&past, &target, gap);
    let mut all = past.clone();
    all.extend(&base);
    all.extend(&target);
    let mut rows = vec![0.0; all.len() * INPUT];
    let joints: Vec<[Vec3; ROLES]> = (0..all.len()).map(|at| joints(all.hips[at], all.pose(at), offsets)).collect();
    for (at, row) in rows.chunks_exact_mut(INPUT).enumerate() {
        // The frame before the target's first is unknown, so its velocity comes from its successor, if there is one.
        let first_of_target = at == past.len() + gap && target.len() > 1;
        let (now, before) = if at == 0 || first_of_target { (at + 1, at) } else { (at, at - 1) };
        let mut put = columns(row);
        put(&six(all.pose(at)));
        let GroundPose { position: root, heading } = GroundPose::under(all.hips[at], all.pose(at)[0]);
        let level = Quat::from_rotation_y(-heading);
        put(&flat(joints[at].iter().map(|joint| level * (*joint - root))));
        put(&[heading.sin(), heading.cos()]);
        put(&all.hips[at].to_array());
        let change: Vec<f32> = six(all.pose(now)).iter().zip(six(all.pose(before))).map(|(a, b)| a - b).collect();
        put(&change);
        put(&(all.hips[now] - all.hips[before]).to_array());
        put(&flat(joints[now].iter().zip(&joints[before]).map(|(a, b)| *a - *b)));
        let (since, until) = (at as f32 + 1.0 - past.len() as f32, (past.len() + gap) as f32 - at as f32);
        put(&time(since, until));
        let kind = usize::from(at >= past.len()) + usize::from(at >= past.len() + gap);
        put(&std::array::from_fn::<f32, 3, _>(|index| f32::from(u8::from(index == kind))));
    }
    Question { rows, past: past.len(), ground: origin, base }
}

/// Decodes output rows, [gap, [`OUTPUT`]]: the motion, and the probabilities of contacts, [gap × 4].
pub fn answer(question: &Question, rows: &[f32]) -> (Poses, Vec<f32>) {
    let (base, gap) = (&question.base, question.base.len());
    let mut poses = Poses::default();
    let mut contacts = Vec::with_capacity(gap * CONTACTS);
    for (at, row) in rows.chunks_exact(OUTPUT).take(gap).enumerate() {
        let [by_rotation, by_root] = usual_difference(at + 1, gap);
        let own = six(base.pose(at));
        let turned = |role: usize| {
            let column = |start: usize| -> Vec3 {
                let at = role * 6 + start;
                Vec3::from_slice(&own[at..]) + by_rotation * Vec3::from_slice(&row[at..])
            };
            near(Quat::from_mat3(&orthonormal(column(0), column(3))), base.pose(at)[role])
        };
        poses.push(base.hips[at] + by_root * Vec3::from_slice(&row[ROTATION..]), (0..ROLES).map(turned));
        contacts.extend(row[CONTACT..].iter().map(|logit| 1.0 / (1.0 + (-logit).exp())));
    }
    (poses.back(question.ground), contacts)
}

/// Sines and cosines of the distances, in frames, to the end of the past and to the target; then the fraction, the
/// lever and two inverses.
fn time(since: f32, until: f32) -> [f32; TIME] {
    let mut out = [0.0; TIME];
    let mut put = columns(&mut out);
    for distance in [since, until] {
        for wave in 0..WAVES {
            let angle = distance * TAU / (4 << wave) as f32;
            put(&[angle.sin(), angle.cos()]);
        }
    }
    let (since, until) = (since.max(0.0), until.max(0.0));
    let span = (since + until).max(1.0);
    put(&[since / span, since * until / (8.0 * span), 1.0 / (1.0 + since), 1.0 / (1.0 + until)]);
    drop(put);
    out
}

fn flat(points: impl Iterator<Item = Vec3>) -> Vec<f32> {
    points.flat_map(|point| point.to_array()).collect()
}

/// Writes groups of values into a row, one after the other.
fn columns(row: &mut [f32]) -> impl FnMut(&[f32]) {
    let mut start = 0;
    move |values| {
        row[start..start + values.len()].copy_from_slice(values);
        start += values.len();
    }
}
