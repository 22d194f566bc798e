//! Pins feet that touch the ground within a gap; keys never change.
//!
//! As [`crate::motion::foot_hold`], except that keys take precedence: a contact that begins or continues in a key is
//! anchored at the key's foot position; only in a contact entirely within the gap is the foot held at its mean
//! position. Corrections are zero at both keys.

use super::key::Piece;
use super::release::Surroundings;
use crate::error::Result;
use crate::method::filler::FootHold;
use crate::motion::clip::Clip;
use crate::motion::contact::{Contacts as RecordedContacts, Legs, Tracks, foot_tracks, remove_short_runs};
use crate::motion::ease::smoothstep;
use crate::motion::fk::Pose;
use crate::motion::foot_hold::{
    EASE_SECS, Hold, LimbScale, SMOOTH_SECS, fade_between, lift_sliding_foot, measure_slip, runs, slip_to_undo,
    smooth_heights,
};
use crate::motion::foot_lock::move_foot;
use crate::motion::foot_plan::{HEIGHT_TOLERANCE, MAX_BLEND_HEIGHT, MAX_BLEND_SPEED};
use crate::motion::hinge::Hinge;
use glam::Vec3;
use std::ops::Range;

/// Largest distance over which a foot that stays on the ground glides from its position in the first key to that in the
/// second; over larger distances it steps. Leg lengths.
const MAX_GLIDE: f32 = 0.04;

/// Contacts of heels and toes, [side][heel or toe][frame].
pub(super) type Contacts = [[Vec<bool>; 2]; 2];

/// Contacts in a gap and the hold of feet, from the method that filled the gap.
#[derive(Default)]
pub(super) struct Footing {
    /// Predicted contacts, in frames of the gap; `None`: those of the keys.
    pub contacts: Option<Contacts>,
    /// Condition under which feet in contact are held.
    pub foot_hold: FootHold,
}

/// Returns the resting heights of heel and toe: the lowest of all keys, metres.
pub(super) fn resting_heights(pieces: &[Piece]) -> [f32; 2] {
    [0, 1].map(|part| pieces.iter().map(|piece| piece.contacts.world_ground[part]).fold(f32::MAX, f32::min))
}

/// A pair of limbs to pin, legs or arms.
pub(super) struct Limbs<'a> {
    pub legs: &'a Legs,
    /// Knees or elbows.
    pub hinges: &'a [Option<Hinge>; 2],
    /// Contacts around the keys before and after the gap.
    pub contacts: [&'a RecordedContacts; 2],
    /// Largest distance by which a foot or hand is moved, leg or arm lengths. It does not limit a glide from key to key
    /// ([`MAX_GLIDE`]).
    pub max_displacement: f32,
}

/// Pins feet or hands in the frames `gap` of a clip. `keys`: the keys before and after it; `peak_jerk`: the largest
/// jerk of the keys, m/s³.
pub(super) fn pin(
    clip: &mut Clip,
    gap: &Range<usize>,
    limbs: &Limbs,
    keys: [&Piece; 2],
    footing: &Footing,
    peak_jerk: f32,
) -> Result<()> {
    let Limbs { legs, hinges, contacts, max_displacement } = limbs;
    // Includes one frame of each key.
    let window = clip.trimmed(gap.start - 1..gap.end + 1)?;
    let tracks = foot_tracks(&window, legs);
    let limb_length = legs.length(&window, 0);
    let scale = LimbScale { limb_length, max_displacement: max_displacement * limb_length, fps: clip.fps() };
    let grounds = [0, 1].map(|part| contacts[0].world_ground[part].min(contacts[1].world_ground[part]));
    let key_contacts = contacts_at_keys(*contacts, [keys[0].key.end - 1, keys[1].key.start]);
    let gap_contacts = find_contacts(&tracks, key_contacts, footing.contacts.as_ref(), grounds, scale);
    let mut corrections = [0, 1].map(|side| compute_corrections(&tracks[side], &gap_contacts[side], grounds, scale));
    let apply = |window: &Clip, corrections: &[Vec<Vec3>; 2]| move_feet(window, legs, hinges, corrections);
    let pinned = match footing.foot_hold {
        FootHold::Always => apply(&window, &corrections),
        FootHold::UnlessJerky => {
            let ease = ((EASE_SECS * clip.fps()).round() as usize).max(1);
            let scale = |corrections: &mut [Vec<Vec3>; 2], frame: usize, weight: f32| {
                corrections.iter_mut().for_each(|side| side[frame] *= weight);
            };
            Surroundings::new(clip, gap)?.correct(&window, &mut corrections, (peak_jerk, ease), apply, scale)
        }
    };
    let joints = pinned.joints();
    clip.rotations_mut()[gap.start * joints..gap.end * joints]
        .copy_from_slice(&pinned.rotations()[joints..(gap.len() + 1) * joints]);
    Ok(())
}

