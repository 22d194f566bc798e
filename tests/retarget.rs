//! Retargeting between skeletons of different makers.

mod common;

use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::motion::bvh::parse;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::axes::Axes;
use kinestitch::motion::rig::{Rig, Role, facing, infer};

/// A recording whose name contains `part`, cut to at most `frames` frames; `None` without the recordings.
fn recording(set: &str, part: &str, frames: usize) -> Option<(Clip, Rig)> {
    let file = common::mocap(set)?.into_iter().find(|file| file.display().to_string().contains(part)).unwrap();
    let clip = parse(part, &std::fs::read(&file).unwrap()).unwrap().clip;
    // CMU's first frame is a reference pose.
    let start = usize::from(set == "cmu").min(clip.frames() - 1);
    let clip = clip.trimmed(start..clip.frames().min(start + frames)).unwrap();
    let rig = infer(&clip);
    Some((clip, rig))
}

const BONES: [(Role, Role); 11] = [
    (Role::LeftUpLeg, Role::LeftLeg),
    (Role::RightUpLeg, Role::RightLeg),
    (Role::LeftLeg, Role::LeftFoot),
    (Role::RightLeg, Role::RightFoot),
    (Role::LeftArm, Role::LeftForeArm),
    (Role::RightArm, Role::RightForeArm),
    (Role::LeftForeArm, Role::LeftHand),
    (Role::RightForeArm, Role::RightHand),
    (Role::LeftFoot, Role::LeftToe),
    (Role::Hips, Role::Neck),
    (Role::Neck, Role::Head),
];

struct Errors {
    degrees: Vec<Vec<f32>>,
    ankle_cm: Vec<f32>,
    sole: Vec<f32>,
    head: Vec<f32>,
    knees_back: usize,
}

fn middle(values: &[f32], part: f32) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(((sorted.len() as f32 * part) as usize).min(sorted.len().saturating_sub(1))).copied().unwrap_or(f32::NAN)
}

/// Compares frame by frame.
fn compare(a: &Clip, ra: &Rig, b: &Clip, rb: &Rig) -> Errors {
    let mut errors = Errors { degrees: vec![vec![]; 11], ankle_cm: vec![], sole: vec![], head: vec![], knees_back: 0 };
    let low = |clip: &Clip, rig: &Rig, role: Role| -> Vec<f32> {
        (0..clip.frames()).map(|f| Pose::of(clip, f).world_positions[rig.joint(role).unwrap()].y).collect()
    };
    for role in [Role::LeftFoot, Role::RightFoot] {
        let (ya, yb) = (low(a, ra, role), low(b, rb, role));
        let (la, lb) = (middle(&ya, 0.1), middle(&yb, 0.1));
        for (y, z) in ya.iter().zip(&yb) {
            if *y < la + 0.02 {
                errors.ankle_cm.push(((z - lb) - (y - la)).abs() * 100.0);
            }
        }
    }
    for frame in 0..a.frames() {
        let (pa, pb) = (Pose::of(a, frame), Pose::of(b, frame));
        for (i, (from, to)) in BONES.into_iter().enumerate() {
            let bone = |pose: &Pose, rig: &Rig| Some(pose.world_positions[rig.joint(to)?] - pose.world_positions[rig.joint(from)?]);
            if let (Some(x), Some(y)) = (bone(&pa, ra), bone(&pb, rb)) {
                errors.degrees[i].push(x.angle_between(y).to_degrees());
            }
        }
        for (thigh, knee, foot) in
            [(Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot), (Role::RightUpLeg, Role::RightLeg, Role::RightFoot)]
        {
            let at = |pose: &Pose, rig: &Rig, role: Role| pose.world_positions[rig.joint(role).unwrap()];
            let bend = |pose: &Pose, rig: &Rig| {
                let (t, k, f) = (at(pose, rig, thigh), at(pose, rig, knee), at(pose, rig, foot));
                (k - t).reject_from(f - t)
            };
            let (x, y) = (bend(&pa, ra), bend(&pb, rb));
            errors.knees_back += usize::from(x.length() > 0.02 && y.dot(x) < 0.0);
        }
    }
    errors
}

#[test]
fn limbs_point_where_the_sources_do() {
    let clips: Vec<(&str, Option<(Clip, Rig)>)> = vec![
        ("lafan1 walk", recording("lafan1", "walk4_subject1", 900)),
        ("lafan1 aiming", recording("lafan1", "multipleActions1_subject3", 900)),
        ("bandai run", recording("bandai", "dataset-1_run_normal", 400)),
        ("bandai walk", recording("bandai", "dataset-1_walk_normal", 400)),
        ("cmu walk", recording("cmu", "08_01", 600)),
        ("cmu run", recording("cmu", "09_01", 400)),
        ("idle/run sample", recording("samples", "run_forward", 100)),
        ("walk sample", recording("samples", "walk_forward", 100)),
        ("xia", recording("samples", "xia", 300)),
        ("pfnn", recording("samples", "pfnn", 60)),
        ("scientific", recording("samples", "scientific", 100)),
    ];
    let clips: Vec<(&str, Clip, Rig)> = clips.into_iter().filter_map(|(n, c)| c.map(|(c, r)| (n, c, r))).collect();
    println!("{:34} thigh      shin       arm        forearm    foot       trunk      neck      ankle cm   knees", "");
    for (from_name, from, from_rig) in &clips {
        for (to_name, to, to_rig) in &clips {
            if from.skeleton().same_topology(to.skeleton()) {
                continue;
            }
            let result = retarget(from, from_rig, to, to_rig).unwrap();
            let e = compare(from, from_rig, &result, to_rig);
            let pair = |i: usize, j: usize| [e.degrees[i].clone(), e.degrees[j].clone()].concat();
            let cell = |v: Vec<f32>| format!("{:4.1}/{:4.1}", middle(&v, 0.5), middle(&v, 0.95));
            println!(
                "{:34} {} {}  {}  {}  {}  {}  {}  {}  {}",
                format!("{from_name} -> {to_name}"),
                cell(pair(0, 1)), cell(pair(2, 3)), cell(pair(4, 5)), cell(pair(6, 7)), cell(e.degrees[8].clone()),
                cell(e.degrees[9].clone()), cell(e.degrees[10].clone()), cell(e.ankle_cm.clone()), e.knees_back,
            );
        }
    }
}
