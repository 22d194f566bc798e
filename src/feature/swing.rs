//! Heights of swinging feet.
//!
//! A network predicts the mean of many steps, so that swinging feet pass too low or sink into the ground. They are
//! lifted to the usual least height of recorded feet.

use crate::body::GroundPose;
use crate::feature::foot_alignment::{FEET, foot_contacts, foot_position};
use crate::feature::layout::RefinerRow;
use std::ops::Range;

/// Displacements per frame of a toe, metres, and its least height over the resting height, metres; linear between them.
/// Nineteen of twenty toes of LAFAN1's subject 3 are higher.
const CLEARANCE: [(f32, f32); 4] = [(0.005, 0.0), (0.03, 0.005), (0.08, 0.014), (0.2, 0.02)];
/// Frames over which the lift grows at the beginning of a range, and fades at its end.
const FADE: f32 = 3.0;

/// Returns how far a toe is below the least height of recorded toes, metres; 0 if it is not. `height`: its height over
/// its resting height, metres; `step`: its displacement over the ground in one frame at 30 frames per second, metres.
/// `frames_inside`: distance to the nearest unchanged frame; 1 at both ends of a range.
pub fn missing_height(height: f32, step: f32, frames_inside: usize) -> f32 {
    (clearance(step) - height).max(0.0) * (frames_inside as f32 / FADE).min(1.0)
}

/// Returns the least height over the resting height of a toe that moves by `step` metres in a frame.
fn clearance(step: f32) -> f32 {
    let [mut low, ..] = CLEARANCE;
    for high in CLEARANCE {
        if step < high.0 {
            return low.1 + (high.1 - low.1) * ((step - low.0) / (high.0 - low.0)).max(0.0);
        }
        low = high;
    }
    low.1
}

/// Lifts the feet in a range of raw rows, ankle and toe alike, until no swinging toe is too low, and no toe is below
/// its resting height. `rows`: [all frames × 161], contacts as probabilities from 0 to 1. `path`: ground poses of all
/// rows. `resting_heights`: heights of both toes over the ground at rest, metres.
pub fn lift_low_feet(rows: &mut [f32], frames: Range<usize>, path: &[GroundPose], resting_heights: [f32; 2]) {
    for (side, (foot, resting_height)) in FEET.into_iter().zip(resting_heights).enumerate() {
        let toe = foot[1];
        let lift = |frame: usize| {
            let position = foot_position(rows, toe, frame, path);
            let step = position - foot_position(rows, toe, frame.saturating_sub(1), path);
            let [heel_contact, toe_contact] = foot_contacts(rows, side, frame);
            // A foot that touches may slide, but does not swing.
            let swing = step.with_y(0.0).length() * (1.0 - heel_contact.max(toe_contact));
            let frames_inside = (frame + 1 - frames.start).min(frames.end - frame);
            missing_height(position.y - resting_height, swing, frames_inside)
        };
        let lifts: Vec<f32> = frames.clone().map(lift).collect();
        for (frame, lift) in frames.clone().zip(lifts) {
            for joint in foot {
                rows[frame * RefinerRow::WIDTH + RefinerRow::POSITION.start + 3 * joint + 1] += lift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn recorded_heights_grow_with_speed() {
        let heights = [0.0, 0.004, 0.02, 0.05, 0.1, 0.3].map(clearance);
        assert!(heights.is_sorted() && heights[1] == 0.0 && heights[5] == 0.02, "{heights:?}");
        assert_eq!(missing_height(0.02, 0.3, 10), 0.0, "a high foot is not lifted");
        assert!((missing_height(-0.03, 0.0, 10) - 0.03).abs() < 1e-6, "a toe below its resting height is lifted to it");
        assert!((missing_height(-0.03, 0.0, 1) - 0.01).abs() < 1e-6, "the lift begins gradually");
    }

    #[test]
    fn only_low_feet_in_the_range_are_lifted() {
        const HEIGHT: f32 = 0.02;
        let path = vec![GroundPose { position: Vec3::new(1.0, 0.0, 2.0), heading: 0.7 }; 30];
        let mut rows = vec![0.0; path.len() * RefinerRow::WIDTH];
        let column = |frame: usize, joint: usize| frame * RefinerRow::WIDTH + RefinerRow::POSITION.start + 3 * joint;
        for frame in 0..path.len() {
            // The left foot swings a centimetre below its resting height; the right foot slides in contact at its
            // resting height.
            for [_, toe] in FEET {
                rows[column(frame, toe) + 2] = 0.1 * frame as f32;
            }
            rows[column(frame, FEET[0][1]) + 1] = HEIGHT - 0.01;
            rows[column(frame, FEET[1][1]) + 1] = HEIGHT;
            rows[frame * RefinerRow::WIDTH + RefinerRow::CONTACT.start + 3] = 1.0;
        }
        let before = rows.clone();
        lift_low_feet(&mut rows, 5..25, &path, [HEIGHT; 2]);
        let lift = |frame: usize, joint: usize| rows[column(frame, joint) + 1] - before[column(frame, joint) + 1];
        let expected = 0.01 + clearance(0.1);
        for joint in FEET[0] {
            assert!((7..23).all(|frame| (lift(frame, joint) - expected).abs() < 1e-5), "ankle and toe move together");
            assert!(lift(5, joint) < expected / 2.0 && lift(24, joint) < expected / 2.0, "the lift is faded");
            assert!(lift(4, joint) == 0.0 && lift(25, joint) == 0.0);
        }
        assert!((0..30).all(|frame| lift(frame, FEET[1][1]) == 0.0), "a foot in contact is not lifted");
    }
}
