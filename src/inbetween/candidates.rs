//! Candidate paths from one key to the next, each with its own duration, for methods that follow a path.

use super::key::Piece;
use super::session::Session;
use super::transfer::ground_height;
use super::{GAP_FRAMES, gap};
use crate::body::GroundPose;
use crate::body::canonical::Fit;
use crate::error::{Error, Result};
use crate::method::filler::MAX_STEPWISE_GAP;
use crate::method::gallery::pace::Pace;
use crate::method::gallery::search::Search;
use crate::method::gallery::{Gallery, Request};
use crate::motion::clip::Clip;
use crate::motion::ground_path::{GroundPath, GroundState};
use glam::Vec2;

/// Rate of the paths in the gallery, points per second.
const RATE: f64 = 30.0;
/// Largest number of candidates per call.
pub const MAX_CANDIDATES: usize = 64;

/// Options of [`Session::candidates`]; the defaults give seven candidates of all paces.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateOptions {
    /// Largest number of candidates.
    pub count: usize,
    /// Different seeds find different candidates.
    pub seed: u64,
    /// Only slow, medium or fast candidates, relative to all paths found.
    pub pace: Option<Pace>,
    /// Number of frames of all candidates; by default each has its own duration.
    pub frames: Option<usize>,
    /// Prefer recordings of this style; others follow if the gallery has too few.
    pub style: Option<String>,
    /// Range of speeds of a style ([`crate::method::filler::Filler::speeds`]), metres of the canonical body per second;
    /// the speed at the keys is clamped to it.
    pub speed_range: Option<[f32; 2]>,
    /// All candidates follow these points, x and z, metres, with different durations.
    pub path: Option<Vec<Vec2>>,
    /// Prefer the paths nearest to these points, evenly spaced in time, instead of paths far apart.
    pub similar_to: Option<Vec<Vec2>>,
    /// Largest relative difference between the distance that a recording covers and the distance of the keys; it grows
    /// until there are enough paths.
    pub tolerance: f32,
}

impl Default for CandidateOptions {
    fn default() -> Self {
        let Search { tolerance, .. } = Search::default();
        Self {
            count: 7,
            seed: 0,
            pace: None,
            frames: None,
            style: None,
            speed_range: None,
            path: None,
            similar_to: None,
            tolerance,
        }
    }
}

/// A path for a method that follows paths.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Points on the ground, x and z, metres, evenly spaced in time, from key to key.
    pub path: Vec<Vec2>,
    /// Number of frames between the keys.
    pub frames: usize,
    /// Duration class among all paths found.
    pub pace: Pace,
}

impl Session {
    /// Finds candidate paths from the first key to the second.
    ///
    /// # Errors
    /// [`Error::Option`] for options out of range, for more than two keys, and if the gallery has no path that fits
    /// keys and options; [`Error::Rig`] for rigs other than bipeds, [`Error::Weights`] for an empty gallery.
    pub fn candidates(&self, gallery: &Gallery, options: &CandidateOptions) -> Result<Vec<Plan>> {
        options.check()?;
        let [first_key, second_key] = &self.pieces[..] else {
            let message = format!("candidates need exactly two keys, not {}", self.pieces.len());
            return Err(Error::Option { option: "candidates", message });
        };
        let fit = self.fit.as_ref().map_err(Clone::clone)?;
        let placed = self.placed_clips();
        let fps = placed[0].fps();
        let ground = ground_height([first_key, second_key]) * fit.scale;
        let (from, from_hips) = ground_state(fit, &placed[0], first_key, first_key.key.end - 1)?;
        let (to, to_hips) = ground_state(fit, &placed[1], second_key, second_key.key.start)?;
        let steps_of = |frames: usize| (((frames + 1) as f64 * RATE / fps).round() as usize).max(1);
        let frames_of = |steps: usize| ((steps as f64 * fps / RATE).round() as usize).saturating_sub(1);
        // Steps of the longest gap: no motion takes longer, and all steps of a very long path would not fit in memory.
        let max_steps = steps_of(*GAP_FRAMES.end()).min(MAX_STEPWISE_GAP);
        let to_canonical = |points: &[Vec2]| points.iter().map(|point| *point * fit.scale).collect::<Vec<_>>();

        let paths: Vec<(GroundPath, Pace)> = match &options.path {
            Some(points) => {
                let points = to_canonical(points);
                let path_of = |steps: usize| GroundPath::from_points(&points, from, to, steps);
                let length = path_of(steps_of(*GAP_FRAMES.end())).length();
                let durations = match options.frames {
                    Some(frames) => vec![(steps_of(frames), Pace::Medium)],
                    None => gallery.durations(length, options.pace, options.count),
                };
                durations.into_iter().map(|(steps, pace)| (path_of(steps.min(max_steps)), pace)).collect()
            }
            None => {
                let similar_to = options
                    .similar_to
                    .as_ref()
                    .map(|points| GroundPath { headings: vec![0.0; points.len()], positions: to_canonical(points) });
                let request = Request {
                    count: options.count,
                    seed: options.seed,
                    pace: options.pace,
                    steps: options.frames.map(steps_of),
                    style: options.style.as_deref(),
                    heights: Some([from_hips - ground, to_hips - ground]),
                    speed_range: options.speed_range,
                    similar_to: similar_to.as_ref(),
                    search: Search { tolerance: options.tolerance, ..Search::default() },
                };
                let candidates = gallery.candidates(from, to, &request);
                candidates.into_iter().map(|candidate| (candidate.path, candidate.pace)).collect()
            }
        };
        if paths.is_empty() {
            return Err(no_path_error(gallery, options));
        }
        let plan = |(path, pace): (GroundPath, Pace)| {
            let frames = options.frames.unwrap_or_else(|| frames_of(path.steps().min(MAX_STEPWISE_GAP)));
            let frames = frames.clamp(*GAP_FRAMES.start(), *GAP_FRAMES.end());
            Plan { path: path.scaled(1.0 / fit.scale).positions, frames, pace }
        };
        Ok(paths.into_iter().map(plan).collect())
    }
}

