//! Fills one gap, and measures it in the finished motion.

use super::Gap;
use super::feet::Footing;
use super::key::Piece;
use super::network::{self, Coarse, NetworkMotion};
use super::session::Session;
use crate::error::{Error, Result};
use crate::method::DEFAULT;
use crate::method::filler::{self, End, Filler, GAP_FRAMES, Motion, Postprocessing, Velocity};
use crate::method::frame::Frame;
use crate::method::interpolate::inertialize;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::rig::{Rig, RigKind};
use std::cell::OnceCell;
use std::ops::Range;
use std::slice::Iter;
use std::sync::Arc;

/// Number of frames to each side of a gap in which its jerk is measured: the reach of third differences.
const JERK_REACH: usize = 3;
/// A network's motion is rejected if it is faster than this multiple of keys and interpolation.
const TOO_FAST: f32 = 2.0;

/// The keys at both ends of a gap, placed.
pub(super) struct Window<'a> {
    pub clips: [&'a Clip; 2],
    pub pieces: [&'a Piece; 2],
}

/// Frames made for a gap.
pub(super) struct Filled {
    /// One frame for each frame of the gap.
    pub clip: Clip,
    /// Name of the method that made them.
    pub method: &'static str,
    /// Contacts of its method, and how feet are held.
    pub footing: Footing,
    pub key_error_cm: f32,
    pub key_error_degrees: f32,
}

pub(super) fn check(frames: usize) -> Result<()> {
    if GAP_FRAMES.contains(&frames) {
        return Ok(());
    }
    let message = format!("a gap has {} to {} frames, not {frames}", GAP_FRAMES.start(), GAP_FRAMES.end());
    Err(Error::Option { option: "frames", message })
}

impl Window<'_> {
    /// The last frame before the gap, and the first one after it.
    fn between(&self) -> [usize; 2] {
        [self.pieces[0].key.end - 1, self.pieces[1].key.start]
    }

    /// Both ends of the gap.
    fn ends(&self, session: &Session) -> [End; 2] {
        let between = self.between();
        [0, 1].map(|end| End {
            pose: Frame::from_clip(self.clips[end], &session.root, between[end]),
            velocity: velocity(session, self, end, between[end]),
        })
    }

    /// Calls `with` with the gap in the form that fillers read.
    fn gap<T>(
        &self,
        session: &Session,
        index: usize,
        frames: usize,
        with: impl FnOnce(&filler::Gap) -> Result<T>,
    ) -> Result<T> {
        let ends = self.ends(session);
        let body = OnceCell::new();
        let on_body = || {
            if body.get().is_none() {
                let _ = body.set(network::body_gap(session, self, frames)?);
            }
            body.get().ok_or(Error::Aborted)
        };
        let fps = self.clips[0].fps();
        let ends = [&ends[0], &ends[1]];
        with(&filler::Gap { ends, frames, fps, hinges: &session.hinges, index, body_gap: &on_body })
    }
}

/// Returns the network's input rows for gap `index` of `frames` frames, for a GPU.
pub(super) fn questions(
    session: &Session,
    window: &Window,
    index: usize,
    frames: usize,
    filler: &dyn Filler,
) -> Result<Vec<Vec<f32>>> {
    window.gap(session, index, frames, |gap| filler.network_inputs(gap))
}

/// Fills gap `index` of `frames` frames. `answers`: outputs of the network on a GPU, if it has run there.
pub(super) fn fill(
    session: &Session,
    window: &Window,
    index: usize,
    frames: usize,
    filler: &dyn Filler,
    answers: Option<&mut Iter<'_, Vec<f32>>>,
) -> Result<Filled> {
    window.gap(session, index, frames, |gap| {
        let motion = match answers {
            Some(answers) => filler.fill_from_outputs(gap, answers)?,
            None => filler.fill(gap)?,
        };
        match motion {
            Motion::Skeleton(poses) => Ok(plain(clip_of(poses, session, window.clips[0], gap.fps)?, filler.name())),
            Motion::Body(filled) => on_body(session, window, gap, filler, &filled),
        }
    })
}

fn plain(clip: Clip, method: &'static str) -> Filled {
    Filled { clip, method, footing: Footing::default(), key_error_cm: 0.0, key_error_degrees: 0.0 }
}

