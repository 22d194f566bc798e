//! Heights of swinging feet.
//!
//! A network predicts the mean of many steps, so that swinging feet pass too low or sink into the ground. They are
//! lifted to the height of recorded feet.

/// Displacements per frame of a toe, metres, and its least height over the resting height, metres; linear between them.
/// Nineteen of twenty toes of LAFAN1's subject 3 are higher.
const CLEARANCE: [(f32, f32); 4] = [(0.005, 0.0), (0.03, 0.005), (0.08, 0.014), (0.2, 0.02)];
/// Frames over which the lift grows at the beginning of a range, and fades at its end.
const FADE: f32 = 3.0;

/// Returns how far a toe is below the height of recorded toes, metres; 0 if it is not. `height`: its height over its
/// resting height, metres; `step`: its displacement over the ground in one frame at 30 frames per second, metres.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_heights_grow_with_speed() {
        let heights = [0.0, 0.004, 0.02, 0.05, 0.1, 0.3].map(clearance);
        assert!(heights.is_sorted() && heights[1] == 0.0 && heights[5] == 0.02, "{heights:?}");
        assert_eq!(missing_height(0.02, 0.3, 10), 0.0, "a high foot is not lifted");
        assert!((missing_height(-0.03, 0.0, 10) - 0.03).abs() < 1e-6, "a foot below the ground is lifted to it");
        assert!((missing_height(-0.03, 0.0, 1) - 0.01).abs() < 1e-6, "the lift begins gradually");
    }
}
