//! Loops: detection of a cycle in a motion, and one seamless repetition of it.
//!
//! 1. [`find_cycle`] finds two frames with similar poses and speeds (relative to the body), with other poses between;
//! 2. the frames between them are stitched to a copy of themselves, like any two clips, with the requested join;
//! 3. [`close_cycle`] takes one period of the result, which begins at the start of the second copy.

use super::{Input, MIN_FRAMES, StitchOptions, Stitched, stitch};
use crate::error::{Error, Result};
use crate::method::Join;
use crate::method::lscore::feature::{Features, Measure};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::{GroundTransform, Root, wrap};
use crate::progress::Progress;
use glam::Vec3;
use std::ops::Range;

/// Largest number of frames of which all pairs are compared. Longer clips are compared with a stride; then the cycle is
/// refined.
const MAX_COMPARED_FRAMES: usize = 1_200;
/// Time from each frame of a pair to the frames before and after it that are also compared, seconds. They make speeds
/// part of the comparison.
const WINDOW_SECS: f64 = 1.0 / 30.0;
/// Smallest departure within a cycle, as a fraction of the mean squared distance between frames: the squared distance
/// from the first pose must reach it in some frame, because standing still is no cycle.
const MIN_DEPARTURE: f32 = 0.1;
/// A cycle counts as one of the best if its squared distance is at most this multiple of the smallest one …
const BEST_RATIO: f32 = 2.0;
/// … plus this fraction of the mean squared distance.
const BEST_MARGIN: f32 = 0.01;
/// A clip is already a loop if its first frames continue the curve of its last ones. Their squared deviation from that
/// curve must be at most this multiple of the mean squared deviation of all frames, …
const MAX_DEVIATION_RATIO: f32 = 4.0;
/// … or at most this fraction of the mean squared distance of adjacent frames, because files contain rounded numbers.
const ROUNDING_FRACTION: f32 = 1e-4;

/// Choice among several cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// The shortest cycle, such as two steps of a walk.
    #[default]
    Shortest,
    /// The longest cycle.
    Longest,
}

/// Options of the search for a loop, and of the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopOptions {
    /// Choice among several cycles.
    pub pick: Pick,
    /// Shortest loop, seconds.
    pub min_secs: f64,
    /// Longest loop, seconds; `None` for the whole clip.
    pub max_secs: Option<f64>,
    /// Removes the motion of the root over the ground, and the change of heading during a cycle.
    pub in_place: bool,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self { pick: Pick::default(), min_secs: super::search::MIN_CYCLE_SECS, max_secs: None, in_place: false }
    }
}

/// A cycle of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Its frames in the clip.
    pub frames: Range<usize>,
    /// Root mean square distance of joints between its end and its start, relative to the body, centimetres.
    pub distance_cm: f32,
    /// Whether the cycle is already closed: its last frame leads to its first.
    pub is_closed: bool,
}

/// One period of a cyclic motion.
#[derive(Debug, Clone)]
pub struct Loop {
    /// The loop: the next period begins with its first frame, moved by `travel`.
    pub clip: Clip,
    /// Root motion of one period; zero if the loop is in place.
    pub travel: GroundTransform,
    /// Warnings of the stitch that joined the cycle to itself; of [`close_clip`] and [`keep_cycle`], none.
    pub warnings: Vec<String>,
}

/// Finds a cycle of a motion.
///
/// # Errors
/// [`Error::TooShort`] for clips under [`MIN_FRAMES`], [`Error::Option`] if no cycle can have the requested length.
pub fn find_cycle(Input { clip, rig }: Input, options: &LoopOptions) -> Result<Cycle> {
    if clip.frames() < MIN_FRAMES {
        return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), needed: MIN_FRAMES });
    }
    let measure = Measure::new(clip, rig);
    let distances = FrameDistances {
        features: measure.features(clip)?,
        window: (WINDOW_SECS * clip.fps()).round().max(1.0) as usize,
    };
    let lengths = allowed_lengths(clip, options)?;
    let report = |frames: Range<usize>, is_closed| {
        let distance = distances.distance(frames.start, frames.end).sqrt() * measure.metres() * 100.0;
        Cycle { frames, distance_cm: distance, is_closed }
    };
    // In some files of loops the last frame repeats the first; it is left out.
    for end in [clip.frames(), clip.frames() - 1] {
        if lengths.contains(&end) && distances.is_closed(end) {
            return Ok(report(0..end, true));
        }
    }
    let stride = clip.frames().div_ceil(MAX_COMPARED_FRAMES);
    let found = distances.find(options.pick, &lengths, stride);
    Ok(report(distances.refine(found, &lengths, stride), false))
}

