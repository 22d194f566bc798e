//! Spikes: a joint or the root leaves its path for a few frames, faster than it moves before and after, and returns.
//!
//! The steps into and out of the spike must exceed the steps around it several times, and the path must continue as if
//! the spike were not there: a fast move does not return within a tenth of a second, and a shaking limb has fast steps
//! around it too. Only the joints that leave their path are filled, by cubic Hermite curves through the frames before
//! and after.

use super::jitter::Noise;
use crate::edit::{Edit, EditKind, Selection};
use crate::motion::clip::Clip;
use crate::motion::quat::{exp, log};
use glam::{Quat, Vec3};
use std::ops::Range;

/// Longest spike, seconds.
const MAX_SECS: f64 = 0.11;
/// The steps into and out of a spike exceed the largest step around it by this factor…
const STEP_RATIO: f32 = 2.5;
/// …and by this much: radians, metres.
const MIN_STEP: [f32; 2] = [0.17, 0.05];
/// Steps must also exceed this multiple of the noise.
const NOISE_RATIO: f32 = 10.0;
/// Number of steps before and after a spike that are compared with it.
const STEPS_AROUND: usize = 3;
/// The way past the spike is at most this fraction of the way into it, besides the motion around it.
const MAX_MISS: f32 = 0.35;

/// Differences between the values of one joint in two frames, and its curves.
trait Track {
    fn difference(&self, from: usize, to: usize) -> Vec3;
    fn frames(&self) -> usize;
}

struct Rotations<'a>(&'a Clip, usize);

impl Track for Rotations<'_> {
    fn difference(&self, from: usize, to: usize) -> Vec3 {
        let rotation = |frame: usize| self.0.frame_rotations(frame)[self.1];
        log(rotation(from).conjugate() * rotation(to))
    }

    fn frames(&self) -> usize {
        self.0.frames()
    }
}

struct Translations<'a>(&'a Clip, usize);

impl Track for Translations<'_> {
    fn difference(&self, from: usize, to: usize) -> Vec3 {
        self.0.frame_translations(to)[self.1] - self.0.frame_translations(from)[self.1]
    }

    fn frames(&self) -> usize {
        self.0.frames()
    }
}

/// A spike of one joint.
struct Spike {
    joint: usize,
    frames: Range<usize>,
    /// Size, degrees or centimetres.
    size: f32,
    unit: &'static str,
}

/// Fills the spikes of a clip. Spikes next to each other are found in a second round.
pub(super) fn mend(clip: &mut Clip, noise: &Noise, selection: &Selection) -> Vec<Edit> {
    let mut spikes: Vec<Spike> = Vec::new();
    for _ in 0..2 {
        let skeleton = std::sync::Arc::clone(clip.skeleton());
        let max_length = ((MAX_SECS * clip.fps()) as usize).max(1);
        for joint in (0..clip.joints()).filter(|joint| selection.has_joint(*joint)) {
            let least = MIN_STEP[0].max(NOISE_RATIO * noise.rotations[joint]);
            for (frames, size) in find(&Rotations(clip, joint), least, max_length) {
                if selection.has_frames(&frames) {
                    fill_rotations(clip, joint, &frames);
                    spikes.push(Spike { joint, frames, size: size.to_degrees(), unit: "°" });
                }
            }
            let Some(slot) = skeleton.translation_slot(joint) else { continue };
            let least = MIN_STEP[1].max(NOISE_RATIO * noise.translations[slot]);
            for (frames, size) in find(&Translations(clip, slot), least, max_length) {
                if selection.has_frames(&frames) {
                    fill_translations(clip, slot, &frames);
                    spikes.push(Spike { joint, frames, size: 100.0 * size, unit: "cm" });
                }
            }
        }
    }
    report(spikes, clip)
}

/// Finds the spikes of a track, with their sizes.
fn find(track: &dyn Track, least: f32, max_length: usize) -> Vec<(Range<usize>, f32)> {
    let steps: Vec<f32> = (0..track.frames())
        .map(|frame| if frame == 0 { 0.0 } else { track.difference(frame - 1, frame).length() })
        .collect();
    let mut found: Vec<(Range<usize>, f32)> = Vec::new();
    let mut start = 1;
    while start + 1 < steps.len() {
        let spike = (steps[start] > least).then(|| {
            (1..=max_length).find_map(|length| {
                let end = start + length;
                (end < steps.len()).then_some(())?;
                let size = steps[start].min(steps[end]);
                let before = &steps[start.saturating_sub(STEPS_AROUND).max(1)..start];
                let after = &steps[end + 1..(end + 1 + STEPS_AROUND).min(steps.len())];
                let around = before.iter().chain(after).copied().fold(0.0, f32::max);
                let miss = track.difference(start - 1, end).length() - around * (length + 1) as f32;
                (size > STEP_RATIO * around + least && miss < MAX_MISS * size).then_some((start..end, size))
            })
        });
        match spike.flatten() {
            Some((frames, size)) => {
                start = frames.end;
                found.push((frames, size));
            }
            None => start += 1,
        }
    }
    found
}

