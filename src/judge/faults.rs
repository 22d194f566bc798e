//! Faults of a seam that an eye sees: the body stalls, slides, sinks, jerks, turns, or waits.
//!
//! All are measured at 30 frames a second, in metres at the canonical leg length, over the frames that really differ
//! from both clips ([`differing`]). The limits are those of an animator who points at a seam; the weights, by which
//! [`Measures::cost`] compares joins, were chosen on LAFAN1's subjects 1 to 3 (research/notes/joins.md).

mod differing;
mod path;
mod tracks;
mod words;

pub use crate::contract::Measures;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::wrap;
use path::{Course, course};
use std::ops::Range;
use tracks::{Tracks, percentile};

pub use differing::{differing, upper_body};

/// Motion on both sides of a seam that is measured, seconds.
const NEAR_SECS: f64 = 4.0;
/// Height over its own floor below which a joint of a foot counts as standing, metres.
const LOW_HEIGHT: f32 = 0.025;
/// Standard deviation of the smoothing of the speed of the hips, frames.
const SPEED_SIGMA: f32 = 6.0;
/// Standard deviation of the smoothing of accelerations, frames.
const ACCELERATION_SIGMA: f32 = 1.0;
/// Mean speed of the hips before and after a seam from which on a stall counts, metres per second.
const TRAVELLING: f32 = 0.6;
/// Slower feet do not slide visibly, metres per second.
const MIN_SLIDE: f32 = 0.15;
/// Frames around the differing ones in which accelerations also count: a cut differs in none.
const CUT_MARGIN: usize = 1;

/// Distance to the limit, in limits, from which on a value costs.
const NEAR: f32 = 0.25;
/// Largest excess over a limit that costs more, in limits.
const MAX_EXCESS: f32 = 4.0;

/// A visible fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The hips slow down between two motions that travel.
    Stall,
    /// Feet on the ground slide more than in the clips.
    Slide,
    /// A foot passes below its floor.
    Sink,
    /// A joint accelerates more than in the clips.
    Pop,
    /// The way of two straight clips turns.
    Turn,
    /// More time is inserted than the distance between the poses asks for.
    Dwell,
}

impl FaultKind {
    /// All faults.
    pub const ALL: [Self; 6] = [Self::Stall, Self::Slide, Self::Sink, Self::Pop, Self::Turn, Self::Dwell];

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stall => "stall",
            Self::Slide => "slide",
            Self::Sink => "sink",
            Self::Pop => "pop",
            Self::Turn => "turn",
            Self::Dwell => "dwell",
        }
    }

    /// Returns the value from which on the fault is visible: a ratio of speeds (stall), a ratio of slides (slide),
    /// metres (sink), a ratio of accelerations (pop), degrees (turn) or seconds (dwell). A stall is below it.
    pub fn limit(self) -> f32 {
        match self {
            Self::Stall => 0.6,
            Self::Slide | Self::Pop => 1.5,
            Self::Sink => 0.02,
            Self::Turn => 5.0,
            Self::Dwell => 0.5,
        }
    }

    /// Returns the cost of a fault at its limit, and of each further limit, in units of the judge's score.
    fn weight(self) -> f32 {
        match self {
            Self::Stall => 0.5,
            Self::Slide | Self::Sink | Self::Pop => 0.25,
            Self::Turn => 0.15,
            Self::Dwell => 0.15,
        }
    }
}

/// A fault of a seam, with its value; units as in [`FaultKind::limit`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// Kind of fault.
    pub kind: FaultKind,
    /// Measured value.
    pub value: f32,
}

/// Floors, slides and accelerations of the two clips of a seam.
#[derive(Debug, Clone)]
pub struct Reference {
    rig: Rig,
    /// Canonical metres per metre.
    scale: f32,
    /// Lowest height of each joint of the feet, metres.
    floors: Vec<f32>,
    /// Mean speed of standing feet, metres per second.
    slide: f32,
    /// 99th percentile of the largest acceleration of a joint, m/s².
    acceleration: f32,
}

impl Reference {
    /// Measures two clips of a rig.
    pub fn new(clips: [&Clip; 2], rig: &Rig) -> Self {
        let scale = tracks::scale(clips[0], rig);
        let tracks = clips.map(|clip| Tracks::new(clip, 0..clip.frames(), rig, scale));
        let floors = (0..tracks[0].feet.len())
            .map(|foot| tracks.iter().map(|tracks| tracks.lowest(foot)).fold(f32::INFINITY, f32::min))
            .collect::<Vec<f32>>();
        let slide = tracks.iter().map(|tracks| mean(&tracks.standing_speeds(&floors, LOW_HEIGHT, 0..tracks.frames())));
        let slide = slide.fold(0.0, f32::max);
        let accelerations =
            tracks.iter().flat_map(|tracks| tracks.accelerations(ACCELERATION_SIGMA)).collect::<Vec<f32>>();
        Self { rig: rig.clone(), scale, floors, slide, acceleration: percentile(accelerations, 0.99) }
    }

