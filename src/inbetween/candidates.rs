//! Several ways from one key to the next, to choose from: for a method that follows a path, each in its own time.

use super::key::Piece;
use super::session::Session;
use super::{GAP_FRAMES, gap};
use crate::body::GroundPose;
use crate::body::canonical::Fit;
use crate::error::{Error, Result};
use crate::method::filler::LONGEST_STEPWISE;
use crate::method::gallery::pace::Pace;
use crate::method::gallery::search::Search;
use crate::method::gallery::{Gallery, Wanted};
use crate::motion::clip::Clip;
use crate::motion::way::{Stand, Way};
use glam::Vec2;

/// Rate of the gallery's ways, steps a second.
const RATE: f64 = 30.0;
/// Ways asked for at once at most.
pub const MOST_CANDIDATES: usize = 64;

/// Which ways are wanted; `CandidateOptions::default()` are seven of all kinds.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateOptions {
    /// How many, at most.
    pub count: usize,
    /// Each number finds others.
    pub seed: u64,
    /// Only slow, medium or fast ones, of all that lead there.
    pub speed: Option<Pace>,
    /// Frames that each takes; by default each takes its own time.
    pub frames: Option<usize>,
    /// As people went who moved like this, where the gallery has some.
    pub style: Option<String>,
    /// As fast as the keys, but no slower than the one and no faster than the other, metres of the canonical body a second: those of
    /// a style ([`crate::method::filler::Filler::speeds`]).
    pub speeds: Option<[f32; 2]>,
    /// All along these points, x and z, metres, in different times.
    pub path: Option<Vec<Vec2>>,
    /// The nearest to the way along these points, evenly spaced in time, instead of those far apart.
    pub like: Option<Vec<Vec2>>,
    /// The tolerance of the search for a distance: a ratio of 1 ± this.
    pub tolerance: f32,
}

impl Default for CandidateOptions {
    fn default() -> Self {
        let Search { tolerance, .. } = Search::default();
        Self {
            count: 7,
            seed: 0,
            speed: None,
            frames: None,
            style: None,
            speeds: None,
            path: None,
            like: None,
            tolerance,
        }
    }
}

/// A way that a method with a path can be told to follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Points on the ground, x and z, metres, evenly spaced in time, from key to key.
    pub path: Vec<Vec2>,
    /// Frames between the keys.
    pub frames: usize,
    /// How fast that is among all ways that lead there.
    pub speed: Pace,
}

impl Session {
    /// Ways from the first key to the second.
    ///
    /// # Errors
    /// [`Error::Option`] for options out of range and for more than two keys, [`Error::Rig`] for what is no biped,
    /// [`Error::Weights`] for a gallery that holds nothing.
    pub fn candidates(&self, gallery: &Gallery, options: &CandidateOptions) -> Result<Vec<Plan>> {
        options.check()?;
        let [before, after] = &self.pieces[..] else {
            let message = format!("candidates lead from one key to another, and there are {}", self.pieces.len());
            return Err(Error::Option { option: "candidates", message });
        };
        let fit = self.fit.as_ref().map_err(Clone::clone)?;
        let placed = self.placed();
        let fps = placed[0].fps();
        let from = stand(fit, &placed[0], before, before.key.end - 1)?;
        let to = stand(fit, &placed[1], after, after.key.start)?;
        let steps_of = |frames: usize| (((frames + 1) as f64 * RATE / fps).round() as usize).max(1);
        let frames_of = |steps: usize| ((steps as f64 * fps / RATE).round() as usize).saturating_sub(1);
        let canonical = |points: &[Vec2]| points.iter().map(|point| *point * fit.scale).collect::<Vec<_>>();

        let found: Vec<(Way, Pace)> = match &options.path {
            Some(points) => {
                let points = canonical(points);
                let drawn = |steps: usize| Way::drawn(&points, from, to, steps);
                let length = drawn(steps_of(*GAP_FRAMES.end())).length();
                let durations = match options.frames {
                    Some(frames) => vec![(steps_of(frames), Pace::Medium)],
                    None => gallery.durations(length, options.speed, options.count),
                };
                durations.into_iter().map(|(steps, pace)| (drawn(steps), pace)).collect()
            }
            None => {
                let like = options
                    .like
                    .as_ref()
                    .map(|points| Way { headings: vec![0.0; points.len()], places: canonical(points) });
                let wanted = Wanted {
                    count: options.count,
                    seed: options.seed,
                    pace: options.speed,
                    steps: options.frames.map(steps_of),
                    style: options.style.as_deref(),
                    speeds: options.speeds,
                    like: like.as_ref(),
                    search: Search { tolerance: options.tolerance, ..Search::default() },
                };
                let found = gallery.candidates(from, to, &wanted);
                found.into_iter().map(|candidate| (candidate.way, candidate.pace)).collect()
            }
        };
        if found.is_empty() {
            let message = "the gallery holds no way that leads there; use the gallery of this release".to_owned();
            return Err(Error::Weights { message });
        }
        let plan = |(way, speed): (Way, Pace)| {
            let frames = options.frames.unwrap_or_else(|| frames_of(way.steps().min(LONGEST_STEPWISE)));
            let frames = frames.clamp(*GAP_FRAMES.start(), *GAP_FRAMES.end());
            Plan { path: way.scaled(1.0 / fit.scale).places, frames, speed }
        };
        Ok(found.into_iter().map(plan).collect())
    }
}

impl CandidateOptions {
    fn check(&self) -> Result<()> {
        let fail = |option: &'static str, message: String| Err(Error::Option { option, message });
        if !(1..=MOST_CANDIDATES).contains(&self.count) {
            return fail("candidates", format!("1 to {MOST_CANDIDATES} are made at once, not {}", self.count));
        }
        if let Some(frames) = self.frames {
            gap::check(frames)?;
            if self.speed.is_some() {
                return fail("speed", "frames say how long it takes: leave one of them out".to_owned());
            }
        }
        if !(self.tolerance > 0.0 && self.tolerance <= 1.0) {
            return fail("tolerance", format!("a ratio above 0, at most 1, not {}", self.tolerance));
        }
        for (option, points) in [("path", &self.path), ("like", &self.like)] {
            let Some(points) = points else { continue };
            if points.len() < 2 || points.iter().any(|point| !point.is_finite()) {
                return fail(option, "a way is two points on the ground or more, finite numbers".to_owned());
            }
        }
        Ok(())
    }
}

/// Where the canonical body stands in a frame of a key, and how it moves there, in a step of the gallery.
fn stand(fit: &Fit, clip: &Clip, piece: &Piece, frame: usize) -> Result<Stand> {
    // Of a pose alone, and at a clip's ends, the frames there are tell.
    let inside = piece.key.len() > 1;
    let span = match (frame == piece.key.start, inside) {
        (true, true) => frame..frame + 1,
        (_, true) => frame - 1..frame,
        _ => frame.saturating_sub(1)..(frame + 1).min(clip.frames() - 1),
    };
    let body = fit.canonical(&clip.trimmed(span.start..span.end + 1)?)?;
    let at = |frame: usize| {
        let GroundPose { position, heading } = GroundPose::of(&body, frame - span.start);
        (Vec2::new(position.x, position.z), heading)
    };
    let (place, heading) = at(frame);
    let velocity = (!span.is_empty()).then(|| {
        let a_frame = (at(span.end).0 - at(span.start).0) / span.len() as f32;
        a_frame * (clip.fps() / RATE) as f32
    });
    Ok(Stand { place, heading, velocity })
}
