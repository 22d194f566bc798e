//! Bodies as real files have them: static helper joints, absent hands and feet, feet that hang at the root, fingers.

use crate::common::fixtures::{fixture, read, repository};
use crate::common::joins::inertialized;
use glam::{Quat, Vec3};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::{Rig, RigKind, Role, infer};
use kinestitch::motion::skeleton::Channel;
use kinestitch::progress::Progress;
use kinestitch::stitch::{Input, stitch};
use kinestitch::{Clip, Joint, Skeleton};
use std::sync::Arc;

/// Reads a file of tests/fixtures/cases with its rig.
pub fn case(name: &str) -> (Clip, Rig) {
    let clip = read(&repository(&format!("tests/fixtures/cases/{name}.bvh")));
    let rig = infer(&clip);
    (clip, rig)
}

pub fn name_of<'a>(clip: &'a Clip, rig: &Rig, role: Role) -> &'a str {
    rig.joint(role).map_or("-", |joint| clip.skeleton().joints()[joint].name.as_str())
}

/// Bones of limbs: the roles of their ends.
pub const BONES: [[Role; 2]; 8] = {
    use Role::*;
    [
        [LeftUpLeg, LeftLeg],
        [LeftLeg, LeftFoot],
        [RightUpLeg, RightLeg],
        [RightLeg, RightFoot],
        [LeftArm, LeftForeArm],
        [LeftForeArm, LeftHand],
        [RightArm, RightForeArm],
        [RightForeArm, RightHand],
    ]
};

/// Returns the largest angle between the directions of the limbs of two clips in the same frames, degrees.
pub fn largest_angle(a: (&Clip, &Rig), b: (&Clip, &Rig), bones: &[[Role; 2]]) -> f32 {
    let direction = |(clip, rig): (&Clip, &Rig), pose: &Pose, bone: [Role; 2]| {
        let [start, end] = bone.map(|role| {
            let joint = rig.joint(role).unwrap_or_else(|| panic!("{}: no {role:?}", clip.name));
            pose.world_positions[joint]
        });
        end - start
    };
    let frames = (0..a.0.frames().min(b.0.frames())).step_by(7);
    let angles = frames.flat_map(|frame| {
        let poses = [a, b].map(|(clip, _)| Pose::from_clip(clip, frame));
        bones.iter().map(move |&bone| direction(a, &poses[0], bone).angle_between(direction(b, &poses[1], bone)))
    });
    angles.fold(0.0, f32::max).to_degrees()
}

#[test]
fn roles_go_to_the_joints_that_rotate_not_to_pivots_and_groups() {
    let (ada, ada_rig) = fixture("ada-walk");
    for (file, prefix) in [("assimp-pivots", "mixamorig:"), ("offset-groups", "")] {
        let (clip, rig) = case(file);
        assert_eq!((rig.kind, &rig.warnings), (RigKind::Biped, &vec![]), "{file}");
        for role in Role::ALL {
            assert_eq!(name_of(&clip, &rig, role), format!("{prefix}{role:?}"), "{file}");
        }
        let result = retarget(&clip, &rig, &ada, &ada_rig).unwrap();
        let angle = largest_angle((&clip, &rig), (&result, &ada_rig), &BONES);
        assert!(angle < 6.0, "{file}: a limb is {angle}° off");
    }
}

