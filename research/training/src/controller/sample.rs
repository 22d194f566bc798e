//! Training rows of the controller (input, phases and output of a frame of a take), and the random choice of frames.

use super::take::{Course, Take};
use crate::weighted::Weighted;
use glam::Vec2;
use kinestitch::body::Character;
use kinestitch::feature::controller::{
    AHEAD, JOINT_WIDTH, Layout, NOW, SAMPLES, SPACING, next_phase, world_to_root, write_joint,
};
use rand::Rng;
use rand::rngs::StdRng;

/// Weight of the predicted phase, λ of eq. 2. The current phase after its predicted change has weight 1 − λ.
pub const PREDICTED_PHASE_WEIGHT: f32 = 0.5;

/// Probability that a frame at rest is kept when it is drawn.
const KEEP_AT_REST: f32 = 0.3;
/// Speed from which every drawn frame is kept, metres per second.
const KEEP_ALL_SPEED: f32 = 1.2;

/// Time before and after a frame at which [`RowWriter::draw_style`] also reads the direction of travel, seconds. With
/// it, starts and stops are included.
const COURSE_REACH_SECS: f64 = 0.7;

/// Writes rows for the frames of takes.
#[derive(Clone, Copy)]
pub struct RowWriter {
    /// Column layout of the rows.
    pub layout: Layout,
    /// Character whose joints, contacts and limbs the rows describe.
    pub character: &'static Character,
}

impl RowWriter {
    /// Writes the raw input row of a frame, [input columns], and the phase vectors of the gate, [13 × limbs × 2].
    pub fn input(&self, take: &Take, frame: usize, input: &mut [f32], phases: &mut [f32]) {
        let layout = &self.layout;
        let sample_frame = |sample: usize| self.sample_frame(take, frame, sample);
        self.path(take, frame, &mut input[layout.path()]);
        self.style(take.style, input);
        self.state(take, frame, &mut input[layout.state()]);
        for (sample, out) in input[layout.contact()].chunks_exact_mut(layout.contacts).enumerate() {
            out.copy_from_slice(take.contact(sample_frame(sample), layout.contacts));
        }
        for sample in 0..SAMPLES {
            for limb in 0..layout.limbs {
                let vector = take.phase(sample_frame(sample), limb, layout.limbs);
                vector.write_to_slice(&mut phases[2 * (sample * layout.limbs + limb)..]);
            }
        }
    }

    /// Returns the frame of a sample of the window around `frame`. Sample [`NOW`] is at `frame` itself. The
    /// returned frame can be outside of the take.
    fn sample_frame(&self, take: &Take, frame: usize, sample: usize) -> isize {
        frame as isize + (sample as isize - NOW as isize) * (SPACING * take.stride) as isize
    }

    /// Writes the path columns of a frame, [13 samples × sample width].
    pub fn path(&self, take: &Take, frame: usize, out: &mut [f32]) {
        let root = take.roots[frame];
        for (sample, out) in out.chunks_exact_mut(self.layout.sample_width()).enumerate() {
            self.layout.write_sample(root, &take.path(self.sample_frame(take, frame, sample)), out);
        }
    }

    /// Writes the style columns of an input row: 1 for the style, 0 for all others.
    pub fn style(&self, style: usize, input: &mut [f32]) {
        for (index, out) in input[self.layout.style()].iter_mut().enumerate() {
            *out = f32::from(u8::from(index == style));
        }
    }

    /// Draws the style that a frame is trained with: the style of the take, or another style. A frame of the default
    /// style (index 0) gets a random other style with probability `lend` if the body does not go forwards at this
    /// frame, or [`COURSE_REACH_SECS`] before or after it.
    pub fn draw_style(&self, take: &Take, frame: usize, lend: f64, rng: &mut StdRng) -> usize {
        let others = self.layout.styles - 1;
        let reach = (COURSE_REACH_SECS * take.fps) as usize;
        let frames = [frame.saturating_sub(reach), frame, (frame + reach).min(take.frames() - 1)];
        let mut courses = frames.into_iter().map(|frame| take.course(frame));
        let can_change = take.style == 0 && others > 0 && lend > 0.0 && courses.any(|course| course != Course::Ahead);
        if can_change && rng.random_bool(lend) { 1 + rng.random_range(0..others) } else { take.style }
    }

    /// Writes the joint columns of a frame in root space, [joints × 12].
    pub fn state(&self, take: &Take, frame: usize, out: &mut [f32]) {
        let root = take.roots[frame];
        let to_root = world_to_root(root);
        for (joint, out) in out.chunks_exact_mut(JOINT_WIDTH).enumerate() {
            write_joint(root, to_root, &take.joint(frame, joint), out);
        }
    }

