//! Resampling, and the decay of offsets.

use crate::common::fixtures::fixture_clip;
use glam::{Quat, Vec3};
use kinestitch::motion::inertialize::{BRAKE_REACH, Decay, MIN_DECAY_FRACTION, rotation_decay};
use kinestitch::motion::quat::{exp, log};
use kinestitch::motion::resample::{frame_step, resample, slerp};
use kinestitch::{Clip, Error};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn resampling_to_the_same_rate_changes_no_bit() {
    let clip = fixture_clip("ada-walk");
    assert_eq!(resample(&clip, clip.fps()).unwrap(), clip);
    // Programs write 30 fps in several ways.
    assert_eq!(resample(&clip, clip.fps() * 1.0001).unwrap(), clip);
    assert_eq!((frame_step(30.003, 30.0), frame_step(30.3, 30.0), frame_step(60.0, 30.0)), (1.0, 1.01, 2.0));
}

#[test]
fn whole_multiples_hit_the_recorded_frames() {
    let clip = fixture_clip("ada-walk");
    let fast = resample(&clip, 4.0 * clip.fps()).unwrap();
    assert_eq!(fast.frames(), 4 * (clip.frames() - 1) + 1);
    let restored = resample(&fast, clip.fps()).unwrap();
    assert_eq!(restored.frames(), clip.frames());
    for (a, b) in clip.rotations().iter().zip(restored.rotations()) {
        assert!(a.angle_between(*b) < 1e-3);
    }
    for (a, b) in clip.translations().iter().zip(restored.translations()) {
        assert!(a.distance(*b) < 1e-5);
    }
}

#[test]
fn a_higher_rate_stays_smooth() {
    let clip = fixture_clip("ada-walk");
    let peak = |clip: &Clip| kinestitch::metrics::jerk(clip).into_iter().fold(0.0, f32::max);
    let ratio = peak(&resample(&clip, 4.0 * clip.fps()).unwrap()) / peak(&clip);
    println!("peak jerk at four times the rate: {ratio:.1} times the clip's own");
    // Catmull-Rom's second derivative jumps at the recorded frames, so the ratio is above 1; with slerp and linear
    // interpolation it is 21.
    assert!(ratio < 8.0, "{ratio}");
}

#[test]
fn the_duration_stays_within_half_a_frame_of_the_slower_rate() {
    let walk = fixture_clip("ada-walk");
    for (frames, own) in [(129, 30.0), (128, 59.94), (127, 24_000.0 / 1_001.0), (126, 120.0), (125, 12.5)] {
        let part = walk.trimmed(0..frames).unwrap();
        let (rotations, translations) = (part.rotations().to_vec(), part.translations().to_vec());
        let clip = Clip::new("own", Arc::clone(part.skeleton()), 1.0 / own, rotations, translations).unwrap();
        let seconds = (clip.frames() - 1) as f64 * clip.frame_time_secs();
        for fps in [7.0, 24.0, 25.0, 29.97, 30.0, 59.94, 60.0, 90.0, 120.0, 144.0] {
            let other = resample(&clip, fps).unwrap();
            let lost = seconds - (other.frames() - 1) as f64 * other.frame_time_secs();
            assert!(lost.abs() <= 0.5 / own.min(fps) + 1e-6, "{own} to {fps} fps: {lost} s lost");
            assert_eq!(other.frame_rotations(0), clip.frame_rotations(0));
        }
    }
}

#[test]
fn a_sample_after_the_last_frame_continues_the_motion() {
    let walk = fixture_clip("ada-walk");
    let clip = walk.trimmed(0..100).unwrap();
    // 99 frames are 82.5 frames at 25 fps, so the last sample lies after the end.
    let resampled = resample(&walk.trimmed(0..101).unwrap(), 40.0).unwrap();
    assert_eq!(resampled.frames(), 134);
    let (late, truth) = (resample(&clip, 40.0).unwrap(), resample(&walk, 40.0).unwrap());
    let last = late.frames() - 1;
    assert!(last as f64 / 40.0 >= 99.0 / 30.0);
    let distance = late.frame_translations(last)[0].distance(truth.frame_translations(last)[0]);
    assert!(distance < 0.01, "{distance} m from the recorded motion");
}

#[test]
fn a_clip_without_frames_gets_the_new_rate() {
    let walk = fixture_clip("ada-walk");
    let skeleton = Arc::clone(walk.skeleton());
    let empty = Clip::new("empty", skeleton, walk.frame_time_secs(), Vec::new(), Vec::new()).unwrap();
    let resampled = resample(&empty, 2.0 * walk.fps()).unwrap();
    assert_eq!((resampled.frames(), resampled.fps()), (0, 2.0 * walk.fps()));
}