/// Returns the allowed lengths of a loop, frames.
fn allowed_lengths(clip: &Clip, &LoopOptions { min_secs, max_secs, .. }: &LoopOptions) -> Result<Range<usize>> {
    let fail = |option: &'static str, message: String| Err(Error::Option { option, message });
    let longest = max_secs.unwrap_or(f64::INFINITY);
    if !(min_secs > 0.0 && min_secs <= longest) {
        let message = format!("a number above 0 and at most \"maxSeconds\" is needed, not {min_secs}");
        return fail("minSeconds", message);
    }
    if longest * clip.fps() < MIN_FRAMES as f64 - 0.5 {
        let shortest = MIN_FRAMES as f64 / clip.fps();
        return fail(
            "maxSeconds",
            format!("a loop has at least {MIN_FRAMES} frames ({shortest:.2} s), not {longest} s"),
        );
    }
    let shortest = ((min_secs * clip.fps()).round() as usize).max(MIN_FRAMES);
    let longest = ((longest * clip.fps()).round() as usize).min(clip.frames());
    if shortest > longest {
        let length = clip.frames() as f64 / clip.fps();
        let message = format!(
            "a loop needs at least {shortest} frames, but may have at most {longest}; the clip has {} ({length:.2} s)",
            clip.frames()
        );
        return fail("minSeconds", message);
    }
    Ok(shortest..longest + 1)
}

/// Distances between the frames of one motion.
struct FrameDistances {
    features: Features,
    /// [`WINDOW_SECS`] in frames, at least 1.
    window: usize,
}

impl FrameDistances {
    fn frames(&self) -> usize {
        self.features.frames()
    }

    /// Returns the mean squared distance of joints between two frames, (leg lengths)². One frame after the last is
    /// extrapolated.
    fn pose_distance(&self, a: usize, b: usize) -> f32 {
        let (frames, joints) = (self.frames(), self.features.joints());
        let position = |frame: usize, joint: usize| -> Vec3 {
            if frame < frames {
                return self.features.at(frame, joint);
            }
            let [last, second_last, third_last] = [1, 2, 3].map(|back| self.features.at(frames - back, joint));
            3.0 * (last - second_last) + third_last
        };
        (0..joints).map(|joint| position(a, joint).distance_squared(position(b, joint))).sum::<f32>() / joints as f32
    }

    /// Returns the mean of [`FrameDistances::pose_distance`] at two frames and at the frames before and after them,
    /// which includes speeds in the comparison.
    fn distance(&self, a: usize, b: usize) -> f32 {
        let mut sum = self.pose_distance(a, b);
        let mut count = 1.0;
        if a >= self.window {
            sum += self.pose_distance(a - self.window, b - self.window);
            count += 1.0;
        }
        if b + self.window <= self.frames() {
            sum += self.pose_distance(a + self.window, b + self.window);
            count += 1.0;
        }
        sum / count
    }

    /// Returns the squared distance of a frame from the curve through three preceding frames.
    fn curve_deviation(&self, preceding: [usize; 3], frame: usize) -> f32 {
        let joints = self.features.joints();
        let deviation = |joint: usize| {
            let [first, second, third] = preceding.map(|frame| self.features.at(frame, joint));
            (3.0 * (third - second) + first).distance_squared(self.features.at(frame, joint))
        };
        (0..joints).map(deviation).sum::<f32>() / joints as f32
    }

    /// Returns whether the step from the frame before `end` to frame 0 is as smooth as the other steps of the motion.
    fn is_closed(&self, end: usize) -> bool {
        let mean = |sum: f32, count: usize| sum / count as f32;
        let mean_deviation =
            mean((3..end).map(|frame| self.curve_deviation([frame - 3, frame - 2, frame - 1], frame)).sum(), end - 3);
        let mean_step = mean((1..end).map(|frame| self.pose_distance(frame - 1, frame)).sum(), end - 1);
        let limit = (MAX_DEVIATION_RATIO * mean_deviation).max(ROUNDING_FRACTION * mean_step);
        self.curve_deviation([end - 3, end - 2, end - 1], 0) <= limit
            && self.curve_deviation([end - 2, end - 1, 0], 1) <= limit
    }

