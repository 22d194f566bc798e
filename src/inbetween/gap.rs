//! Fills one gap, and measures it in the finished motion.

use super::Gap;
use super::feet::Footing;
use super::key::Piece;
use super::session::Session;
use super::transfer::{self, NetworkGap, NetworkMotion};
use crate::error::{Error, Result};
use crate::method::DEFAULT;
use crate::method::filler::{self, End, Filler, GAP_FRAMES, Motion, Postprocessing, Velocity};
use crate::method::frame::Frame;
use crate::method::interpolate::inertialize;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::rig::{Rig, RigKind};
use std::cell::OnceCell;
use std::slice::Iter;
use std::sync::Arc;

/// Number of frames to each side of a gap in which its jerk is measured: the reach of third differences.
pub(super) const JERK_REACH: usize = 3;
/// A network's motion is rejected if its largest displacement per frame exceeds that of keys and interpolation by this
/// factor.
const MAX_SPEED_RATIO: f32 = 2.0;

/// The keys at both ends of a gap, placed on the ground.
pub(super) struct GapKeys<'a> {
    pub clips: [&'a Clip; 2],
    pub pieces: [&'a Piece; 2],
}

/// Frames made for a gap.
pub(super) struct Filled {
    /// One frame for each frame of the gap.
    pub clip: Clip,
    /// Name of the method that made them.
    pub method: &'static str,
    /// Contacts that the method predicts, and the condition for holding feet.
    pub footing: Footing,
    /// See [`Gap::key_error_cm`] and [`Gap::key_error_degrees`].
    pub key_error_cm: f32,
    pub key_error_degrees: f32,
}

/// Checks the number of frames of a gap.
pub(super) fn check(frames: usize) -> Result<()> {
    if GAP_FRAMES.contains(&frames) {
        return Ok(());
    }
    let message = format!("a gap has {} to {} frames, not {frames}", GAP_FRAMES.start(), GAP_FRAMES.end());
    Err(Error::Option { option: "frames", message })
}

impl GapKeys<'_> {
    /// Returns the last frame of the first key and the first frame of the second key, each in its clip.
    fn end_frames(&self) -> [usize; 2] {
        [self.pieces[0].key.end - 1, self.pieces[1].key.start]
    }

    /// Returns the poses at both ends of the gap.
    fn ends(&self, session: &Session) -> [End; 2] {
        let end_frames = self.end_frames();
        [0, 1].map(|end| End {
            pose: Frame::from_clip(self.clips[end], &session.root, end_frames[end]),
            velocity: velocity(session, self, end, end_frames[end]),
        })
    }

    /// Calls `work` with the gap in the form that fillers read.
    fn with_gap<T>(
        &self,
        session: &Session,
        index: usize,
        frames: usize,
        work: impl FnOnce(&filler::Gap) -> Result<T>,
    ) -> Result<T> {
        let ends = self.ends(session);
        let body = OnceCell::new();
        let compute_body = || {
            if body.get().is_none() {
                let _ = body.set(transfer::body_gap(session, self, frames)?);
            }
            // Set above, so the error cannot occur.
            body.get().ok_or(Error::Aborted)
        };
        let fps = self.clips[0].fps();
        let ends = [&ends[0], &ends[1]];
        work(&filler::Gap { ends, frames, fps, hinges: &session.hinges, index, body_gap: &compute_body })
    }
}

/// Returns the network's input rows for gap `index` of `frames` frames, for a GPU.
pub(super) fn network_inputs(
    session: &Session,
    keys: &GapKeys,
    index: usize,
    frames: usize,
    filler: &dyn Filler,
) -> Result<Vec<Vec<f32>>> {
    keys.with_gap(session, index, frames, |gap| filler.network_inputs(gap))
}

/// Fills gap `index` of `frames` frames. `outputs`: outputs of the network, if it has run on a GPU.
pub(super) fn fill(
    session: &Session,
    keys: &GapKeys,
    index: usize,
    frames: usize,
    filler: &dyn Filler,
    outputs: Option<&mut Iter<'_, Vec<f32>>>,
) -> Result<Filled> {
    keys.with_gap(session, index, frames, |gap| {
        let motion = match outputs {
            Some(outputs) => filler.fill_from_outputs(gap, outputs)?,
            None => filler.fill(gap)?,
        };
        match motion {
            Motion::Skeleton(poses) => {
                Ok(without_network(clip_of(poses, session, keys.clips[0], gap.fps)?, filler.name()))
            }
            Motion::Body(prediction) => transfer_motion(session, keys, gap, filler, &prediction),
        }
    })
}

/// Returns frames without predicted contacts and without a key error.
fn without_network(clip: Clip, method: &'static str) -> Filled {
    Filled { clip, method, footing: Footing::default(), key_error_cm: 0.0, key_error_degrees: 0.0 }
}

