//! Makes the foot positions of refined rows consistent with the refined contacts: RMR, section 5.1, "which will be
//! used in the post-processing".
//!
//! The network predicts position, velocity and contact of each foot. These three agree only to one or two centimetres,
//! and the position is the least certain. So each foot is shifted over the ground, smoothly and as little as possible,
//! until it stands still while it touches. The shifts d of a range of frames minimise
//! `CONTACT_WEIGHT` Σ w |v_t + d_t − d_{t−1}|² + `CURVATURE_WEIGHT` Σ |d_{t−1} − 2 d_t + d_{t+1}|² +
//! `SHIFT_WEIGHT` Σ |d_t|².
//! v is the displacement of the foot in one frame. Its weight w is 1 if the foot touches for certain and does not move;
//! it is lower for a lower probability of contact and for a higher speed. No foot is pinned here: the foot lock does
//! that later.

use crate::body::GroundPose;
use crate::feature::layout::RefinerRow;
use glam::Vec3;
use std::ops::Range;

/// Weight of a displacement of weight 1. On LAFAN1's subject 3 (gaps of 5, 15, 30 and 45 frames), it lowers the foot
/// skate of the delta in-betweener by 26 to 37 %, and changes the error of joint positions by less than 0.5 %.
const CONTACT_WEIGHT: f64 = 10.0;
/// Weight of the curvature of the shifts.
const CURVATURE_WEIGHT: f64 = 1.0;
/// Weight of the shifts themselves: it keeps them small, and zero without contact.
const SHIFT_WEIGHT: f64 = 0.003;
/// Displacement per frame that reduces the weight of a contact to a quarter, metres: a foot that moves so fast is
/// probably not in contact.
const LONG_STEP: f32 = 0.03;
/// Indices of ankle and toe of each side in [`crate::feature::encode::LOWER_BODY_ROLES`].
pub(crate) const FEET: [[usize; 2]; 2] = [[3, 4], [7, 8]];

/// Shifts the feet in a range of raw rows. `rows`: [all frames × 161], contacts as probabilities from 0 to 1. `path`:
/// ground poses of all rows. Rows outside the range do not change.
pub fn align_feet_to_contacts(rows: &mut [f32], frames: Range<usize>, path: &[GroundPose]) {
    for side in 0..FEET.len() {
        let steps: Vec<(f64, Vec3)> = (frames.start..=frames.end).map(|frame| step(rows, side, frame, path)).collect();
        for (frame, shift) in frames.clone().zip(shifts(&steps)) {
            let local = path[frame].rotation().inverse() * shift;
            for joint in FEET[side] {
                let column = frame * RefinerRow::WIDTH + RefinerRow::POSITION.start + 3 * joint;
                rows[column] += local.x;
                rows[column + 2] += local.z;
            }
        }
    }
}

/// Returns the weight of a foot's displacement between the previous frame and `frame`, 0 to 1, and this displacement:
/// the mean of heel and toe, weighted by their contacts, world metres.
fn step(rows: &[f32], side: usize, frame: usize, path: &[GroundPose]) -> (f64, Vec3) {
    if frame == 0 || frame >= path.len() {
        return (0.0, Vec3::ZERO);
    }
    // `end` is 0 for the heel, 1 for the toe.
    let position = |frame: usize, end: usize| foot_position(rows, FEET[side][end], frame, path).with_y(0.0);
    let [before, now] = [frame - 1, frame].map(|frame| foot_contacts(rows, side, frame));
    let contacts = [0, 1].map(|end| now[end].min(before[end]));
    contact_step(contacts, [0, 1].map(|end| position(frame, end) - position(frame - 1, end)))
}

/// Returns the contacts of a foot's heel and toe in a raw row, 0 to 1. `side`: index in [`FEET`].
pub(crate) fn foot_contacts(rows: &[f32], side: usize, frame: usize) -> [f32; 2] {
    let column = frame * RefinerRow::WIDTH + RefinerRow::CONTACT.start + 2 * side;
    [0, 1].map(|end| rows[column + end].clamp(0.0, 1.0))
}

/// Returns the position of a joint of [`FEET`] in a raw row, world metres; y is its height over the ground.
pub(crate) fn foot_position(rows: &[f32], joint: usize, frame: usize, path: &[GroundPose]) -> Vec3 {
    let column = frame * RefinerRow::WIDTH + RefinerRow::POSITION.start + 3 * joint;
    path[frame].world_point(Vec3::from_slice(&rows[column..column + 3]))
}

/// Returns the weight of a foot's contact between two frames, 0 to 1, and the displacement of the part that touches.
/// `contacts`: probabilities that heel and toe touch in both frames; `steps`: their displacements over the ground, metres.
pub(crate) fn contact_step([heel, toe]: [f32; 2], [heel_step, toe_step]: [Vec3; 2]) -> (f64, Vec3) {
    let probability = heel.max(toe);
    let step = (heel_step * heel + toe_step * toe) / (heel + toe).max(1e-6);
    let slowness = 1.0 / (1.0 + step.length_squared() / (LONG_STEP * LONG_STEP));
    (f64::from(probability * probability * slowness * slowness), step)
}

