//! Canonical bodies: one skeleton per rig, unchanged poses, and changes applied back to the user's skeleton.

mod common;

use glam::{Quat, Vec3};
use kinestitch::{Clip, Joint, Skeleton};

use kinestitch::body::{GroundPose, apply, biped, mirror_clip, to_canonical};
use kinestitch::motion::bvh;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::{Rig, RigKind, Role, facing, infer};
use std::f32::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn read(path: &Path) -> Clip {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    bvh::parse(&name, &std::fs::read(path).unwrap()).unwrap().clip
}

fn fixtures() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let files = std::fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path());
    let mut bvh: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "bvh")).collect();
    bvh.sort();
    bvh
}

fn bipeds() -> Vec<(Clip, Rig)> {
    let clips = fixtures().into_iter().map(|path| read(&path)).map(|clip| (infer(&clip), clip));
    clips.filter(|(rig, _)| rig.kind == RigKind::Biped).map(|(rig, clip)| (clip, rig)).collect()
}

fn offsets(clip: &Clip) -> Vec<Vec3> {
    clip.skeleton().joints().iter().map(|joint| joint.offset).collect()
}

/// Measures the largest distance between offsets, metres.
fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn no_edit_changes_no_bit() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        assert_eq!(apply(&clip, &rig, &body, &body.clip).unwrap(), clip, "{}", clip.name);
    }
}

#[test]
fn every_part_of_a_clip_has_the_skeleton_and_the_pose_of_the_whole() {
    for (clip, rig) in bipeds() {
        let whole = to_canonical(&clip, &rig).unwrap();
        for frame in [0, clip.frames() / 3, clip.frames() - 1] {
            let one = clip.trimmed(frame..frame + 1).unwrap();
            let part = to_canonical(&one, &infer(&one)).unwrap();
            assert_eq!(part.clip.skeleton(), whole.clip.skeleton(), "{}", clip.name);
            assert_eq!((part.scale, part.character), (whole.scale, whole.character));
            assert_eq!(part.clip.translations(), &whole.clip.translations()[frame..=frame]);
            for (a, b) in part.clip.rotations().iter().zip(whole.clip.frame_rotations(frame)) {
                assert!(*a == *b || *a == -*b, "{}, frame {frame}: {a} {b}", clip.name);
            }
        }
        assert!(to_canonical(&Clip::new("none", clip.skeleton().clone(), 0.1, vec![], vec![]).unwrap(), &rig).is_err());
    }
}

#[test]
fn joints_stand_where_the_rig_s_do() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        for frame in 0..clip.frames() {
            let (own, made) = (Pose::from_clip(&clip, frame), Pose::from_clip(&body.clip, frame));
            for (role, joint) in Role::ALL.into_iter().filter_map(|role| Some((role, rig.joint(role)?))) {
                let apart = made.world_positions[role as usize].distance(own.world_positions[joint] * body.scale);
                assert!(apart < 1e-4, "{}, frame {frame}, {role:?}: {apart} m", clip.name);
            }
        }
    }
}

#[test]
fn the_stance_is_the_identity() {
    // The fixture "ada" has a T-pose as its rest pose.
    let (clip, rig) = bipeds().into_iter().find(|(clip, _)| clip.name == "ada-walk").unwrap();
    let rest = vec![Quat::IDENTITY; clip.joints()];
    let places = clip.skeleton().translated().iter().map(|&joint| clip.skeleton().joints()[joint].offset).collect();
    let still = Clip::new("rest", clip.skeleton().clone(), 1.0, rest, places).unwrap();
    let body = to_canonical(&still, &rig).unwrap();
    let pose = Pose::from_clip(&body.clip, 0);
    let at = |role: Role| pose.world_positions[role as usize];
    assert!((at(Role::LeftHand) - at(Role::LeftArm)).normalize().x > 0.99);
    assert!((at(Role::LeftToe) - at(Role::LeftFoot)).normalize().z > 0.85);
    let leg = at(Role::LeftUpLeg).distance(at(Role::LeftLeg)) + at(Role::LeftLeg).distance(at(Role::LeftFoot));
    assert!((leg - biped().leg_length).abs() < 1e-4, "{leg}");
    for (role, rotation) in Role::ALL.iter().zip(&pose.world_rotations) {
        let off = rotation.angle_between(Quat::IDENTITY).to_degrees();
        assert!(off < 12.0, "{role:?} is {off}° off the stance");
    }
}

