//! Jumps in recordings of people, found by the height of the hips.

use kinestitch::motion::ease::smoothstep;

/// Height of the hips in a jump, relative to their median height. The hips of a runner stay below it.
const FLIGHT_HEIGHT: f32 = 1.12;
/// Shortest flight above that height, seconds.
const MIN_FLIGHT_SECS: f64 = 0.1;
/// Before a flight, the weight rises from 0 to 1 between these times, seconds: the body crouches and takes off.
const TAKE_OFF_SECS: [f64; 2] = [0.65, 0.3];
/// After a flight, the weight falls from 1 to 0 between these times, seconds: the body lands and straightens.
const LANDING_SECS: [f64; 2] = [0.15, 0.45];

/// Returns the weight of the action "jump" in each frame, 0 to 1. `hips`: height of the hips in each frame, metres.
/// `touches`: whether any foot touches the ground in each frame. `fps`: frames per second.
pub fn jump_weights(hips: &[f32], touches: &[bool], fps: f64) -> Vec<f32> {
    let mut weights = vec![0.0_f32; hips.len()];
    for (start, end) in flights(hips, touches, fps) {
        for (frame, weight) in weights.iter_mut().enumerate() {
            let before = (start as f64 - frame as f64) / fps;
            let after = (frame as f64 - end as f64) / fps;
            let rise = (TAKE_OFF_SECS[0] - before) / (TAKE_OFF_SECS[0] - TAKE_OFF_SECS[1]);
            let fall = (LANDING_SECS[1] - after) / (LANDING_SECS[1] - LANDING_SECS[0]);
            *weight = weight.max(smoothstep(rise.min(fall).clamp(0.0, 1.0) as f32));
        }
    }
    weights
}

/// Returns the first and last frame of each flight.
fn flights(hips: &[f32], touches: &[bool], fps: f64) -> Vec<(usize, usize)> {
    let mut sorted = hips.to_vec();
    sorted.sort_by(f32::total_cmp);
    let Some(&median) = sorted.get(sorted.len() / 2) else { return Vec::new() };
    let flies: Vec<bool> =
        hips.iter().zip(touches).map(|(&height, &touches)| height > FLIGHT_HEIGHT * median && !touches).collect();
    let mut flights = Vec::new();
    let mut frame = 0;
    for run in flies.chunk_by(|a, b| a == b) {
        if run[0] && run.len() as f64 >= MIN_FLIGHT_SECS * fps {
            flights.push((frame, frame + run.len() - 1));
        }
        frame += run.len();
    }
    flights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_has_weight_before_and_after_the_flight() {
        let fps = 30.0;
        // Three seconds; in the air from 1.5 to 1.9 s, highest at 1.7 s.
        let height = |frame: usize| (0.2 - (frame as f32 / 30.0 - 1.7).abs()).max(0.0) * 2.0;
        let hips: Vec<f32> = (0..90).map(|frame| 0.9 + height(frame)).collect();
        let touches: Vec<bool> = (0..90).map(|frame| height(frame) == 0.0).collect();
        let weights = jump_weights(&hips, &touches, fps);
        assert_eq!([weights[20], weights[51], weights[80]], [0.0, 1.0, 0.0]);
        assert!(weights[36] > 0.1 && weights[36] < 1.0, "the crouch counts: {}", weights[36]);
        let never = jump_weights(&hips, &[true; 90], fps);
        assert!(never.iter().all(|&weight| weight == 0.0), "feet on a box are no flight");
        assert!(jump_weights(&[], &[], fps).is_empty());
    }
}
