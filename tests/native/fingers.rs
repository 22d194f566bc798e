//! Fingers: bones of many programs, retargeting and mirroring.

use crate::bodies::case;
use crate::common::fixtures::fixture;
use glam::{Quat, Vec3};
use kinestitch::motion::mirror::mirror;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::{DetailRole, Rig, Role, infer};
use kinestitch::{Clip, Joint, Skeleton};
use std::sync::Arc;

/// Returns a joint without channels.
fn still(name: &str, parent: usize, offset: Vec3) -> Joint {
    let (channels, end_sites) = (Vec::new(), Vec::new());
    Joint { name: name.into(), parent: Some(parent), offset, channels, position_mode: Default::default(), end_sites }
}

/// Returns a still clip of ada's body with three bones for each finger.
fn with_all_fingers() -> Clip {
    let (ada, rig) = fixture("ada-idle");
    let mut joints = ada.skeleton().joints().to_vec();
    for (side, hand) in [("Left", Role::LeftHand), ("Right", Role::RightHand)] {
        let out = if side == "Left" { 1.0 } else { -1.0 };
        for (i, finger) in ["Thumb", "Index", "Middle", "Ring", "Pinky"].into_iter().enumerate() {
            let mut parent = rig.joint(hand).unwrap();
            for bone in 1..=3 {
                let offset = Vec3::new(if bone == 1 { 0.08 } else { 0.03 } * out, 0.0, 0.04 - 0.02 * i as f32);
                let offset = if bone == 1 { offset } else { offset.with_z(0.0) };
                joints.push(still(&format!("{side}Hand{finger}{bone}"), parent, offset));
                parent = joints.len() - 1;
            }
        }
    }
    let skeleton = Arc::new(Skeleton::new(joints, ada.skeleton().space()).unwrap());
    let rotations = vec![Quat::IDENTITY; skeleton.len()];
    Clip::new("fingers", skeleton, ada.frame_time_secs(), rotations, vec![Vec3::Y * 0.95]).unwrap()
}

#[test]
fn fingers_are_roles_and_keep_their_bend_on_another_body() {
    let (clip, rig) = case("fingers");
    assert_eq!(rig.details.len(), 6);
    let target = with_all_fingers();
    let target_rig = infer(&target);
    assert_eq!(target_rig.details.len(), 30, "{:?}", target_rig.details);
    let result = retarget(&clip, &rig, &target, &target_rig).unwrap();
    let bend = |clip: &Clip, rig: &Rig, role: DetailRole| {
        clip.frame_rotations(60)[rig.details[&role]].angle_between(Quat::IDENTITY).to_degrees()
    };
    for role in [DetailRole::LeftIndex1, DetailRole::LeftIndex2, DetailRole::RightIndex3] {
        let [expected, found] = [bend(&clip, &rig, role), bend(&result, &target_rig, role)];
        assert!((expected - found).abs() < 0.5, "{role:?} is bent by {found}°, not by {expected}°");
    }
    // A finger that the source lacks follows its neighbour; the thumb does not.
    let [index, ring, thumb] = [DetailRole::LeftIndex1, DetailRole::LeftRing1, DetailRole::LeftThumb1]
        .map(|role| bend(&result, &target_rig, role));
    assert!((ring - index).abs() < 0.5 && thumb < 1e-3, "index {index}°, ring {ring}°, thumb {thumb}°");
}

#[test]
fn mirroring_exchanges_fingers() {
    let (clip, rig) = case("fingers");
    let mirrored = mirror(&clip, &rig).unwrap();
    let bend = |clip: &Clip, role: DetailRole| {
        clip.frame_rotations(30)[rig.details[&role]].angle_between(Quat::IDENTITY).to_degrees()
    };
    let expected = bend(&clip, DetailRole::LeftIndex2);
    assert!(expected > 5.0 && (bend(&mirrored, DetailRole::RightIndex2) - expected).abs() < 0.1);
}

