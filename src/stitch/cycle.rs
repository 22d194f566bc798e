//! Loops: detection of a cycle in a motion, and one seamless repetition of it.
//!
//! 1. [`cycle`] finds two frames with similar poses and speeds (relative to the body), with other poses between them;
//! 2. the frames between them are stitched to a copy of themselves, like any two clips, with the requested join;
//! 3. [`close`] cuts one period out of the result, from the seam to the position of the next seam.

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

/// Maximum number of frames in the comparison of all pairs. Longer clips are compared with a stride, then refined.
const COMPARED: usize = 1_200;
/// Distance of the frames that are compared before and after a pair, seconds. They make speeds part of the comparison.
const WINDOW_SECS: f64 = 1.0 / 30.0;
/// Within a cycle, the squared distance to its end pose must reach this share of the mean squared distance, because
/// standing still is no cycle.
const DEPARTS: f32 = 0.1;
/// A cycle counts as one of the best if its squared distance is at most this multiple of the smallest one, plus this
/// share of the mean squared distance.
const ALIKE: (f32, f32) = (2.0, 0.01);
/// A clip is already a loop if its first frames continue the curve of its last ones. Their squared deviation from that
/// curve must be at most this multiple of the mean squared deviation of all frames, …
const CLOSED: f32 = 4.0;
/// … or at most this share of the mean squared distance of adjacent frames, because files round their numbers.
const ROUNDED: f32 = 1e-4;

/// Choice among several cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// One cycle: two steps of a walk.
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
    /// Removes the root motion, and the turn of a whole cycle.
    pub in_place: bool,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self { pick: Pick::default(), min_secs: super::search::SHORTEST_CYCLE_SECS, max_secs: None, in_place: false }
    }
}

/// A cycle of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Frames of the clip.
    pub frames: Range<usize>,
    /// Mean distance of joints between its end and its start, relative to the body, centimetres.
    pub apart_cm: f32,
    /// Whether it is already closed: the last frame leads to the first.
    pub is_closed: bool,
}

/// One period of a cyclic motion.
#[derive(Debug, Clone)]
pub struct Looped {
    /// The loop: its last frame is followed by its first frame, moved by `travel`.
    pub clip: Clip,
    /// Root motion of one period; zero in place.
    pub travel: GroundTransform,
}

/// Finds a cycle of a motion.
///
/// # Errors
/// [`Error::TooShort`] for clips under [`MIN_FRAMES`], [`Error::Option`] if no cycle can have the requested length.
pub fn cycle(Input { clip, rig }: Input, options: &LoopOptions) -> Result<Cycle> {
    if clip.frames() < MIN_FRAMES {
        return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), needed: MIN_FRAMES });
    }
    let measure = Measure::new(clip, rig);
    let returns =
        Returns { features: measure.features(clip)?, window: (WINDOW_SECS * clip.fps()).round().max(1.0) as usize };
    let lengths = lengths(clip, options)?;
    let report = |frames: Range<usize>, is_closed| {
        let apart = returns.at(frames.start, frames.end).sqrt() * measure.metres() * 100.0;
        Cycle { frames, apart_cm: apart, is_closed }
    };
    for end in [clip.frames(), clip.frames() - 1] {
        if lengths.contains(&end) && returns.is_closed(end) {
            return Ok(report(0..end, true));
        }
    }
    let stride = clip.frames().div_ceil(COMPARED);
    let coarse = returns.find(options.pick, &lengths, stride);
    Ok(report(returns.refined(coarse, &lengths, stride), false))
}