/// Splits each joint below the hips into a chain of four joints at one place, as FBX pivots do: of them only `_Rotation`
/// rotates. `names`: the name of the part at an index of the chain.
fn with_pivots(clip: &Clip, names: impl Fn(&str, usize) -> String) -> Clip {
    const PARTS: usize = 4;
    const ROTATING: usize = 2;
    let joints = clip.skeleton().joints();
    let last = |joint: usize| if joint == 0 { 0 } else { joint * PARTS };
    let mut split = vec![joints[0].clone()];
    for (index, joint) in joints.iter().enumerate().skip(1) {
        for part in 0..PARTS {
            let parent = if part == 0 { joint.parent.map(last) } else { Some((index - 1) * PARTS + part) };
            let offset = if part == 0 { joint.offset } else { Vec3::ZERO };
            let is_last = part == PARTS - 1;
            let end_sites = if is_last { joint.end_sites.clone() } else { Vec::new() };
            let name = names(&joint.name, part);
            split.push(Joint { name, parent, offset, end_sites, channels: Vec::new(), ..joint.clone() });
        }
    }
    let skeleton = Arc::new(Skeleton::new(split, clip.skeleton().space()).unwrap());
    let mut rotations = vec![Quat::IDENTITY; clip.frames() * skeleton.len()];
    for frame in 0..clip.frames() {
        for (joint, &rotation) in clip.frame_rotations(frame).iter().enumerate() {
            let place = if joint == 0 { 0 } else { (joint - 1) * PARTS + 1 + ROTATING };
            rotations[frame * skeleton.len() + place] = rotation;
        }
    }
    let translations = (0..clip.frames()).map(|frame| clip.local_translation(frame, 0)).collect();
    Clip::new("pivots", skeleton, clip.frame_time_secs(), rotations, translations).unwrap()
}

#[test]
fn the_rotating_pivot_has_the_role_even_if_the_named_joint_below_it_is_still() {
    let (ada, ada_rig) = fixture("ada-walk");
    let parts = ["_$AssimpFbx$_Translation", "_$AssimpFbx$_PreRotation", "_$AssimpFbx$_Rotation", ""];
    let clip = with_pivots(&ada, |name, part| format!("{name}{}", parts[part]));
    let rig = infer(&clip);
    assert_eq!(name_of(&clip, &rig, Role::LeftLeg), "LeftLeg_$AssimpFbx$_Rotation");
    assert_eq!(name_of(&clip, &rig, Role::Spine1), "Spine1_$AssimpFbx$_Rotation");
    let (bo, bo_rig) = fixture("bo-idle");
    let [direct, through_pivots] =
        [(&ada, &ada_rig), (&clip, &rig)].map(|(clip, rig)| retarget(clip, rig, &bo, &bo_rig).unwrap());
    let angle = largest_angle((&direct, &bo_rig), (&through_pivots, &bo_rig), &BONES);
    assert!(angle < 0.1, "a limb is {angle}° off");
}

#[test]
fn pivots_without_meaningful_names_are_seen_through() {
    let (ada, ada_rig) = fixture("ada-walk");
    let mut count = 0;
    let clip = with_pivots(&ada, |_, _| String::new());
    let joints = clip.skeleton().joints().iter().map(|joint| {
        count += 1;
        Joint { name: format!("b{count}"), ..joint.clone() }
    });
    let skeleton = Arc::new(Skeleton::new(joints.collect(), clip.skeleton().space()).unwrap());
    let (rotations, translations) = (clip.rotations().to_vec(), clip.translations().to_vec());
    let clip = Clip::new("nameless", skeleton, clip.frame_time_secs(), rotations, translations).unwrap();
    let rig = infer(&clip);
    assert_eq!(rig.kind, RigKind::Biped, "{:?}", rig.warnings);
    let [ada_pose, pose] = [&ada, &clip].map(|clip| Pose::from_clip(clip, 20));
    use Role::*;
    for role in [LeftUpLeg, LeftLeg, LeftFoot, RightUpLeg, RightLeg, LeftArm, LeftForeArm, RightArm, RightForeArm] {
        let [expected, found] = [ada_rig.joint(role).unwrap(), rig.joint(role).unwrap()];
        let distance = ada_pose.world_positions[expected].distance(pose.world_positions[found]);
        assert!(distance < 1e-3, "{role:?} is {distance} m off");
    }
}

#[test]
fn bodies_without_hands_or_toes_map_by_name() {
    let (clip, rig) = case("names-freemocap");
    assert_eq!((rig.kind, &rig.warnings), (RigKind::Biped, &vec![]));
    use Role::*;
    let expected = [
        (Hips, "pelvis"),
        (LeftShoulder, "shoulder.L"),
        (LeftArm, "upper_arm.L"),
        (LeftForeArm, "forearm.L"),
        (LeftHand, "-"),
        (RightForeArm, "forearm.R"),
        (LeftFoot, "foot.L"),
        (LeftToe, "-"),
        (Neck, "neck"),
        (Head, "face"),
    ];
    for (role, name) in expected {
        assert_eq!(name_of(&clip, &rig, role), name, "{role:?}");
    }
    let (clip, rig) = case("names-mgear");
    assert_eq!(name_of(&clip, &rig, LeftFoot), "leg_L0_end_jnt");
    assert_eq!(name_of(&clip, &rig, LeftToe), "foot_L0_0_jnt");
    assert_eq!(name_of(&clip, &rig, RightHand), "arm_R0_end_jnt");
    assert_eq!((rig.kind, rig.warnings), (RigKind::Biped, vec![]));
}

