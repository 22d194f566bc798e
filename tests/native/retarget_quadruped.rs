//! Quadrupeds: detected by shape, and retargeted to each other.

use crate::common::fixtures::fixture_clip;
use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::quadruped::{Leg, Quadruped};
use kinestitch::motion::rig::{RigKind, infer};
use kinestitch::motion::skeleton::{Channel, Joint, Skeleton};
use std::sync::Arc;

/// Creates a larger and rotated animal from the fixture "cleo": meaningless joint names, longer forelegs, hind paws on
/// separate control joints. One frame, at rest.
fn large_animal() -> Clip {
    let cleo = fixture_clip("cleo-walk");
    let (size, rotation) = (1.8, Quat::from_rotation_y(2.0));
    let rest_position = |joint: usize| -> Vec3 {
        let ancestors = std::iter::successors(Some(joint), |&joint| cleo.skeleton().joints()[joint].parent);
        ancestors.map(|joint| cleo.skeleton().joints()[joint].offset).sum()
    };
    let mut joints: Vec<Joint> = Vec::new();
    let mut controls: Vec<Joint> = Vec::new();
    let mut index = vec![None; cleo.joints()];
    for (number, joint) in cleo.skeleton().joints().iter().enumerate() {
        let length = if joint.name.starts_with("Wrist") { 1.15 } else { 1.0 };
        let create_joint = |parent: Option<usize>, offset: Vec3, number: usize| Joint {
            name: format!("b{number}"),
            parent,
            offset: rotation * offset * size,
            end_sites: joint.end_sites.iter().map(|site| rotation * *site * size).collect(),
            ..joint.clone()
        };
        if joint.name.starts_with("HindPaw") {
            let channels = cleo.skeleton().joints()[0].channels.clone();
            controls.push(Joint { channels, ..create_joint(None, rest_position(number), 100 + number) });
        } else {
            let parent = joint.parent.and_then(|parent| index[parent]);
            joints.push(create_joint(parent, joint.offset * length, number));
            index[number] = Some(joints.len() - 1);
        }
    }
    joints.extend(controls);
    let translations =
        joints.iter().filter(|joint| joint.channels.contains(&Channel::Xposition)).map(|joint| joint.offset).collect();
    let rotations = vec![Quat::IDENTITY; joints.len()];
    let skeleton = Arc::new(Skeleton::new(joints, cleo.skeleton().space()).unwrap());
    Clip::new("large animal", skeleton, 1.0 / 30.0, rotations, translations).unwrap()
}

