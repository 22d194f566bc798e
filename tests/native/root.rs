//! Placing clips on the ground moves them rigidly and keeps heights, whichever joint moves over the ground. Also: root
//! conventions, several roots, and removal of travel.

use crate::common::joins::inertialized;
use crate::common::random::CHANNELS;
use glam::{Quat, Vec3};
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::rig::Rig;
use kinestitch::motion::root::{GroundTransform, Root, wrap};
use kinestitch::motion::root_convention::adopt_root_convention;
use kinestitch::motion::skeleton::{FileSpace, Joint, PositionMode};
use kinestitch::stitch::BLEND_SECS;
use kinestitch::{Channel, Clip, Input, Progress, Skeleton, Transition, stitch};
use proptest::prelude::*;
use std::sync::Arc;

fn joint(name: &str, parent: Option<usize>, offset: Vec3, channels: &[Channel]) -> Joint {
    let (channels, position_mode) = (channels.to_vec(), PositionMode::Replace);
    Joint { name: name.into(), parent, offset, channels, position_mode, end_sites: Vec::new() }
}

/// Creates a skeleton: a top joint with a body as its child, a limb of the body, and a ball as a second root.
fn skeleton() -> Arc<Skeleton> {
    let joints = vec![
        joint("Top", None, Vec3::ZERO, &CHANNELS),
        joint("Body", Some(0), Vec3::Y, &CHANNELS),
        joint("Limb", Some(1), Vec3::new(0.2, -0.5, 0.1), &CHANNELS[3..]),
        joint("Ball", None, Vec3::X, &CHANNELS),
    ];
    Arc::new(Skeleton::new(joints, FileSpace::default()).unwrap())
}

/// Creates a clip of a body that moves ahead and turns. With `carried`, the top joint moves and carries the body;
/// otherwise, the top joint stays at the origin. The ball moves beside the body.
fn clip(skeleton: &Arc<Skeleton>, frames: usize, heading: f32, carried: bool) -> Clip {
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    let mut position = Vec3::new(heading, 0.0, -1.0);
    for frame in 0..frames {
        let yaw = Quat::from_rotation_y(heading + 0.01 * frame as f32);
        position += yaw * Vec3::Z * 0.04;
        let body = yaw * Quat::from_rotation_x(1.2);
        let (top, inner) = if carried {
            ((position, yaw), (Vec3::Y, yaw.conjugate() * body))
        } else {
            ((Vec3::ZERO, Quat::IDENTITY), (position + Vec3::Y, body))
        };
        let ball = position + yaw * Vec3::X;
        rotations.extend([top.1, inner.1, Quat::from_rotation_x(0.1 * frame as f32), Quat::IDENTITY]);
        translations.extend([top.0, inner.0, ball]);
    }
    Clip::new("clip", Arc::clone(skeleton), 1.0 / 30.0, rotations, translations).unwrap()
}

/// Creates a rig with only the hips mapped, which is therefore not a biped.
fn rig() -> Rig {
    let mut rig = Rig::empty();
    rig.joints[0] = Some(1);
    rig
}

proptest! {
    #[test]
    fn a_placement_is_rigid_and_keeps_heights(
        yaw in -3.0f32..3.0, x in -5.0f32..5.0, z in -5.0f32..5.0, heading in -3.0f32..3.0, carried: bool,
    ) {
        let skeleton = skeleton();
        let before = clip(&skeleton, 12, heading, carried);
        let root = Root::new(&skeleton, &[&before], &rig());
        let mut after = before.clone();
        let placement = GroundTransform { yaw, translation: Vec3::new(x, 0.0, z) };
        root.place(&mut after, &placement);
        // A static top joint stays static; everything else moves rigidly, including the second root.
        let is_top_static = !carried;
        for (index, (a, b)) in world_positions(&before).into_iter().zip(world_positions(&after)).enumerate() {
            let expected = if is_top_static && index % 4 == 0 { a } else { placement.apply(a) };
            prop_assert!(b.distance(expected) < 1e-4, "{} instead of {}", b, expected);
        }
        let turn = root.pose(&before, 3).turn_to(&root.pose(&after, 3));
        prop_assert!(wrap(turn - yaw).abs() < 1e-3, "turned by {} instead of {}", turn, yaw);
    }

    #[test]
    fn adopting_a_root_convention_moves_only_the_top_joint(heading in -3.0f32..3.0, carried: bool) {
        let skeleton = skeleton();
        let first = clip(&skeleton, 20, 0.5, carried);
        let before = clip(&skeleton, 12, heading, !carried);
        let root = Root::new(&skeleton, &[&first], &rig());
        let mut after = before.clone();
        adopt_root_convention(&mut after, &first, &root);
        for (index, (a, b)) in world_positions(&before).into_iter().zip(world_positions(&after)).enumerate() {
            prop_assert!(index % 4 == 0 || a.distance(b) < 1e-4);
        }
        let is_top_static = (0..12).all(|frame| after.local_translation(frame, 0).length() < 1e-5);
        prop_assert_eq!(is_top_static, !carried);
    }
}