/// Computes the shifts. `steps`: weight and displacement up to each frame, [frames + 1]; the last one leads to the
/// first frame after the range, which is not shifted.
pub(crate) fn shifts(steps: &[(f64, Vec3)]) -> Vec<Vec3> {
    let count = steps.len() - 1;
    // Lower band of the normal equations: row i holds columns i, i − 1 and i − 2.
    let mut matrix = vec![[0.0_f64; 3]; count];
    let mut right = vec![[0.0_f64; 2]; count];
    let mut add = |terms: &[(isize, f64)], weight: f64, value: [f64; 2]| {
        let inside = || terms.iter().filter(|(index, _)| (0..count as isize).contains(index));
        for &(i, a) in inside() {
            for (sum, value) in right[i as usize].iter_mut().zip(value) {
                *sum -= weight * a * value;
            }
            for &(j, b) in inside().filter(|(j, _)| *j <= i) {
                matrix[i as usize][(i - j) as usize] += weight * a * b;
            }
        }
    };
    for (index, (weight, step)) in steps.iter().enumerate() {
        let index = index as isize;
        add(&[(index - 1, -1.0), (index, 1.0)], CONTACT_WEIGHT * weight, [f64::from(step.x), f64::from(step.z)]);
        add(&[(index, 1.0)], SHIFT_WEIGHT, [0.0; 2]);
    }
    for index in -1..=count as isize {
        add(&[(index - 1, 1.0), (index, -2.0), (index + 1, 1.0)], CURVATURE_WEIGHT, [0.0; 2]);
    }
    solve(&mut matrix, &mut right);
    right.iter().map(|[x, z]| Vec3::new(*x as f32, 0.0, *z as f32)).collect()
}

/// Solves a symmetric positive definite system of bandwidth 2 in place, by Cholesky factorisation.
fn solve(matrix: &mut [[f64; 3]], right: &mut [[f64; 2]]) {
    for i in 0..matrix.len() {
        for j in i.saturating_sub(2)..=i {
            let known = (i.saturating_sub(2)..j).map(|k| matrix[i][i - k] * matrix[j][j - k]).sum::<f64>();
            let remainder = matrix[i][i - j] - known;
            matrix[i][i - j] = if i == j { remainder.max(1e-12).sqrt() } else { remainder / matrix[j][0] };
        }
    }
    for column in 0..2 {
        for i in 0..matrix.len() {
            let known = (i.saturating_sub(2)..i).map(|k| matrix[i][i - k] * right[k][column]).sum::<f64>();
            right[i][column] = (right[i][column] - known) / matrix[i][0];
        }
        for i in (0..matrix.len()).rev() {
            let known = (i + 1..(i + 3).min(matrix.len())).map(|k| matrix[k][k - i] * right[k][column]).sum::<f64>();
            right[i][column] = (right[i][column] - known) / matrix[i][0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates rows of a foot that slides one centimetre per frame below a standing body, in contact from frame 10 to
    /// 24.
    fn sliding_foot() -> (Vec<f32>, Vec<GroundPose>) {
        let path = vec![GroundPose { position: Vec3::new(1.0, 0.0, 2.0), heading: 0.7 }; 40];
        let mut rows = vec![0.0; path.len() * RefinerRow::WIDTH];
        for (frame, row) in rows.chunks_exact_mut(RefinerRow::WIDTH).enumerate() {
            row[RefinerRow::POSITION.start + 3 * FEET[0][1] + 2] = 0.01 * frame as f32;
            row[RefinerRow::CONTACT.start + 1] = f32::from(u8::from((10..25).contains(&frame)));
        }
        (rows, path)
    }

    fn toe_z(rows: &[f32], frame: usize) -> f32 {
        rows[frame * RefinerRow::WIDTH + RefinerRow::POSITION.start + 3 * FEET[0][1] + 2]
    }

    #[test]
    fn a_foot_in_contact_stands_and_nothing_jumps() {
        let (mut rows, path) = sliding_foot();
        let before = rows.clone();
        align_feet_to_contacts(&mut rows, 5..35, &path);
        let step = |rows: &[f32], frame: usize| toe_z(rows, frame) - toe_z(rows, frame - 1);
        let slide: f32 = (12..24).map(|frame| step(&rows, frame).abs()).sum();
        assert!(slide < 0.3 * 0.12, "{slide} m of 0.12 m remain");
        let change = |frame: usize| (step(&rows, frame + 1) - step(&rows, frame)).abs();
        assert!((1..39).all(|frame| change(frame) < 0.01), "steps change by less than a centimetre");
        assert_eq!(rows[..5 * RefinerRow::WIDTH], before[..5 * RefinerRow::WIDTH]);
        assert_eq!(rows[35 * RefinerRow::WIDTH..], before[35 * RefinerRow::WIDTH..]);
    }

    #[test]
    fn a_foot_without_contact_is_not_shifted() {
        let (mut rows, path) = sliding_foot();
        rows.chunks_exact_mut(RefinerRow::WIDTH).for_each(|row| row[RefinerRow::CONTACT.start + 1] = 0.0);
        let before = rows.clone();
        align_feet_to_contacts(&mut rows, 5..35, &path);
        assert_eq!(rows, before);
    }
}
