//! Canonical bodies: one skeleton per rig, unchanged poses, and changes applied back to the user's skeleton.

use crate::common::fixtures::{fixture_paths, read};
use crate::common::recordings::mocap;
use glam::{Quat, Vec3};
use kinestitch::body::{GroundPose, apply, biped, mirror_clip, to_canonical};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::{Rig, RigKind, Role, facing, infer};
use kinestitch::{Clip, Error, Joint, Skeleton};
use std::f32::consts::FRAC_PI_2;
use std::path::PathBuf;
use std::sync::Arc;

fn bipeds() -> Vec<(Clip, Rig)> {
    let clips = fixture_paths().into_iter().map(|path| read(&path)).map(|clip| (infer(&clip), clip));
    clips.filter(|(rig, _)| rig.kind == RigKind::Biped).map(|(rig, clip)| (clip, rig)).collect()
}

fn offsets(clip: &Clip) -> Vec<Vec3> {
    clip.skeleton().joints().iter().map(|joint| joint.offset).collect()
}

/// Measures the largest distance between offsets, metres.
fn max_distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn applying_an_unedited_body_returns_the_same_clip() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        assert_eq!(apply(&clip, &rig, &body, &body.clip).unwrap(), clip, "{}", clip.name);
    }
}

#[test]
fn a_single_frame_has_the_canonical_skeleton_and_pose_of_the_whole_clip() {
    for (clip, rig) in bipeds() {
        let whole_body = to_canonical(&clip, &rig).unwrap();
        for frame in [0, clip.frames() / 3, clip.frames() - 1] {
            let frame_clip = clip.trimmed(frame..frame + 1).unwrap();
            let frame_body = to_canonical(&frame_clip, &infer(&frame_clip)).unwrap();
            assert_eq!(frame_body.clip.skeleton(), whole_body.clip.skeleton(), "{}", clip.name);
            assert_eq!((frame_body.scale, frame_body.character), (whole_body.scale, whole_body.character));
            assert_eq!(frame_body.clip.translations(), &whole_body.clip.translations()[frame..=frame]);
            for (a, b) in frame_body.clip.rotations().iter().zip(whole_body.clip.frame_rotations(frame)) {
                assert!(*a == *b || *a == -*b, "{}, frame {frame}: {a} {b}", clip.name);
            }
        }
        assert!(to_canonical(&Clip::new("none", clip.skeleton().clone(), 0.1, vec![], vec![]).unwrap(), &rig).is_err());
    }
}

#[test]
fn canonical_joints_have_the_positions_of_the_rig() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        for frame in 0..clip.frames() {
            let (pose, canonical) = (Pose::from_clip(&clip, frame), Pose::from_clip(&body.clip, frame));
            for (role, joint) in Role::ALL.into_iter().filter_map(|role| Some((role, rig.joint(role)?))) {
                let position = pose.world_positions[joint] * body.scale;
                let distance = canonical.world_positions[role as usize].distance(position);
                assert!(distance < 1e-4, "{}, frame {frame}, {role:?}: {distance} m", clip.name);
            }
        }
    }
}

#[test]
fn canonical_rotations_of_the_stance_are_near_the_identity() {
    // The fixture "ada" has a T-pose as its rest pose.
    let (clip, rig) = bipeds().into_iter().find(|(clip, _)| clip.name == "ada-walk").unwrap();
    let rest = vec![Quat::IDENTITY; clip.joints()];
    let translations =
        clip.skeleton().translated().iter().map(|&joint| clip.skeleton().joints()[joint].offset).collect();
    let rest_clip = Clip::new("rest", clip.skeleton().clone(), 1.0, rest, translations).unwrap();
    let body = to_canonical(&rest_clip, &rig).unwrap();
    let pose = Pose::from_clip(&body.clip, 0);
    let position = |role: Role| pose.world_positions[role as usize];
    assert!((position(Role::LeftHand) - position(Role::LeftArm)).normalize().x > 0.99);
    assert!((position(Role::LeftToe) - position(Role::LeftFoot)).normalize().z > 0.85);
    let [hip, knee, ankle] = [Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot].map(position);
    let leg = hip.distance(knee) + knee.distance(ankle);
    assert!((leg - biped().leg_length).abs() < 1e-4, "{leg}");
    for (role, rotation) in Role::ALL.iter().zip(&pose.world_rotations) {
        let angle = rotation.angle_between(Quat::IDENTITY).to_degrees();
        assert!(angle < 12.0, "{role:?} is rotated by {angle}° from the stance");
    }
}

