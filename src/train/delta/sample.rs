//! Windows for the delta in-betweener: random starts, lengths and sides.

use super::loss::FEET;
use crate::feature::delta::{CONTACTS, PAST, Poses, Question, ROLES, TARGET, flip, joints, opposite, question};
use crate::motion::rig::Role;
use crate::train::data::Recording;
use glam::Vec3;
use rand::Rng;
use rand::rngs::StdRng;

/// A recording on its canonical skeleton, 30 frames a second.
pub struct Take {
    /// The motion.
    pub poses: Poses,
    /// Offsets of its skeleton.
    pub offsets: [Vec3; ROLES],
    /// Height of the ground.
    pub ground: f32,
    /// Contacts, [frames × 4], 0 or 1.
    pub contacts: Vec<f32>,
}

impl Take {
    /// A packed recording.
    pub fn of(recording: &Recording) -> Self {
        let clip = &recording.clip;
        let joints = clip.skeleton().joints();
        let offsets = std::array::from_fn(|role| joints[role].offset);
        let poses = Poses { hips: clip.translations().to_vec(), rotations: clip.rotations().to_vec() };
        let contacts = contacts(&poses, &offsets, recording.ground, recording.rest);
        Self { poses, offsets, ground: recording.ground, contacts }
    }
}

/// A question with what the recording answers.
pub struct Sample {
    /// The question.
    pub question: Question,
    /// The recording's gap, local to the question's frame.
    pub truth: Poses,
    /// World positions of the frames before and after the gap, in the question's frame.
    pub ends: [[Vec3; ROLES]; 2],
    /// Offsets of the skeleton.
    pub offsets: [Vec3; ROLES],
    /// Contacts of the gap, [gap × 4].
    pub contacts: Vec<f32>,
    keys: [Poses; 2],
}

impl Sample {
    /// Slerp and straight lines, [gap], what ratios are taken to.
    pub fn plain(&self) -> Poses {
        let [from, to] = &self.keys;
        let mut poses = Poses::default();
        for step in 1..=self.truth.len() {
            let share = step as f32 / (self.truth.len() + 1) as f32;
            let turned = from.pose(0).iter().zip(to.pose(0)).map(|(a, b)| a.slerp(*b, share));
            poses.push(from.hips[0].lerp(to.hips[0], share), turned);
        }
        poses
    }
}

/// Frames of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Given before the gap.
    pub past: usize,
    /// To be filled.
    pub gap: usize,
    /// Given after it.
    pub target: usize,
}

impl Window {
    /// Frames in all.
    pub fn frames(self) -> usize {
        self.past + self.gap + self.target
    }

    /// A random window: mostly ten frames of past and one of target, as the benchmark has it; a quarter of the gaps are long.
    pub fn draw(rng: &mut StdRng) -> Self {
        let past = if rng.random_bool(0.85) { PAST } else { rng.random_range(1..PAST) };
        let target = if rng.random_bool(0.7) { 1 } else { rng.random_range(2..=TARGET) };
        let gap = if rng.random_bool(0.75) { rng.random_range(2..=30) } else { rng.random_range(31..=60) };
        Self { past, gap, target }
    }
}

/// Takes by set, each drawn from as often as its share says, and within a set by length.
pub struct Source {
    sets: Vec<(f64, Vec<Take>)>,
}

impl Source {
    /// Shares need not sum to 1. Takes shorter than the longest window are left out.
    pub fn new(sets: Vec<(f64, Vec<Take>)>) -> Self {
        Self { sets }
    }

    /// A random sample.
    pub fn draw(&self, rng: &mut StdRng) -> Sample {
        let window = Window::draw(rng);
        let total: f64 = self.sets.iter().map(|set| set.0).sum();
        let mut at = rng.random_range(0.0..total);
        let chosen = self.sets.iter().position(|set| {
            at -= set.0;
            at < 0.0
        });
        let takes = &self.sets[chosen.unwrap_or(self.sets.len() - 1)].1;
        let starts = |take: &Take| (take.poses.len() + 1).saturating_sub(window.frames());
        let mut start = rng.random_range(0..takes.iter().map(starts).sum::<usize>().max(1));
        for take in takes {
            if start < starts(take) {
                let lift = rng.random_range(-0.015..0.015);
                return sample(take, start, window, rng.random_bool(0.5), lift);
            }
            start -= starts(take);
        }
        self.draw(rng)
    }
}

/// The window of a take from a frame on; `lift` is added to the ground's height.
pub fn sample(take: &Take, start: usize, window: Window, mirrored: bool, lift: f32) -> Sample {
    let cut = |from: usize, count: usize| {
        let poses = Poses {
            hips: take.poses.hips[from..from + count].to_vec(),
            rotations: take.poses.rotations[from * ROLES..(from + count) * ROLES].to_vec(),
        };
        if mirrored { poses.mirrored() } else { poses }
    };
    let offsets = match mirrored {
        true => std::array::from_fn(|role| flip(take.offsets[opposite(role)])),
        false => take.offsets,
    };
    let Window { past, gap, target } = window;
    let (before, after) = (cut(start, past), cut(start + past + gap, target));
    let question = question(&before, &after, gap, &offsets, take.ground + lift);
    let truth = cut(start + past, gap).moved(question.frame);
    let (before, after) = (before.moved(question.frame), after.moved(question.frame));
    let ends = [
        joints(before.hips[past - 1], before.pose(past - 1), &offsets),
        joints(after.hips[0], after.pose(0), &offsets),
    ];
    let mut contacts = take.contacts[(start + past) * CONTACTS..][..gap * CONTACTS].to_vec();
    if mirrored {
        contacts.chunks_exact_mut(CONTACTS).for_each(|row| row.rotate_left(CONTACTS / 2));
    }
    let key = |poses: &Poses, at: usize| Poses { hips: vec![poses.hips[at]], rotations: poses.pose(at).to_vec() };
    let keys = [key(&before, past - 1), key(&after, 0)];
    Sample { question, truth, ends, offsets, contacts, keys }
}

/// Contacts of a motion: low over where the role rests, and slow.
pub fn contacts(poses: &Poses, offsets: &[Vec3; ROLES], ground: f32, rest: [f32; 4]) -> Vec<f32> {
    let places: Vec<_> = (0..poses.len()).map(|frame| joints(poses.hips[frame], poses.pose(frame), offsets)).collect();
    let mut out = Vec::with_capacity(poses.len() * CONTACTS);
    for frame in 0..poses.len() {
        for (foot, role) in FEET.iter().enumerate() {
            let at = |frame: usize| places[frame][*role as usize];
            let height = if matches!(role, Role::LeftFoot | Role::RightFoot) { 0.025 } else { 0.016 };
            let low = at(frame).y - ground - rest[foot] < height;
            let speed = at(frame).distance(at(frame.saturating_sub(1))) * crate::feature::delta::FPS as f32;
            out.push(f32::from(u8::from(low && speed < 0.5)));
        }
    }
    out
}