impl CandidateOptions {
    fn check(&self) -> Result<()> {
        let fail = |option: &'static str, message: String| Err(Error::Option { option, message });
        if !(1..=MAX_CANDIDATES).contains(&self.count) {
            return fail(
                "candidates",
                format!("1 to {MAX_CANDIDATES} candidates are made at once, not {}", self.count),
            );
        }
        if let Some(frames) = self.frames {
            gap::check(frames)?;
            if self.pace.is_some() {
                return fail(
                    "speed",
                    "\"frames\" already determines the duration: omit \"speed\" or \"frames\"".to_owned(),
                );
            }
        }
        if !(self.tolerance > 0.0 && self.tolerance <= 1.0) {
            return fail("tolerance", format!("a number above 0 and at most 1 is needed, not {}", self.tolerance));
        }
        for (option, points) in [("path", &self.path), ("similarTo", &self.similar_to)] {
            let Some(points) = points else { continue };
            if points.len() < 2 || points.iter().any(|point| !point.is_finite()) {
                return fail(
                    option,
                    "a path needs at least two points on the ground, with finite coordinates".to_owned(),
                );
            }
        }
        Ok(())
    }
}

/// Returns the error of a search that finds no path.
fn no_path_error(gallery: &Gallery, options: &CandidateOptions) -> Error {
    if gallery.is_empty() {
        return Error::Weights { message: "the gallery has no paths: use the gallery of this release".to_owned() };
    }
    let (option, remedy) = match options.pace {
        Some(_) => ("speed", "omit \"speed\", or move the keys"),
        None => ("keys", "move the keys closer together, or give a \"path\""),
    };
    Error::Option { option, message: format!("no path of the gallery leads from key to key: {remedy}") }
}

/// Returns the ground state of the canonical body in a frame of a key, and the height of its hips, metres. The velocity
/// is per step of the gallery.
fn ground_state(fit: &Fit, clip: &Clip, piece: &Piece, frame: usize) -> Result<(GroundState, f32)> {
    let span = piece.velocity_span(frame);
    let body = fit.convert(&clip.trimmed(span.start..span.end + 1)?)?;
    let pose_2d = |frame: usize| {
        let GroundPose { position, heading } = GroundPose::from_clip(&body, frame - span.start);
        (Vec2::new(position.x, position.z), heading)
    };
    let (position, heading) = pose_2d(frame);
    let velocity = (!span.is_empty()).then(|| {
        let per_frame = (pose_2d(span.end).0 - pose_2d(span.start).0) / span.len() as f32;
        per_frame * (clip.fps() / RATE) as f32
    });
    Ok((GroundState { position, heading, velocity }, body.translations()[frame - span.start].y))
}
