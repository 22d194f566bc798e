//! Feet that hang at the root and are placed by their translations: retargeting, mirroring, joins.

use crate::bodies::{BONES, largest_angle, name_of};
use crate::common::fixtures::fixture;
use crate::common::joins::inertialized;
use glam::{Quat, Vec3};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::mirror::mirror;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::{Rig, RigKind, Role, infer};
use kinestitch::motion::skeleton::Channel;
use kinestitch::progress::Progress;
use kinestitch::stitch::{Input, stitch};
use kinestitch::{Clip, Joint, Skeleton};
use std::sync::Arc;

/// Returns ada's walk with feet that hang at a root, as in RobotExpressive; their translations place them at the ends
/// of the legs. All joints keep their world transforms.
fn with_placed_feet(clip: &Clip, rig: &Rig) -> Clip {
    let old = clip.skeleton().joints();
    let moved = [Role::LeftFoot, Role::RightFoot].map(|role| rig.joint(role).unwrap());
    let six = || {
        use Channel::*;
        vec![Xposition, Yposition, Zposition, Zrotation, Yrotation, Xrotation]
    };
    let root = Joint { name: "Bone".into(), parent: None, offset: Vec3::ZERO, channels: six(), ..old[0].clone() };
    let rest: Vec<Vec3> = old.iter().fold(Vec::new(), |mut positions, joint| {
        positions.push(joint.parent.map_or(Vec3::ZERO, |parent: usize| positions[parent]) + joint.offset);
        positions
    });
    let mut joints = vec![root];
    for (index, joint) in old.iter().enumerate() {
        let mut joint = Joint { parent: Some(joint.parent.map_or(0, |parent| parent + 1)), ..joint.clone() };
        if moved.contains(&index) {
            joint = Joint { parent: Some(0), offset: rest[index], channels: six(), ..joint };
        }
        joints.push(joint);
    }
    let skeleton = Arc::new(Skeleton::new(joints, clip.skeleton().space()).unwrap());
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for frame in 0..clip.frames() {
        let pose = Pose::from_clip(clip, frame);
        rotations.push(Quat::IDENTITY);
        for (index, &rotation) in clip.frame_rotations(frame).iter().enumerate() {
            rotations.push(if moved.contains(&index) { pose.world_rotations[index] } else { rotation });
        }
        for &joint in skeleton.translated() {
            translations.push(match joint.checked_sub(1) {
                None => Vec3::ZERO,
                Some(index) if moved.contains(&index) => pose.world_positions[index],
                Some(index) => clip.local_translation(frame, index),
            });
        }
    }
    Clip::new("placed feet", skeleton, clip.frame_time_secs(), rotations, translations).unwrap()
}

#[test]
fn feet_that_hang_at_the_root_are_feet_and_stay_where_the_legs_end() {
    let (ada, ada_rig) = fixture("ada-walk");
    let clip = with_placed_feet(&ada, &ada_rig);
    let rig = infer(&clip);
    assert_eq!((rig.kind, &rig.warnings), (RigKind::Biped, &vec![]));
    assert_eq!(name_of(&clip, &rig, Role::LeftFoot), "LeftFoot");
    assert_eq!(rig.placed_feet(clip.skeleton()).len(), 2);
    let (bo, bo_rig) = fixture("bo-run");
    let onto = retarget(&bo, &bo_rig, &clip, &rig).unwrap();
    let shin = ada.skeleton().joints()[ada_rig.joint(Role::LeftFoot).unwrap()].offset.length();
    for frame in (0..onto.frames()).step_by(5) {
        let pose = Pose::from_clip(&onto, frame);
        for [foot, knee] in [[Role::LeftFoot, Role::LeftLeg], [Role::RightFoot, Role::RightLeg]] {
            let [foot, knee] = [foot, knee].map(|role| pose.world_positions[rig.joint(role).unwrap()]);
            assert!((foot.distance(knee) - shin).abs() < 1e-3, "frame {frame}: the shin is {} m", foot.distance(knee));
        }
    }
    let [from, direct] =
        [(&clip, &rig), (&ada, &ada_rig)].map(|(clip, rig)| retarget(clip, rig, &bo, &bo_rig).unwrap());
    let angle = largest_angle((&from, &bo_rig), (&direct, &bo_rig), &BONES);
    assert!(angle < 0.1, "a limb is {angle}° off");
}

#[test]
fn mirroring_exchanges_feet_that_hang_at_the_root() {
    let (ada, ada_rig) = fixture("ada-walk");
    let clip = with_placed_feet(&ada, &ada_rig);
    let rig = infer(&clip);
    let mirrored = mirror(&clip, &rig).unwrap();
    for frame in [0, 17, 40] {
        let [pose, image] = [&clip, &mirrored].map(|clip| Pose::from_clip(clip, frame));
        let [left, right] = [Role::LeftFoot, Role::RightFoot].map(|role| rig.joint(role).unwrap());
        let expected = pose.world_positions[right] * Vec3::new(-1.0, 1.0, 1.0);
        assert!(image.world_positions[left].distance(expected) < 1e-4, "frame {frame}");
    }
}

#[test]
fn clips_with_feet_at_the_root_are_joined_with_feet_at_the_legs() {
    let ((walk, walk_rig), (jog, jog_rig)) = (fixture("ada-walk"), fixture("ada-jog"));
    let clips = [with_placed_feet(&walk, &walk_rig), with_placed_feet(&jog, &jog_rig)];
    let rig = infer(&clips[0]);
    let inputs = clips.each_ref().map(|clip| Input { clip, rig: &rig });
    let result = stitch(&inputs, &inertialized(), &mut Progress::silent()).unwrap();
    let shin = walk.skeleton().joints()[walk_rig.joint(Role::LeftFoot).unwrap()].offset.length();
    for frame in 0..result.clip.frames() {
        let pose = Pose::from_clip(&result.clip, frame);
        for [foot, knee] in [[Role::LeftFoot, Role::LeftLeg], [Role::RightFoot, Role::RightLeg]] {
            let [foot, knee] = [foot, knee].map(|role| pose.world_positions[rig.joint(role).unwrap()]);
            assert!((foot.distance(knee) - shin).abs() < 0.015, "frame {frame}: {} m", foot.distance(knee));
        }
    }
}