#[test]
fn fingers_and_extra_joints_keep_their_local_motion() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        let mut bent = body.clip.clone();
        for frame in 0..bent.frames() {
            bent.rotations_mut()[frame * biped().len() + Role::LeftLeg as usize] *= Quat::from_rotation_x(0.3);
            bent.translations_mut()[frame] += Vec3::new(0.0, -0.02, 0.0);
        }
        let edited = apply(&clip, &rig, &body, &bent).unwrap();
        let (shin, foot) = (rig.joint(Role::LeftLeg).unwrap(), rig.joint(Role::LeftFoot).unwrap());
        let mut turned = 0.0_f32;
        for frame in 0..clip.frames() {
            for joint in 0..clip.joints() {
                let change = clip.frame_rotations(frame)[joint].angle_between(edited.frame_rotations(frame)[joint]);
                let near = joint == shin || joint == foot;
                if joint == shin {
                    turned = turned.max(change);
                }
                assert!(near || change < 2e-3, "frame {frame}, joint {joint} turned by {change}");
            }
        }
        assert!((turned - 0.3).abs() < 2e-3, "the shin turned by {turned}");
    }
}

#[test]
fn a_mirror_swaps_sides_and_twice_is_the_same_to_the_bit() {
    for (clip, rig) in bipeds() {
        let body = to_canonical(&clip, &rig).unwrap();
        let other = mirror_clip(&body.clip, body.character).unwrap();
        assert_eq!(mirror_clip(&other, body.character).unwrap(), body.clip, "{}", clip.name);
        for frame in [0, clip.frames() / 2] {
            let (a, b) = (Pose::from_clip(&body.clip, frame), Pose::from_clip(&other, frame));
            for (joint, info) in body.character.joints.iter().enumerate() {
                let seen = a.world_positions[info.opposite] * Vec3::new(-1.0, 1.0, 1.0);
                assert!(seen.distance(b.world_positions[joint]) < 1e-5, "{}: {}", clip.name, info.name);
            }
        }
    }
}

#[test]
fn clips_of_one_rig_have_one_canonical_skeleton() {
    let of_maker = |maker: &str| -> Vec<(Clip, Rig)> {
        bipeds().into_iter().filter(|(clip, _)| clip.name.starts_with(maker)).collect()
    };
    let mut groups = vec![of_maker("ada"), of_maker("bo")];
    for (set, part) in
        [("lafan1", "_subject1"), ("bandai", "dataset-2"), ("cmu", ""), ("accad", ""), ("cmu-asf", "16_")]
    {
        let Some(paths) = common::mocap(set) else { continue };
        let named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(part));
        let paths: Vec<&PathBuf> = paths.iter().filter(named).collect();
        let few = paths.iter().step_by(paths.len() / 5 + 1).map(|path| read(path));
        groups.push(few.map(|clip| (infer(&clip), clip)).map(|(rig, clip)| (clip, rig)).collect());
    }
    for group in groups {
        let first = offsets(&to_canonical(&group[0].0, &group[0].1).unwrap().clip);
        for (clip, rig) in &group[1..] {
            assert!(rig.warnings.is_empty(), "{}: {:?}", clip.name, rig.warnings);
            let body = to_canonical(clip, rig).unwrap();
            let apart = apart(&first, &offsets(&body.clip));
            println!("{} and {}: {apart:.1e} m", group[0].0.name, clip.name);
            assert!(apart < 1e-5, "{} and {}: {apart} m", group[0].0.name, clip.name);
        }
    }
}

