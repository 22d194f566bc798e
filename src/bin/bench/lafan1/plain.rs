//! Methods without a network.

use crate::window::{PAST, Window, World};
use glam::Quat;
use kinestitch::Clip;
use kinestitch::method::blend::Frame;
use kinestitch::method::interpolate::{End, Speed, carried};
use kinestitch::motion::hinge::Hinge;
use kinestitch::motion::rig;

const FPS: f64 = 30.0;

/// Repeats the last given pose.
pub fn zero_velocity(window: &Window, gap: usize) -> World {
    let mut world = World::default();
    (0..gap).for_each(|_| world.push(&window.skeleton, window.roots[PAST - 1], window.pose(PAST - 1)));
    world
}

/// Straight line of the root, slerp of the local rotations, to the target.
pub fn interpolation(window: &Window, gap: usize) -> World {
    let (from, to) = (PAST - 1, PAST + gap);
    let mut world = World::default();
    for (step, pose) in (1..).zip(slerped(window, gap)) {
        let share = step as f32 / (gap + 1) as f32;
        world.push(&window.skeleton, window.roots[from].lerp(window.roots[to], share), &pose);
    }
    world
}

/// Local rotations of the interpolation, [gap] of [joints].
fn slerped(window: &Window, gap: usize) -> impl Iterator<Item = Vec<Quat>> {
    (1..=gap).map(move |step| {
        let pairs = window.pose(PAST - 1).iter().zip(window.pose(PAST + gap));
        pairs.map(|(a, b)| a.slerp(*b, step as f32 / (gap + 1) as f32)).collect()
    })
}

/// Knees and elbows, learned from recordings on one skeleton.
pub fn hinges(clips: &[Clip]) -> Vec<Hinge> {
    let clips: Vec<&Clip> = clips.iter().collect();
    clips.first().map_or_else(Vec::new, |first| Hinge::all(&clips, &rig::infer(first)))
}

/// What the method "inertialize" makes of it. The target is one frame here: only the past tells a speed.
pub fn inertialized(window: &Window, gap: usize, hinges: &[Hinge]) -> World {
    let pose = |frame: usize| Frame { rotations: window.pose(frame).to_vec(), translations: vec![window.roots[frame]] };
    let from = End { speed: Some(Speed::between(&pose(PAST - 2), &pose(PAST - 1), 1.0)), pose: pose(PAST - 1) };
    let to = End { pose: pose(PAST + gap), speed: None };
    let mut world = World::default();
    for (frame, like) in carried(&from, &to, gap, FPS, hinges).zip(slerped(window, gap)) {
        let signed = |(rotation, like): (&Quat, &Quat)| kinestitch::motion::quat::near(*rotation, *like);
        let pose: Vec<Quat> = frame.rotations.iter().zip(&like).map(signed).collect();
        world.push(&window.skeleton, frame.translations[0], &pose);
    }
    world
}
