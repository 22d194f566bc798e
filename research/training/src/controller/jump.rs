//! Jumps in recordings of people, found by the height of the hips.

use kinestitch::motion::ease::smoothstep;

/// Minimum height of the hips in a flight, relative to their median height. The hips of a runner stay below it.
const MIN_FLIGHT_HEIGHT: f32 = 1.12;
/// Shortest flight above that height, seconds.
const MIN_FLIGHT_SECS: f64 = 0.1;
/// Maximum height of the hips in a crouch, relative to their median height.
const MAX_CROUCH_HEIGHT: f32 = 0.95;
/// A jump includes a crouch up to this time before or after the flight, seconds.
const MAX_CROUCH_SECS: f64 = 1.5;
/// The weight is above 0 for at least this time before a flight, seconds: the body crouches and takes off.
const MIN_TAKE_OFF_SECS: f64 = 0.65;
/// Time in which the weight rises from 0 to 1, seconds.
const RISE_SECS: f64 = 0.35;
/// The weight is above 0 for at least this time after a flight, seconds: the body lands and straightens.
const MIN_LANDING_SECS: f64 = 0.45;
/// Time in which the weight falls from 1 to 0, seconds.
const FALL_SECS: f64 = 0.3;

/// Returns the weight of the action "jump" in each frame, 0 to 1. `hips`: height of the hips in each frame, metres.
/// `touches`: whether any foot touches the ground in each frame. `fps`: frames per second.
///
/// A jump includes the crouches before and after the flight. If crouched frames were labelled as standing or walking, a
/// character would go on in a crouch after a jump.
pub fn jump_weights(hips: &[f32], touches: &[bool], fps: f64) -> Vec<f32> {
    let mut weights = vec![0.0_f32; hips.len()];
    let mut sorted = hips.to_vec();
    sorted.sort_by(f32::total_cmp);
    let Some(&median) = sorted.get(sorted.len() / 2) else { return weights };
    let is_crouched = |&height: &f32| height < MAX_CROUCH_HEIGHT * median;
    for (start, end) in flights(hips, touches, median, fps) {
        let take_off = crouch_secs(hips[..start].iter().rev().map(is_crouched), MIN_TAKE_OFF_SECS, fps);
        let landing = crouch_secs(hips[end + 1..].iter().map(is_crouched), MIN_LANDING_SECS, fps);
        for (frame, weight) in weights.iter_mut().enumerate() {
            let secs_before = (start as f64 - frame as f64) / fps;
            let secs_after = (frame as f64 - end as f64) / fps;
            let rise = (take_off - secs_before) / RISE_SECS;
            let fall = (landing - secs_after) / FALL_SECS;
            *weight = weight.max(smoothstep(rise.min(fall).clamp(0.0, 1.0) as f32));
        }
    }
    weights
}

/// Returns the time from a flight to the far end of its crouch, seconds, at least `min_secs`. `is_crouched`: one value
/// per frame, from the flight outwards. The crouch must begin in the first `min_secs` seconds.
fn crouch_secs(is_crouched: impl Iterator<Item = bool>, min_secs: f64, fps: f64) -> f64 {
    let max_start = (min_secs * fps) as usize;
    let frames = is_crouched
        .enumerate()
        .skip_while(|&(index, crouched)| index < max_start && !crouched)
        .take_while(|&(_, crouched)| crouched)
        .last()
        .map_or(0, |(index, _)| index + 1);
    (frames as f64 / fps).clamp(min_secs, MAX_CROUCH_SECS)
}

/// Returns the first and last frame of each flight. `median`: median height of the hips, metres.
fn flights(hips: &[f32], touches: &[bool], median: f32, fps: f64) -> Vec<(usize, usize)> {
    let is_in_flight: Vec<bool> =
        hips.iter().zip(touches).map(|(&height, &touches)| height > MIN_FLIGHT_HEIGHT * median && !touches).collect();
    let mut flights = Vec::new();
    let mut start = 0;
    for run in is_in_flight.chunk_by(|a, b| a == b) {
        if run[0] && run.len() as f64 >= MIN_FLIGHT_SECS * fps {
            flights.push((start, start + run.len() - 1));
        }
        start += run.len();
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

    #[test]
    fn crouches_before_and_after_the_flight_belong_to_the_jump() {
        let fps = 30.0;
        // Crouched from 1 to 2.4 s and from 3.2 to 4 s, in the air from 2.6 to 3 s.
        let hips: Vec<f32> = (0..180)
            .map(|frame| match frame {
                30..72 | 96..120 => 0.6,
                78..90 => 1.2,
                _ => 0.9,
            })
            .collect();
        let touches: Vec<bool> = hips.iter().map(|&height| height < 1.0).collect();
        let weights = jump_weights(&hips, &touches, fps);
        assert!(weights[45..108].iter().all(|&weight| weight > 0.9), "{:?}", &weights[45..108]);
        assert_eq!([weights[20], weights[130]], [0.0, 0.0]);
    }
}
