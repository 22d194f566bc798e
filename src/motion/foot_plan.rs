//! Foot plan of a stitched clip: the contacts of its source clips, checked where they were blended.

use crate::motion::clip::Clip;
use crate::motion::contact::{Contacts, Legs, Tracks, contacts_from_tracks, drop_short, foot_tracks};
use crate::motion::ease::smoothstep;
use std::ops::Range;

/// Inside a blend a contact counts only while the blended foot is below this height over the ground, leg lengths …
pub const BLEND_HEIGHT: f32 = 0.045;
/// … and slower than this, leg lengths per second.
pub const BLEND_SPEED: f32 = 1.8;
/// Smaller height errors are not corrected, because a straight knee has to bend far for little height; leg lengths.
pub const DEAD_HEIGHT: f32 = 0.01;
/// Feet are held in full this long before and after a blend, seconds …
const HELD_SECS: f64 = 0.5;
/// … and less and less over this long beyond: motion far from seams stays as it was recorded.
const FADE_SECS: f64 = 0.5;

/// Target contacts and heights for the feet of a stitched clip.
#[derive(Debug, Clone, Default)]
pub struct FootPlan {
    /// Contacts by part, `[side][part][frame]`.
    pub contacts: Contacts,
    /// Target height minus current height, metres, `[side][part][frame]`; zero outside blends.
    pub rise: [[Vec<f32>; 2]; 2],
    /// Frames of the blends.
    pub blends: Vec<Range<usize>>,
}

/// A source clip of a stitched clip.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The clip as placed in the result.
    pub clip: &'a Clip,
    /// Frame of the result at which its frame 0 is.
    pub start: usize,
    /// First frame of the result whose contacts come from this source; the last one is before the next source's.
    pub first_frame: usize,
    /// Frames of the result in which it is blended with the source before.
    pub blend: Range<usize>,
}

/// Contacts that a network predicted for a range of a clip.
#[derive(Debug, Clone)]
pub struct PredictedContacts {
    /// Frames of the clip.
    pub frames: Range<usize>,
    /// Contacts by part, `[side][part]`[frame of `frames`].
    pub parts: [[Vec<bool>; 2]; 2],
}

impl FootPlan {
    /// Contacts as recorded in the sources, each for its range of `clip`. `tracks` are the trajectories of `clip`.
    pub fn new(clip: &Clip, legs: &Legs, tracks: &Tracks, sources: &[Source]) -> Self {
        let blends = sources.iter().skip(1).map(|source| source.blend.clone()).collect();
        let mut plan = Self { blends, ..Self::default() };
        for (side, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            plan.contacts.parts[side][part] = vec![false; clip.frames()];
            plan.rise[side][part] = vec![0.0; clip.frames()];
        }
        plan.contacts.world_ground = [f32::MAX; 2];
        let leg = legs.length(clip, 0);
        for (index, source) in sources.iter().enumerate() {
            let own_tracks = foot_tracks(source.clip, legs);
            let own = contacts_from_tracks(source.clip, legs, &own_tracks);
            // Frames inserted between two sources use the nearest recorded frame.
            let recorded = |frame: usize| frame.saturating_sub(source.start).min(source.clip.frames() - 1);
            let frames = source.first_frame..sources.get(index + 1).map_or(clip.frames(), |next| next.first_frame);
            for (side, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let ground = own.world_ground[part];
                plan.contacts.world_ground[part] = plan.contacts.world_ground[part].min(ground);
                for frame in frames.clone() {
                    plan.contacts.parts[side][part][frame] = own.parts[side][part][recorded(frame)];
                }
                let (now, wanted) = (&tracks[side][part], &own_tracks[side][part]);
                for frame in plan.blends.iter().flat_map(Clone::clone).filter(|frame| frames.contains(frame)) {
                    let rise = wanted[recorded(frame)].y - now[frame].y;
                    let started =
                        (frame - source.blend.start.min(frame)) as f32 / (source.blend.len() as f32 / 3.0 + 1.0);
                    let dead = DEAD_HEIGHT * leg;
                    plan.rise[side][part][frame] = (rise - rise.clamp(-dead, dead)) * smoothstep(started.min(1.0));
                    let step = (now[frame] - now[frame.saturating_sub(1)]).with_y(0.0).length();
                    let low = now[frame].y - ground < BLEND_HEIGHT * leg;
                    let slow = step * (clip.fps() as f32) < BLEND_SPEED * leg;
                    plan.contacts.parts[side][part][frame] &= low && slow;
                }
            }
        }
        for flags in plan.contacts.parts.iter_mut().flatten() {
            drop_short(flags, clip.fps());
        }
        plan
    }

    /// Part of a frame's correction that is made: 1 near a blend, 0 far from all of them.
    pub(super) fn correction_weight(&self, frame: usize, fps: f64) -> f32 {
        let away = |blend: &Range<usize>| blend.start.saturating_sub(frame).max((frame + 1).saturating_sub(blend.end));
        let nearest = self.blends.iter().map(away).min().unwrap_or(usize::MAX);
        let beyond = (nearest as f64 / fps - HELD_SECS) / FADE_SECS;
        1.0 - smoothstep(beyond.clamp(0.0, 1.0) as f32)
    }

    /// Replaces recorded contacts by predicted ones where the part is low and slow enough to be held. Its target
    /// height is the ground.
    pub fn apply_predicted(&mut self, clip: &Clip, legs: &Legs, tracks: &Tracks, predicted: &[PredictedContacts]) {
        let leg = legs.length(clip, 0);
        for stretch in predicted {
            for (side, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (now, ground) = (&tracks[side][part], self.contacts.world_ground[part]);
                for (frame, touches) in stretch.frames.clone().zip(&stretch.parts[side][part]) {
                    let rise = ground - now[frame].y;
                    let step = (now[frame] - now[frame.saturating_sub(1)]).with_y(0.0).length();
                    let slow = step * (clip.fps() as f32) < BLEND_SPEED * leg;
                    self.contacts.parts[side][part][frame] = *touches && -rise < BLEND_HEIGHT * leg && slow;
                    self.rise[side][part][frame] = rise - rise.clamp(-DEAD_HEIGHT * leg, DEAD_HEIGHT * leg);
                }
                drop_short(&mut self.contacts.parts[side][part], clip.fps());
            }
        }
    }
}