#[test]
fn skeletons_with_several_roots_can_be_stitched() {
    let (skeleton, rig) = (skeleton(), rig());
    for carried in [[false, false], [true, true], [false, true], [true, false]] {
        let clips = [clip(&skeleton, 40, 0.3, carried[0]), clip(&skeleton, 40, -2.0, carried[1])];
        let inputs = [0, 1].map(|k| Input { clip: &clips[k], rig: &rig });
        for join in [Transition::crossfade(BLEND_SECS), Transition::inertialize(BLEND_SECS)] {
            let options = join.clone().into();
            let result = stitch(&inputs, &options, &mut Progress::silent()).unwrap();
            let positions = world_positions(&result.clip);
            for (before, after) in positions.chunks(4).zip(positions.chunks(4).skip(1)) {
                for joint in 0..4 {
                    let step = before[joint].distance(after[joint]);
                    assert!(step < 0.12, "{join:?} {carried:?}: joint {joint} steps {step} m");
                }
                // The ball stays one metre beside the body.
                assert!((before[3].distance(before[1].with_y(0.0)) - 1.0).abs() < 0.1);
            }
        }
    }
}

#[test]
fn bodies_are_compared_by_their_bones_not_by_the_distance_of_a_second_root() {
    let body = |bone: f32| {
        let joints = vec![
            joint("Hips", None, Vec3::ZERO, &CHANNELS),
            joint("Spine", Some(0), Vec3::Y * bone, &CHANNELS[3..]),
            joint("Ball", None, Vec3::X * 100.0, &CHANNELS),
        ];
        Skeleton::new(joints, FileSpace::default()).unwrap()
    };
    assert!(body(0.5).same_body(&body(0.5001)));
    assert!(!body(0.5).same_body(&body(0.55)));
}

#[test]
fn a_root_without_position_channels_gives_a_warning() {
    let joints = vec![joint("Spinner", None, Vec3::ZERO, &CHANNELS[3..])];
    let skeleton = Arc::new(Skeleton::new(joints, FileSpace::default()).unwrap());
    let spin = (0..30).map(|frame| Quat::from_rotation_y(0.1 * frame as f32)).collect();
    let clip = Clip::new("spin", skeleton, 0.02, spin, vec![Vec3::ZERO; 30]).unwrap();
    let input = Input { clip: &clip, rig: &Rig::empty() };
    let result = stitch(&[input, input], &inertialized(), &mut Progress::silent()).unwrap();
    assert!(result.warnings.iter().any(|warning| warning.contains("\"Spinner\"")), "{:?}", result.warnings);
}

#[test]
fn remove_travel_keeps_the_body_over_its_first_position() {
    let skeleton = skeleton();
    for carried in [false, true] {
        let walk = clip(&skeleton, 20, 0.7, carried);
        let root = Root::new(&skeleton, &[&walk], &rig());
        let mut still = walk.clone();
        root.remove_travel(&mut still);
        let (before, after) = (world_positions(&walk), world_positions(&still));
        let joints = skeleton.len();
        for frame in 0..walk.frames() {
            let position = |positions: &[Vec3], joint: usize| positions[frame * joints + joint];
            let start = before[root.joint()];
            assert!(position(&after, root.joint()).with_y(0.0).distance(start.with_y(0.0)) < 1e-4, "frame {frame}");
            for joint in 0..joints {
                assert!((position(&after, joint).y - position(&before, joint).y).abs() < 1e-5, "heights do not change");
                if joint == 0 && !carried {
                    assert_eq!(
                        position(&after, joint),
                        position(&before, joint),
                        "a top joint that does not carry the body stays"
                    );
                    continue;
                }
                let [offset, expected] = [&after, &before].map(|p| position(p, joint) - position(p, root.joint()));
                assert!(offset.distance(expected) < 1e-4, "frame {frame}, joint {joint}: the whole body is moved");
            }
        }
        assert_eq!(still.rotations(), walk.rotations());
    }
}
