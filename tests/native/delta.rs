//! Rows of the delta in-betweener: encoding and decoding, and independence of position and heading.

use crate::common::motion::{motion, offsets};
use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::body::interpolate::interpolate;
use kinestitch::body::poses::{CONTACTS, PAST, Poses, joint_positions};
use kinestitch::feature::delta::{self, INPUT, OUTPUT};

/// Measures the largest distance between corresponding joints of two motions, metres.
fn max_distance(a: &Poses, b: &Poses) -> f32 {
    let positions = |poses: &Poses| -> Vec<Vec3> {
        (0..poses.len()).flat_map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), &offsets())).collect()
    };
    positions(a).iter().zip(&positions(b)).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn rows_of_zeros_decode_to_the_interpolation_with_the_velocities_of_both_keys() {
    let poses = motion(60);
    let (past, target, gap) = (poses.slice(5..20), poses.slice(35..38), 15);
    let input = delta::encode(&past, &target, gap, &offsets(), 0.0);
    assert_eq!((input.past, input.rows.len()), (PAST, (PAST + gap + 3) * INPUT));
    assert!(input.rows.iter().all(|x| x.is_finite()));
    let (motion, contacts) = delta::decode(&input, &vec![0.0; gap * OUTPUT]);
    assert!(max_distance(&motion, &input.base.to_world(input.ground)) < 1e-5);
    assert_eq!(contacts, vec![0.5; gap * CONTACTS]);
    // The step into the gap has the velocity of the past; the step out of it has the velocity of the target.
    let mut all = past.clone();
    all.hips.extend(&motion.hips);
    all.hips.extend(&target.hips);
    let step = |frame: usize| all.hips[frame] - all.hips[frame - 1];
    assert!(step(15).distance(step(14)) < 0.15 * step(14).length(), "{} {}", step(15), step(14));
    assert!(step(31).distance(step(30)) < 0.15 * step(31).length(), "{} {}", step(30), step(31));
    // The result is closer to the original motion than an interpolation without velocities.
    let without_velocities = interpolate(&poses.slice(19..20), &poses.slice(35..36), gap);
    let original = poses.slice(20..35);
    assert!(max_distance(&motion, &original) < max_distance(&without_velocities, &original));
}

#[test]
fn rows_do_not_depend_on_position_and_heading() {
    let poses = motion(40);
    let moved = poses.to_local(GroundPose { position: Vec3::new(3.0, 0.0, -7.0), heading: 2.1 });
    let rows = |poses: &Poses| delta::encode(&poses.slice(0..10), &poses.slice(30..31), 20, &offsets(), 0.02).rows;
    let error = rows(&poses).iter().zip(rows(&moved)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(error < 1e-4, "{error}");
}
