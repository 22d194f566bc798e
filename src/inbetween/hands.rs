//! Hands that support the body: they are pinned in gaps as feet are ([`super::feet`]).

use super::feet::Footing;
use crate::method::filler::FootHold;
use crate::motion::clip::Clip;
use crate::motion::contact::{
    CONTACT_HEIGHT, CONTACT_SPEED, Contacts, Legs, Tracks, foot_tracks, ground_speeds, remove_short_runs,
};
use crate::motion::fk::Pose;
use crate::motion::hinge::{Hinge, LIMBS};
use crate::motion::rig::{Rig, RigKind, leg};
use glam::Vec3;

/// Largest height of the lowest hand over the lowest foot in a set of clips in which hands touch the floor, leg
/// lengths.
const TOUCH_HEIGHT: f32 = 0.17;
/// Largest distance by which a hand is moved, arm lengths. It is larger than that of feet, because contacts of
/// hands are not predicted.
pub(super) const MAX_DISPLACEMENT: f32 = 0.45;
/// Quantile of the heights of slow hands near the floor that is their resting height.
const RESTING_QUANTILE: f64 = 0.15;

/// Arms of a biped whose hands touch the floor in the clips of the keys.
#[derive(Debug, Clone)]
pub(super) struct Hands {
    /// Upper arm, forearm, hand of both sides; both contact points are the wrist.
    pub arms: Legs,
    pub elbows: [Option<Hinge>; 2],
    /// Contacts of each clip.
    pub contacts: Vec<Contacts>,
}

impl Hands {
    /// Finds the contacts of the hands in clips on one skeleton. `None` if no hand touches the floor, and for rigs
    /// without both arms and legs.
    pub fn new(clips: &[&Clip], rig: &Rig) -> Option<Self> {
        let (first, legs) = (clips.iter().find(|clip| clip.frames() > 0)?, rig.legs()?);
        if rig.kind != RigKind::Biped {
            return None;
        }
        let arm =
            |side: usize| Some([rig.joint(LIMBS[side][0])?, rig.joint(LIMBS[side][1])?, rig.joint(LIMBS[side][2])?]);
        let chain = [arm(2)?, arm(3)?];
        let arms = Legs::from_points(first, chain, chain.map(|[_, _, hand]| [(hand, Vec3::ZERO); 2]));
        let leg_length = leg::length(&Pose::from_clip(first, 0), &legs);
        let feet = Legs::detect(first, rig)?;
        let lowest = |limbs: &Legs| {
            let heights =
                clips.iter().flat_map(|clip| foot_tracks(clip, limbs)).flatten().flatten().map(|point| point.y);
            heights.fold(f32::INFINITY, f32::min)
        };
        let lowest_hand = lowest(&arms);
        if lowest_hand - lowest(&feet) > TOUCH_HEIGHT * leg_length {
            return None;
        }
        let hands: Vec<HandTracks> = clips.iter().map(|clip| HandTracks::new(clip, &arms)).collect();
        let max_height = lowest_hand + TOUCH_HEIGHT * leg_length;
        let ground = resting_height(&hands, max_height, CONTACT_SPEED[0] * leg_length)?;
        let contacts =
            hands.iter().zip(clips).map(|(hands, clip)| hands.contacts(ground, leg_length, clip.fps())).collect();
        Some(Self { contacts, elbows: chain.map(|chain| Hinge::detect(clips, chain)), arms })
    }

    /// Returns the footing of a gap: contacts in all frames, of which [`super::feet::pin`] keeps those with a low and
    /// slow hand.
    pub fn footing(frames: usize) -> Footing {
        let contacts = [0, 1].map(|_| [0, 1].map(|_| vec![true; frames]));
        Footing { contacts: Some(contacts), foot_hold: FootHold::UnlessJerky }
    }
}

/// Trajectories of both hands, metres, and their horizontal speeds, m/s.
struct HandTracks {
    tracks: Tracks,
    speeds: [Vec<f32>; 2],
}

impl HandTracks {
    fn new(clip: &Clip, arms: &Legs) -> Self {
        let tracks = foot_tracks(clip, arms);
        let speeds = [0, 1].map(|side| ground_speeds(&tracks[side][0], clip.fps() as f32));
        Self { tracks, speeds }
    }

    /// Returns the frames in which a hand is low and slow.
    fn contacts(&self, ground: f32, leg_length: f32, fps: f64) -> Contacts {
        let parts = [0, 1].map(|side| {
            let pairs = self.tracks[side][0].iter().zip(&self.speeds[side]);
            let mut flags: Vec<bool> = pairs
                .map(|(point, speed)| {
                    point.y - ground < CONTACT_HEIGHT[1] * leg_length && *speed < CONTACT_SPEED[1] * leg_length
                })
                .collect();
            remove_short_runs(&mut flags, fps);
            [flags.clone(), flags]
        });
        Contacts { parts, world_ground: [ground; 2] }
    }
}

/// Returns the height of hands on the floor: a low quantile of the heights, below `max_height`, of hands slower than
/// `max_speed`.
fn resting_height(clips: &[HandTracks], max_height: f32, max_speed: f32) -> Option<f32> {
    let pairs = clips
        .iter()
        .flat_map(|hands| [0, 1].into_iter().flat_map(|side| hands.tracks[side][0].iter().zip(&hands.speeds[side])));
    let mut heights: Vec<f32> =
        pairs.filter(|(point, speed)| point.y < max_height && **speed < max_speed).map(|(point, _)| point.y).collect();
    let index = (heights.len().checked_sub(1)? as f64 * RESTING_QUANTILE) as usize;
    Some(*heights.select_nth_unstable_by(index, f32::total_cmp).1)
}
