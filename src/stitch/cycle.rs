//! Loops: detection of a cycle in a motion, and one seamless repetition of it.
//!
//! 1. [`find_cycle`] finds two frames with similar poses and speeds (relative to the body), with other poses between;
//! 2. the frames between them are stitched to a copy of themselves, like any two clips, with the requested join;
//! 3. [`close_cycle`] takes one period of the result, which begins at the start of the second copy.

mod close;

pub use close::{CycleSeam, Loop, close_clip, close_cycle, keep_cycle};

use super::{BlendKind, Input, Join, JoinChoice, MIN_FRAMES, StitchOptions, Transition, stitch};
use crate::error::{Error, Result};
use crate::method::lscore::feature::{Features, Measure};
use crate::motion::clip::Clip;
use crate::motion::gait::Gait;
use crate::motion::root::{Root, wrap};
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

/// A clip goes straight if its headings at both ends differ by less, degrees.
const STRAIGHT_DEGREES: f32 = 10.0;
/// Largest turn of a cycle of such a clip, degrees.
const MAX_STRAIGHT_TURN_DEGREES: f32 = 5.0;

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
    /// Largest turn of a cycle, degrees: a cycle that turns more is bent back to it. `None` for 5° if the clip goes
    /// straight, and no limit if it turns.
    pub max_turn: Option<f64>,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self {
            pick: Pick::default(),
            min_secs: super::search::MIN_CYCLE_SECS,
            max_secs: None,
            in_place: false,
            max_turn: None,
        }
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

/// Returns the join that closes a cycle: the requested one, but a blend takes at most half of the cycle; a crossfade,
/// which shortens the cycle by the blend, at most a third. `frames`: length of the cycle.
pub fn closing_join(requested: &JoinChoice, frames: usize, fps: f64) -> JoinChoice {
    let mut join = requested.clone();
    if let JoinChoice::With(Join { transition: Transition::Blend { blend, seconds }, .. }) = &mut join {
        let divisor = if *blend == BlendKind::Crossfade { 3 } else { 2 };
        *seconds = seconds.min((frames / divisor) as f64 / fps);
    }
    join
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
    let max_turn = max_turn(input, options)?;
    if cycle.is_closed {
        let kept = keep_cycle(cycle_clip, input.rig, options.in_place);
        return Ok((kept.straightened(input.rig, max_turn), cycle));
    }
    let name = Some(cycle_clip.name.clone());
    let join = closing_join(&stitch_options.join, cycle_clip.frames(), cycle_clip.fps());
    let stitch_options = StitchOptions { name, join, trim: Vec::new(), ..stitch_options.clone() };
    let cycle_input = Input { clip: &cycle_clip, rig: input.rig };
    let stitched = stitch(&[cycle_input, cycle_input], &stitch_options, progress)?;
    Ok((close_cycle(&stitched, input.rig, options.in_place)?.straightened(input.rig, max_turn), cycle))
}

/// Returns the largest turn of a cycle of a clip, radians.
///
/// # Errors
/// [`Error::Option`] for a limit that is negative or not a number.
pub fn max_turn(Input { clip, rig }: Input, options: &LoopOptions) -> Result<f32> {
    if let Some(degrees) = options.max_turn {
        let message = || format!("a number from 0 to 360 is needed, not {degrees}");
        let is_valid = (0.0..=360.0).contains(&degrees);
        return if is_valid { Ok(degrees.to_radians() as f32) } else { fail_turn(message()) };
    }
    let root = Root::new(clip.skeleton(), &[clip], rig);
    let [start, end] = [Gait::after(clip, &root, 0), Gait::before(clip, &root, clip.frames() - 1)];
    let is_straight = wrap(end.heading - start.heading).abs() < STRAIGHT_DEGREES.to_radians();
    Ok(if is_straight { MAX_STRAIGHT_TURN_DEGREES.to_radians() } else { f32::INFINITY })
}

fn fail_turn<T>(message: String) -> Result<T> {
    Err(Error::Option { option: "maxTurn", message })
}