/// Measures the mean forward lean over a clip, degrees: of the line from hips to neck, and of the bone above the chest
/// joint. Both are relative to the heading of hips and shoulders.
fn lean(clip: &Clip, rig: &Rig) -> [f32; 2] {
    let mut sums = [0.0; 2];
    for frame in 0..clip.frames() {
        let pose = Pose::from_clip(clip, frame);
        let ahead = facing(&pose, rig);
        let at = |role: Role| pose.world_positions[rig.joint(role).unwrap()];
        let pitch = |line: Vec3| line.dot(ahead).atan2(line.y).to_degrees() / clip.frames() as f32;
        sums[0] += pitch(at(Role::Neck) - at(Role::Hips));
        sums[1] += pitch(at(Role::Neck) - at(Role::Spine2));
    }
    sums
}

/// Measures the mean forward lean of a canonical clip's chest by its rotation alone, degrees.
fn chest(body: &Clip) -> f32 {
    let pitch = |frame: usize| {
        let chest = Pose::from_clip(body, frame).world_rotations[Role::Spine2 as usize] * Vec3::Y;
        let ahead = GroundPose::from_clip(body, frame).rotation() * Vec3::Z;
        chest.dot(ahead).atan2(chest.y).to_degrees()
    };
    (0..body.frames()).map(pitch).sum::<f32>() / body.frames() as f32
}

#[test]
fn stooped_walks_stay_stooped() {
    let Some(paths) = common::mocap("bandai") else { return };
    let plain = Rig { joints: std::array::from_fn(Some), kind: RigKind::Biped, warnings: Vec::new() };
    let mean = |set: &str, style: &str| -> [f32; 5] {
        let part = format!("dataset-{set}_walk_{style}_");
        let files: Vec<_> = paths.iter().filter(|path| path.to_string_lossy().contains(&part)).take(12).collect();
        let mut sums = [0.0; 5];
        for path in &files {
            let clip = read(path);
            let rig = infer(&clip);
            let body = to_canonical(&clip, &rig).unwrap().clip;
            let ([a, b], [c, d]) = (lean(&clip, &rig), lean(&body, &plain));
            let turned = chest(&body);
            sums.iter_mut().zip([a, c, b, d, turned]).for_each(|(sum, value)| *sum += value / files.len() as f32);
        }
        sums
    };
    println!(
        "lean against normal, degrees: hips to neck in the world, canonical; chest in the world, canonical, its rotation"
    );
    for (set, styles) in [("2", ["elderly", "exhausted", "masculine"]), ("1", ["old", "tired", "masculinity"])] {
        let normal = mean(set, "normal");
        for style in styles {
            let own = mean(set, style);
            let [world, canonical, world_chest, canonical_chest, turned] = std::array::from_fn(|i| own[i] - normal[i]);
            println!(
                "set {set}, {style:12} {world:7.2} {canonical:7.2} ({:.1} %)   {world_chest:7.2} {canonical_chest:7.2} \
                 {turned:7.2} ({:.1} %)",
                100.0 * canonical / world,
                100.0 * turned / world_chest
            );
            assert!(canonical / world >= 0.95, "{style}: {canonical} of {world} degrees");
            assert!(canonical_chest / world_chest >= 0.95, "{style}: {canonical_chest} of {world_chest} degrees");
            // For small chest angles one degree is a large share.
            assert!((turned - world_chest).abs() <= (0.05 * world_chest.abs()).max(0.5), "{style}: {turned} degrees");
        }
    }
}

