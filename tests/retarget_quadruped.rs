//! Quadrupeds: detected by shape, and retargeted to each other.

use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::motion::bvh::parse;
use kinestitch::motion::clip::Clip as Motion;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::quadruped::{Leg, Quadruped};
use kinestitch::motion::rig::{RigKind, infer};
use kinestitch::motion::skeleton::{Channel, Joint, Skeleton};
use std::sync::Arc;

fn fixture(name: &str) -> Clip {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.bvh"));
    parse(name, &std::fs::read(file).unwrap()).unwrap().clip
}

/// Returns "Cleo" as a larger animal by another maker: meaningless names, rotated, longer forelegs, hind paws on
/// separate controls. One frame, at rest.
fn other() -> Clip {
    let cleo = fixture("cleo-walk");
    let (size, turn) = (1.8, Quat::from_rotation_y(2.0));
    let rest = |joint: usize| -> Vec3 {
        let way = std::iter::successors(Some(joint), |&joint| cleo.skeleton().joints()[joint].parent);
        way.map(|joint| cleo.skeleton().joints()[joint].offset).sum()
    };
    let mut joints: Vec<Joint> = Vec::new();
    let mut controls: Vec<Joint> = Vec::new();
    let mut index = vec![None; cleo.joints()];
    for (at, joint) in cleo.skeleton().joints().iter().enumerate() {
        let long = if joint.name.starts_with("Wrist") { 1.15 } else { 1.0 };
        let made = |parent: Option<usize>, offset: Vec3, number: usize| Joint {
            name: format!("b{number}"),
            parent,
            offset: turn * offset * size,
            end_sites: joint.end_sites.iter().map(|site| turn * *site * size).collect(),
            ..joint.clone()
        };
        if joint.name.starts_with("HindPaw") {
            let channels = cleo.skeleton().joints()[0].channels.clone();
            controls.push(Joint { channels, ..made(None, rest(at), 100 + at) });
        } else {
            let parent = joint.parent.and_then(|parent| index[parent]);
            joints.push(made(parent, joint.offset * long, at));
            index[at] = Some(joints.len() - 1);
        }
    }
    joints.extend(controls);
    let translations =
        joints.iter().filter(|joint| joint.channels.contains(&Channel::Xposition)).map(|joint| joint.offset).collect();
    let rotations = vec![Quat::IDENTITY; joints.len()];
    let skeleton = Arc::new(Skeleton::new(joints, cleo.skeleton().space()).unwrap());
    Motion::new("other", skeleton, 1.0 / 30.0, rotations, translations).unwrap()
}

