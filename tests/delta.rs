//! The delta in-betweener: encoding round trip, and errors.

#[path = "common/motion.rs"]
mod made;

use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::body::interpolate::interpolated;
use kinestitch::body::poses::{CONTACTS, PAST, Poses, joints};
use kinestitch::feature::delta::{self, INPUT, OUTPUT};
use made::{motion, offsets};

fn apart(a: &Poses, b: &Poses) -> f32 {
    let places = |poses: &Poses| -> Vec<Vec3> {
        (0..poses.len()).flat_map(|at| joints(poses.hips[at], poses.pose(at), &offsets())).collect()
    };
    places(a).iter().zip(&places(b)).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn rows_of_zeros_answer_with_the_interpolation_that_meets_both_keys_in_place_and_speed() {
    let poses = motion(60);
    let (past, target, gap) = (poses.cut(5..20), poses.cut(35..38), 15);
    let question = delta::encode(&past, &target, gap, &offsets(), 0.0);
    assert_eq!((question.past, question.rows.len()), (PAST, (PAST + gap + 3) * INPUT));
    assert!(question.rows.iter().all(|x| x.is_finite()));
    let (filled, contacts) = delta::decode(&question, &vec![0.0; gap * OUTPUT]);
    assert!(apart(&filled, &question.base.back(question.ground)) < 1e-5);
    assert_eq!(contacts, vec![0.5; gap * CONTACTS]);
    // The first step continues the speed of the past; the last one reaches the target's.
    let mut all = past.clone();
    all.hips.extend(&filled.hips);
    all.hips.extend(&target.hips);
    let speed = |at: usize| all.hips[at] - all.hips[at - 1];
    assert!(speed(15).distance(speed(14)) < 0.15 * speed(14).length(), "{} {}", speed(15), speed(14));
    assert!(speed(31).distance(speed(30)) < 0.15 * speed(31).length(), "{} {}", speed(30), speed(31));
    // It is closer to the motion than without speeds.
    let slow = interpolated(&poses.cut(19..20), &poses.cut(35..36), gap);
    assert!(apart(&filled, &poses.cut(20..35)) < apart(&slow, &poses.cut(20..35)));
}

#[test]
fn rows_do_not_depend_on_place_and_heading() {
    let poses = motion(40);
    let moved = poses.moved(GroundPose { position: Vec3::new(3.0, 0.0, -7.0), heading: 2.1 });
    let rows = |poses: &Poses| delta::encode(&poses.cut(0..10), &poses.cut(30..31), 20, &offsets(), 0.02).rows;
    let most = rows(&poses).iter().zip(rows(&moved)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(most < 1e-4, "{most}");
}