/// Moves the feet by their corrections, [side][frame], metres. The first and the last frame of the window belong to the
/// keys and do not change.
fn move_feet(window: &Clip, legs: &Legs, hinges: &[Option<Hinge>; 2], corrections: &[Vec<Vec3>; 2]) -> Clip {
    let (mut moved, mut pose) = (window.clone(), Pose::default());
    for frame in 1..window.frames() - 1 {
        if corrections.iter().all(|side| side[frame].length_squared() < 1e-12) {
            continue;
        }
        pose.set_joints(window, frame, &legs.required_joints);
        for side in 0..2 {
            if corrections[side][frame].length_squared() >= 1e-12 {
                let hinge = hinges[side].as_ref().map_or(Vec3::ZERO, Hinge::axis);
                move_foot(&mut moved, frame, &pose, &legs.chain[side], hinge, corrections[side][frame]);
            }
        }
    }
    moved
}

/// Returns the contacts in the frames of the keys next to the gap, [key][side][part].
fn contacts_at_keys(contacts: [&RecordedContacts; 2], frames: [usize; 2]) -> [[[bool; 2]; 2]; 2] {
    [0, 1].map(|key| {
        [0, 1].map(|side| [0, 1].map(|part| contacts[key].parts[side][part].get(frames[key]).copied().unwrap_or(false)))
    })
}

/// Returns the contacts in the window: predicted, or else those of the nearer key; only where heel or toe are low and
/// slow enough to be held. The first and the last frame have the contacts of the keys.
fn find_contacts(
    tracks: &Tracks,
    key_contacts: [[[bool; 2]; 2]; 2],
    predicted: Option<&Contacts>,
    grounds: [f32; 2],
    LimbScale { limb_length, fps, .. }: LimbScale,
) -> Contacts {
    let frames = tracks[0][0].len();
    [0, 1].map(|side| {
        [0, 1].map(|part| {
            let track = &tracks[side][part];
            let mut flags: Vec<bool> = (0..frames)
                .map(|frame| {
                    if frame == 0 || frame == frames - 1 {
                        return key_contacts[usize::from(frame > 0)][side][part];
                    }
                    let nearer_key = usize::from(2 * frame >= frames);
                    let touches = match predicted {
                        Some(predicted) => predicted[side][part][frame - 1],
                        None => key_contacts[nearer_key][side][part],
                    };
                    let step = (track[frame] - track[frame - 1]).with_y(0.0).length();
                    let is_low = track[frame].y - grounds[part] < MAX_BLEND_HEIGHT * limb_length;
                    touches && is_low && step * (fps as f32) < MAX_BLEND_SPEED * limb_length
                })
                .collect();
            remove_short_runs(&mut flags, fps);
            flags
        })
    })
}