    /// Returns first frame and length of the chosen cycle, found among every `stride`th frame and every
    /// `stride`th length.
    fn find(&self, pick: Pick, lengths: &Range<usize>, stride: usize) -> (usize, usize) {
        // The compared lengths are the multiples of `stride`. If none of them is allowed, all lengths are shifted so
        // that the shortest allowed one is compared.
        let multiple = lengths.start.next_multiple_of(stride);
        let first = if lengths.contains(&multiple) { multiple } else { lengths.start };
        // `farthest`: largest squared distance from each pose to those after it. `nearest`: as in `pick_cycle`.
        let (mut farthest, mut nearest): (Vec<f32>, Vec<(f32, usize, f32)>) =
            (vec![0.0; self.frames() / stride + 1], Vec::new());
        let (mut sum, mut pairs) = (0.0_f64, 0_u64);
        for length in (first % stride..lengths.end).step_by(stride).filter(|&length| length > 0) {
            let mut best = (f32::INFINITY, 0, 0.0);
            for (start, farthest) in (0..=self.frames() - length).step_by(stride).zip(&mut farthest) {
                let distance = self.distance(start, start + length);
                if length >= first {
                    (sum, pairs) = (sum + f64::from(distance), pairs + 1);
                    // `farthest` is stored too: `pick_cycle` ignores cycles with little motion in between.
                    if distance < best.0 {
                        best = (distance, start, *farthest);
                    }
                }
                *farthest = farthest.max(distance);
            }
            if length >= first && best.0.is_finite() {
                nearest.push(best);
            }
        }
        let mean_distance = (sum / pairs.max(1) as f64) as f32;
        pick_cycle(pick, &nearest, mean_distance)
            .map_or((0, lengths.end - 1), |index| (nearest[index].1, first + index * stride))
    }

    /// Returns the best cycle near one that was found with a stride.
    fn refine(&self, (start, length): (usize, usize), lengths: &Range<usize>, stride: usize) -> Range<usize> {
        let neighbours = |value: usize| value.saturating_sub(stride)..value + stride + 1;
        let pairs = neighbours(start).flat_map(|start| neighbours(length).map(move |length| (start, length)));
        let fits = |&(start, length): &(usize, usize)| lengths.contains(&length) && start + length <= self.frames();
        let best =
            pairs.filter(fits).min_by(|a, b| self.distance(a.0, a.0 + a.1).total_cmp(&self.distance(b.0, b.0 + b.1)));
        best.map_or(0..self.frames(), |(start, length)| start..start + length)
    }
}

/// Chooses a cycle from the best cycles of each length: one of the local minima of the distance that count as best.
/// `nearest`: squared distance of the ends, first frame, and largest squared distance of a frame of the cycle from the
/// first one. Returns the index of the cycle.
fn pick_cycle(pick: Pick, nearest: &[(f32, usize, f32)], mean_distance: f32) -> Option<usize> {
    let is_motion = |&(_, _, farthest): &(f32, usize, f32)| farthest >= MIN_DEPARTURE * mean_distance;
    let distance = |index: usize| if is_motion(&nearest[index]) { nearest[index].0 } else { f32::INFINITY };
    let best = (0..nearest.len()).map(distance).fold(f32::INFINITY, f32::min);
    if !best.is_finite() {
        return (0..nearest.len()).min_by(|&a, &b| nearest[a].0.total_cmp(&nearest[b].0));
    }
    let is_good = |&index: &usize| {
        let neighbours = index.saturating_sub(2)..(index + 3).min(nearest.len());
        let is_minimum = neighbours.into_iter().all(|neighbour| distance(index) <= distance(neighbour));
        is_minimum && distance(index) <= BEST_RATIO * best + BEST_MARGIN * mean_distance
    };
    match pick {
        Pick::Shortest => (0..nearest.len()).find(is_good),
        Pick::Longest => (0..nearest.len()).rev().find(is_good),
    }
}

/// Cuts one period out of a cycle that was stitched to itself.
///
/// # Errors
/// [`Error::Option`] if the seam leaves no frame of the cycle unchanged: use a shorter blend, or another method.
pub fn close_cycle(stitched: &Stitched, rig: &Rig, in_place: bool) -> Result<Loop> {
    let (Some(seam), &[first, next]) = (stitched.seams.first(), &stitched.starts[..]) else {
        let message = "a cycle must be stitched to itself exactly once".to_owned();
        return Err(Error::Option { option: "clips", message });
    };
    let seam = CycleSeam { period: next - first, edited_range: seam.edited_range.clone() };
    let warnings = stitched.warnings.clone();
    Ok(Loop { warnings, ..close_clip(&stitched.clip, rig, &seam, in_place)? })
}

/// Seam of a cycle stitched to itself.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleSeam {
    /// Number of frames from the start of the first copy to the start of the second.
    pub period: usize,
    /// Frames that the seam changed.
    pub edited_range: Range<usize>,
}

