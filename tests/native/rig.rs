//! Rigs by name, by shape, and with manual corrections.

use crate::common::fixtures::{fixture_paths, read};
use crate::common::recordings::mocap;
use crate::known_skeletons::KNOWN_SKELETONS;
use crate::named_skeletons::NAMED_SKELETONS;
use glam::{Quat, Vec3};
use kinestitch::motion::bvh::parse;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::{DetailRole, Rig, RigKind, Role, facing, infer};
use kinestitch::motion::skeleton::FileSpace;
use kinestitch::{Clip, Joint, Skeleton};
use std::sync::Arc;

/// Offsets of a simple body facing +z in T-pose, metres, in role order.
const BODY: [[f32; 3]; 22] = [
    [0.0, 0.95, 0.0],
    [0.1, -0.05, 0.0],
    [0.0, -0.42, 0.0],
    [0.0, -0.4, 0.0],
    [0.0, -0.06, 0.14],
    [-0.1, -0.05, 0.0],
    [0.0, -0.42, 0.0],
    [0.0, -0.4, 0.0],
    [0.0, -0.06, 0.14],
    [0.0, 0.1, 0.0],
    [0.0, 0.12, 0.0],
    [0.0, 0.12, 0.0],
    [0.0, 0.24, 0.0],
    [0.0, 0.1, 0.0],
    [0.06, 0.18, 0.0],
    [0.12, 0.0, 0.0],
    [0.28, 0.0, 0.0],
    [0.25, 0.0, 0.0],
    [-0.06, 0.18, 0.0],
    [-0.12, 0.0, 0.0],
    [-0.28, 0.0, 0.0],
    [-0.25, 0.0, 0.0],
];

/// Parses a tree such as "a(b(c),d)". Returns name and parent of each joint.
fn tree(text: &str) -> Vec<(String, Option<usize>)> {
    let mut joints: Vec<(String, Option<usize>)> = Vec::new();
    let mut open = Vec::new();
    let mut name = String::new();
    for c in text.chars().chain([',']) {
        if matches!(c, '(' | ')' | ',') {
            if !name.trim().is_empty() {
                joints.push((name.trim().to_owned(), open.last().copied()));
            }
            name.clear();
            match c {
                '(' => open.push(joints.len() - 1),
                ')' => drop(open.pop()),
                _ => {}
            }
        } else {
            name.push(c);
        }
    }
    joints
}

/// Creates a clip of `frames` identical frames. Joints listed in `roles` (role order, "-" for none) get the offsets of
/// [`BODY`].
fn still_clip(text: &str, roles: &[&str], frames: usize) -> Clip {
    let joints: Vec<Joint> = tree(text)
        .into_iter()
        .map(|(name, parent)| {
            let role = roles.iter().position(|role| *role == name);
            let offset = role.map_or(Vec3::ZERO, |role| Vec3::from(BODY[role]));
            Joint { name, parent, offset, channels: vec![], position_mode: Default::default(), end_sites: vec![] }
        })
        .collect();
    let skeleton = Arc::new(Skeleton::new(joints, FileSpace::default()).unwrap());
    let translations = (0..frames)
        .flat_map(|_| skeleton.translated().iter().map(|&j| skeleton.joints()[j].offset).collect::<Vec<_>>())
        .collect();
    let rotations = vec![Quat::IDENTITY; frames * skeleton.len()];
    Clip::new("still", skeleton, 1.0 / 30.0, rotations, translations).unwrap()
}

fn split(names: &str) -> Vec<&str> {
    names.split(',').map(str::trim).collect()
}

fn assert_roles(context: &str, clip: &Clip, rig: &Rig, expected: &[&str]) {
    assert_eq!(expected.len(), 22, "{context}: the table has {} roles", expected.len());
    for (role, name) in Role::ALL.into_iter().zip(expected) {
        let found = rig.joint(role).map_or("-", |joint| clip.skeleton().joints()[joint].name.as_str());
        assert_eq!(found, *name, "{context}: {role:?}; warnings: {:?}", rig.warnings);
    }
}