/// Computes the corrections of one foot, [frames of the window], metres; they are zero at both ends.
fn compute_corrections(
    tracks: &[Vec<Vec3>; 2],
    flags: &[Vec<bool>; 2],
    grounds: [f32; 2],
    scale: LimbScale,
) -> Vec<Vec3> {
    let LimbScale { limb_length, max_displacement, fps } = scale;
    let frames = tracks[0].len();
    let touches: Vec<bool> = (0..frames).map(|frame| flags[0][frame] || flags[1][frame]).collect();
    let mut holds = Vec::new();
    for run in runs(&touches) {
        add_holds(&mut holds, tracks, flags, grounds, run, scale);
    }
    let mut corrections = vec![Vec3::ZERO; frames];
    // The frames of the keys have no correction.
    let gap = 1..frames - 1;
    fade_between(&mut corrections, &holds, gap.clone(), fps);
    let is_held = |frame: usize| holds.iter().any(|hold| hold.frames.contains(&frame));
    lift_sliding_foot(&mut corrections, &gap, tracks, grounds, is_held, scale);
    for frame in gap {
        let depth = |part: usize| grounds[part] - tracks[part][frame].y - HEIGHT_TOLERANCE * limb_length;
        let rise = depth(0).max(depth(1)).clamp(0.0, max_displacement);
        corrections[frame].y = corrections[frame].y.max(rise);
    }
    let reach = ((SMOOTH_SECS * fps).round() as usize).max(1);
    smooth_heights(&mut corrections, reach);
    for (frame, correction) in corrections.iter_mut().enumerate() {
        let fraction = frame.min(frames - 1 - frame) as f32 / (reach + 1) as f32;
        correction.y *= smoothstep(fraction.min(1.0));
    }
    corrections
}

/// Adds the held ranges of one contact, with their corrections. `run`: frames of the contact.
fn add_holds(
    holds: &mut Vec<Hold>,
    tracks: &[Vec<Vec3>; 2],
    flags: &[Vec<bool>; 2],
    grounds: [f32; 2],
    run: Range<usize>,
    LimbScale { limb_length, max_displacement, fps }: LimbScale,
) {
    let frames = tracks[0].len();
    let slip = measure_slip(tracks, flags, &run);
    let (begins_in_key, ends_in_key) = (run.start == 0, run.end == frames);
    let is_too_far = |displacement: Vec3| displacement.length() > max_displacement;
    let total = slip[slip.len() - 1];
    let mut add = |frames: Range<usize>, corrections: Vec<Vec3>| {
        if frames.len() > 1 {
            holds.push(Hold { frames, corrections });
        }
    };
    match (begins_in_key, ends_in_key) {
        (true, true) if total.length() < MAX_GLIDE * limb_length => {
            let glide = |index: usize| total * smoothstep(index as f32 / (slip.len() - 1) as f32);
            add(run.clone(), (0..slip.len()).map(|index| glide(index) - slip[index]).collect());
        }
        (false, false) => {
            let mean = slip.iter().sum::<Vec3>() / slip.len() as f32;
            if slip.iter().any(|slip| is_too_far(*slip - mean)) {
                return;
            }
            let rise = |frame: usize| {
                let touching_parts = (0..2).filter(|&part| flags[part][frame]);
                let rises: Vec<f32> = touching_parts.map(|part| grounds[part] - tracks[part][frame].y).collect();
                rises.iter().sum::<f32>() / rises.len().max(1) as f32
            };
            let grip = slip_to_undo(&slip, true, true, fps);
            let middle = grip.iter().sum::<Vec3>() / grip.len() as f32;
            add(
                run.clone(),
                run.clone().zip(grip).map(|(frame, undone)| (middle - undone).with_y(rise(frame))).collect(),
            );
        }
        _ => {
            // If the foot touches the ground from key to key, but is too far from the second position to glide there,
            // it is held at each key for two fifths of the frames, and steps between.
            let max_frames = if begins_in_key && ends_in_key { slip.len() * 2 / 5 } else { slip.len() };
            if begins_in_key {
                let count = slip.iter().take(max_frames).take_while(|slip| !is_too_far(**slip)).count();
                let grip = slip_to_undo(&slip[..count], false, true, fps);
                add(run.start..run.start + count, grip.iter().map(|undone| -*undone).collect());
            }
            if ends_in_key {
                let count = slip.iter().rev().take(max_frames).take_while(|slip| !is_too_far(total - **slip)).count();
                let grip = slip_to_undo(&slip[slip.len() - count..], true, false, fps);
                let end = grip.last().copied().unwrap_or_default();
                add(run.end - count..run.end, grip.iter().map(|undone| end - *undone).collect());
            }
        }
    }
}
