//! Damage of recordings: faults of capture, retargeting and generation, made on purpose.

use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::motion::quat::exp;
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::motion::root::Root;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::ops::Range;

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Damage {
    /// None: how much sound recordings change.
    None,
    /// White noise: of rotations in degrees, of the root in centimetres. Both are root mean squares of the length.
    White(f32, f32),
    /// The same below about 1 Hz.
    Slow(f32, f32),
    /// The way over the ground, from the first frame, times this factor.
    Way(f32),
    /// The whole body higher by this many centimetres.
    Height(f32),
    /// The whole motion tilted by this many degrees about the first position of the root.
    Tilt(f32),
    /// 2 % of the frames: some joints turned by 25 to 90°, or the root moved by 15 to 50 cm.
    Spikes,
    /// Every four seconds, 5 to 30 frames hold the pose before them.
    Dropouts,
    /// 4 % of the frames swapped with the next one. Seen in tuning runs, not tuned for.
    Swapped,
    /// One limb lags by 2 to 5 frames. Seen in tuning runs, not tuned for.
    Lag,
}

/// All kinds, as in the table.
pub const ALL: [Damage; 15] = [
    Damage::None,
    Damage::White(0.5, 0.5),
    Damage::White(1.5, 1.5),
    Damage::White(3.0, 3.0),
    Damage::Slow(0.5, 0.5),
    Damage::Slow(1.5, 1.5),
    Damage::Way(0.85),
    Damage::Way(1.15),
    Damage::Height(8.0),
    Damage::Height(-8.0),
    Damage::Tilt(4.0),
    Damage::Spikes,
    Damage::Dropouts,
    Damage::Swapped,
    Damage::Lag,
];

impl Damage {
    /// Returns the name for the table.
    pub fn name(self) -> String {
        match self {
            Damage::None => "sound".to_owned(),
            Damage::White(degrees, centimetres) => format!("white noise {degrees}°, {centimetres} cm"),
            Damage::Slow(degrees, centimetres) => format!("slow noise {degrees}°, {centimetres} cm"),
            Damage::Way(factor) => format!("way × {factor}"),
            Damage::Height(centimetres) => format!("floor {centimetres:+} cm"),
            Damage::Tilt(degrees) => format!("floor tilted {degrees}°"),
            Damage::Spikes => "spikes in 2 % of frames".to_owned(),
            Damage::Dropouts => "dropouts of 5 to 30 frames".to_owned(),
            Damage::Swapped => "swapped frames (unseen)".to_owned(),
            Damage::Lag => "lagging limb (unseen)".to_owned(),
        }
    }

    /// Returns the damaged clip, and the frames of spikes.
    pub fn apply(self, clip: &Clip, rig: &Rig, seed: u64) -> (Clip, Vec<usize>) {
        let mut rng = StdRng::seed_from_u64(seed);
        let root = Root::new(clip.skeleton(), &[clip], rig);
        let mut damaged = clip.clone();
        let mut spikes = Vec::new();
        match self {
            Damage::None => {}
            Damage::White(degrees, centimetres) => add_noise(&mut damaged, rig, [degrees, centimetres], 0.0, &mut rng),
            Damage::Slow(degrees, centimetres) => {
                let smoothing = 0.3 * clip.fps() as f32;
                add_noise(&mut damaged, rig, [degrees, centimetres], smoothing, &mut rng);
            }
            Damage::Way(factor) => {
                let mut first = None;
                root.slide(&mut damaged, |position, _| {
                    (position - *first.get_or_insert(position)).with_y(0.0) * (factor - 1.0)
                });
            }
            Damage::Height(centimetres) => root.slide(&mut damaged, |_, _| Vec3::Y * centimetres / 100.0),
            Damage::Tilt(degrees) => tilt(&mut damaged, &root, degrees, &mut rng),
            Damage::Spikes => spikes = add_spikes(&mut damaged, rig, &mut rng),
            Damage::Dropouts => add_dropouts(&mut damaged, &mut rng),
            Damage::Swapped => swap_frames(&mut damaged, &mut rng),
            Damage::Lag => lag(&mut damaged, rig, &mut rng),
        }
        (damaged, spikes)
    }
}

/// Returns normally distributed vectors; the root mean square of their length is 1.
fn normal(rng: &mut StdRng) -> Vec3 {
    let mut axis = || {
        let (u, v): (f32, f32) = (rng.random_range(1e-6..1.0), rng.random_range(0.0..std::f32::consts::TAU));
        (-2.0 * u.ln()).sqrt() * v.cos()
    };
    Vec3::new(axis(), axis(), axis()) / 3.0_f32.sqrt()
}

/// Returns noise, `[frames]`, whose length has a root mean square of 1; smoothed by a Gaussian, in frames.
fn noise(frames: usize, smoothing: f32, rng: &mut StdRng) -> Vec<Vec3> {
    let white: Vec<Vec3> = (0..frames).map(|_| normal(rng)).collect();
    if smoothing == 0.0 {
        return white;
    }
    let reach = (3.0 * smoothing) as isize;
    let weight = |distance: isize| (-0.5 * (distance as f32 / smoothing).powi(2)).exp();
    let smooth = |frame: usize| -> Vec3 {
        (-reach..=reach).map(|d| white[(frame as isize + d).rem_euclid(frames as isize) as usize] * weight(d)).sum()
    };
    let mut slow: Vec<Vec3> = (0..frames).map(smooth).collect();
    let size = (slow.iter().map(|v| v.length_squared()).sum::<f32>() / frames as f32).sqrt();
    slow.iter_mut().for_each(|v| *v /= size);
    slow
}

