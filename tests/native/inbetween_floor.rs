//! In-betweening near the floor: limbs are lifted and the body is raised where joints would be below it.

use crate::common::fixtures::fixture;
use crate::common::inbetween::{key, run};
use glam::{Quat, Vec3};
use kinestitch::inbetween::InbetweenOptions;
use kinestitch::method::filler::{Filler, Gap, Motion, OptionMap};
use kinestitch::method::frame::Frame;
use kinestitch::metrics;
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::rig::Role;
use kinestitch::motion::{clip::Clip, rig};

fn gap_of(frames: usize) -> InbetweenOptions {
    InbetweenOptions { frames: vec![frames], ..Default::default() }
}

/// Returns the walk as a body that lies on its back.
fn lying_walk() -> (Clip, rig::Rig) {
    let (mut clip, rig) = fixture("ada-walk");
    let (joints, frames) = (clip.joints(), clip.frames());
    for frame in 0..frames {
        let root = &mut clip.rotations_mut()[frame * joints];
        *root = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2) * *root;
        clip.translations_mut()[frame] = Vec3::new(0.0, 0.3, 0.01 * frame as f32);
    }
    (clip, rig)
}

/// Returns the walk as a body that kneels upright on both knees, on the ground at y = 0.
fn kneeling_walk() -> (Clip, rig::Rig) {
    let (mut clip, rig) = fixture("ada-walk");
    let (joints, frames) = (clip.joints(), clip.frames());
    let joint = |role: Role| rig.joint(role).unwrap();
    let knees = [joint(Role::LeftLeg), joint(Role::RightLeg)];
    for frame in 0..frames {
        let rotations = &mut clip.rotations_mut()[frame * joints..][..joints];
        for leg in [Role::LeftUpLeg, Role::RightUpLeg].map(joint) {
            rotations[leg] = Quat::IDENTITY;
        }
        for knee in knees {
            rotations[knee] = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        }
        clip.translations_mut()[frame] = Vec3::new(0.0, 0.0, 0.01 * frame as f32);
    }
    let lowest = lowest(&clip, &knees);
    clip.translations_mut().iter_mut().for_each(|hips| hips.y -= lowest);
    (clip, rig)
}

/// Returns the lowest height of joints in a clip, metres.
fn lowest(clip: &Clip, joints: &[usize]) -> f32 {
    let positions = world_positions(clip).into_iter().enumerate();
    let heights = positions.filter(|(index, _)| joints.contains(&(index % clip.joints()))).map(|(_, point)| point.y);
    heights.fold(f32::INFINITY, f32::min)
}

/// Slerp between the keys. In the middle of the gap, both thighs are rotated by `swing` radians in opposite directions,
/// and the root is lower by `drop` metres.
#[derive(Clone, Copy)]
struct Lowered {
    thighs: [usize; 2],
    swing: f32,
    drop: f32,
}

impl Filler for Lowered {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn with_options(&self, _: &OptionMap) -> kinestitch::Result<Box<dyn Filler>> {
        Ok(Box::new(*self))
    }

    fn fill(&self, gap: &Gap) -> kinestitch::Result<Motion> {
        let [from, to] = gap.ends.map(|end| &end.pose);
        let frame = |index: usize| {
            let fraction = (index + 1) as f32 / (gap.frames + 1) as f32;
            let middle = (std::f32::consts::PI * fraction).sin();
            let mut rotations: Vec<Quat> =
                from.rotations.iter().zip(&to.rotations).map(|(a, b)| a.slerp(*b, fraction)).collect();
            for (thigh, sign) in self.thighs.into_iter().zip([1.0, -1.0]) {
                rotations[thigh] *= Quat::from_rotation_x(sign * self.swing * middle);
            }
            let pairs = from.translations.iter().zip(&to.translations);
            let mut translations: Vec<Vec3> = pairs.map(|(a, b)| a.lerp(*b, fraction)).collect();
            translations[0].y -= self.drop * middle;
            Frame { rotations, translations }
        };
        Ok(Motion::Skeleton((0..gap.frames).map(frame).collect()))
    }
}

#[test]
fn legs_of_a_lying_body_stay_above_the_floor() {
    let lying = lying_walk();
    let (clip, rig) = (&lying.0, &lying.1);
    let roles = [Role::LeftFoot, Role::RightFoot, Role::LeftLeg, Role::RightLeg];
    let legs: Vec<usize> = roles.into_iter().map(|role| rig.joint(role).unwrap()).collect();
    let thighs = [Role::LeftUpLeg, Role::RightUpLeg].map(|role| rig.joint(role).unwrap());
    let filler = Lowered { thighs, swing: 0.5, drop: 0.0 };
    let lowest = |clip: &Clip| lowest(clip, &legs);
    let keys = [key(&lying, 20..21), key(&lying, 52..53)];
    let [free, locked] =
        [false, true].map(|foot_lock| run(&keys, &filler, &InbetweenOptions { foot_lock, ..gap_of(31) }).clip);
    assert!(lowest(&free) < lowest(clip) - 0.1, "free {}, keys {}", lowest(&free), lowest(clip));
    assert!(lowest(&locked) > lowest(clip) - 0.02, "locked {}, keys {}", lowest(&locked), lowest(clip));
    let speed = metrics::largest_step(&locked) / metrics::largest_step(&free);
    assert!(speed < 1.5, "limbs are {speed} times as fast");
}

#[test]
fn a_kneeling_body_with_low_hips_is_raised_and_its_feet_stay() {
    let kneeling = kneeling_walk();
    let rig = &kneeling.1;
    let joints = |roles: [Role; 2]| roles.map(|role| rig.joint(role).unwrap());
    let (knees, feet) = (joints([Role::LeftLeg, Role::RightLeg]), joints([Role::LeftFoot, Role::RightFoot]));
    let filler = Lowered { thighs: joints([Role::LeftUpLeg, Role::RightUpLeg]), swing: 0.0, drop: 0.12 };
    let keys = [key(&kneeling, 20..21), key(&kneeling, 21..22)];
    let [free, locked] =
        [false, true].map(|foot_lock| run(&keys, &filler, &InbetweenOptions { foot_lock, ..gap_of(31) }).clip);
    assert!(lowest(&free, &knees) < -0.1, "{}", lowest(&free, &knees));
    assert!(lowest(&locked, &knees) > -0.02, "{}", lowest(&locked, &knees));
    let highest_foot = |clip: &Clip| {
        let positions = world_positions(clip);
        positions.chunks(clip.joints()).flat_map(|pose| feet.map(|foot| pose[foot].y)).fold(f32::MIN, f32::max)
    };
    let rise = highest_foot(&locked) - highest_foot(&kneeling.0);
    assert!(rise < 0.02, "the feet rise by {rise} m");
}