    /// Writes the raw output row of a frame: root motion to the next network frame, and the path, joints, contacts and
    /// phases of the next network frame.
    pub fn output(&self, take: &Take, frame: usize, out: &mut [f32]) {
        let layout = &self.layout;
        let next = frame + take.stride;
        let (root, next_root) = (take.roots[frame], take.roots[next]);
        let step = root.local_point(next_root.position);
        let heading_change = kinestitch::motion::root::wrap(next_root.heading - root.heading);
        out[layout.out_root()].copy_from_slice(&[step.x, step.z, heading_change]);
        let spacing = SPACING * take.stride;
        for (sample, out) in out[layout.out_path()].chunks_exact_mut(layout.sample_width()).enumerate() {
            layout.write_sample(next_root, &take.path((next + sample * spacing) as isize), out);
        }
        self.state(take, next, &mut out[layout.out_state()]);
        out[layout.out_contact()].copy_from_slice(take.contact(next as isize, layout.contacts));
        let width = 2 * layout.limbs;
        let (vectors, changes) = out[layout.out_phase()].split_at_mut(AHEAD * width);
        for sample in 0..AHEAD {
            for limb in 0..layout.limbs {
                let phase = |frame: usize| take.phase((frame + sample * spacing) as isize, limb, layout.limbs);
                let (current_phase, next_phase) = (phase(frame), phase(next));
                next_phase.write_to_slice(&mut vectors[sample * width + 2 * limb..]);
                (next_phase - current_phase).write_to_slice(&mut changes[sample * width + 2 * limb..]);
            }
        }
    }

    /// Replaces recorded values of a frame by the network's prediction of this frame: joints, current contacts, and the
    /// phases from the current sample on (eq. 2). `prediction`: raw output row of the previous frame.
    /// `previous_phases`: input phases of the previous frame.
    pub fn feed_back(&self, prediction: &[f32], previous_phases: &[f32], input: &mut [f32], phases: &mut [f32]) {
        let layout = &self.layout;
        input[layout.state()].copy_from_slice(&prediction[layout.out_state()]);
        let contacts = &mut input[layout.contact()][NOW * layout.contacts..];
        for (contact, prediction) in contacts.iter_mut().zip(&prediction[layout.out_contact()]) {
            *contact = prediction.clamp(0.0, 1.0);
        }
        let count = AHEAD * 2 * layout.limbs;
        let (predicted, changes) = prediction[layout.out_phase()].split_at(count);
        let first = 2 * NOW * layout.limbs;
        for column in (0..count).step_by(2) {
            let vector = |values: &[f32]| Vec2::from_slice(&values[column..]);
            let previous = vector(&previous_phases[first..]);
            let phase = next_phase(previous, vector(predicted), vector(changes), PREDICTED_PHASE_WEIGHT);
            phase.write_to_slice(&mut phases[first + column..]);
        }
    }
}

/// Takes that are drawn in proportion to their length and weight.
pub struct Source(Weighted<Take>);

/// A drawn frame of a take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameIndex {
    /// Index of the take.
    pub take: usize,
    /// Frame of the take.
    pub frame: usize,
    /// Index of the style that the frame is trained with.
    pub style: usize,
}

impl Source {
    /// Creates a source from takes with their sampling weights per second. Takes of at most `frames` + 1 network
    /// frames are left out.
    pub fn new(takes: Vec<(f64, Take)>, frames: usize) -> Self {
        let weighted = |(weight, take): (f64, Take)| {
            let starts = take.frames().saturating_sub((frames + 1) * take.stride);
            (weight * starts as f64 / take.fps, take)
        };
        Self(Weighted::new(takes.into_iter().map(weighted)))
    }

    /// Returns all takes.
    pub fn takes(&self) -> &[Take] {
        self.0.items()
    }

    /// Draws a frame with more than `frames` network frames after it; `frames` is at most that of [`Source::new`], and
    /// the source has takes. In recordings, people rest often; so a slow frame can be rejected and drawn again, up to
    /// eight times. The probability to keep a frame grows with the speed of the root, from [`KEEP_AT_REST`] at speed 0
    /// to 1 at [`KEEP_ALL_SPEED`].
    pub fn draw(&self, frames: usize, rng: &mut StdRng) -> FrameIndex {
        let mut drawn = self.draw_any(frames, rng);
        for _ in 0..8 {
            let speed = self.takes()[drawn.take].path(drawn.frame as isize).velocity.length();
            if rng.random::<f32>() < KEEP_AT_REST + (1.0 - KEEP_AT_REST) * speed / KEEP_ALL_SPEED {
                break;
            }
            drawn = self.draw_any(frames, rng);
        }
        drawn
    }

    /// Draws a frame regardless of its speed.
    fn draw_any(&self, frames: usize, rng: &mut StdRng) -> FrameIndex {
        let index = self.0.draw(rng);
        let take = &self.takes()[index];
        let frame = rng.random_range(0..take.frames() - (frames + 1) * take.stride);
        FrameIndex { take: index, frame, style: take.style }
    }
}
