//! Training pairs of the refiner, each an input and its truth (RMR, section 4). The truth is a recorded window; in the
//! input, one or two segments of the window are replaced by similar segments from elsewhere in the training recordings.

use crate::data::{Recording, Split};
use crate::segment_index::{Segment, SegmentIndex};
use glam::Vec3;
use kinestitch::body::{GroundPose, biped, mirror_clip};
use kinestitch::error::{Error, Result};
use kinestitch::feature::encode;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::inertialize::{BRAKE_SECS, rotation_decay, translation_decay};
use kinestitch::motion::quat::{exp, with_positive_w};
use kinestitch::motion::rig::Role;
use rand::Rng;
use rand::rngs::StdRng;
use std::collections::BTreeMap;

/// Frames that inertialization blends after a boundary, 0.5 s: RMR's paper blends 30 frames at 60 fps.
pub const BLEND: usize = 15;
/// Frames of a training window: 2 s at 30 fps.
pub const WINDOW: usize = 60;
/// Segment lengths are multiples of this number of frames.
const LENGTH_UNIT: usize = 10;

/// A training pair: the truth, which is a window of a recording, and the segments that replace the end of this window
/// in the input.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The truth: a window of [`WINDOW`] frames.
    pub truth: Segment,
    /// One or two replaced ranges of the window, in order: first frame, number of frames, replacement.
    pub replaced: Vec<(usize, usize, Segment)>,
}

/// Search structures for similar segments, by segment length in frames.
pub struct Neighbours(BTreeMap<usize, SegmentIndex>);

impl Neighbours {
    /// Indexes the training recordings.
    pub fn new(recordings: &[Recording]) -> Self {
        let lengths = (LENGTH_UNIT..WINDOW).step_by(LENGTH_UNIT);
        Self(lengths.map(|length| (length, SegmentIndex::new(recordings, length))).collect())
    }

    /// Draws a random pair with this truth; `None` if a replaced segment has no neighbour. The replacement is the
    /// 5th to 10th nearest segment, or the farthest one found if there are fewer.
    pub fn pair(&self, recordings: &[Recording], truth: Segment, rng: &mut StdRng) -> Option<Pair> {
        // The paper's segments A (kept), B and C (replaced). Segment B may be empty.
        let length_a = LENGTH_UNIT * rng.random_range(1..WINDOW / LENGTH_UNIT);
        let length_bc = WINDOW - length_a;
        let length_b = LENGTH_UNIT * rng.random_range(0..length_bc / LENGTH_UNIT);
        let mut replaced = Vec::with_capacity(2);
        for (start, length) in [(length_a, length_b), (length_a + length_b, length_bc - length_b)] {
            if length == 0 {
                continue;
            }
            let query = Segment { start: truth.start + start, ..truth };
            let rank = rng.random_range(5..=10) - 1;
            replaced.push((start, length, self.0.get(&length)?.neighbour(recordings, query, rank)?));
        }
        Some(Pair { truth, replaced })
    }

    /// Draws `count` random pairs whose truths are among `windows`, which must not be empty; fewer if some windows have
    /// no neighbour. `on_draw` is called before each draw.
    ///
    /// # Errors
    /// [`Error::Option`] if there is no pair.
    pub fn draw(
        &self,
        recordings: &[Recording],
        windows: &[Segment],
        count: usize,
        rng: &mut StdRng,
        on_draw: impl Fn(),
    ) -> Result<Vec<Pair>> {
        let draw = |_| {
            on_draw();
            self.pair(recordings, windows[rng.random_range(0..windows.len())], rng)
        };
        let pairs: Vec<Pair> = (0..count).filter_map(draw).collect();
        if pairs.is_empty() {
            let message = format!(
                "none of {count} random windows has segments that similar segments of the training recordings can \
                 replace (in the same recording, only segments that start at least two segment lengths away from the \
                 replaced one): add training recordings"
            );
            return Err(Error::Option { option: "data", message });
        }
        Ok(pairs)
    }
}

/// Lists the upright truth windows of a split. They start every half window; the training split includes mirror images.
pub fn windows(recordings: &[Recording], split: Split) -> Vec<Segment> {
    let mut windows = Vec::new();
    for (recording, r) in recordings.iter().enumerate().filter(|(_, r)| r.split == split) {
        for start in (0..(r.clip.frames() + 1).saturating_sub(WINDOW)).step_by(WINDOW / 2) {
            if !r.is_upright(start, WINDOW) {
                continue;
            }
            let mirrors: &[bool] = if split == Split::Train { &[false, true] } else { &[false] };
            windows.extend(mirrors.iter().map(|&mirrored| Segment { recording, start, mirrored }));
        }
    }
    windows
}

/// Cuts the frames of a segment out of its recording, and mirrors them if the segment is mirrored.
///
/// # Errors
/// [`Error::Option`] if the segment ends after its recording.
pub fn cut(recordings: &[Recording], segment: Segment, length: usize) -> Result<Clip> {
    let clip = recordings[segment.recording].clip.trimmed(segment.start..segment.start + length)?;
    if segment.mirrored { mirror_clip(&clip, biped()) } else { Ok(clip) }
}