/// Joints of the body, without fingers and props.
fn body_joints(rig: &Rig) -> Vec<usize> {
    Role::ALL.into_iter().filter_map(|role| rig.joint(role)).collect()
}

fn add_noise(clip: &mut Clip, rig: &Rig, [degrees, centimetres]: [f32; 2], smoothing: f32, rng: &mut StdRng) {
    let joints = clip.joints();
    for joint in body_joints(rig) {
        for (frame, vector) in noise(clip.frames(), smoothing, rng).into_iter().enumerate() {
            let rotation = &mut clip.rotations_mut()[frame * joints + joint];
            *rotation = (*rotation * exp(vector * degrees.to_radians())).normalize();
        }
    }
    let Some(slot) = rig.joint(Role::Hips).and_then(|hips| clip.skeleton().translation_slot(hips)) else { return };
    let width = clip.skeleton().translated().len();
    for (frame, vector) in noise(clip.frames(), smoothing, rng).into_iter().enumerate() {
        clip.translations_mut()[frame * width + slot] += vector * centimetres / 100.0;
    }
}

fn tilt(clip: &mut Clip, root: &Root, degrees: f32, rng: &mut StdRng) {
    let angle: f32 = rng.random_range(0.0..std::f32::consts::TAU);
    let rotation = Quat::from_axis_angle(Vec3::new(angle.cos(), 0.0, angle.sin()), degrees.to_radians());
    let centre = root.pose(clip, 0).world_position.with_y(0.0);
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    let roots: Vec<usize> = (0..joints).filter(|joint| clip.skeleton().joints()[*joint].parent.is_none()).collect();
    for frame in 0..clip.frames() {
        for &joint in &roots {
            let Some(slot) = clip.skeleton().translation_slot(joint) else { continue };
            let position = &mut clip.translations_mut()[frame * width + slot];
            *position = rotation * (*position - centre) + centre;
            let local = &mut clip.rotations_mut()[frame * joints + joint];
            *local = (rotation * *local).normalize();
        }
    }
}

fn add_spikes(clip: &mut Clip, rig: &Rig, rng: &mut StdRng) -> Vec<usize> {
    let (joints, body) = (clip.joints(), body_joints(rig));
    let width = clip.skeleton().translated().len();
    let slot = rig.joint(Role::Hips).and_then(|hips| clip.skeleton().translation_slot(hips));
    let mut spikes = Vec::new();
    let mut frame = 10;
    while frame + 10 < clip.frames() {
        if rng.random_bool(0.0125) {
            let length = rng.random_range(1..=2);
            let moves_root = rng.random_bool(0.3);
            let count = rng.random_range(1..=4);
            let turned: Vec<usize> = (0..count).map(|_| body[rng.random_range(0..body.len())]).collect();
            let turns: Vec<Quat> = turned
                .iter()
                .map(|_| exp(normal(rng).normalize() * rng.random_range(25.0_f32..90.0).to_radians()))
                .collect();
            let shift = normal(rng).normalize() * rng.random_range(0.15..0.5);
            for frame in frame..frame + length {
                match slot {
                    Some(slot) if moves_root => clip.translations_mut()[frame * width + slot] += shift,
                    _ => {
                        for (joint, turn) in turned.iter().zip(&turns) {
                            let rotation = &mut clip.rotations_mut()[frame * joints + joint];
                            *rotation = (*rotation * *turn).normalize();
                        }
                    }
                }
                spikes.push(frame);
            }
            frame += length + 3;
        }
        frame += 1;
    }
    spikes
}

fn copy_frame(clip: &mut Clip, from: usize, to: usize) {
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    clip.rotations_mut().copy_within(from * joints..(from + 1) * joints, to * joints);
    clip.translations_mut().copy_within(from * width..(from + 1) * width, to * width);
}

/// Frames that hold the pose before them.
fn add_dropouts(clip: &mut Clip, rng: &mut StdRng) {
    let period = (4.0 * clip.fps()) as usize;
    let mut start = period / 2;
    while start + 60 < clip.frames() {
        let length: usize = rng.random_range(5..=30);
        let held: Range<usize> = start..start + length;
        held.for_each(|frame| copy_frame(clip, start - 1, frame));
        start += period;
    }
}

fn swap_frames(clip: &mut Clip, rng: &mut StdRng) {
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    let mut frame = 5;
    while frame + 5 < clip.frames() {
        if rng.random_bool(0.02) {
            for joint in 0..joints {
                clip.rotations_mut().swap(frame * joints + joint, (frame + 1) * joints + joint);
            }
            for slot in 0..width {
                clip.translations_mut().swap(frame * width + slot, (frame + 1) * width + slot);
            }
            frame += 3;
        }
        frame += 1;
    }
}

fn lag(clip: &mut Clip, rig: &Rig, rng: &mut StdRng) {
    let limbs = [
        [Role::LeftArm, Role::LeftForeArm, Role::LeftHand],
        [Role::RightArm, Role::RightForeArm, Role::RightHand],
        [Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot],
        [Role::RightUpLeg, Role::RightLeg, Role::RightFoot],
    ];
    let (limb, frames) = (limbs[rng.random_range(0..4)], rng.random_range(2..=5_usize));
    let joints = clip.joints();
    for joint in limb.into_iter().filter_map(|role| rig.joint(role)) {
        for frame in (frames..clip.frames()).rev() {
            let rotations = clip.rotations_mut();
            rotations[frame * joints + joint] = rotations[(frame - frames) * joints + joint];
        }
    }
}