/// Transfers a motion on the canonical body to the user's skeleton. Returns interpolation instead if the motion is too
/// fast.
fn on_body(
    session: &Session,
    window: &Window,
    gap: &filler::Gap,
    filler: &dyn Filler,
    filled: &filler::BodyMotion,
) -> Result<Filled> {
    let (clip, frames, fps) = (window.clips[0], gap.frames, gap.fps);
    let interpolated = |ends: [&End; 2], frames: usize, fps: f64| {
        clip_of(inertialize(ends[0], ends[1], frames, fps, gap.hinges), session, clip, fps)
    };
    let interpolation = interpolated(gap.ends, frames, fps)?;
    let (rows, step) = network::rows(frames, fps);
    let paced = gap.ends.map(|end| end.clone().with_scaled_frame_time(step as f32));
    let coarse = interpolated([&paced[0], &paced[1]], rows, fps / step)?;
    let Postprocessing { max_jerk_ratio, foot_hold: grip } = filler.postprocessing();
    let fastest =
        session.fastest.max(metrics::largest_step(&with_key_poses(window, window.between(), &interpolation)?))
            + filler.requested_step(frames);
    let peak_jerk = jerks(window, window.between(), &interpolation)?.into_iter().fold(session.peak_jerk, f32::max);
    let is_rough = |clip: &Clip| {
        let jerks = jerks(window, window.between(), clip)?;
        Ok(jerks.into_iter().map(|jerk| jerk > max_jerk_ratio * peak_jerk).collect::<Vec<_>>())
    };
    let fit = session.fit.as_ref().map_err(Clone::clone)?;
    let coarse = Coarse { base: fit.convert(&coarse)?, filled, gap: gap.body()? };
    let motion = network::apply_change(fit, &session.rig, interpolation.clone(), &coarse, is_rough)?;
    if metrics::largest_step(&with_key_poses(window, window.between(), &motion.clip)?) > TOO_FAST * fastest {
        return Ok(plain(interpolation, DEFAULT.name));
    }
    let NetworkMotion { clip, contacts, key_error_cm, key_error_degrees } = motion;
    let footing = Footing { contacts: Some(contacts), grip };
    Ok(Filled { clip, method: filler.name(), footing, key_error_cm, key_error_degrees })
}

/// Makes a clip from poses, on the skeleton of another clip.
fn clip_of(poses: impl IntoIterator<Item = Frame>, session: &Session, of: &Clip, fps: f64) -> Result<Clip> {
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for pose in poses {
        let mut pose = pose.into_local(of.skeleton(), &session.root);
        rotations.append(&mut pose.rotations);
        translations.append(&mut pose.translations);
    }
    let secs = if fps == of.fps() { of.frame_time_secs() } else { 1.0 / fps };
    Clip::new("gap", Arc::clone(of.skeleton()), secs, rotations, translations)
}

/// Returns a gap with the adjacent poses of both keys.
fn with_key_poses(window: &Window, [last, first]: [usize; 2], gap: &Clip) -> Result<Clip> {
    let [a, b] = window.clips;
    let rotations = [a.frame_rotations(last), gap.rotations(), b.frame_rotations(first)].concat();
    let translations = [a.frame_translations(last), gap.translations(), b.frame_translations(first)].concat();
    Clip::new("gap", Arc::clone(a.skeleton()), a.frame_time_secs(), rotations, translations)
}

/// Largest joint jerk of each frame of a gap, m/s³; jerk measured at the keys' own frames counts for the adjacent
/// frame.
fn jerks(window: &Window, [last, first]: [usize; 2], gap: &Clip) -> Result<Vec<f32>> {
    let [a, b] = window.pieces.map(|piece| &piece.key);
    let before = window.clips[0].trimmed(last.saturating_sub(JERK_REACH - 1).max(a.start)..last + 1)?;
    let after = window.clips[1].trimmed(first..(first + JERK_REACH).min(b.end))?;
    let all = [before.rotations(), gap.rotations(), after.rotations()].concat();
    let places = [before.translations(), gap.translations(), after.translations()].concat();
    let whole = Clip::new("gap", Arc::clone(gap.skeleton()), gap.frame_time_secs(), all, places)?;
    let (start, frames) = (before.frames(), gap.frames());
    let mut jerks = vec![0.0_f32; frames];
    for (frame, jerk) in metrics::jerk(&whole).into_iter().enumerate() {
        let frame = frame.saturating_sub(start).min(frames - 1);
        jerks[frame] = jerks[frame].max(jerk);
    }
    Ok(jerks)
}

/// Returns the largest joint jerk of a clip, m/s³.
pub(super) fn peak_jerk(clip: &Clip) -> f32 {
    metrics::jerk(clip).into_iter().fold(0.0, f32::max)
}

/// Returns the velocity of a key at the gap, per frame: from the key's frames if it has several, so that its motion
/// continues, otherwise from the frames around it in its clip.
fn velocity(session: &Session, window: &Window, end: usize, frame: usize) -> Option<Velocity> {
    let (clip, key) = (window.clips[end], &window.pieces[end].key);
    let span: Range<usize> = match (key.len(), end) {
        (1, _) => frame.saturating_sub(1)..(frame + 1).min(clip.frames() - 1),
        (_, 0) => frame - 1..frame,
        _ => frame..frame + 1,
    };
    if span.is_empty() {
        return None;
    }
    let at = |frame: usize| Frame::from_clip(clip, &session.root, frame);
    Some(Velocity::between(&at(span.start), &at(span.end), span.len() as f32))
}

/// Measures one gap of the finished motion: foot skate within it, and jerk at most [`JERK_REACH`] frames around it.
pub(super) fn measure(gap: &mut Gap, clip: &Clip, rig: &Rig, world_ground: [f32; 2]) {
    let feet = match rig.kind {
        RigKind::Biped => metrics::soles(rig, world_ground),
        RigKind::Quadruped | RigKind::Other => Vec::new(),
    };
    let frames = gap.range.start.saturating_sub(JERK_REACH)..(gap.range.end + JERK_REACH).min(clip.frames());
    gap.foot_skate = metrics::foot_skate(clip, &feet, gap.range.start..gap.range.end + 1).slide;
    gap.peak_jerk = match clip.trimmed(frames) {
        Ok(part) => metrics::jerk(&part).into_iter().fold(0.0, f32::max),
        Err(_) => 0.0,
    };
}
