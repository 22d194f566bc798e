//! Training windows of the delta in-betweener, with random starts, lengths and mirroring.

use crate::takes::{Cut, Source};
use glam::{Mat3, Quat, Vec3};
use kinestitch::body::poses::{PAST, Poses, ROLES, TARGET, joint_positions, parent_index};
use kinestitch::feature::delta::{NetworkInput, encode};
use kinestitch::motion::rig::Role;
use rand::Rng;
use rand::rngs::StdRng;

/// Input of the network for one window, with the recorded gap.
pub struct Sample {
    /// Input of the network.
    pub input: NetworkInput,
    /// Recorded gap, in the coordinate system of the input.
    pub truth: Poses,
    /// Joint positions of the frames before and after the gap, in the coordinate system of the input.
    pub ends: [[Vec3; ROLES]; 2],
    /// Joint offsets of the skeleton, metres.
    pub offsets: [Vec3; ROLES],
    /// Contacts of the gap, [gap × 4].
    pub contacts: Vec<f32>,
    /// Poses of the last frame before and the first frame after the gap.
    keys: [Poses; 2],
}

impl Sample {
    /// Computes the world rotations of a recorded frame of the gap.
    pub fn world_rotations(&self, frame: usize) -> [Mat3; ROLES] {
        let mut world = [Quat::IDENTITY; ROLES];
        for (role, rotation) in self.truth.pose(frame).iter().enumerate() {
            world[role] = if role == 0 { *rotation } else { world[parent_index(Role::ALL[role])] * *rotation };
        }
        world.map(Mat3::from_quat)
    }

    /// Interpolates between the keys ([`interpolate_linearly`]). The L2P of this interpolation is the reference of
    /// [`super::check::Ratios`].
    pub fn interpolation(&self) -> Poses {
        let [from, to] = &self.keys;
        interpolate_linearly(from, to, self.truth.len())
    }
}

/// Interpolates `gap` frames between the last frame of `past` and the first frame of `target`: slerp of rotations,
/// straight lines of the hips.
pub fn interpolate_linearly(past: &Poses, target: &Poses, gap: usize) -> Poses {
    let last = past.len() - 1;
    let mut poses = Poses::default();
    for step in 1..=gap {
        let weight = step as f32 / (gap + 1) as f32;
        let rotations = past.pose(last).iter().zip(target.pose(0)).map(|(a, b)| a.slerp(*b, weight));
        poses.push(past.hips[last].lerp(target.hips[0], weight), rotations);
    }
    poses
}

/// Lengths of a window, frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Known frames before the gap.
    pub past: usize,
    /// Frames of the gap.
    pub gap: usize,
    /// Known frames after the gap.
    pub target: usize,
}

impl Window {
    /// The shortest window that [`Window::draw`] returns.
    pub const SHORTEST: Self = Self { past: 1, gap: 2, target: 1 };

    /// Returns the total number of frames.
    pub fn frames(self) -> usize {
        self.past + self.gap + self.target
    }

    /// Draws random lengths. Most windows have ten past frames and one target frame, as in the LAFAN1 benchmark. A
    /// quarter of the gaps have 31 to `longest` frames.
    pub fn draw(rng: &mut StdRng, longest: usize) -> Self {
        let past = if rng.random_bool(0.85) { PAST } else { rng.random_range(1..PAST) };
        let target = if rng.random_bool(0.7) { 1 } else { rng.random_range(2..=TARGET) };
        let gap = if rng.random_bool(0.75) { rng.random_range(2..=30) } else { rng.random_range(31..=longest) };
        Self { past, gap, target }
    }
}

/// Draws a random sample with a gap of 2 to `longest` frames.
pub fn draw(source: &Source, rng: &mut StdRng, longest: usize) -> Sample {
    loop {
        let window = Window::draw(rng, longest);
        if let Some(cut) = source.cut(rng, window.frames()) {
            return sample(&cut, window);
        }
    }
}

/// Creates the sample of the window at the start of a cut.
pub fn sample(cut: &Cut, window: Window) -> Sample {
    let Window { past, gap, target } = window;
    let offsets = cut.offsets();
    let (past_poses, target_poses) = (cut.poses(0, past), cut.poses(past + gap, target));
    let input = encode(&past_poses, &target_poses, gap, &offsets, cut.ground());
    let truth = cut.poses(past, gap).to_local(input.ground);
    let [past_poses, target_poses] = [past_poses, target_poses].map(|poses| poses.to_local(input.ground));
    let ends = [
        joint_positions(past_poses.hips[past - 1], past_poses.pose(past - 1), &offsets),
        joint_positions(target_poses.hips[0], target_poses.pose(0), &offsets),
    ];
    let contacts = cut.contacts(past, gap);
    let key =
        |poses: &Poses, frame: usize| Poses { hips: vec![poses.hips[frame]], rotations: poses.pose(frame).to_vec() };
    let keys = [key(&past_poses, past - 1), key(&target_poses, 0)];
    Sample { input, truth, ends, offsets, contacts, keys }
}