/// Allowed lengths of a loop, frames.
fn lengths(clip: &Clip, &LoopOptions { min_secs, max_secs, .. }: &LoopOptions) -> Result<Range<usize>> {
    let fail = |option: &'static str, message: String| Err(Error::Option { option, message });
    let longest = max_secs.unwrap_or(f64::INFINITY);
    if !(min_secs > 0.0 && min_secs <= longest) {
        return fail("minSeconds", format!("no loop can have a length from {min_secs} to {longest} seconds"));
    }
    let shortest = ((min_secs * clip.fps()).round() as usize).max(MIN_FRAMES);
    let longest = ((longest * clip.fps()).round() as usize).min(clip.frames());
    if shortest > longest {
        let length = clip.frames() as f64 / clip.fps();
        let message = format!(
            "a loop has at least {shortest} frames, {min_secs} seconds; the clip has {} ({length:.2} s)",
            clip.frames()
        );
        return fail("minSeconds", message);
    }
    Ok(shortest..longest + 1)
}

/// Distances between the frames of one motion.
struct Returns {
    features: Features,
    window: usize,
}

impl Returns {
    fn frames(&self) -> usize {
        self.features.frames()
    }

    /// Mean squared distance of joints between two frames, (leg lengths)². One frame beyond the last is extrapolated.
    fn poses(&self, a: usize, b: usize) -> f32 {
        let (frames, joints) = (self.frames(), self.features.joints());
        let ahead = |frame: usize, joint: usize| -> Vec3 {
            if frame < frames {
                return self.features.at(frame, joint);
            }
            let [last, before, first] = [1, 2, 3].map(|back| self.features.at(frames - back, joint));
            3.0 * (last - before) + first
        };
        (0..joints).map(|joint| ahead(a, joint).distance_squared(ahead(b, joint))).sum::<f32>() / joints as f32
    }

    /// [`Returns::poses`] including the frames before and after, which adds speeds.
    fn at(&self, a: usize, b: usize) -> f32 {
        let before = a >= self.window;
        let after = b + self.window <= self.frames();
        let mut sum = self.poses(a, b);
        let mut count = 1.0;
        if before {
            sum += self.poses(a - self.window, b - self.window);
            count += 1.0;
        }
        if after {
            sum += self.poses(a + self.window, b + self.window);
            count += 1.0;
        }
        sum / count
    }

    /// Squared distance of a frame from the curve through three preceding frames.
    fn off_curve(&self, before: [usize; 3], frame: usize) -> f32 {
        let joints = self.features.joints();
        let off = |joint: usize| {
            let [first, second, third] = before.map(|frame| self.features.at(frame, joint));
            (3.0 * (third - second) + first).distance_squared(self.features.at(frame, joint))
        };
        (0..joints).map(off).sum::<f32>() / joints as f32
    }

    /// Whether the motion continues from the frame before `end` to its first frame as between any two frames.
    fn is_closed(&self, end: usize) -> bool {
        let mean = |sum: f32, count: usize| sum / count as f32;
        let mean_deviation = mean((3..end).map(|at| self.off_curve([at - 3, at - 2, at - 1], at)).sum(), end - 3);
        let mean_step = mean((1..end).map(|at| self.poses(at - 1, at)).sum(), end - 1);
        let limit = (CLOSED * mean_deviation).max(ROUNDED * mean_step);
        self.off_curve([end - 3, end - 2, end - 1], 0) <= limit && self.off_curve([end - 2, end - 1, 0], 1) <= limit
    }

    /// First frame and length of the chosen cycle, among every `stride`th frame.
    fn find(&self, pick: Pick, lengths: &Range<usize>, stride: usize) -> (usize, usize) {
        let count = self.frames() / stride + 1;
        let poses: Vec<usize> =
            (0..count).map(|index| index * stride).filter(|&frame| frame <= self.frames()).collect();
        let (mut farthest, mut nearest): (Vec<f32>, Vec<(f32, usize, f32)>) = (vec![0.0; poses.len()], Vec::new());
        let (mut sum, mut pairs) = (0.0_f64, 0_u64);
        for step in 1..poses.len() {
            let length = step * stride;
            if length >= lengths.end {
                break;
            }
            let mut best = (f32::INFINITY, 0, 0.0);
            for index in 0..poses.len() - step {
                let distance = self.at(poses[index], poses[index + step]);
                if length >= lengths.start {
                    (sum, pairs) = (sum + f64::from(distance), pairs + 1);
                    // Candidates with little motion in between come last.
                    if distance < best.0 {
                        best = (distance, poses[index], farthest[index]);
                    }
                }
                farthest[index] = farthest[index].max(distance);
            }
            if length >= lengths.start && best.0.is_finite() {
                nearest.push((best.0, best.1, best.2));
            }
        }
        let mean_distance = (sum / pairs.max(1) as f64) as f32;
        let first = lengths.start.div_ceil(stride);
        picked(pick, &nearest, mean_distance).map_or((0, lengths.end - 1), |at| (nearest[at].1, (first + at) * stride))
    }

