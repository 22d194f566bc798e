//! Foot plan of a stitched clip: the contacts and heights that foot lock gives to its feet. They come from the source
//! clips, or from a network; contacts in blends are checked against the blended motion.

use crate::motion::clip::Clip;
use crate::motion::contact::{Contacts, Legs, Tracks, contacts_from_tracks, foot_tracks, remove_short_runs};
use crate::motion::ease::smoothstep;
use std::ops::Range;

/// Height over the ground below which a foot in a blend can be in contact, leg lengths.
pub const MAX_BLEND_HEIGHT: f32 = 0.045;
/// Horizontal speed below which a foot in a blend can be in contact, leg lengths per second.
pub const MAX_BLEND_SPEED: f32 = 1.8;
/// Part of a height error that is not corrected, leg lengths: a straight knee would have to bend far to change the
/// height a little.
pub const HEIGHT_TOLERANCE: f32 = 0.01;
/// Time before and after a blend in which corrections are applied in full, seconds.
const FULL_CORRECTION_SECS: f64 = 0.5;
/// Time in which corrections then fade to zero, seconds: motion far from seams stays as it was recorded.
const FADE_SECS: f64 = 0.5;

/// Target contacts and heights for the feet of a stitched clip.
#[derive(Debug, Clone, Default)]
pub struct FootPlan {
    /// Contacts and resting heights.
    pub contacts: Contacts,
    /// Target height minus current height, brought towards zero by [`HEIGHT_TOLERANCE`], metres, `[side][part][frame]`;
    /// zero outside blends and predicted ranges.
    pub rise: [[Vec<f32>; 2]; 2],
    /// Frames of the blends.
    pub blends: Vec<Range<usize>>,
}

/// A source clip of a stitched clip.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The clip as placed in the result.
    pub clip: &'a Clip,
    /// Frame of the result that corresponds to frame 0 of `clip`.
    pub start: usize,
    /// First frame of the result whose contacts come from this source; they end where the next source begins.
    pub first_frame: usize,
    /// Frames of the result in which it is blended with the previous source; empty for the first source.
    pub blend: Range<usize>,
}

/// Contacts that a network predicted for a range of a clip.
#[derive(Debug, Clone)]
pub struct PredictedContacts {
    /// Frames of the clip.
    pub frames: Range<usize>,
    /// Contacts, `[side][part][frame]`, from the start of `frames`.
    pub parts: [[Vec<bool>; 2]; 2],
}

impl FootPlan {
    /// Creates the plan of the stitched `clip`: the contacts and heights of each source in its range of frames. `legs`:
    /// legs of `clip` and of all sources. `tracks`: trajectories of the feet in `clip`.
    pub fn new(clip: &Clip, legs: &Legs, tracks: &Tracks, sources: &[Source]) -> Self {
        let blends = sources.iter().skip(1).map(|source| source.blend.clone()).collect();
        let mut plan = Self { blends, ..Self::default() };
        for (side, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            plan.contacts.parts[side][part] = vec![false; clip.frames()];
            plan.rise[side][part] = vec![0.0; clip.frames()];
        }
        plan.contacts.world_ground = [f32::MAX; 2];
        let leg_length = legs.length(clip, 0);
        for (index, source) in sources.iter().enumerate() {
            let source_tracks = foot_tracks(source.clip, legs);
            let source_contacts = contacts_from_tracks(source.clip, legs, &source_tracks);
            // Frames inserted between two sources use the nearest recorded frame.
            let source_frame = |frame: usize| frame.saturating_sub(source.start).min(source.clip.frames() - 1);
            let frames = source.first_frame..sources.get(index + 1).map_or(clip.frames(), |next| next.first_frame);
            for (side, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let ground = source_contacts.world_ground[part];
                plan.contacts.world_ground[part] = plan.contacts.world_ground[part].min(ground);
                for frame in frames.clone() {
                    plan.contacts.parts[side][part][frame] = source_contacts.parts[side][part][source_frame(frame)];
                }
                let (track, source_track) = (&tracks[side][part], &source_tracks[side][part]);
                for frame in plan.blends.iter().flat_map(Clone::clone).filter(|frame| frames.contains(frame)) {
                    let rise = source_track[source_frame(frame)].y - track[frame].y;
                    // Corrections fade in over the first third of the source's blend, so that no foot jumps where
                    // the blend starts.
                    let fade_in =
                        (frame - source.blend.start.min(frame)) as f32 / (source.blend.len() as f32 / 3.0 + 1.0);
                    let tolerance = HEIGHT_TOLERANCE * leg_length;
                    plan.rise[side][part][frame] =
                        (rise - rise.clamp(-tolerance, tolerance)) * smoothstep(fade_in.min(1.0));
                    let step = (track[frame] - track[frame.saturating_sub(1)]).with_y(0.0).length();
                    let is_low = track[frame].y - ground < MAX_BLEND_HEIGHT * leg_length;
                    let is_slow = step * (clip.fps() as f32) < MAX_BLEND_SPEED * leg_length;
                    plan.contacts.parts[side][part][frame] &= is_low && is_slow;
                }
            }
        }
        for flags in plan.contacts.parts.iter_mut().flatten() {
            remove_short_runs(flags, clip.fps());
        }
        plan
    }

    /// Returns the fraction of a frame's correction that is applied, 0 to 1: 1 near a blend, 0 far from all blends.
    pub(super) fn correction_weight(&self, frame: usize, fps: f64) -> f32 {
        let distance =
            |blend: &Range<usize>| blend.start.saturating_sub(frame).max((frame + 1).saturating_sub(blend.end));
        let nearest = self.blends.iter().map(distance).min().unwrap_or(usize::MAX);
        let fade = (nearest as f64 / fps - FULL_CORRECTION_SECS) / FADE_SECS;
        1.0 - smoothstep(fade.clamp(0.0, 1.0) as f32)
    }

    /// Replaces the contacts and heights of the sources in the ranges of `predicted`. A predicted contact counts only
    /// while the part is low and slow enough to be held; its target height is that of the ground. `clip`, `legs` and
    /// `tracks` are those of [`FootPlan::new`].
    pub fn apply_predicted(&mut self, clip: &Clip, legs: &Legs, tracks: &Tracks, predicted: &[PredictedContacts]) {
        let leg_length = legs.length(clip, 0);
        for prediction in predicted {
            for (side, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (track, ground) = (&tracks[side][part], self.contacts.world_ground[part]);
                for (frame, touches) in prediction.frames.clone().zip(&prediction.parts[side][part]) {
                    let rise = ground - track[frame].y;
                    let step = (track[frame] - track[frame.saturating_sub(1)]).with_y(0.0).length();
                    let is_slow = step * (clip.fps() as f32) < MAX_BLEND_SPEED * leg_length;
                    self.contacts.parts[side][part][frame] =
                        *touches && -rise < MAX_BLEND_HEIGHT * leg_length && is_slow;
                    self.rise[side][part][frame] =
                        rise - rise.clamp(-HEIGHT_TOLERANCE * leg_length, HEIGHT_TOLERANCE * leg_length);
                }
                remove_short_runs(&mut self.contacts.parts[side][part], clip.fps());
            }
        }
    }
}
