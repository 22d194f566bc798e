//! One gap: filled, and measured once the motion is whole.

use super::feet::Footing;
use super::key::Piece;
use super::method::{Finish, Method};
use super::network::{self, Made};
use super::session::Session;
use super::{GAP_FRAMES, Gap, Inbetweener};
use crate::error::{Error, Result};
use crate::method::blend::Frame;
use crate::method::dcmoe::Wish;
use crate::method::interpolate::{End, Speed, carried, linear};
use crate::method::manifold;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::rig::{Rig, RigKind};
use std::ops::Range;
use std::sync::Arc;

/// Frames to each side of a gap that its jerk is measured over: third differences look so far.
const JERK_REACH: usize = 3;
/// A network's motion is not believed that is faster than this many times what keys and interpolation ask for.
const TOO_FAST: f32 = 2.0;

/// The keys at both ends of a gap, placed.
pub(super) struct Window<'a> {
    pub clips: [&'a Clip; 2],
    pub pieces: [&'a Piece; 2],
}

/// Frames made for a gap.
pub(super) struct Filled {
    /// As many frames as the gap has.
    pub clip: Clip,
    /// How they were made.
    pub method: &'static str,
    /// What it says of the feet.
    pub footing: Footing,
    pub arrival_cm: f32,
    pub arrival_degrees: f32,
}

pub(super) fn check(frames: usize) -> Result<()> {
    if GAP_FRAMES.contains(&frames) {
        return Ok(());
    }
    let message = format!("a gap has {} to {} frames, not {frames}", GAP_FRAMES.start(), GAP_FRAMES.end());
    Err(Error::Option { option: "frames", message })
}

/// What networks are told beside the keys.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    pub manifold: manifold::Wish<'a>,
    pub dcmoe: Wish<'a>,
}

/// Fills a gap of `frames` frames.
pub(super) fn fill(
    session: &Session,
    window: &Window,
    frames: usize,
    method: Inbetweener,
    told: Told,
) -> Result<Filled> {
    let root = &session.root;
    let clip = window.clips[0];
    let last = window.pieces[0].key.end - 1;
    let first = window.pieces[1].key.start;
    let from = End { pose: Frame::of(clip, root, last), speed: speed(session, window, 0, last) };
    let to = End { pose: Frame::of(window.clips[1], root, first), speed: speed(session, window, 1, first) };
    let plain = |clip, method: Inbetweener| Filled {
        clip,
        method: method.name(),
        footing: Footing::default(),
        arrival_cm: 0.0,
        arrival_degrees: 0.0,
    };
    let (fps, hinges) = (clip.fps(), &session.hinges[..]);
    if let Inbetweener::Linear = method {
        return Ok(plain(clip_of(linear(&from, &to, frames), session, clip, fps)?, method));
    }
    let own = clip_of(carried(&from, &to, frames, fps, hinges), session, clip, fps)?;
    let network: &dyn Method = match &method {
        Inbetweener::Linear | Inbetweener::Inertialize => return Ok(plain(own, method)),
        Inbetweener::Manifold(manifold) => &(*manifold, told.manifold),
        Inbetweener::Delta(delta) => delta,
        Inbetweener::Dcmoe(dcmoe) => &(*dcmoe, told.dcmoe),
    };
    let Finish { rough, grip } = network.finish();
    let fit = session.fit.as_ref().map_err(Clone::clone)?;
    let (rows, step) = network::rows(frames, fps);
    let paced = [&from, &to].map(|end| end.clone().paced(step as f32));
    let coarse = clip_of(carried(&paced[0], &paced[1], rows, fps / step, hinges), session, clip, fps / step)?;
    let most = session.fastest.max(metrics::largest_step(&whole(window, [last, first], &own)?))
        + asked_step(&told.dcmoe, frames);
    let between = [last, first];
    let most_jerk = rough * session.roughest.max(jerks(window, between, &own)?.into_iter().fold(0.0, f32::max));
    let rough =
        |clip: &Clip| Ok(jerks(window, between, clip)?.into_iter().map(|jerk| jerk > most_jerk).collect::<Vec<_>>());
    let made = network::fill(network, fit, &session.rig, window, own.clone(), &coarse, rough)?;
    if metrics::largest_step(&whole(window, between, &made.clip)?) > TOO_FAST * most {
        return Ok(plain(own, Inbetweener::Inertialize));
    }
    let Made { clip, contacts, arrival_cm, arrival_degrees } = made;
    let footing = Footing { contacts: Some(contacts), grip };
    Ok(Filled { clip, method: method.name(), footing, arrival_cm, arrival_degrees })
}