/// Cuts one period out of a stitched clip, like [`close_cycle`].
///
/// # Errors
/// Those of [`close_cycle`].
pub fn close_clip(stitched: &Clip, rig: &Rig, seam: &CycleSeam, in_place: bool) -> Result<Loop> {
    let CycleSeam { period, edited_range } = seam;
    // End of the frames that are unchanged in both copies, counted from the start of a copy.
    let unchanged_end =
        edited_range.start.min(period.saturating_sub(1)).min(stitched.frames().saturating_sub(period + 1));
    let unchanged = unchanged_end.checked_sub(edited_range.end.saturating_sub(*period));
    let Some(unchanged) = unchanged.filter(|&count| count > 0) else {
        let message = format!(
            "the seam changes {} of the cycle's {period} frames: use a shorter blend, or another method",
            edited_range.len()
        );
        return Err(Error::Option { option: "blend", message });
    };
    // The copies are joined in the middle of these frames, because the seam may change feet slightly outside its range.
    // The frame before the join is unchanged in both copies, even if it is the only one.
    let middle = unchanged_end - unchanged / 2;
    let root = Root::new(stitched.skeleton(), &[stitched], rig);
    let (first, second) = (root.pose(stitched, middle - 1), root.pose(stitched, middle - 1 + period));
    let travel = GroundTransform::from_points(first.world_position, second.world_position, first.turn_to(&second));
    // First the beginning of the second copy, with the seam, then the rest of the first copy, moved to the second.
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    let mut append = |clip: &Clip| {
        rotations.extend_from_slice(clip.rotations());
        translations.extend_from_slice(clip.translations());
    };
    append(&stitched.trimmed(*period..middle + period)?);
    let mut end = stitched.trimmed(middle..*period)?;
    root.place(&mut end, &travel);
    append(&end);
    let (name, skeleton) = (stitched.name.clone(), std::sync::Arc::clone(stitched.skeleton()));
    let clip = Clip::new(name, skeleton, stitched.frame_time_secs(), rotations, translations)?;
    Ok(remove_travel(clip, travel, root, in_place))
}

/// Returns the loop of a clip that is already closed. Its frames do not change, except for `in_place`.
pub fn keep_cycle(clip: Clip, rig: &Rig, in_place: bool) -> Loop {
    let root = Root::new(clip.skeleton(), &[&clip], rig);
    let last = clip.frames() - 1;
    // The step from the last frame to the first frame of the next period is unknown. It is assumed to equal the step
    // before it, relative to the body.
    let [first, from, to] = [0, last.saturating_sub(1), last].map(|frame| root.pose(&clip, frame));
    let turn = from.turn_to(&to);
    let step = GroundTransform::from_points(from.world_position, to.world_position, turn);
    let yaw = wrap(first.turn_to(&to) + turn);
    let travel = GroundTransform::from_points(first.world_position, step.apply(to.world_position), yaw);
    remove_travel(clip, travel, root, in_place)
}

/// Returns the loop; if `in_place`, without its root motion.
fn remove_travel(mut clip: Clip, travel: GroundTransform, root: Root, in_place: bool) -> Loop {
    if !in_place {
        return Loop { clip, travel, warnings: Vec::new() };
    }
    let (start, count) = (root.pose(&clip, 0).world_position, clip.frames());
    let yaw = wrap(travel.yaw);
    for frame in 0..count {
        let position = root.pose(&clip, frame).world_position;
        let back = GroundTransform::from_points(position, start, -yaw * frame as f32 / count as f32);
        root.place_frames(&mut clip, frame..frame + 1, &back);
    }
    Loop { clip, travel: GroundTransform { yaw: 0.0, translation: Vec3::ZERO }, warnings: Vec::new() }
}

/// Returns the length of the blend that closes a cycle, seconds: the requested length, but at most half of the cycle;
/// for a crossfade, which shortens the cycle by the blend, at most a third.
pub fn blend_secs(requested: f64, frames: usize, fps: f64, join: Join) -> f64 {
    let divisor = if join == Join::Crossfade { 3 } else { 2 };
    requested.min((frames / divisor) as f64 / fps)
}

/// Makes a loop: [`find_cycle`], a stitch to itself with `stitch_options`, and [`close_cycle`]. A cycle that is already
/// closed keeps its frames and their rate.
///
/// # Errors
/// Those of [`find_cycle`], [`stitch`] and [`close_cycle`].
pub fn make_loop(
    input: Input,
    options: &LoopOptions,
    stitch_options: &StitchOptions,
    progress: &mut Progress,
) -> Result<(Loop, Cycle)> {
    let cycle = find_cycle(input, options)?;
    let mut cycle_clip = input.clip.trimmed(cycle.frames.clone())?;
    cycle_clip.name = stitch_options.name.clone().unwrap_or(cycle_clip.name);
    if cycle.is_closed {
        return Ok((keep_cycle(cycle_clip, input.rig, options.in_place), cycle));
    }
    let name = Some(cycle_clip.name.clone());
    let blend_secs = blend_secs(stitch_options.blend_secs, cycle_clip.frames(), cycle_clip.fps(), stitch_options.join);
    let stitch_options = StitchOptions { name, blend_secs, trim: Vec::new(), ..stitch_options.clone() };
    let cycle_input = Input { clip: &cycle_clip, rig: input.rig };
    let stitched = stitch(&[cycle_input, cycle_input], &stitch_options, progress)?;
    Ok((close_cycle(&stitched, input.rig, options.in_place)?, cycle))
}