fn names(clip: &Clip, joints: &[usize]) -> String {
    joints.iter().map(|&joint| clip.skeleton().joints()[joint].name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_body_is_found_by_its_shape() {
    let clip = fixture("cleo-walk");
    let body = Quadruped::detect(&clip).unwrap();
    assert_eq!(names(&clip, &body.trunk), "Pelvis Loin Back Chest");
    assert_eq!(names(&clip, &body.neck), "Chest NeckBase Skull");
    assert_eq!(names(&clip, &body.tail), "TailA TailB TailC");
    let leg = |leg: &Leg| format!("{} | {}", names(&clip, &leg.joints), names(&clip, &leg.toes));
    let legs = body.legs.each_ref().map(leg);
    assert_eq!(legs[0], "FemurL TibiaL HockL | HindPawL");
    assert_eq!(legs[3], "HumerusR RadiusR WristR | ForePawR");
    assert_eq!(body.legs[2].shoulder_blade.map(|blade| names(&clip, &[blade])).as_deref(), Some("ScapulaL"));

    // The same without names, rotated, with paws attached elsewhere.
    let clip = other();
    let found = Quadruped::detect(&clip).unwrap();
    assert_eq!(infer(&clip).kind, RigKind::Quadruped);
    assert_eq!(found.legs.each_ref().map(|leg| leg.joints.len()), body.legs.each_ref().map(|leg| leg.joints.len()));
    assert_eq!((found.trunk.len(), found.tail.len()), (body.trunk.len(), body.tail.len()));
    // It faces +z; left is +x.
    let paws = found.paws(&found.standing_pose);
    assert!(paws[0].x > 0.05 && paws[1].x < -0.05 && paws[2].z > paws[0].z + 0.5, "{paws:?}");
    let hung = clip.skeleton().find("b100").or(clip.skeleton().find("b114"));
    assert!(hung.is_none_or(|paw| found.parents[paw].is_some()));
}

#[test]
fn what_is_no_such_body_is_told_in_a_sentence() {
    let why = Quadruped::detect(&fixture("ada-walk")).unwrap_err();
    assert!(why.contains("four legs"), "{why}");
    let (dog, person) = (fixture("cleo-walk"), fixture("ada-walk"));
    for (from, to) in [(&dog, &person), (&person, &dog)] {
        assert_eq!(retarget(from, &infer(from), to, &infer(to)).unwrap_err().code(), "rig");
    }
}

#[test]
fn paws_stand_where_they_stood_on_another_body() {
    let target = other();
    let to = Quadruped::detect(&target).unwrap();
    for name in ["cleo-walk", "cleo-trot"] {
        let clip = fixture(name);
        let from = Quadruped::detect(&clip).unwrap();
        let made = retarget(&clip, &infer(&clip), &target, &infer(&target)).unwrap();
        assert_eq!((made.frames(), made.skeleton()), (clip.frames(), target.skeleton()));
        let scale = to.hip_height() / from.hip_height();
        let paws = |clip: &Clip, body: &Quadruped, frame: usize| body.paws(&Pose::from_clip(clip, frame));
        let still_from = from.paws(&from.standing_pose);
        // Cleo's ground is at y = 0, the other's at its rest pose.
        let still_to = paws(&target, &to, 0);
        let (mut slid, mut stood) = (0.0_f32, 0);
        for frame in 1..made.frames() {
            let [own, before] = [frame, frame - 1].map(|frame| paws(&clip, &from, frame));
            let [now, then] = [frame, frame - 1].map(|frame| paws(&made, &to, frame));
            for leg in 0..4 {
                let (own_rise, rise) = (own[leg].y - still_from[leg].y, now[leg].y - still_to[leg].y);
                assert!(
                    (rise - own_rise * scale).abs() < 0.02 * scale,
                    "{name}, {frame}, {leg}: {rise} for {own_rise}"
                );
                if own[leg].distance(before[leg]) < 0.002 {
                    slid = slid.max((now[leg] - then[leg]).with_y(0.0).length());
                    stood += 1;
                }
            }
        }
        // The trunk has the same relative length; sliding comes from paws that stand apart from Cleo's positions.
        assert!(stood > 80 && slid < 0.01 * scale, "{name}: {slid} m in a frame, {stood} standing paws");
        // Knees keep their bend direction.
        let bend = |pose: &Pose, leg: &Leg| {
            let at = |joint: usize| pose.world_positions[joint];
            let (hip, knee) = (at(leg.joints[0]), at(leg.joints[leg.knee]));
            (knee - hip).cross(leg.paw.world_position(pose) - knee)
        };
        for frame in 0..made.frames() {
            let pose = Pose::from_clip(&made, frame);
            let ahead = pose.world_positions[*to.trunk.last().unwrap()] - pose.world_positions[to.trunk[0]];
            let aside = Vec3::Y.cross(ahead).normalize();
            for leg in &to.legs {
                let rested = bend(&to.standing_pose, leg).x;
                assert!(bend(&pose, leg).dot(aside) * rested > 0.0, "{name}, {frame}: {}", names(&target, &leg.joints));
            }
        }
    }
}

#[test]
fn a_motion_comes_back_nearly_as_it_went() {
    let (clip, target) = (fixture("cleo-walk"), other());
    let there = retarget(&clip, &infer(&clip), &target, &infer(&target)).unwrap();
    let back = retarget(&there, &infer(&target), &clip, &infer(&clip)).unwrap();
    for frame in 0..clip.frames() {
        let (own, made) = (Pose::from_clip(&clip, frame), Pose::from_clip(&back, frame));
        for joint in 0..clip.joints() {
            let apart = own.world_positions[joint].distance(made.world_positions[joint]);
            assert!(apart < 0.06, "frame {frame}, {}: {apart} m", clip.skeleton().joints()[joint].name);
        }
    }
}