/// Creates the clips (hard cut, truth) of a pair. The hard cut keeps the truth's ground path. Replaced frames take the
/// neighbour's pose on that path; the upper body returns to the truth's pose by the end of the segment.
///
/// # Errors
/// Those of [`cut`].
pub fn clips(recordings: &[Recording], pair: &Pair) -> Result<(Clip, Clip)> {
    let truth = cut(recordings, pair.truth, WINDOW)?;
    let ground = recordings[pair.truth.recording].ground;
    let mut hard_cut = truth.clone();
    for &(start, length, segment) in &pair.replaced {
        let neighbour = cut(recordings, segment, length)?;
        let ground_difference = ground - recordings[segment.recording].ground;
        for i in 0..length {
            let frame = start + i;
            let (root, neighbour_root) = (GroundPose::from_clip(&truth, frame), GroundPose::from_clip(&neighbour, i));
            let height = neighbour.translations()[i].y + ground_difference;
            hard_cut.translations_mut()[frame] = root.world_point(Vec3::Y * height);
            let truth_weight = (i + 1) as f32 / length as f32;
            let to_truth_heading = root.rotation() * neighbour_root.rotation().inverse();
            let rotations = &mut hard_cut.rotations_mut()[frame * biped().len()..][..biped().len()];
            let joint_rotations = rotations.iter_mut().zip(neighbour.frame_rotations(i));
            for (joint, (rotation, neighbour_rotation)) in joint_rotations.enumerate() {
                *rotation = if joint == 0 {
                    to_truth_heading * *neighbour_rotation
                } else if joint < Role::Spine as usize {
                    *neighbour_rotation
                } else {
                    with_positive_w(*neighbour_rotation).slerp(with_positive_w(*rotation), truth_weight)
                };
            }
        }
    }
    Ok((hard_cut, truth))
}

/// Creates the network input of a pair: the hard cut of [`clips`] with every boundary inertialized (Bollo 2018). Only
/// frames after a boundary change, as in [`kinestitch::method::blend`]. In RMR's paper, the network input is the hard
/// cut; with it, jumps of 0.4 m remained at the boundaries after 600 training steps.
///
/// # Errors
/// Those of [`cut`].
pub fn inertialize(recordings: &[Recording], pair: &Pair) -> Result<Clip> {
    let (mut clip, _) = clips(recordings, pair)?;
    let brake = BRAKE_SECS * clip.fps() as f32;
    let joints = clip.joints();
    for &(start, length, _) in &pair.replaced {
        let blend = BLEND.min(length - 1);
        let decays: Vec<_> = (0..joints)
            .map(|joint| {
                let rotation = |frame: usize| clip.frame_rotations(frame)[joint];
                let [past, last] = [start - 2, start - 1].map(rotation);
                let [first, second] = [start, start + 1].map(rotation);
                // Both motions in the frames `start - 1` and `start`, each extrapolated across the boundary.
                let old = [last, last * past.conjugate() * last];
                let new = [first * second.conjugate() * first, first];
                rotation_decay(old, new, blend as f32, brake)
            })
            .collect();
        let height = |frame: usize| Vec3::Y * clip.translations()[frame].y;
        let old = [height(start - 1), 2.0 * height(start - 1) - height(start - 2)];
        let new = [2.0 * height(start) - height(start + 1), height(start)];
        let height_decay = translation_decay(old, new, blend as f32, brake);
        for k in 0..blend {
            let frame = start + k;
            for (joint, decay) in decays.iter().enumerate() {
                let rotation = &mut clip.rotations_mut()[frame * joints + joint];
                *rotation = (exp(decay.offset_at(k as f32)) * *rotation).normalize();
            }
            clip.translations_mut()[frame] += height_decay.offset_at(k as f32);
        }
    }
    Ok(clip)
}

/// Returns the heights of a segment's contact joints at rest above the ground, metres.
pub fn rest_heights(recordings: &[Recording], segment: Segment) -> [f32; 4] {
    let [left_foot, left_toe, right_foot, right_toe] = recordings[segment.recording].rest;
    match segment.mirrored {
        true => [right_foot, right_toe, left_foot, left_toe],
        false => [left_foot, left_toe, right_foot, right_toe],
    }
}

/// Computes the rows (input, truth) of a pair, [`WINDOW` × 161] each.
///
/// # Errors
/// Those of [`cut`].
pub fn rows(recordings: &[Recording], pair: &Pair) -> Result<(Vec<f32>, Vec<f32>)> {
    let ground = recordings[pair.truth.recording].ground;
    let rest = rest_heights(recordings, pair.truth);
    let rows = |clip: Clip| encode::rows(&clip, 0..WINDOW, ground, rest);
    Ok((rows(inertialize(recordings, pair)?), rows(cut(recordings, pair.truth, WINDOW)?)))
}

/// Computes the mean and standard deviation of every column over the inputs and truths of pairs. Deviations have a
/// lower bound, because nearly constant columns would amplify noise.
///
/// # Errors
/// Those of [`cut`].
pub fn statistics(recordings: &[Recording], pairs: &[Pair]) -> Result<(Vec<f32>, Vec<f32>)> {
    let mut sum = vec![0.0_f64; RefinerRow::WIDTH];
    let mut squares = vec![0.0_f64; RefinerRow::WIDTH];
    let mut count = 0.0_f64;
    for pair in pairs {
        let (input, truth) = rows(recordings, pair)?;
        for row in input.chunks_exact(RefinerRow::WIDTH).chain(truth.chunks_exact(RefinerRow::WIDTH)) {
            count += 1.0;
            for (column, value) in row.iter().enumerate() {
                sum[column] += f64::from(*value);
                squares[column] += f64::from(*value) * f64::from(*value);
            }
        }
    }
    let mean: Vec<f32> = sum.iter().map(|s| (s / count) as f32).collect();
    let deviation =
        squares.iter().zip(&mean).map(|(s, m)| ((s / count - f64::from(*m).powi(2)).max(0.0).sqrt() as f32).max(1e-2));
    let deviation = deviation.collect();
    Ok((mean, deviation))
}
