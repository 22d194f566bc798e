//! Mirroring of real skeletons, whose joint axes are not symmetric.

mod common;

use glam::Vec3;
use kinestitch::Clip;
use kinestitch::motion::bvh::parse;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::mirror::mirror;
use kinestitch::motion::rig::{Role, facing, infer};

fn clips() -> Vec<Clip> {
    let wanted = [
        ("lafan1", "dance1_subject2", 600),
        ("lafan1", "ground1_subject1", 600),
        ("bandai", "dataset-2_run_active_010", 300),
        ("cmu", "08_01", 300),
        ("samples", "walk_and_turn", 300),
        ("samples", "xia", 300),
        ("samples", "scientific", 100),
    ];
    let read = |(set, part, frames): (&str, &str, usize)| {
        let file = common::mocap(set)?.into_iter().find(|file| file.display().to_string().contains(part))?;
        let clip = parse(part, &std::fs::read(file).unwrap()).unwrap().clip;
        let start = usize::from(set == "cmu");
        Some(clip.trimmed(start..clip.frames().min(start + frames)).unwrap())
    };
    let own = ["ada-turn", "bo-run"].map(|name| {
        let path = format!("{}/tests/fixtures/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
        parse(name, &std::fs::read(path).unwrap()).unwrap().clip
    });
    own.into_iter().chain(wanted.into_iter().filter_map(read)).collect()
}

#[test]
fn twice_is_once_too_often() {
    for clip in clips() {
        let rig = infer(&clip);
        let back = mirror(&mirror(&clip, &rig).unwrap(), &rig).unwrap();
        let turned =
            clip.rotations().iter().zip(back.rotations()).map(|(a, b)| a.angle_between(*b)).fold(0.0, f32::max);
        let moved =
            clip.translations().iter().zip(back.translations()).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        println!("{}: {:.4} degrees, {:.6} m", clip.name, turned.to_degrees(), moved);
        assert!(turned.to_degrees() < 0.5 && moved < 1e-4, "{}: {turned} rad, {moved} m", clip.name);
    }
}

#[test]
fn sides_change_places() {
    let mirrored = |v: Vec3| v * Vec3::new(-1.0, 1.0, 1.0);
    for clip in clips() {
        let rig = infer(&clip);
        let other = mirror(&clip, &rig).unwrap();
        let mut most = (0.0_f32, Role::Hips);
        for frame in 0..clip.frames() {
            let (a, b) = (Pose::from_clip(&clip, frame), Pose::from_clip(&other, frame));
            for role in Role::ALL {
                if let (Some(joint), Some(opposite)) = (rig.joint(role), rig.joint(role.opposite())) {
                    let off = mirrored(a.world_positions[joint]).distance(b.world_positions[opposite]);
                    if off > most.0 {
                        most = (off, role);
                    }
                }
            }
            let turned = mirrored(facing(&a, &rig)).angle_between(facing(&b, &rig)).to_degrees();
            assert!(turned < 5.0, "{}, frame {frame}: faces {turned} degrees away", clip.name);
        }
        println!("{}: {:.1} cm at {:?}", clip.name, most.0 * 100.0, most.1);
        // Bodies are not exactly symmetric: xia's right leg is 2 % longer, and LAFAN1's hips joint is off the middle.
        assert!(most.0 < 0.05, "{}: {most:?}", clip.name);
    }
}

#[test]
fn dogs_change_sides() {
    let Some(file) = common::mocap("dog").map(|files| files[0].clone()) else { return };
    let clip = parse("dog", &std::fs::read(file).unwrap()).unwrap().clip;
    let clip = clip.trimmed(0..clip.frames().min(300)).unwrap();
    let other = mirror(&clip, &infer(&clip)).unwrap_or_else(|error| panic!("{error}"));
    let joint = |name: &str| clip.skeleton().joints().iter().position(|joint| joint.name == name).unwrap();
    for part in ["Hand", "Foot"] {
        let (left, right) = (joint(&format!("Left{part}")), joint(&format!("Right{part}")));
        for frame in 0..clip.frames() {
            let (a, b) = (Pose::from_clip(&clip, frame), Pose::from_clip(&other, frame));
            let (was, is) = (a.world_positions[left], b.world_positions[right]);
            let off = (was * Vec3::new(-1.0, 1.0, 1.0)).distance(is);
            assert!(off < 0.05, "{part}, frame {frame}: {off} m");
        }
    }
}