/// Largest step of an asked path, metres a frame.
fn asked_step(wish: &Wish, frames: usize) -> f32 {
    let Some(points) = wish.path else { return 0.0 };
    let longest = points.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
    longest * (points.len() - 1) as f32 / (frames + 1) as f32
}

/// Poses as a clip on the skeleton of another.
fn clip_of(poses: impl Iterator<Item = Frame>, session: &Session, of: &Clip, fps: f64) -> Result<Clip> {
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for pose in poses {
        let mut pose = pose.into_local(of.skeleton(), &session.root);
        rotations.append(&mut pose.rotations);
        translations.append(&mut pose.translations);
    }
    let secs = if fps == of.fps() { of.frame_time_secs() } else { 1.0 / fps };
    Clip::new("gap", Arc::clone(of.skeleton()), secs, rotations, translations)
}

/// A gap with the poses at both its ends.
fn whole(window: &Window, [last, first]: [usize; 2], gap: &Clip) -> Result<Clip> {
    let [a, b] = window.clips;
    let rotations = [a.frame_rotations(last), gap.rotations(), b.frame_rotations(first)].concat();
    let translations = [a.frame_translations(last), gap.translations(), b.frame_translations(first)].concat();
    Clip::new("gap", Arc::clone(a.skeleton()), a.frame_time_secs(), rotations, translations)
}

/// Largest joint jerk of each frame of a gap, m/s³; what is measured at the keys' own frames counts for the frame beside them.
fn jerks(window: &Window, [last, first]: [usize; 2], gap: &Clip) -> Result<Vec<f32>> {
    let [a, b] = window.pieces.map(|piece| &piece.key);
    let before = window.clips[0].trimmed(last.saturating_sub(JERK_REACH - 1).max(a.start)..last + 1)?;
    let after = window.clips[1].trimmed(first..(first + JERK_REACH).min(b.end))?;
    let all = [before.rotations(), gap.rotations(), after.rotations()].concat();
    let places = [before.translations(), gap.translations(), after.translations()].concat();
    let whole = Clip::new("gap", Arc::clone(gap.skeleton()), gap.frame_time_secs(), all, places)?;
    let (start, frames) = (before.frames(), gap.frames());
    let mut found = vec![0.0_f32; frames];
    for (frame, jerk) in metrics::jerk(&whole).into_iter().enumerate() {
        let frame = frame.saturating_sub(start).min(frames - 1);
        found[frame] = found[frame].max(jerk);
    }
    Ok(found)
}

/// Largest joint jerk of a clip, m/s³.
pub(super) fn peak_jerk(clip: &Clip) -> f32 {
    metrics::jerk(clip).into_iter().fold(0.0, f32::max)
}

/// How a key moves at its end towards the gap, a frame: by the key's own frames where it has several, so that the motion
/// goes on as the key does; else by those around it in its clip.
fn speed(session: &Session, window: &Window, end: usize, frame: usize) -> Option<Speed> {
    let (clip, key) = (window.clips[end], &window.pieces[end].key);
    let span: Range<usize> = match (key.len(), end) {
        (1, _) => frame.saturating_sub(1)..(frame + 1).min(clip.frames() - 1),
        (_, 0) => frame - 1..frame,
        _ => frame..frame + 1,
    };
    if span.is_empty() {
        return None;
    }
    let at = |frame: usize| Frame::of(clip, &session.root, frame);
    Some(Speed::between(&at(span.start), &at(span.end), span.len() as f32))
}

/// Fills in what only the finished motion tells.
pub(super) fn measure(gap: &mut Gap, clip: &Clip, rig: &Rig, world_ground: [f32; 2]) {
    let feet = match rig.kind {
        RigKind::Biped => metrics::soles(rig, world_ground),
        RigKind::Quadruped | RigKind::Other => Vec::new(),
    };
    let frames = gap.edited.start.saturating_sub(JERK_REACH)..(gap.edited.end + JERK_REACH).min(clip.frames());
    gap.foot_skate = metrics::foot_skate(clip, &feet, gap.edited.start..gap.edited.end + 1).slide;
    gap.peak_jerk = match clip.trimmed(frames) {
        Ok(part) => metrics::jerk(&part).into_iter().fold(0.0, f32::max),
        Err(_) => 0.0,
    };
}
