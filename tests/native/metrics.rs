//! The metrics on tiny motions, with results computed by hand.

use glam::{Quat, Vec3};
use kinestitch::metrics::{self, FootSkate, Npss, Sole};
use kinestitch::motion::skeleton::{FileSpace, Joint, PositionMode};
use kinestitch::{Clip, Skeleton};
use std::sync::Arc;

/// Creates a clip of one root at the given positions.
fn track(fps: f64, positions: &[Vec3]) -> Clip {
    let joint = Joint {
        name: "foot".to_owned(),
        parent: None,
        offset: Vec3::ZERO,
        channels: Vec::new(),
        position_mode: PositionMode::Replace,
        end_sites: Vec::new(),
    };
    let skeleton = Arc::new(Skeleton::new(vec![joint], FileSpace::default()).unwrap());
    Clip::new("track", skeleton, 1.0 / fps, vec![Quat::IDENTITY; positions.len()], positions.to_vec()).unwrap()
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ± {tolerance}");
}

#[test]
fn jerk_of_a_cubic_is_its_constant() {
    // x = t³ has jerk 6 everywhere.
    let clip = track(10.0, &[0, 1, 2, 3, 4, 5].map(|i| Vec3::X * (i as f32 / 10.0).powi(3)));
    let jerk = metrics::jerk(&clip);
    assert_eq!(jerk.len(), 6);
    assert_eq!([jerk[0], jerk[1], jerk[5]], [0.0; 3]);
    jerk[2..5].iter().for_each(|&found| assert_near(found.into(), 6.0, 1e-3));
}

#[test]
fn short_clips_have_no_jerk_and_no_steps() {
    for frames in 0..4 {
        let clip = track(30.0, &vec![Vec3::ONE; frames]);
        assert_eq!(metrics::jerk(&clip), vec![0.0; frames]);
        assert_eq!(metrics::steps(&clip), vec![0.0; frames]);
    }
}

#[test]
fn a_jump_has_the_largest_step() {
    let clip = track(30.0, &[Vec3::ZERO, Vec3::X, Vec3::X + Vec3::new(3.0, 4.0, 0.0), Vec3::new(4.0, 4.0, 1.0)]);
    assert_eq!(metrics::steps(&clip), [0.0, 1.0, 5.0, 1.0]);
    assert_eq!(metrics::largest_step(&clip), 5.0);
}

#[test]
fn foot_skate_by_hand() {
    // Steps of 1 cm: on the ground; at H = 2.5 cm, where the weight is 2 − 2 = 0 and the foot is no longer low; at
    // 1.25 cm, weight 2 − √2. A vertical jump counts nowhere. `slide` is in metres, `weighted` in centimetres.
    let positions = [[0.0, 0.0], [0.01, 0.0], [0.02, 0.025], [0.03, 0.0125], [0.03, 1.0]];
    let clip = track(30.0, &positions.map(|[x, y]| Vec3::new(x, y, 0.0)));
    let sole = [Sole { joint: 0, resting_height: 0.0 }];
    let found = metrics::foot_skate(&clip, &sole, 0..99);
    assert_near(found.slide.into(), 0.01, 1e-7);
    assert_near(found.weighted.into(), (1.0 + 0.0 + (2.0 - 2.0_f64.sqrt()) + 0.0) / 4.0, 1e-5);
    // Only the step into frame 2, with a ground 1 cm higher: h = 1.5 cm.
    let raised = [Sole { joint: 0, resting_height: 0.01 }];
    let found = metrics::foot_skate(&clip, &raised, 2..3);
    assert_near(found.slide.into(), 0.01, 1e-7);
    assert_near(found.weighted.into(), 2.0 - 2.0_f64.powf(0.6), 1e-5);
    assert_eq!(metrics::foot_skate(&clip, &[], 0..5), FootSkate::default());
    assert_eq!(metrics::foot_skate(&clip, &sole, 0..1), FootSkate::default());
}

#[test]
fn distances_by_hand() {
    // Two frames of one joint: first an error of (3, 4, 0) standard deviations, then none.
    let (truth, deviation) = ([Vec3::ZERO, Vec3::ONE], [Vec3::new(1.0, 0.5, 2.0)]);
    assert_near(metrics::l2p(&truth, &[Vec3::new(3.0, 2.0, 0.0), Vec3::ONE], &deviation), 2.5, 1e-6);
    // Opposite signs are the same rotation, but at distance 2 by the definition of L2Q.
    let (q, minus) = (Quat::IDENTITY, -Quat::IDENTITY);
    assert_near(metrics::l2q(&[q, q], &[q, minus], 1), 1.0, 1e-6);
    // Two joints at distance 2 each: √8.
    assert_near(metrics::l2q(&[q, q], &[minus, minus], 2), 8.0_f64.sqrt(), 1e-6);
}

#[test]
fn npss_by_hand() {
    // Channel w: truth (1, 0, −1, 0) has its power 8 at frequencies 1 and 3, half each; the prediction is constant,
    // with all power at 0. Cumulative: 0 ½ ½ 1 against 1 1 1 1, distance 2. Channel x: constant in both, power 16,
    // distance 0.
    let rotations = |w: [f32; 4], x: f32| w.map(|w| Quat::from_xyzw(x, 0.0, 0.0, w));
    let (truth, predicted) = (rotations([1.0, 0.0, -1.0, 0.0], 1.0), rotations([1.0; 4], 1.0));
    let mut npss = Npss::new(4);
    assert_eq!(npss.value(), 0.0);
    npss.add(&truth, &predicted);
    assert_near(npss.value(), (2.0 * 8.0 + 0.0 * 16.0) / 24.0, 1e-9);
    // A perfect second transition halves the value, because weights add up over transitions.
    npss.add(&truth, &truth);
    assert_near(npss.value(), 16.0 / 48.0, 1e-9);
}

#[test]
fn bone_length_error_by_hand() {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::ZERO, Vec3::X * 1.2];
    assert_near(metrics::bone_length_error(&positions, &[None, Some(0)], &[9.0, 1.1]).into(), 0.1, 1e-6);
}