#[test]
fn finger_names_of_many_programs_map_to_bones() {
    use DetailRole::*;
    let cases: &[(&str, &[(DetailRole, &str)])] = &[
        (
            "Hand(ThumbA1,Finger0(Finger01(Finger02)),Finger1(Finger11(Finger12)),Finger4(Finger41))",
            &[(LeftThumb1, "ThumbA1")],
        ),
        (
            "Hand(Finger0(Finger01(Finger02)),Finger1(Finger11(Finger12)))",
            &[(LeftThumb1, "Finger0"), (LeftThumb3, "Finger02"), (LeftIndex1, "Finger1"), (LeftIndex3, "Finger12")],
        ),
        (
            "Hand(HandThumb1(HandThumb2(HandThumb3(HandThumb4))),HandIndex1(HandIndex2(HandIndex3(HandIndex4))))",
            &[(LeftThumb3, "HandThumb3"), (LeftIndex1, "HandIndex1"), (LeftIndex3, "HandIndex3")],
        ),
        (
            "Hand(HandThumb1(HandThumb2(HandThumb3(HandThumbEnd))),HandIndex1(HandIndex2(HandIndex3(HandIndex4(
             HandIndexEnd)))))",
            &[(LeftThumb1, "HandThumb1"), (LeftIndex1, "HandIndex2"), (LeftIndex3, "HandIndex4")],
        ),
        (
            "Hand(index_metacarpal(index_01(index_02(index_03))),thumb_01(thumb_02(thumb_03)))",
            &[(LeftIndex1, "index_01"), (LeftIndex3, "index_03"), (LeftThumb2, "thumb_02")],
        ),
        (
            "Hand(ThumbMetacarpal(ThumbProximal(ThumbDistal)),LittleProximal(LittleIntermediate(LittleDistal)))",
            &[(LeftThumb1, "ThumbMetacarpal"), (LeftThumb3, "ThumbDistal"), (LeftPinky3, "LittleDistal")],
        ),
        (
            "Hand(Digit1Metacarpal(Digit1ProximalPhalanx(Digit1DistalPhalanx)),Digit2Metacarpal(Digit2ProximalPhalanx))",
            &[(LeftIndex1, "Digit2ProximalPhalanx")],
        ),
        ("Hand(Carpus(FirstMC(FirstPP(FirstDP)),SecondMC(SecondPP(SecondMP(SecondDP)))))", &[(LeftIndex1, "SecondPP")]),
    ];
    for (hand, expected) in cases {
        let (clip, rig) = with_left_hand(hand);
        for (role, name) in *expected {
            let found = rig.details.get(role).map(|&joint| clip.skeleton().joints()[joint].name.clone());
            assert_eq!(found, Some(format!("Left{name}")), "{role:?} of {hand}");
        }
    }
}

/// Returns ada's idle with the joints of a tree such as "Hand(Thumb1,Index1)" below the left hand; all names get the
/// prefix "Left".
fn with_left_hand(tree: &str) -> (Clip, Rig) {
    let (ada, rig) = fixture("ada-idle");
    let mut joints = ada.skeleton().joints().to_vec();
    let (mut open, mut last, mut word) = (Vec::new(), rig.joint(Role::LeftHand).unwrap(), String::new());
    for letter in tree.trim_start_matches("Hand").chars() {
        if !matches!(letter, '(' | ')' | ',') {
            word.push(letter);
            continue;
        }
        if !word.trim().is_empty() {
            joints.push(still(&format!("Left{}", word.trim()), *open.last().unwrap(), Vec3::X * 0.03));
            last = joints.len() - 1;
        }
        word.clear();
        match letter {
            '(' => open.push(last),
            ')' => drop(open.pop()),
            _ => {}
        }
    }
    let skeleton = Arc::new(Skeleton::new(joints, ada.skeleton().space()).unwrap());
    let rotations = vec![Quat::IDENTITY; skeleton.len()];
    let clip = Clip::new("hand", skeleton, ada.frame_time_secs(), rotations, vec![Vec3::Y * 0.95]).unwrap();
    let rig = infer(&clip);
    (clip, rig)
}