/// Returns points of the cubic Hermite curve over `frames`. `difference(frame)`: from the frame before `frames`.
fn curve(frames: &Range<usize>, last: usize, difference: impl Fn(usize) -> Vec3) -> Vec<Vec3> {
    let (before, end) = (frames.start - 1, frames.end);
    let span = (end - before) as f32;
    let target = difference(end);
    let chord = target / span;
    let velocity = |from: usize, to: usize| (difference(to) - difference(from)) / (to - from) as f32;
    let start_velocity = if before > 0 { (velocity(before - 1, before) + chord) / 2.0 } else { chord };
    let end_velocity = if end < last { (velocity(end, end + 1) + chord) / 2.0 } else { chord };
    let point = |frame: usize| {
        let t = (frame - before) as f32 / span;
        let (square, cube) = (t * t, t * t * t);
        target * (3.0 * square - 2.0 * cube)
            + (start_velocity * (cube - 2.0 * square + t) + end_velocity * (cube - square)) * span
    };
    frames.clone().map(point).collect()
}

fn fill_rotations(clip: &mut Clip, joint: usize, frames: &Range<usize>) {
    let rotation = |frame: usize| clip.frame_rotations(frame)[joint];
    let base: Quat = rotation(frames.start - 1);
    let points = curve(frames, clip.frames() - 1, |frame| log(base.conjugate() * rotation(frame)));
    let joints = clip.joints();
    for (frame, point) in frames.clone().zip(points) {
        clip.rotations_mut()[frame * joints + joint] = (base * exp(point)).normalize();
    }
}

fn fill_translations(clip: &mut Clip, slot: usize, frames: &Range<usize>) {
    let position = |frame: usize| clip.frame_translations(frame)[slot];
    let base = position(frames.start - 1);
    let points = curve(frames, clip.frames() - 1, |frame| position(frame) - base);
    let width = clip.skeleton().translated().len();
    for (frame, point) in frames.clone().zip(points) {
        clip.translations_mut()[frame * width + slot] = base + point;
    }
}

/// Returns one edit for each run of frames with spikes.
fn report(mut spikes: Vec<Spike>, clip: &Clip) -> Vec<Edit> {
    spikes.sort_by_key(|spike| spike.frames.start);
    let mut edits: Vec<Edit> = Vec::new();
    for spike in spikes {
        match edits.last_mut() {
            Some(edit) if spike.frames.start <= edit.frames.end => {
                edit.frames.end = edit.frames.end.max(spike.frames.end);
                if !edit.joints.contains(&spike.joint) {
                    edit.joints.push(spike.joint);
                }
                if spike.unit == edit.unit {
                    edit.before = edit.before.max(spike.size);
                }
            }
            _ => edits.push(Edit {
                kind: EditKind::Spike,
                frames: spike.frames,
                joints: vec![spike.joint],
                text: String::new(),
                before: spike.size,
                after: 0.0,
                unit: spike.unit,
            }),
        }
    }
    for edit in &mut edits {
        let name = &clip.skeleton().joints()[edit.joints[0]].name;
        let others = match edit.joints.len() {
            1 => name.clone(),
            count => format!("{name} and {} more", count - 1),
        };
        edit.text = format!("spike of {:.0} {} filled: {others}", edit.before, edit.unit);
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Line(Vec<f32>);

    impl Track for Line {
        fn difference(&self, from: usize, to: usize) -> Vec3 {
            Vec3::X * (self.0[to] - self.0[from])
        }

        fn frames(&self) -> usize {
            self.0.len()
        }
    }

    fn found(values: impl IntoIterator<Item = f32>) -> Vec<Range<usize>> {
        find(&Line(values.into_iter().collect()), 0.05, 3).into_iter().map(|(frames, _)| frames).collect()
    }

    #[test]
    fn a_departure_that_returns_is_a_spike_and_a_fast_move_is_not() {
        let path = |frame: usize| frame as f32 * 0.01;
        let with = |frames: Range<usize>| (0..30).map(move |f| path(f) + if frames.contains(&f) { 0.4 } else { 0.0 });
        assert!(found(with(12..14)).into_iter().eq(std::iter::once(12..14)));
        assert!(found(with(12..30)).is_empty(), "a step that stays");
        assert!(found((0..30).map(|f| if f % 4 < 2 { 0.0 } else { 0.4 })).is_empty(), "a limb that shakes");
    }

    #[test]
    fn the_curve_continues_the_motion_around_the_spike() {
        let uniform = curve(&(5..7), 20, |frame| Vec3::X * (frame as f32 - 4.0));
        assert!(uniform[0].distance(Vec3::X) < 1e-5 && uniform[1].distance(Vec3::X * 2.0) < 1e-5, "{uniform:?}");
        // A straight line would pass at 3 and 6: 2 beside the parabola in both frames.
        let points = curve(&(5..7), 20, |frame| Vec3::X * (frame as f32 - 4.0).powi(2));
        assert!(points[0].distance(Vec3::X) < 1.0 && points[1].distance(Vec3::X * 4.0) < 1.0, "{points:?}");
    }
}