#[test]
fn invalid_rates_are_refused() {
    let clip = fixture_clip("ada-walk");
    for fps in [0.0, -30.0, 0.5, 1e9, f64::NAN, f64::INFINITY] {
        assert!(matches!(resample(&clip, fps), Err(Error::Option { option: "fps", .. })));
    }
}

#[test]
fn a_clip_of_extreme_duration_is_refused() {
    let walk = fixture_clip("ada-walk");
    let (rotations, translations) = (walk.rotations().to_vec(), walk.translations().to_vec());
    let slow = Clip::new("slow", Arc::clone(walk.skeleton()), 1e39, rotations, translations).unwrap();
    assert!(matches!(resample(&slow, 1.0), Err(Error::Limit { found: u64::MAX, .. })));
}

#[test]
fn the_velocity_of_a_rotation_offset_follows_the_shorter_way() {
    // Angles of the offset at times −1 and 0, degrees, and its velocity.
    for (before, now, velocity) in [(-100.0_f32, 20.0_f32, 120.0_f32), (-175.0, 170.0, -15.0), (-10.0, 20.0, 30.0)] {
        let old = [before, now].map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        let decay = rotation_decay(old, [Quat::IDENTITY; 2], 40.0, 10.0);
        let slope = (decay.offset_at(1e-2) - decay.offset_at(0.0)).x.to_degrees() / 1e-2;
        assert!((slope - velocity).abs() < 0.05 * velocity.abs(), "{slope} instead of {velocity} degrees per frame");
    }
}

proptest! {
    #[test]
    fn slerp_is_exact_at_both_ends_and_takes_the_shorter_arc(
        a in prop::array::uniform3(-3.0f32..3.0), b in prop::array::uniform3(-3.0f32..3.0), flip: bool,
        fraction in 0.0f32..1.0,
    ) {
        let (a, b) = (Quat::from_scaled_axis(a.into()), Quat::from_scaled_axis(b.into()));
        let target = if flip { -b } else { b };
        prop_assert_eq!(slerp(a, target, 0.0), a);
        prop_assert_eq!(slerp(a, target, 1.0), target);
        let middle = slerp(a, target, fraction);
        prop_assert!((middle.length() - 1.0).abs() < 1e-5);
        prop_assert!((middle.angle_between(a) - fraction * a.angle_between(b)).abs() < 5e-3);
    }

    #[test]
    fn rotation_vectors_are_restored_from_quaternions(v in prop::array::uniform3(-1.7f32..1.7), flip: bool) {
        let v = Vec3::from(v);
        let rotation = exp(v);
        let rotation = if flip { -rotation } else { rotation };
        prop_assert!(log(rotation).distance(v) < 1e-4);
    }

    #[test]
    fn an_offset_keeps_its_initial_velocity_and_decays_to_zero(
        offset in prop::array::uniform3(-1.0f32..1.0), velocity in prop::array::uniform3(-0.2f32..0.2),
        frames in 4usize..80,
    ) {
        let (offset, velocity) = (Vec3::from(offset), Vec3::from(velocity));
        let decay = Decay::new(offset, velocity, frames as f32, 7.5);
        prop_assert!(decay.offset_at(0.0).distance(offset) < 1e-5);
        let slope = (decay.offset_at(1e-2) - decay.offset_at(0.0)) / 1e-2;
        prop_assert!(slope.distance(velocity) < 0.02 + 0.1 * velocity.length(), "slope {} for {}", slope, velocity);
        prop_assert!(decay.offset_at(frames as f32).length() < 1e-6);
        prop_assert!((decay.offset_at(frames as f32 - 0.01)).length() < 1e-3, "reaches zero smoothly");
        let direction = offset.normalize_or_zero();
        let too_fast = velocity.dot(direction) < -5.0 * offset.length() / (MIN_DECAY_FRACTION * frames as f32);
        let overshoot = if too_fast { BRAKE_REACH } else { 0.0 };
        for step in 0..=20 {
            let remaining = decay.offset_at(frames as f32 * step as f32 / 20.0);
            prop_assert!(remaining.length() <= offset.length() + BRAKE_REACH + velocity.length() * 2.0);
            // Along its direction the offset never crosses zero, except for the overshoot from limiting too high a
            // speed.
            prop_assert!(remaining.dot(direction) > -overshoot - 1e-4);
        }
    }
}