    /// Returns the best cycle near one that was found with a stride.
    fn refined(&self, (start, length): (usize, usize), lengths: &Range<usize>, stride: usize) -> Range<usize> {
        let around = |middle: usize| middle.saturating_sub(stride)..middle + stride + 1;
        let pairs = around(start).flat_map(|from| around(length).map(move |length| (from, length)));
        let fits = |&(from, length): &(usize, usize)| lengths.contains(&length) && from + length <= self.frames();
        let best = pairs.filter(fits).min_by(|a, b| self.at(a.0, a.0 + a.1).total_cmp(&self.at(b.0, b.0 + b.1)));
        best.map_or(0..self.frames(), |(from, length)| from..from + length)
    }
}

/// Chooses a cycle from the best cycles of each length: one of the local minima of the distance that count as best.
/// `nearest`: distance, first frame, and largest distance in between. Returns the index of the cycle.
fn picked(pick: Pick, nearest: &[(f32, usize, f32)], mean_distance: f32) -> Option<usize> {
    let departs = |&(_, _, farthest): &(f32, usize, f32)| farthest >= DEPARTS * mean_distance;
    let distance = |at: usize| if departs(&nearest[at]) { nearest[at].0 } else { f32::INFINITY };
    let best = (0..nearest.len()).map(distance).fold(f32::INFINITY, f32::min);
    if !best.is_finite() {
        return (0..nearest.len()).min_by(|&a, &b| nearest[a].0.total_cmp(&nearest[b].0));
    }
    let good = |&at: &usize| {
        let here = distance(at);
        let lowest = (at.saturating_sub(2)..(at + 3).min(nearest.len())).all(|near| here <= distance(near));
        lowest && here <= ALIKE.0 * best + ALIKE.1 * mean_distance
    };
    match pick {
        Pick::Shortest => (0..nearest.len()).find(good),
        Pick::Longest => (0..nearest.len()).rev().find(good),
    }
}

/// Cuts one period out of a cycle that was stitched to itself.
///
/// # Errors
/// [`Error::Option`] if the seam leaves no frame of the cycle unchanged: use a shorter blend.
pub fn close(stitched: &Stitched, rig: &Rig, in_place: bool) -> Result<Looped> {
    let (Some(seam), &[first, next]) = (stitched.seams.first(), &stitched.starts[..]) else {
        return Err(Error::Option { option: "clips", message: "a cycle is stitched to itself once".to_owned() });
    };
    closed(&stitched.clip, rig, &Closing { period: next - first, edited_range: seam.edited_range.clone() }, in_place)
}

/// Seam of a cycle stitched to itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Closing {
    /// Frames from the start of the first copy to that of the second.
    pub period: usize,
    /// Frames that the seam changed.
    pub edited_range: Range<usize>,
}