#[test]
fn joint_names_of_known_skeletons_map_to_roles() {
    let mut wrong = Vec::new();
    for (source, joints, roles) in KNOWN_SKELETONS.iter().chain(NAMED_SKELETONS) {
        let roles = split(roles);
        let clip = still_clip(joints, &roles, 2);
        let rig = infer(&clip);
        for (role, name) in Role::ALL.into_iter().zip(&roles) {
            let found = rig.joint(role).map_or("-", |joint| clip.skeleton().joints()[joint].name.as_str());
            if found != *name {
                wrong.push(format!("{source}: {role:?} is {found}, not {name}"));
            }
        }
        let ahead = facing(&Pose::from_clip(&clip, 0), &rig);
        if roles.len() != 22 || rig.kind != RigKind::Biped || !rig.warnings.is_empty() || ahead.distance(Vec3::Z) > 1e-5
        {
            wrong.push(format!("{source}: {} roles, {:?}, faces {ahead}: {:?}", roles.len(), rig.kind, rig.warnings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_mixamo_spellings_map_to_the_same_roles() {
    let (_, joints, roles) = KNOWN_SKELETONS.iter().find(|skeleton| skeleton.0 == "Mixamo").unwrap();
    for prefix in ["mixamorig1:", "mixamorig_", "mixamorig", "Armature|mixamorig:", "character:mixamorig12:", ""] {
        let (joints, roles) = (joints.replace("mixamorig:", prefix), roles.replace("mixamorig:", prefix));
        let clip = still_clip(&joints, &split(&roles), 1);
        assert_roles(prefix, &clip, &infer(&clip), &split(&roles));
    }
}

#[test]
fn nameless_skeletons_map_by_shape() {
    for (source, joints, roles) in KNOWN_SKELETONS {
        // The same trees with meaningless names.
        let named = split(roles);
        let reference = still_clip(joints, &named, 2);
        let joints = reference.skeleton().joints();
        let nameless = joints.iter().enumerate().map(|(i, joint)| Joint { name: format!("b{i}"), ..joint.clone() });
        let skeleton = Arc::new(Skeleton::new(nameless.collect(), FileSpace::default()).unwrap());
        let (rotations, translations) = (reference.rotations().to_vec(), reference.translations().to_vec());
        let clip = Clip::new("nameless", skeleton, 1.0 / 30.0, rotations, translations).unwrap();
        let rig = infer(&clip);
        assert_eq!(rig.kind, RigKind::Biped, "{source}: {:?}", rig.warnings);
        // Without toes, front and back are ambiguous, and so are left and right. Joints of zero length may map to
        // spine, neck and head.
        use Role::*;
        for role in Role::ALL.into_iter().filter(|role| !matches!(role, Hips | Spine | Spine1 | Spine2 | Neck | Head)) {
            if named[LeftToe as usize] != "-" && named[role as usize] != "-" {
                let found = rig.joint(role).map_or("-", |joint| joints[joint].name.as_str());
                assert_eq!(found, named[role as usize], "{source}: {role:?}; {:?}", rig.warnings);
            }
        }
        assert!(rig.joint(Head).is_some(), "{source}: head");
        assert!(!rig.warnings.is_empty(), "{source}: a warning says that the mapping is by shape");
    }
}

#[test]
fn unknown_skeletons_have_the_kind_other_and_cause_no_panic() {
    for joints in [
        "a",
        "a(b(c(d(e))))",
        "a,b,c",
        "a(b(c),d(e),f(g))",
        "Hips(Spine(Head),LeftLeg)",
        "LeftUpLeg(LeftLeg(LeftFoot)),RightUpLeg(RightLeg(RightFoot))",
        "hip(hip(hip(hip)))",
        "l(r(l(r)))",
        "é(ñ(左足(右足)))",
    ] {
        for frames in [0, 1, 3] {
            let clip = still_clip(joints, &[], frames);
            let rig = infer(&clip);
            assert_eq!(rig.kind, RigKind::Other, "{joints}");
            assert!(!rig.warnings.is_empty(), "{joints}");
            if frames > 0 {
                assert!((facing(&Pose::from_clip(&clip, 0), &rig).length() - 1.0).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn a_body_without_arms_is_a_biped_with_one_warning() {
    let joints = "Hips(LeftUpLeg(LeftLeg(LeftFoot)),RightUpLeg(RightLeg(RightFoot)),Spine(Chest(Neck(Head))))";
    let mut roles = vec!["-"; 22];
    let names = ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot"];
    for (role, name) in [0, 1, 2, 3, 5, 6, 7].into_iter().zip(names) {
        roles[role] = name;
    }
    let rig = infer(&still_clip(joints, &roles, 2));
    assert_eq!(rig.kind, RigKind::Biped);
    assert_eq!(rig.warnings, ["no arms found, so arm motion of other clips cannot be transferred to it"]);
}

#[test]
fn corrections_are_checked() {
    let (_, joints, roles) = KNOWN_SKELETONS[0];
    let clip = still_clip(joints, &split(roles), 1);
    let skeleton = clip.skeleton();
    let rig = infer(&clip);
    let no_toes = rig.with_changes(skeleton, &[(Role::LeftToe, None), (Role::RightToe, None)]).unwrap();
    assert_eq!((no_toes.joint(Role::LeftToe), no_toes.kind), (None, RigKind::Biped));
    let no_leg = rig.with_changes(skeleton, &[(Role::LeftFoot, None)]).unwrap();
    assert_eq!(no_leg.kind, RigKind::Other);
    assert!(no_leg.warnings[0].starts_with("no joint found for LeftFoot, so"), "{:?}", no_leg.warnings);
    let no_legs = no_leg.with_changes(skeleton, &[(Role::RightFoot, None)]).unwrap();
    assert!(no_legs.warnings[0].starts_with("no joint found for LeftFoot, RightFoot, so"), "{:?}", no_legs.warnings);
    assert_eq!(no_legs.with_changes(skeleton, &[(Role::RightFoot, Some("RightFoot"))]).unwrap(), no_leg);
    assert_eq!(no_leg.with_changes(skeleton, &[(Role::LeftFoot, Some("LeftFoot"))]).unwrap(), rig);
    let mut animal = Rig { kind: RigKind::Quadruped, ..no_leg };
    animal.warnings.push("looks like a four-legged animal, so it stitches only with other four-legged animals".into());
    assert_eq!(animal.with_changes(skeleton, &[(Role::LeftFoot, Some("LeftFoot"))]).unwrap(), rig);
    let no_arm = rig.with_changes(skeleton, &[(Role::LeftArm, None)]).unwrap();
    assert_eq!(no_arm.warnings, ["no arms found, so arm motion of other clips cannot be transferred to it"]);
    let mut swapped_rig = rig.clone();
    swapped_rig.warnings.push("feet or knees point backwards, so left and right may be swapped".into());
    assert_eq!(swapped_rig.with_changes(skeleton, &[(Role::LeftFoot, Some("LeftFoot"))]).unwrap(), rig);
    assert_eq!(no_arm.with_changes(skeleton, &[(Role::LeftArm, Some("LeftArm"))]).unwrap(), rig);

    let message = |changes: &[(Role, Option<&str>)]| rig.with_changes(skeleton, changes).unwrap_err().to_string();
    assert_eq!(message(&[(Role::Head, Some("head"))]), "Head: no joint is named \"head\"; did you mean \"Head\"?");
    assert_eq!(message(&[(Role::Head, Some("-"))]), "Head: no joint is named \"-\"");
    assert!(message(&[(Role::LeftToe, Some("LeftFoot"))]).contains("LeftFoot and LeftToe are both mapped"));
    assert!(
        message(&[(Role::LeftHand, Some("LeftForeArm")), (Role::LeftForeArm, Some("LeftHand"))])
            .contains("is not below")
    );
    let swapped = [(Role::Spine, Some("Spine2")), (Role::Spine2, Some("Spine"))];
    assert!(message(&swapped).contains("which is not below Spine"));
}

#[test]
fn corrections_of_a_short_spine_and_of_fingers_free_the_joint() {
    let (_, joints, roles) = KNOWN_SKELETONS.iter().find(|skeleton| skeleton.0 == "VRM").unwrap();
    let clip = still_clip(joints, &split(roles), 1);
    let rig = infer(&clip);
    let skeleton = clip.skeleton();
    assert_eq!(rig.joint(Role::Spine2), skeleton.find("chest"));
    let vrm = rig.with_changes(skeleton, &[(Role::Spine1, Some("chest"))]).unwrap();
    assert_eq!((vrm.joint(Role::Spine1), vrm.joint(Role::Spine2)), (skeleton.find("chest"), None));

    let index = skeleton.find("leftIndexProximal").unwrap();
    assert_eq!(rig.details.get(&DetailRole::LeftIndex1), Some(&index));
    let changed = rig.with_changes(skeleton, &[(DetailRole::LeftIndex2, Some("leftIndexProximal"))]).unwrap();
    assert_eq!(changed.details.get(&DetailRole::LeftIndex2), Some(&index));
    assert_eq!(changed.details.get(&DetailRole::LeftIndex1), None);
    let message = rig.with_changes(skeleton, &[(DetailRole::Jaw, Some("leftFoot"))]).unwrap_err().to_string();
    assert!(message.contains("LeftFoot and Jaw are both mapped"), "{message}");
    let message = rig.with_changes(skeleton, &[(DetailRole::RightPinky1, Some("leftIndexProximal"))]).unwrap_err();
    assert!(message.to_string().contains("which is not below RightHand"), "{message}");
}

/// Reads every `step`-th file of a set.
fn recordings(set: &str, step: usize) -> impl Iterator<Item = Clip> {
    let files = mocap(set).unwrap_or_default().into_iter().step_by(step);
    files.map(|file| parse(&file.display().to_string(), &std::fs::read(&file).unwrap()).unwrap().clip)
}

/// Lists the mapping as "Role=joint" words.
fn mapping_text(clip: &Clip, rig: &Rig) -> String {
    rig.mapped_names(clip.skeleton()).map(|(role, name)| format!("{role}={name} ")).collect()
}

#[test]
fn recordings_map_by_name_with_the_expected_warnings() {
    for (set, step, skeleton) in [("lafan1", 1, "LAFAN1"), ("bandai", 40, "Bandai-Namco"), ("cmu", 10, "CMU, Daz")] {
        let (.., roles) = KNOWN_SKELETONS.iter().find(|row| row.0 == skeleton).unwrap();
        for clip in recordings(set, step) {
            let rig = infer(&clip);
            assert_roles(&clip.name, &clip, &rig, &split(roles));
            assert_eq!((rig.kind, rig.warnings), (RigKind::Biped, vec![]), "{}", clip.name);
        }
    }
    for clip in recordings("dog", 1) {
        let rig = infer(&clip);
        assert_eq!(rig.kind, RigKind::Quadruped, "{}", clip.name);
        assert!(rig.warnings[0].contains("four-legged"), "{:?}", rig.warnings);
    }
    for clip in recordings("samples", 1) {
        let rig = infer(&clip);
        let broken = clip.name.contains("rotation_first_root");
        assert_eq!(rig.kind == RigKind::Other, broken, "{}: {:?}", clip.name, rig.warnings);
        assert_eq!(rig.warnings.is_empty(), !broken, "{}: {:?}", clip.name, rig.warnings);
        let mapped = rig.mapped_names(clip.skeleton()).count();
        assert!(mapped >= if broken { 1 } else { 19 }, "{}: {}", clip.name, mapping_text(&clip, &rig));
    }
}

#[test]
fn recordings_map_by_shape_with_the_right_sides() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (set, step) in [("lafan1", 3), ("bandai", 40), ("cmu", 10), ("samples", 1)] {
        for clip in recordings(set, step) {
            let by_name = infer(&clip);
            if by_name.kind == RigKind::Other {
                continue;
            }
            let without_name = |(i, joint): (usize, &Joint)| Joint { name: format!("b{i}"), ..joint.clone() };
            let joints = clip.skeleton().joints().iter().enumerate().map(without_name).collect();
            let skeleton = Arc::new(Skeleton::new(joints, clip.skeleton().space()).unwrap());
            let (rotations, translations) = (clip.rotations().to_vec(), clip.translations().to_vec());
            let nameless = Clip::new("nameless", skeleton, clip.frame_time_secs(), rotations, translations).unwrap();
            let by_shape = infer(&nameless);
            count += 1;
            use Role::*;
            let required = [Hips, LeftUpLeg, LeftLeg, LeftFoot, RightUpLeg, LeftArm, LeftForeArm, LeftHand, RightArm];
            if required.iter().any(|&role| by_shape.joint(role) != by_name.joint(role)) {
                wrong.push(format!("{}: {}", clip.name, mapping_text(&clip, &by_shape)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn joints_of_the_generated_characters_map_to_roles() {
    let mut count = 0;
    for path in fixture_paths() {
        let clip = read(&path);
        let (name, rig) = (&clip.name, infer(&clip));
        count += 1;
        match name.split('-').next().unwrap() {
            "cleo" => assert_eq!(rig.kind, RigKind::Quadruped, "{name}: {}", mapping_text(&clip, &rig)),
            _ => {
                assert_eq!((rig.kind, &rig.warnings), (RigKind::Biped, &vec![]), "{name}");
                assert_eq!(rig.mapped_names(clip.skeleton()).count(), 22, "{name}: {}", mapping_text(&clip, &rig));
            }
        }
    }
    assert!(count > 0);
}

#[test]
fn large_skeletons_without_limbs_are_no_bodies() {
    let deep = (0..500).map(|i| format!("j{i}(")).collect::<String>() + "end" + &")".repeat(500);
    let wide = (0..1000).map(|i| format!("a{i}(b{i}(c{i}(d{i})))")).collect::<Vec<_>>().join(",");
    for joints in [deep, format!("root({wide})")] {
        assert_eq!(infer(&still_clip(&joints, &[], 3)).kind, RigKind::Other);
    }
}