#[test]
fn joints_outside_an_edit_keep_their_local_motion() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        let mut bent = body.clip.clone();
        for frame in 0..bent.frames() {
            bent.rotations_mut()[frame * biped().len() + Role::LeftLeg as usize] *= Quat::from_rotation_x(0.3);
            bent.translations_mut()[frame] += Vec3::new(0.0, -0.02, 0.0);
        }
        let edited = apply(&clip, &rig, &body, &bent).unwrap();
        let shin = rig.joint(Role::LeftLeg).unwrap();
        let mut shin_angle = 0.0_f32;
        for frame in 0..clip.frames() {
            for joint in 0..clip.joints() {
                let angle = clip.frame_rotations(frame)[joint].angle_between(edited.frame_rotations(frame)[joint]);
                if joint == shin {
                    shin_angle = shin_angle.max(angle);
                }
                assert!(joint == shin || angle < 2e-3, "frame {frame}, joint {joint} is rotated by {angle}");
            }
        }
        assert!((shin_angle - 0.3).abs() < 2e-3, "the shin is rotated by {shin_angle}");
    }
}

#[test]
fn mirroring_swaps_sides_and_mirroring_twice_restores_every_bit() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        let mirrored = mirror_clip(&body.clip, body.character).unwrap();
        assert_eq!(mirror_clip(&mirrored, body.character).unwrap(), body.clip, "{}", clip.name);
        for frame in [0, clip.frames() / 2] {
            let (a, b) = (Pose::from_clip(&body.clip, frame), Pose::from_clip(&mirrored, frame));
            for (joint, info) in body.character.joints.iter().enumerate() {
                let expected = a.world_positions[info.opposite] * Vec3::new(-1.0, 1.0, 1.0);
                assert!(expected.distance(b.world_positions[joint]) < 1e-5, "{}: {}", clip.name, info.name);
            }
        }
    }
}

#[test]
fn a_clip_with_another_number_of_joints_is_not_mirrored() {
    let has_more_joints = |(clip, _): &(Clip, Rig)| clip.joints() > biped().len();
    let (clip, _) = bipeds().into_iter().find(has_more_joints).unwrap();
    assert!(matches!(mirror_clip(&clip, biped()), Err(Error::Skeleton { .. })));
}

#[test]
fn clips_of_one_rig_have_one_canonical_skeleton() {
    let with_prefix = |prefix: &str| -> Vec<(Clip, Rig)> {
        bipeds().into_iter().filter(|(clip, _)| clip.name.starts_with(prefix)).collect()
    };
    let mut groups = vec![with_prefix("ada"), with_prefix("bo")];
    for (set, part) in
        [("lafan1", "_subject1"), ("bandai", "dataset-2"), ("cmu", ""), ("accad", ""), ("cmu-asf", "16_")]
    {
        let Some(paths) = mocap(set) else { continue };
        let named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(part));
        let paths: Vec<&PathBuf> = paths.iter().filter(named).collect();
        let sample = paths.iter().step_by(paths.len() / 5 + 1).map(|path| read(path));
        let sample: Vec<(Clip, Rig)> = sample.map(|clip| (infer(&clip), clip)).map(|(rig, clip)| (clip, rig)).collect();
        assert!(!sample.is_empty(), "no file of {set} has \"{part}\" in its name");
        groups.push(sample);
    }
    for group in groups {
        let first = offsets(&to_canonical(&group[0].0, &group[0].1).unwrap().clip);
        for (clip, rig) in &group[1..] {
            assert!(rig.warnings.is_empty(), "{}: {:?}", clip.name, rig.warnings);
            let body = to_canonical(clip, rig).unwrap();
            let distance = max_distance(&first, &offsets(&body.clip));
            println!("{} and {}: {distance:.1e} m", group[0].0.name, clip.name);
            assert!(distance < 1e-5, "{} and {}: {distance} m", group[0].0.name, clip.name);
        }
    }
}

/// Measures the mean forward lean over a clip, degrees: of the line from hips to neck, and of the line from chest
/// (Spine2) to neck. Both are relative to the heading of hips and shoulders.
fn lean(clip: &Clip, rig: &Rig) -> [f32; 2] {
    let mut sums = [0.0; 2];
    for frame in 0..clip.frames() {
        let pose = Pose::from_clip(clip, frame);
        let ahead = facing(&pose, rig);
        let position = |role: Role| pose.world_positions[rig.joint(role).unwrap()];
        let pitch = |line: Vec3| line.dot(ahead).atan2(line.y).to_degrees() / clip.frames() as f32;
        sums[0] += pitch(position(Role::Neck) - position(Role::Hips));
        sums[1] += pitch(position(Role::Neck) - position(Role::Spine2));
    }
    sums
}