fn names(clip: &Clip, joints: &[usize]) -> String {
    joints.iter().map(|&joint| clip.skeleton().joints()[joint].name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_body_is_found_by_its_shape() {
    let clip = fixture_clip("cleo-walk");
    let body = Quadruped::detect(&clip).unwrap();
    assert_eq!(names(&clip, &body.trunk), "Pelvis Loin Back Chest");
    assert_eq!(names(&clip, &body.neck), "Chest NeckBase Skull");
    assert_eq!(names(&clip, &body.tail), "TailA TailB TailC");
    let leg = |leg: &Leg| format!("{} | {}", names(&clip, &leg.joints), names(&clip, &leg.toes));
    let legs = body.legs.each_ref().map(leg);
    assert_eq!(legs[0], "FemurL TibiaL HockL | HindPawL");
    assert_eq!(legs[3], "HumerusR RadiusR WristR | ForePawR");
    assert_eq!(body.legs[2].shoulder_blade.map(|blade| names(&clip, &[blade])).as_deref(), Some("ScapulaL"));

    // The same without names, rotated, with hind paws on separate joints.
    let clip = large_animal();
    let found = Quadruped::detect(&clip).unwrap();
    assert_eq!(infer(&clip).kind, RigKind::Quadruped);
    assert_eq!(found.legs.each_ref().map(|leg| leg.joints.len()), body.legs.each_ref().map(|leg| leg.joints.len()));
    assert_eq!((found.trunk.len(), found.tail.len()), (body.trunk.len(), body.tail.len()));
    // It faces +z; left is +x.
    let paws = found.paws(&found.standing_pose);
    assert!(paws[0].x > 0.05 && paws[1].x < -0.05 && paws[2].z > paws[0].z + 0.5, "{paws:?}");
    // The hind paws, which have no parent in the skeleton, belong to the legs of their sides.
    for (leg, paw) in [("HockL", "HindPawL"), ("HockR", "HindPawR")] {
        let number = |name: &str| fixture_clip("cleo-walk").skeleton().find(name).unwrap();
        let control = clip.skeleton().find(&format!("b{}", 100 + number(paw))).unwrap();
        assert_eq!(clip.skeleton().joints()[control].parent, None);
        assert_eq!(found.parents[control], clip.skeleton().find(&format!("b{}", number(leg))), "{paw}");
        assert!(found.legs.iter().any(|leg| leg.toes == [control]), "{paw}: {:?}", found.legs);
    }
}

#[test]
fn other_bodies_are_rejected_with_a_message() {
    let message = Quadruped::detect(&fixture_clip("ada-walk")).unwrap_err();
    assert!(message.contains("four legs"), "{message}");
    let (dog, person) = (fixture_clip("cleo-walk"), fixture_clip("ada-walk"));
    for (from, to) in [(&dog, &person), (&person, &dog)] {
        assert_eq!(retarget(from, &infer(from), to, &infer(to)).unwrap_err().code(), "rig");
    }
}

#[test]
fn standing_paws_stand_still_on_another_body() {
    let target = large_animal();
    let to = Quadruped::detect(&target).unwrap();
    for name in ["cleo-walk", "cleo-trot"] {
        let clip = fixture_clip(name);
        let from = Quadruped::detect(&clip).unwrap();
        let result = retarget(&clip, &infer(&clip), &target, &infer(&target)).unwrap();
        assert_eq!((result.frames(), result.skeleton()), (clip.frames(), target.skeleton()));
        let scale = to.hip_height() / from.hip_height();
        let paws = |clip: &Clip, body: &Quadruped, frame: usize| body.paws(&Pose::from_clip(clip, frame));
        let still_from = from.paws(&from.standing_pose);
        // The ground of "cleo" is at y = 0; that of the large animal is at the paws of its rest pose.
        let still_to = paws(&target, &to, 0);
        let (mut max_slide, mut contacts) = (0.0_f32, 0);
        for frame in 1..result.frames() {
            let [source, previous_source] = [frame, frame - 1].map(|frame| paws(&clip, &from, frame));
            let [target, previous_target] = [frame, frame - 1].map(|frame| paws(&result, &to, frame));
            for leg in 0..4 {
                let (source_rise, rise) = (source[leg].y - still_from[leg].y, target[leg].y - still_to[leg].y);
                assert!(
                    (rise - source_rise * scale).abs() < 0.02 * scale,
                    "{name}, {frame}, {leg}: {rise} for {source_rise}"
                );
                if source[leg].distance(previous_source[leg]) < 0.002 {
                    max_slide = max_slide.max((target[leg] - previous_target[leg]).with_y(0.0).length());
                    contacts += 1;
                }
            }
        }
        // The trunk has the same relative length; sliding comes from paws whose positions differ from those of "cleo".
        assert!(contacts > 80 && max_slide < 0.01 * scale, "{name}: {max_slide} m per frame, {contacts} contacts");
        // Knees keep their bend direction.
        let bend = |pose: &Pose, leg: &Leg| {
            let [hip, knee] = [leg.joints[0], leg.joints[leg.knee]].map(|joint| pose.world_positions[joint]);
            (knee - hip).cross(leg.paw.world_position(pose) - knee)
        };
        for frame in 0..result.frames() {
            let pose = Pose::from_clip(&result, frame);
            let ahead = pose.world_positions[*to.trunk.last().unwrap()] - pose.world_positions[to.trunk[0]];
            let left = Vec3::Y.cross(ahead).normalize();
            for leg in &to.legs {
                let standing_bend = bend(&to.standing_pose, leg).x;
                assert!(
                    bend(&pose, leg).dot(left) * standing_bend > 0.0,
                    "{name}, {frame}: {}",
                    names(&target, &leg.joints)
                );
            }
        }
    }
}

#[test]
fn retargeting_to_another_body_and_back_nearly_restores_the_motion() {
    let (clip, target) = (fixture_clip("cleo-walk"), large_animal());
    let retargeted = retarget(&clip, &infer(&clip), &target, &infer(&target)).unwrap();
    let restored = retarget(&retargeted, &infer(&target), &clip, &infer(&clip)).unwrap();
    for frame in 0..clip.frames() {
        let (original, restored) = (Pose::from_clip(&clip, frame), Pose::from_clip(&restored, frame));
        for joint in 0..clip.joints() {
            let distance = original.world_positions[joint].distance(restored.world_positions[joint]);
            assert!(distance < 0.06, "frame {frame}, {}: {distance} m", clip.skeleton().joints()[joint].name);
        }
    }
}
