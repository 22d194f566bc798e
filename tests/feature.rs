//! Clip → canonical body → rows → canonical body → clip, on our own rigs and on every recording there is.

mod common;

use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::feature::apply::apply;
use kinestitch::feature::body::{Body, body_of};
use kinestitch::feature::decode;
use kinestitch::feature::encode::{LOWER, ground, rows};
use kinestitch::feature::layout::Refiner;
use kinestitch::motion::rig::{RigKind, Role, infer};
use kinestitch::motion::{bvh, fk};
use std::path::{Path, PathBuf};

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

/// Largest distance between the mapped joints of two clips in a frame, metres; one value a frame.
fn errors(a: &Clip, b: &Clip) -> Vec<f32> {
    let (pa, pb) = (fk::world_positions(a), fk::world_positions(b));
    let frame =
        |f: usize| (0..a.joints()).map(|j| pa[f * a.joints() + j].distance(pb[f * a.joints() + j])).fold(0.0, f32::max);
    (0..a.frames()).map(frame).collect()
}

/// Encodes a clip to rows and back onto its own skeleton.
fn there_and_back(clip: &Clip) -> Option<(Clip, Body)> {
    let rig = infer(clip);
    if rig.kind != RigKind::Biped || clip.frames() < 2 {
        return None;
    }
    let (body, _) = body_of(clip, &rig).unwrap();
    let (height, rest) = ground(&body);
    let rows = rows(&body, height, rest);
    let roots = decode::roots(&rows, body.root(0));
    let back = decode::body(&rows, &roots, &body, height);
    Some((apply(clip, &rig, &body, &back).unwrap(), body))
}

#[test]
fn no_edit_changes_no_bit() {
    for path in fixtures() {
        let clip = read(&path);
        let rig = infer(&clip);
        if let Ok((body, _)) = body_of(&clip, &rig) {
            assert_eq!(apply(&clip, &rig, &body, &body).unwrap(), clip, "{}", path.display());
        }
    }
}

#[test]
fn our_rigs_come_back_within_half_a_centimetre() {
    let mut seen = 0;
    for path in fixtures() {
        let clip = read(&path);
        let Some((back, _)) = there_and_back(&clip) else { continue };
        let worst = errors(&clip, &back).into_iter().fold(0.0, f32::max);
        assert!(worst < 0.005, "{}: {worst} m", path.display());
        seen += 1;
    }
    assert!(seen >= 10, "{seen} bipeds among the fixtures");
}

#[test]
fn recordings_come_back_within_half_a_centimetre_at_95_percent_of_frames() {
    for set in ["lafan1", "bandai", "cmu", "samples"] {
        let Some(paths) = common::mocap(set) else { continue };
        let (mut frames, mut near) = (0, 0);
        // Every fifth file, the first 600 frames of each: rigs matter here, not hours.
        for path in paths.iter().step_by(if set == "samples" { 1 } else { 5 }) {
            let clip = read(path);
            let clip = clip.trimmed(0..clip.frames().min(600)).unwrap();
            let Some((back, _)) = there_and_back(&clip) else { continue };
            let errors = errors(&clip, &back);
            frames += errors.len();
            near += errors.iter().filter(|&&error| error < 0.005).count();
        }
        let share = near as f32 / frames as f32;
        println!("{set}: {:.2} % of {frames} frames within 0.5 cm", share * 100.0);
        assert!(share >= 0.95, "{set}: {share}");
    }
}

#[test]
fn fingers_and_extra_joints_keep_their_local_motion() {
    let clip = read(&fixtures()[0]);
    let rig = infer(&clip);
    let (body, _) = body_of(&clip, &rig).unwrap();
    let mut bent = body.clone();
    for frame in 0..bent.frames() {
        bent.rotations[frame * 22 + Role::LeftLeg as usize] *= Quat::from_rotation_x(0.3);
        bent.hips[frame] += Vec3::new(0.0, -0.02, 0.0);
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

#[test]
fn rows_have_the_paper_s_width_and_adjoining_columns() {
    assert_eq!(Refiner::WIDTH, 161);
    assert_eq!(LOWER.len() * 3, Refiner::POSITION.width);
    let mut next = 0;
    for column in Refiner::COLUMNS {
        assert_eq!(column.start, next, "{}", column.name);
        next += column.width;
    }
    assert_eq!(next, Refiner::WIDTH);
}