/// Measures the mean forward lean of a canonical clip's chest by its rotation alone, degrees. It is relative to the
/// heading of the hips.
fn chest_lean(body: &Clip) -> f32 {
    let pitch = |frame: usize| {
        let chest = Pose::from_clip(body, frame).world_rotations[Role::Spine2 as usize] * Vec3::Y;
        let ahead = GroundPose::from_clip(body, frame).rotation() * Vec3::Z;
        chest.dot(ahead).atan2(chest.y).to_degrees()
    };
    (0..body.frames()).map(pitch).sum::<f32>() / body.frames() as f32
}

#[test]
fn stooped_walks_stay_stooped() {
    let Some(paths) = mocap("bandai") else { return };
    let canonical_rig = Rig { joints: std::array::from_fn(Some), kind: RigKind::Biped, ..Rig::empty() };
    let mean = |set: &str, style: &str| -> [f32; 5] {
        let part = format!("dataset-{set}_walk_{style}_");
        let files: Vec<_> = paths.iter().filter(|path| path.to_string_lossy().contains(&part)).take(12).collect();
        assert!(!files.is_empty(), "no file contains {part}");
        let mut sums = [0.0; 5];
        for path in &files {
            let clip = read(path);
            let rig = infer(&clip);
            let body = to_canonical(&clip, &rig).unwrap().clip;
            let ([a, b], [c, d]) = (lean(&clip, &rig), lean(&body, &canonical_rig));
            let rotation = chest_lean(&body);
            sums.iter_mut().zip([a, c, b, d, rotation]).for_each(|(sum, value)| *sum += value / files.len() as f32);
        }
        sums
    };
    println!(
        "lean relative to normal walks, degrees. Hips to neck: recorded, canonical (ratio). Chest: recorded, \
         canonical, canonical by its rotation (ratio)"
    );
    for (set, styles) in [("2", ["elderly", "exhausted", "masculine"]), ("1", ["old", "tired", "masculinity"])] {
        let normal = mean(set, "normal");
        for style in styles {
            let styled = mean(set, style);
            let [recorded, canonical, recorded_chest, canonical_chest, chest_rotation] =
                std::array::from_fn(|i| styled[i] - normal[i]);
            println!(
                "set {set}, {style:12} {recorded:7.2} {canonical:7.2} ({:.1} %)   {recorded_chest:7.2} \
                 {canonical_chest:7.2} {chest_rotation:7.2} ({:.1} %)",
                100.0 * canonical / recorded,
                100.0 * chest_rotation / recorded_chest
            );
            assert!(canonical / recorded >= 0.95, "{style}: {canonical} of {recorded} degrees");
            assert!(canonical_chest / recorded_chest >= 0.95, "{style}: {canonical_chest} of {recorded_chest} degrees");
            // 5 %, but at least half a degree: of small angles, half a degree is more than 5 %.
            let tolerance = (0.05 * recorded_chest.abs()).max(0.5);
            assert!((chest_rotation - recorded_chest).abs() <= tolerance, "{style}: {chest_rotation} degrees");
        }
    }
}