#[test]
fn the_knee_of_a_leg_of_many_segments_is_the_joint_that_bends_it() {
    // mGear divides the bones of a leg: the knee of these legs is segment 2.
    let (ada, _) = fixture("ada-walk");
    let rename = |name: &str| match name {
        "LeftUpLeg" => "leg_L0_0_jnt".to_owned(),
        "LeftLeg" => "leg_L0_2_jnt".to_owned(),
        "LeftFoot" => "leg_L0_end_jnt".to_owned(),
        "RightUpLeg" => "leg_R0_0_jnt".to_owned(),
        "RightLeg" => "leg_R0_2_jnt".to_owned(),
        "RightFoot" => "leg_R0_end_jnt".to_owned(),
        other => other.to_owned(),
    };
    let mut joints: Vec<Joint> = Vec::new();
    let mut new_index: Vec<usize> = Vec::new();
    for joint in ada.skeleton().joints() {
        let mut parent = joint.parent.map(|parent| new_index[parent]);
        let mut offset = joint.offset;
        let segment = match rename(&joint.name).as_str() {
            "leg_L0_2_jnt" => Some("leg_L0_1_jnt"),
            "leg_L0_end_jnt" => Some("leg_L0_3_jnt"),
            "leg_R0_2_jnt" => Some("leg_R0_1_jnt"),
            "leg_R0_end_jnt" => Some("leg_R0_3_jnt"),
            _ => None,
        };
        if let Some(name) = segment {
            offset /= 2.0;
            let none = (Vec::new(), Vec::new());
            joints.push(Joint {
                name: name.into(),
                parent,
                offset,
                channels: none.0,
                end_sites: none.1,
                ..joint.clone()
            });
            parent = Some(joints.len() - 1);
        }
        new_index.push(joints.len());
        joints.push(Joint { name: rename(&joint.name), parent, offset, ..joint.clone() });
    }
    let skeleton = Arc::new(Skeleton::new(joints, ada.skeleton().space()).unwrap());
    let mut rotations = vec![Quat::IDENTITY; ada.frames() * skeleton.len()];
    for frame in 0..ada.frames() {
        for (joint, &rotation) in ada.frame_rotations(frame).iter().enumerate() {
            rotations[frame * skeleton.len() + new_index[joint]] = rotation;
        }
    }
    let clip = Clip::new("segments", skeleton, ada.frame_time_secs(), rotations, ada.translations().to_vec()).unwrap();
    let rig = infer(&clip);
    assert_eq!(name_of(&clip, &rig, Role::LeftLeg), "leg_L0_2_jnt", "{:?}", rig.warnings);
    assert_eq!(name_of(&clip, &rig, Role::RightLeg), "leg_R0_2_jnt");
    assert_eq!(name_of(&clip, &rig, Role::RightFoot), "leg_R0_end_jnt");
}

#[test]
fn a_hand_or_a_face_alone_is_no_body() {
    let (_, rig) = case("hand-only");
    assert_eq!(rig.kind, RigKind::Other);
    assert!(rig.warnings[0].contains("a hand or a face"), "{:?}", rig.warnings);
    assert!(rig.joints.iter().all(Option::is_none));
}