/// Transfers a network's motion from the canonical body to the user's skeleton. Returns the interpolation instead if
/// the motion is too fast.
fn transfer_motion(
    session: &Session,
    keys: &GapKeys,
    gap: &filler::Gap,
    filler: &dyn Filler,
    prediction: &filler::BodyMotion,
) -> Result<Filled> {
    let (clip, frames, fps) = (keys.clips[0], gap.frames, gap.fps);
    let interpolate = |ends: [&End; 2], frames: usize, fps: f64| {
        clip_of(inertialize(ends[0], ends[1], frames, fps, gap.hinges), session, clip, fps)
    };
    let interpolation = interpolate(gap.ends, frames, fps)?;
    let (rows, frames_per_row) = transfer::count_rows(frames, fps);
    let row_ends = gap.ends.map(|end| end.clone().with_scaled_frame_time(frames_per_row as f32));
    let interpolation_rows = interpolate([&row_ends[0], &row_ends[1]], rows, fps / frames_per_row)?;
    let Postprocessing { max_jerk_ratio, foot_hold } = filler.postprocessing();
    let interpolated_step = metrics::largest_step(&with_key_poses(keys, &interpolation)?);
    let largest_step = session.largest_step.max(interpolated_step) + filler.requested_step(frames);
    let peak_jerk = jerks(keys, &interpolation)?.into_iter().fold(session.peak_jerk, f32::max);
    let find_rough_frames = |clip: &Clip| {
        let jerks = jerks(keys, clip)?;
        Ok(jerks.into_iter().map(|jerk| jerk > max_jerk_ratio * peak_jerk).collect::<Vec<_>>())
    };
    let fit = session.fit.as_ref().map_err(Clone::clone)?;
    let network_gap = NetworkGap { interpolation: fit.convert(&interpolation_rows)?, prediction, gap: gap.body()? };
    let motion = transfer::apply_change(fit, &session.rig, interpolation.clone(), &network_gap, find_rough_frames)?;
    if metrics::largest_step(&with_key_poses(keys, &motion.clip)?) > MAX_SPEED_RATIO * largest_step {
        return Ok(without_network(interpolation, DEFAULT.name));
    }
    let NetworkMotion { clip, contacts, arrival_error_cm, arrival_error_degrees } = motion;
    let (key_error_cm, key_error_degrees) = (arrival_error_cm, arrival_error_degrees);
    let footing = Footing { contacts: Some(contacts), foot_hold };
    Ok(Filled { clip, method: filler.name(), footing, key_error_cm, key_error_degrees })
}

/// Makes a clip from poses, on the skeleton of another clip.
fn clip_of(poses: impl IntoIterator<Item = Frame>, session: &Session, template: &Clip, fps: f64) -> Result<Clip> {
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for pose in poses {
        let mut pose = pose.into_local(template.skeleton(), &session.root);
        rotations.append(&mut pose.rotations);
        translations.append(&mut pose.translations);
    }
    let secs = if fps == template.fps() { template.frame_time_secs() } else { 1.0 / fps };
    Clip::new("gap", Arc::clone(template.skeleton()), secs, rotations, translations)
}

/// Returns a gap with the adjacent poses of both keys.
fn with_key_poses(keys: &GapKeys, gap: &Clip) -> Result<Clip> {
    let ([a, b], [last, first]) = (keys.clips, keys.end_frames());
    let rotations = [a.frame_rotations(last), gap.rotations(), b.frame_rotations(first)].concat();
    let translations = [a.frame_translations(last), gap.translations(), b.frame_translations(first)].concat();
    Clip::new("gap", Arc::clone(a.skeleton()), a.frame_time_secs(), rotations, translations)
}

/// Measures the largest joint jerk of each frame of a gap, m/s³; jerk in frames of the keys counts for the adjacent
/// frame of the gap.
fn jerks(keys: &GapKeys, gap: &Clip) -> Result<Vec<f32>> {
    let ([a, b], [last, first]) = (keys.pieces.map(|piece| &piece.key), keys.end_frames());
    let first_key = keys.clips[0].trimmed(last.saturating_sub(JERK_REACH - 1).max(a.start)..last + 1)?;
    let second_key = keys.clips[1].trimmed(first..(first + JERK_REACH).min(b.end))?;
    let rotations = [first_key.rotations(), gap.rotations(), second_key.rotations()].concat();
    let translations = [first_key.translations(), gap.translations(), second_key.translations()].concat();
    let with_keys = Clip::new("gap", Arc::clone(gap.skeleton()), gap.frame_time_secs(), rotations, translations)?;
    let start = first_key.frames();
    Ok(metrics::jerk_within(&with_keys, start..start + gap.frames()))
}

/// Returns the largest joint jerk of a clip, m/s³.
pub(super) fn peak_jerk(clip: &Clip) -> f32 {
    metrics::jerk(clip).into_iter().fold(0.0, f32::max)
}

/// Returns the velocity of a key at the gap, per frame ([`Piece::velocity_span`]); `None` if its clip has no other
/// frame.
fn velocity(session: &Session, keys: &GapKeys, end: usize, frame: usize) -> Option<Velocity> {
    let (clip, span) = (keys.clips[end], keys.pieces[end].velocity_span(frame));
    if span.is_empty() {
        return None;
    }
    let pose = |frame: usize| Frame::from_clip(clip, &session.root, frame);
    Some(Velocity::between(&pose(span.start), &pose(span.end), span.len() as f32))
}

/// Returns the frames in which the jerk of a gap is measured.
pub(super) fn measured_frames(gap: &Gap, clip: &Clip) -> std::ops::Range<usize> {
    gap.range.start.saturating_sub(JERK_REACH)..(gap.range.end + JERK_REACH).min(clip.frames())
}

/// Measures one gap of the finished motion: foot skate within it, and jerk in the gap and up to [`JERK_REACH`] frames
/// around it.
pub(super) fn measure(gap: &mut Gap, clip: &Clip, rig: &Rig, world_ground: [f32; 2]) {
    let feet = match rig.kind {
        RigKind::Biped => metrics::soles(rig, world_ground),
        RigKind::Quadruped | RigKind::Other => Vec::new(),
    };
    let frames = measured_frames(gap, clip);
    gap.foot_skate = metrics::foot_skate(clip, &feet, gap.range.start..gap.range.end + 1).slide;
    gap.peak_jerk = metrics::shown_peak_jerk(clip, rig, frames);
}