#[test]
fn a_pose_is_the_same_on_another_rig_and_back() {
    let (Some(lafan), Some(bandai)) = (common::mocap("lafan1"), common::mocap("bandai")) else { return };
    let find = |files: &[PathBuf], part: &str| {
        let path = files.iter().find(|file| file.to_string_lossy().contains(part)).unwrap();
        let clip = read(path);
        let clip = clip.trimmed(0..clip.frames().min(900)).unwrap();
        (infer(&clip), clip)
    };
    let (target_rig, target) = find(&bandai, "dataset-1_walk_normal");
    for name in ["walk4_subject1", "multipleActions1_subject3", "dance1_subject2"] {
        let (rig, clip) = find(&lafan, name);
        let there = retarget(&clip, &rig, &target, &target_rig).unwrap();
        let back = retarget(&there, &target_rig, &clip, &rig).unwrap();
        let [own, there, back] = [(&clip, &rig), (&there, &target_rig), (&back, &rig)]
            .map(|(clip, rig)| to_canonical(clip, rig).unwrap().clip);
        println!("{name}: degrees on the other rig, and back; median, 95 %, most");
        let mut all = Vec::new();
        for (joint, info) in biped().joints.iter().enumerate() {
            let off = |other: &Clip| {
                let mut off: Vec<f32> = (0..clip.frames())
                    .map(|frame| {
                        let [a, b] = [&own, other].map(|clip| Pose::from_clip(clip, frame).world_rotations[joint]);
                        2.0 * (a * b.inverse()).xyz().length().clamp(0.0, 1.0).asin().to_degrees()
                    })
                    .collect();
                off.sort_by(f32::total_cmp);
                off
            };
            let (there, back) = (off(&there), off(&back));
            let rank = |off: &[f32]| {
                format!("{:6.2} {:6.2} {:6.2}", off[off.len() / 2], off[off.len() * 95 / 100], off[off.len() - 1])
            };
            println!("  {:13} {}   {}", info.name, rank(&there), rank(&back));
            all.extend(back);
        }
        all.sort_by(f32::total_cmp);
        let most = all[all.len() * 95 / 100];
        assert!(most < 2.0, "{name}: {most} degrees");
    }
}

/// Returns the motion on joints whose x axis is along the bone: a rest pose without information about the body.
fn stick(clip: &Clip) -> Clip {
    let joints = clip.skeleton().joints();
    let bone = |joint: usize| clip.skeleton().children(joint).next().map(|child| joints[child].offset);
    let turn: Vec<Quat> = (0..joints.len())
        .map(|joint| {
            let bone = bone(joint).and_then(Vec3::try_normalize);
            bone.map_or(Quat::IDENTITY, |bone| {
                Quat::from_rotation_arc(Vec3::X, bone) * Quat::from_rotation_x(FRAC_PI_2)
            })
        })
        .collect();
    let above = |joint: usize| joints[joint].parent.map_or(Quat::IDENTITY, |parent| turn[parent].inverse());
    let laid = |(joint, info): (usize, &Joint)| Joint {
        offset: above(joint) * info.offset,
        end_sites: info.end_sites.iter().map(|&site| turn[joint].inverse() * site).collect(),
        ..info.clone()
    };
    let skeleton = Skeleton::new(joints.iter().enumerate().map(laid).collect(), clip.skeleton().space()).unwrap();
    let rotation = |(i, turned): (usize, &Quat)| above(i % joints.len()) * *turned * turn[i % joints.len()];
    let rotations = clip.rotations().iter().enumerate().map(rotation).collect();
    let seconds = clip.frame_time_secs();
    Clip::new("stick", Arc::new(skeleton), seconds, rotations, clip.translations().to_vec()).unwrap()
}

#[test]
fn an_unknown_stick_is_estimated_and_says_so() {
    let (clip, rig) = bipeds().into_iter().find(|(clip, _)| clip.name == "ada-walk").unwrap();
    let stick = stick(&clip);
    let stick_rig = infer(&stick);
    assert_eq!(stick_rig.joints, rig.joints);
    // It has LAFAN1's joint names, but other axes.
    assert!(stick_rig.warnings.iter().any(|warning| warning.contains("estimated")), "{:?}", stick_rig.warnings);
    let [own, made] = [(&clip, &rig), (&stick, &stick_rig)].map(|(clip, rig)| to_canonical(clip, rig).unwrap().clip);
    for frame in 0..clip.frames() {
        let (a, b) = (Pose::from_clip(&own, frame), Pose::from_clip(&made, frame));
        for role in Role::ALL {
            let joint = role as usize;
            let apart = a.world_positions[joint].distance(b.world_positions[joint]);
            assert!(apart < 1e-3, "frame {frame}, {role:?}: {apart} m");
        }
        use Role::*;
        for role in [Hips, LeftUpLeg, LeftLeg, RightUpLeg, RightLeg, Spine, Spine1] {
            let off = a.world_rotations[role as usize].angle_between(b.world_rotations[role as usize]).to_degrees();
            assert!(off < 20.0, "frame {frame}, {role:?}: {off} degrees");
        }
    }
}