#[test]
fn a_body_with_more_legs_than_two_on_a_side_is_no_biped_by_names() {
    let mut joints = vec![Joint { parent: None, ..still("hips", Vec3::Y) }];
    for side in ["l", "r"] {
        let out = if side == "l" { Vec3::X } else { Vec3::NEG_X };
        for leg in ["a", "b", "c", "d"] {
            let mut parent = 0;
            for bone in 1..=3 {
                joints.push(Joint { parent: Some(parent), ..still(&format!("leg_{leg}_{bone}_{side}"), out * 0.3) });
                parent = joints.len() - 1;
            }
        }
    }
    let skeleton = Arc::new(Skeleton::new(joints, Default::default()).unwrap());
    let rotations = vec![Quat::IDENTITY; skeleton.len()];
    let spider = Clip::new("spider", skeleton, 1.0 / 30.0, rotations, vec![Vec3::Y]).unwrap();
    let rig = infer(&spider);
    assert_eq!(rig.kind, RigKind::Other, "{:?}", rig.warnings);
}

/// Returns a joint without channels.
fn still(name: &str, offset: Vec3) -> Joint {
    let (channels, end_sites) = (Vec::new(), Vec::new());
    Joint { name: name.into(), parent: None, offset, channels, position_mode: Default::default(), end_sites }
}

#[test]
fn japanese_names_map_to_roles() {
    let (clip, rig) = case("mmd-names-zup");
    assert_eq!(rig.kind, RigKind::Biped);
    assert_eq!(name_of(&clip, &rig, Role::LeftLeg), "左ひざ");
    assert_eq!(name_of(&clip, &rig, Role::RightFoot), "右足首");
}

/// Returns a clip with a sword in the left hand that turns, and a ball beside the body that moves.
fn with_props(clip: &Clip, rig: &Rig) -> Clip {
    use Channel::*;
    let mut joints = clip.skeleton().joints().to_vec();
    let count = joints.len();
    let hand = rig.joint(Role::LeftHand).unwrap();
    joints.push(Joint { name: "Sword".into(), parent: Some(hand), offset: Vec3::X * 0.1, ..joints[hand].clone() });
    let channels = vec![Xposition, Yposition, Zposition, Zrotation, Yrotation, Xrotation];
    joints.push(Joint { name: "Ball".into(), parent: None, offset: Vec3::ZERO, channels, ..joints[0].clone() });
    let skeleton = Arc::new(Skeleton::new(joints, clip.skeleton().space()).unwrap());
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for frame in 0..clip.frames() {
        let turn = Quat::from_rotation_z(frame as f32 * 0.02);
        rotations.extend(clip.frame_rotations(frame).iter().chain([&turn, &Quat::IDENTITY]));
        translations.extend(clip.frame_translations(frame).iter().chain([&(Vec3::X * frame as f32 * 0.01)]));
    }
    assert_eq!(rotations.len(), clip.frames() * (count + 2));
    Clip::new("armed walk", skeleton, clip.frame_time_secs(), rotations, translations).unwrap()
}

#[test]
fn props_survive_on_the_same_skeleton_and_are_named_on_another() {
    let (ada, rig) = fixture("ada-walk");
    let (jog, jog_rig) = fixture("ada-jog");
    let (armed, armed_jog) = (with_props(&ada, &rig), with_props(&jog, &jog_rig));
    let armed_rig = infer(&armed);
    assert_eq!((armed_rig.kind, &armed_rig.warnings), (RigKind::Biped, &vec![]));
    let inputs = [&armed, &armed_jog].map(|clip| Input { clip, rig: &armed_rig });
    let result = stitch(&inputs, &inertialized(), &mut Progress::silent()).unwrap();
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
    let last = result.clip.frames() - 1;
    let sword = armed.skeleton().find("Sword").unwrap();
    assert_eq!(result.clip.frame_rotations(last)[sword], armed_jog.frame_rotations(armed_jog.frames() - 1)[sword]);
    let ball = armed.skeleton().find("Ball").unwrap();
    let travel = result.clip.local_translation(20, ball).distance(result.clip.local_translation(0, ball));
    assert!((travel - 0.2).abs() < 1e-3, "the ball moves {travel} m in 20 frames");

    let (bo, bo_rig) = fixture("bo-walk");
    let inputs = [Input { clip: &bo, rig: &bo_rig }, Input { clip: &armed, rig: &armed_rig }];
    let result = stitch(&inputs, &inertialized(), &mut Progress::silent()).unwrap();
    let is_named = |warning: &String| warning.contains("\"Sword\", \"Ball\" in armed walk is left out");
    assert!(result.warnings.iter().any(is_named), "{:?}", result.warnings);
}