/// Like [`close`], for the stitched clip alone.
///
/// # Errors
/// Those of [`close`].
pub fn closed(stitched: &Clip, rig: &Rig, closing: &Closing, in_place: bool) -> Result<Looped> {
    let Closing { period, edited_range } = closing;
    // Both copies are unchanged around here, except that the seam may change feet slightly beyond its range.
    let last = edited_range.start.min(period.saturating_sub(1)).min(stitched.frames().saturating_sub(period + 1));
    let Some(room) = last.checked_sub(edited_range.end.saturating_sub(*period)).filter(|&room| room > 0) else {
        let message = format!(
            "the seam changes {} of the cycle's {period} frames: close it by a shorter blend",
            edited_range.len()
        );
        return Err(Error::Option { option: "blend", message });
    };
    let turn = last - room / 2;
    let root = Root::new(stitched.skeleton(), &[stitched], rig);
    let (here, there) = (root.pose(stitched, turn), root.pose(stitched, turn + period));
    let travel = GroundTransform::from_points(here.world_position, there.world_position, here.turn_to(&there));
    // First the seam, then the rest of the first copy, moved to the second copy's position.
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    let mut take = |part: &Clip| {
        rotations.extend_from_slice(part.rotations());
        translations.extend_from_slice(part.translations());
    };
    take(&stitched.trimmed(*period..turn + period)?);
    let mut rest = stitched.trimmed(turn..*period)?;
    root.place(&mut rest, &travel);
    take(&rest);
    let (name, skeleton) = (stitched.name.clone(), std::sync::Arc::clone(stitched.skeleton()));
    let clip = Clip::new(name, skeleton, stitched.frame_time_secs(), rotations, translations)?;
    Ok(placed(clip, travel, root, in_place))
}

/// Returns the loop of a clip that is already closed. Its frames do not change, except for `in_place`.
pub fn closed_already(clip: Clip, rig: &Rig, in_place: bool) -> Looped {
    let root = Root::new(clip.skeleton(), &[&clip], rig);
    let last = clip.frames() - 1;
    // The step from the last frame to the next first frame equals the previous step.
    let (from, to) = (root.pose(&clip, last.saturating_sub(1)), root.pose(&clip, last));
    let (first, step) = (root.pose(&clip, 0), to.world_position - from.world_position);
    let yaw = first.turn_to(&to);
    let travel = GroundTransform::from_points(first.world_position, to.world_position + step, yaw);
    placed(clip, travel, root, in_place)
}

fn placed(mut clip: Clip, travel: GroundTransform, root: Root, in_place: bool) -> Looped {
    if !in_place {
        return Looped { clip, travel };
    }
    let (home, count) = (root.pose(&clip, 0).world_position, clip.frames());
    let yaw = wrap(travel.yaw);
    for frame in 0..count {
        let place = root.pose(&clip, frame).world_position;
        let back = GroundTransform::from_points(place, home, -yaw * frame as f32 / count as f32);
        root.place_frames(&mut clip, frame..frame + 1, &back);
    }
    Looped { clip, travel: GroundTransform { yaw: 0.0, translation: Vec3::ZERO } }
}

/// Length of the blend that closes a cycle, seconds: the requested length, at most half of the cycle; for a crossfade,
/// which shortens the cycle by the blend, a third.
pub fn blend_secs(requested: f64, frames: usize, fps: f64, join: Join) -> f64 {
    let part = if join == Join::Crossfade { 3 } else { 2 };
    requested.min((frames / part) as f64 / fps)
}

/// Makes a loop: [`cycle`], a stitch to itself by `how`, and [`close`].
///
/// # Errors
/// Those of [`cycle`], [`stitch`] and [`close`].
pub fn looped(
    input: Input,
    options: &LoopOptions,
    how: &StitchOptions,
    progress: &mut Progress,
) -> Result<(Looped, Cycle)> {
    let cycle = cycle(input, options)?;
    let part = input.clip.trimmed(cycle.frames.clone())?;
    if cycle.is_closed {
        return Ok((closed_already(part, input.rig, options.in_place), cycle));
    }
    let name = how.name.clone().or_else(|| Some(input.clip.name.clone()));
    let blend_secs = blend_secs(how.blend_secs, part.frames(), part.fps(), how.join);
    let how = StitchOptions { name, blend_secs, trim: Vec::new(), ..how.clone() };
    let turn = Input { clip: &part, rig: input.rig };
    let stitched = stitch(&[turn, turn], &how, progress)?;
    Ok((close(&stitched, input.rig, options.in_place)?, cycle))
}
