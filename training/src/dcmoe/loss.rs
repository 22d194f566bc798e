//! Loss of an output row and its gradient (eq. 3 to 6).
//!
//! As in eq. 3, norms instead of squares, in standard deviations: outliers count linearly. For eq. 4 the contacts are
//! the recording's; otherwise the network could avoid the loss by predicting no contact. Eq. 5 is always zero here,
//! because velocities are computed from positions.

use super::sample::Rows;
use crate::experts::normal::Normal;
use crate::takes::FEET;
use kinestitch::body::poses::{CONTACTS, ROLES};
use kinestitch::feature::dcmoe::{CONTACT, MOVE, OUTPUT, PHASE, PHASES};
use kinestitch::motion::rig::Role;

/// Weights of the terms.
const PLACE: f32 = 1.0;
const TURN: f32 = 1.0;
const CONTACT_WEIGHT: f32 = 1.0;
const PHASE_WEIGHT: f32 = 0.5;
const HERTZ: f32 = 0.25;
const PLANTED: f32 = 1.0;
/// Hips move the whole body, and errors of the feet are the most visible.
const HIPS: f32 = 6.0;
const FOOT: f32 = 3.0;
/// Norms are quadratic below this value.
const ROUND: f32 = 0.1;
/// Unit of a planted foot's movement, metres per frame.
const SLIDE: f32 = 0.01;

/// Parts of the loss: positions, rotations, contacts, phases, planted feet.
pub type Parts = [f32; 5];

fn weight(role: usize) -> f32 {
    match Role::ALL[role] {
        Role::Hips => HIPS,
        role if FEET.contains(&role) => FOOT,
        _ => 1.0,
    }
}

/// Norm of `off`, smooth near 0. Writes its gradient times `share` to `by`.
fn norm(off: &[f32], share: f32, by: &mut [f32]) -> f32 {
    let length = (off.iter().map(|x| x * x).sum::<f32>() + ROUND * ROUND).sqrt();
    by.iter_mut().zip(off).for_each(|(by, x)| *by += share * x / length);
    share * (length - ROUND)
}

/// Loss of a normalised output row, times `share`. Writes its gradient to `by`, [output]. `truth` is normalised.
pub fn loss(out: &[f32], truth: &[f32], rows: &Rows, normal: &Normal, share: f32, by: &mut [f32]) -> Parts {
    let off: Vec<f32> = out.iter().zip(truth).map(|(out, truth)| out - truth).collect();
    by.fill(0.0);
    let mut parts = [0.0; 5];
    for role in 0..ROLES {
        let at = role * MOVE;
        let share = share * weight(role) / ROLES as f32;
        parts[0] += norm(&off[at..at + 3], PLACE * share, &mut by[at..at + 3]);
        parts[1] += norm(&off[at + 3..at + MOVE], TURN * share, &mut by[at + 3..at + MOVE]);
    }
    for at in CONTACT..PHASE {
        let share = CONTACT_WEIGHT * share / CONTACTS as f32;
        parts[2] += share * off[at] * off[at];
        by[at] += 2.0 * share * off[at];
    }
    for at in (PHASE..OUTPUT).step_by(3) {
        let share = share / PHASES as f32;
        parts[3] += norm(&off[at..at + 2], PHASE_WEIGHT * share, &mut by[at..at + 2]);
        parts[3] += norm(&off[at + 2..at + 3], HERTZ * share, &mut by[at + 2..at + 3]);
    }
    for (planted, role) in rows.planted.iter().zip(FEET) {
        let at = role as usize * MOVE;
        let share = PLANTED * share * planted / CONTACTS as f32;
        if share == 0.0 {
            continue;
        }
        let scale = |axis: usize| rows.freedom * normal.deviation[at + axis] / SLIDE;
        let moved: [f32; 3] = std::array::from_fn(|axis| {
            let prediction = out[at + axis] * normal.deviation[at + axis] + normal.mean[at + axis];
            (rows.base[at + axis] + rows.freedom * prediction - rows.now[at + axis]) / SLIDE
        });
        let mut by_moved = [0.0; 3];
        parts[4] += norm(&moved, share, &mut by_moved);
        (0..3).for_each(|axis| by[at + axis] += by_moved[axis] * scale(axis));
    }
    parts
}
