//! Baselines of the published tables (Harvey et al. 2020).

use crate::window::{PAST, Window, World};
use glam::Quat;

/// Repeats the last past pose.
pub fn zero_velocity(window: &Window, gap: usize) -> World {
    let mut world = World::default();
    (0..gap).for_each(|_| world.push(&window.skeleton, window.roots[PAST - 1], window.pose(PAST - 1)));
    world
}

/// Interpolates to the target: linear for the root, slerp for the local rotations.
pub fn interpolation(window: &Window, gap: usize) -> World {
    let (from, to) = (PAST - 1, PAST + gap);
    let mut world = World::default();
    for (step, pose) in (1..).zip(interpolated_rotations(window, gap)) {
        let weight = step as f32 / (gap + 1) as f32;
        world.push(&window.skeleton, window.roots[from].lerp(window.roots[to], weight), &pose);
    }
    world
}

/// Returns the local rotations of the interpolation, `[gap][joints]`.
pub fn interpolated_rotations(window: &Window, gap: usize) -> impl Iterator<Item = Vec<Quat>> {
    (1..=gap).map(move |step| {
        let pairs = window.pose(PAST - 1).iter().zip(window.pose(PAST + gap));
        pairs.map(|(a, b)| a.slerp(*b, step as f32 / (gap + 1) as f32)).collect()
    })
}