    /// Measures the seam between two clips of a motion. `placed`: the clips as joined; `starts`: frame of the motion at
    /// which frame 0 of each is. `dwell`: see [`Measures::dwell`].
    pub fn measure(&self, motion: &Clip, placed: [&Clip; 2], starts: [usize; 2], dwell: f32) -> Measures {
        let frames = differing(motion, placed, starts, &self.rig);
        let near = (NEAR_SECS * motion.fps()).round() as usize;
        let window = frames.start.saturating_sub(near)..(frames.end + near).min(motion.frames());
        let tracks = Tracks::new(motion, window.clone(), &self.rig, self.scale);
        let seam = tracks.range(frames.start - window.start..frames.end - window.start, motion.fps());
        let slide = mean(&tracks.standing_speeds(&self.floors, LOW_HEIGHT, seam.clone()));
        let accelerations = tracks.accelerations(ACCELERATION_SIGMA);
        let around = seam.start.saturating_sub(CUT_MARGIN)..(seam.end + CUT_MARGIN).min(accelerations.len());
        let fastest = accelerations[around].iter().copied().fold(0.0, f32::max);
        Measures {
            frames,
            stall: self.stall(&tracks, &seam),
            slide,
            slide_ratio: slide / self.slide.max(MIN_SLIDE / FaultKind::Slide.limit()),
            sink: tracks.depth(&self.floors, seam.clone()),
            pop: fastest / self.acceleration.max(1e-3),
            turn: self.turn(&tracks, &seam),
            dwell,
        }
    }

    /// Returns the lowest speed of the hips in the seam, relative to the slower of both sides.
    fn stall(&self, tracks: &Tracks, seam: &Range<usize>) -> Option<f32> {
        let speeds = tracks.hip_speeds(SPEED_SIGMA);
        let half_second = tracks::FPS as usize / 2;
        let before = mean(&speeds[seam.start.saturating_sub(half_second)..seam.start]);
        let after = mean(&speeds[seam.end..(seam.end + half_second).min(speeds.len())]);
        let slower = before.min(after);
        let lowest = speeds[seam.clone()].iter().copied().fold(f32::INFINITY, f32::min);
        (slower > TRAVELLING && lowest.is_finite()).then_some(lowest / slower)
    }

    fn turn(&self, tracks: &Tracks, seam: &Range<usize>) -> Option<f32> {
        let near = (path::COURSE_SECS * tracks::FPS) as usize;
        let before = course(tracks, seam.start.saturating_sub(near)..seam.start, &self.floors);
        let after = course(tracks, seam.end..(seam.end + near).min(tracks.frames()), &self.floors);
        match (before, after) {
            (Some(Course::Straight(before)), Some(Course::Straight(after))) => {
                Some(wrap(after - before).abs().to_degrees())
            }
            _ => None,
        }
    }
}

impl Measures {
    /// Returns the value of a fault in the unit of [`FaultKind::limit`]; `None` if it cannot occur at this seam.
    pub fn value(&self, kind: FaultKind) -> Option<f32> {
        match kind {
            FaultKind::Stall => self.stall,
            FaultKind::Slide => Some(self.slide_ratio),
            FaultKind::Sink => Some(self.sink),
            FaultKind::Pop => Some(self.pop),
            FaultKind::Turn => self.turn,
            FaultKind::Dwell => Some(self.dwell),
        }
    }

    /// Returns how far a value is beyond its limit, in limits; negative within the limit.
    fn excess(&self, kind: FaultKind) -> Option<f32> {
        let value = self.value(kind)?;
        let limit = kind.limit();
        Some(if kind == FaultKind::Stall { (limit - value) / limit } else { (value - limit) / limit })
    }

    /// Returns the visible faults, in the order of [`FaultKind::ALL`].
    pub fn faults(&self) -> Vec<Fault> {
        let fault = |kind: FaultKind| {
            let value = self.value(kind)?;
            (self.excess(kind)? > 0.0).then_some(Fault { kind, value })
        };
        FaultKind::ALL.into_iter().filter_map(fault).collect()
    }

    /// Returns the cost of the faults, in units of the judge's score. A value costs a little from three quarters of its
    /// limit on, and most beyond the limit.
    pub fn cost(&self) -> f32 {
        let cost = |kind: FaultKind| {
            let excess = self.excess(kind)?;
            let near = (excess + NEAR).clamp(0.0, NEAR);
            Some(kind.weight() * (near + f32::from(u8::from(excess > 0.0)) + excess.clamp(0.0, MAX_EXCESS)))
        };
        FaultKind::ALL.into_iter().filter_map(cost).sum()
    }
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len().max(1) as f32
}