#[test]
fn retargeting_to_another_rig_and_back_restores_the_pose() {
    let (Some(lafan), Some(bandai)) = (mocap("lafan1"), mocap("bandai")) else { return };
    let find = |files: &[PathBuf], part: &str| {
        let path = files.iter().find(|file| file.to_string_lossy().contains(part)).unwrap();
        let clip = read(path);
        let clip = clip.trimmed(0..clip.frames().min(900)).unwrap();
        (infer(&clip), clip)
    };
    let (target_rig, target) = find(&bandai, "dataset-1_walk_normal");
    for name in ["walk4_subject1", "multipleActions1_subject3", "dance1_subject2"] {
        let (rig, clip) = find(&lafan, name);
        let retargeted = retarget(&clip, &rig, &target, &target_rig).unwrap();
        let restored = retarget(&retargeted, &target_rig, &clip, &rig).unwrap();
        let [original, retargeted, restored] = [(&clip, &rig), (&retargeted, &target_rig), (&restored, &rig)]
            .map(|(clip, rig)| to_canonical(clip, rig).unwrap().clip);
        println!("{name}: errors on the other rig, and after the way back, degrees; median, 95 %, largest");
        let mut all_errors = Vec::new();
        for (joint, info) in biped().joints.iter().enumerate() {
            let errors = |other: &Clip| {
                let mut errors: Vec<f32> = (0..clip.frames())
                    .map(|frame| {
                        let [a, b] = [&original, other].map(|clip| Pose::from_clip(clip, frame).world_rotations[joint]);
                        2.0 * (a * b.inverse()).xyz().length().clamp(0.0, 1.0).asin().to_degrees()
                    })
                    .collect();
                errors.sort_by(f32::total_cmp);
                errors
            };
            let (there, back) = (errors(&retargeted), errors(&restored));
            let quantiles = |sorted: &[f32]| {
                let count = sorted.len();
                format!("{:6.2} {:6.2} {:6.2}", sorted[count / 2], sorted[count * 95 / 100], sorted[count - 1])
            };
            println!("  {:13} {}   {}", info.name, quantiles(&there), quantiles(&back));
            all_errors.extend(back);
        }
        all_errors.sort_by(f32::total_cmp);
        let percentile_95 = all_errors[all_errors.len() * 95 / 100];
        assert!(percentile_95 < 2.0, "{name}: {percentile_95} degrees");
    }
}

/// Returns the motion on joints whose x axis is along the bone: a rest pose without information about the body.
fn with_stick_axes(clip: &Clip) -> Clip {
    let joints = clip.skeleton().joints();
    let bone = |joint: usize| clip.skeleton().children(joint).next().map(|child| joints[child].offset);
    let axes: Vec<Quat> = (0..joints.len())
        .map(|joint| {
            let bone = bone(joint).and_then(Vec3::try_normalize);
            bone.map_or(Quat::IDENTITY, |bone| {
                Quat::from_rotation_arc(Vec3::X, bone) * Quat::from_rotation_x(FRAC_PI_2)
            })
        })
        .collect();
    let to_parent_axes = |joint: usize| joints[joint].parent.map_or(Quat::IDENTITY, |parent| axes[parent].inverse());
    let convert_joint = |(joint, info): (usize, &Joint)| Joint {
        offset: to_parent_axes(joint) * info.offset,
        end_sites: info.end_sites.iter().map(|&site| axes[joint].inverse() * site).collect(),
        ..info.clone()
    };
    let skeleton =
        Skeleton::new(joints.iter().enumerate().map(convert_joint).collect(), clip.skeleton().space()).unwrap();
    let convert_rotation =
        |(i, rotation): (usize, &Quat)| to_parent_axes(i % joints.len()) * *rotation * axes[i % joints.len()];
    let rotations = clip.rotations().iter().enumerate().map(convert_rotation).collect();
    let seconds = clip.frame_time_secs();
    Clip::new("stick", Arc::new(skeleton), seconds, rotations, clip.translations().to_vec()).unwrap()
}

#[test]
fn the_axes_of_an_unknown_skeleton_are_estimated_with_a_warning() {
    let (clip, rig) = bipeds().into_iter().find(|(clip, _)| clip.name == "ada-walk").unwrap();
    let stick = with_stick_axes(&clip);
    let stick_rig = infer(&stick);
    assert_eq!(stick_rig.joints, rig.joints);
    // The stick skeleton has LAFAN1's joint names, but other axes, so the table of known rigs does not apply.
    assert!(stick_rig.warnings.iter().any(|warning| warning.contains("estimated")), "{:?}", stick_rig.warnings);
    let [original, estimated] =
        [(&clip, &rig), (&stick, &stick_rig)].map(|(clip, rig)| to_canonical(clip, rig).unwrap().clip);
    for frame in 0..clip.frames() {
        let (a, b) = (Pose::from_clip(&original, frame), Pose::from_clip(&estimated, frame));
        for role in Role::ALL {
            let joint = role as usize;
            let distance = a.world_positions[joint].distance(b.world_positions[joint]);
            assert!(distance < 1e-3, "frame {frame}, {role:?}: {distance} m");
        }
        use Role::*;
        for role in [Hips, LeftUpLeg, LeftLeg, RightUpLeg, RightLeg, Spine, Spine1] {
            let angle = a.world_rotations[role as usize].angle_between(b.world_rotations[role as usize]).to_degrees();
            assert!(angle < 20.0, "frame {frame}, {role:?}: {angle} degrees");
        }
    }
}
