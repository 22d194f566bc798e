//! Pins feet that touch the ground within a gap; keys never change.
//!
//! As [`crate::motion::foot_hold`], except that keys take precedence: a contact that begins or continues in a key is
//! anchored at the key's foot position; only contacts entirely within the gap are centred. Corrections are zero at
//! both keys.

use super::key::Piece;
use crate::error::Result;
use crate::method::filler::FootHold;
use crate::metrics::jerk;
use crate::motion::clip::Clip;
use crate::motion::contact::{Contacts as RecordedContacts, Legs, Tracks, drop_short, foot_tracks};
use crate::motion::ease::smoothstep;
use crate::motion::fk::Pose;
use crate::motion::foot_hold::{
    EASE_SECS, Hold, SMOOTH_SECS, Scale, fade_between, grip_slip, measure_slip, runs, smooth_heights, step_over,
};
use crate::motion::foot_lock::move_foot;
use crate::motion::foot_plan::{BLEND_HEIGHT, BLEND_SPEED, DEAD_HEIGHT};
use crate::motion::hinge::Hinge;
use glam::Vec3;
use std::ops::Range;

/// A foot that is on the ground in both keys, at positions closer than this, glides from one to the other; otherwise
/// it steps. Leg lengths.
const GLIDE: f32 = 0.04;

/// [`FootHold::UnlessJerky`] releases feet where holding them causes more than this multiple of the jerk of the motion
/// and its keys; repeated for a limited number of rounds.
const ROUGH: f32 = 1.2;
const RELEASES: usize = 3;

/// Contacts by part, [side][part][frame].
pub(super) type Contacts = [[Vec<bool>; 2]; 2];

/// Contacts and grip that a method requests in its gap.
#[derive(Default)]
pub(super) struct Footing {
    /// Predicted contacts, in frames of the gap; `None`: those of the keys.
    pub contacts: Option<Contacts>,
    /// How feet are held.
    pub grip: FootHold,
}

/// Resting height of heel and toe: the lowest of all keys, metres.
pub(super) fn ground(pieces: &[Piece]) -> [f32; 2] {
    [0, 1].map(|part| pieces.iter().map(|piece| piece.contacts.world_ground[part]).fold(f32::MAX, f32::min))
}

/// A pair of limbs to pin, legs or arms.
pub(super) struct Limbs<'a> {
    pub legs: &'a Legs,
    /// Knees or elbows.
    pub hinges: &'a [Option<Hinge>; 2],
    /// Contacts around the keys before and after the gap.
    pub contacts: [&'a RecordedContacts; 2],
    /// Largest distance by which a foot or hand is moved, leg lengths.
    pub farthest: f32,
}

/// Pins feet or hands in the frames `gap` of a clip. `ends`: the keys before and after it; `peak_jerk`: the largest jerk
/// of the keys, m/s³.
pub(super) fn pin(
    clip: &mut Clip,
    gap: &Range<usize>,
    limbs: &Limbs,
    ends: [&Piece; 2],
    footing: &Footing,
    peak_jerk: f32,
) -> Result<()> {
    let Limbs { legs, hinges: knees, contacts, farthest } = limbs;
    // Includes one frame of each key.
    let window = clip.trimmed(gap.start - 1..gap.end + 1)?;
    let tracks = foot_tracks(&window, legs);
    let limb = legs.length(&window, 0);
    let scale = Scale { limb, farthest: farthest * limb, fps: clip.fps() };
    let grounds = [0, 1].map(|part| contacts[0].world_ground[part].min(contacts[1].world_ground[part]));
    let at_keys = at_keys(*contacts, [ends[0].key.end - 1, ends[1].key.start]);
    let flags = flags(&tracks, at_keys, footing.contacts.as_ref(), grounds, scale);
    let mut corrections = [0, 1].map(|side| corrections(&tracks[side], &flags[side], grounds, scale));
    let mut pinned = moved(&window, legs, knees, &corrections);
    if footing.grip == FootHold::UnlessJerky {
        let most = ROUGH * jerk(&window).into_iter().fold(peak_jerk, f32::max);
        let ease = ((EASE_SECS * clip.fps()).round() as usize).max(1);
        for _ in 0..RELEASES {
            let jerks = jerk(&pinned);
            if jerks.iter().all(|jerk| *jerk <= most) {
                break;
            }
            release(&mut corrections, &jerks, most, ease);
            pinned = moved(&window, legs, knees, &corrections);
        }
    }
    let joints = pinned.joints();
    clip.rotations_mut()[gap.start * joints..gap.end * joints]
        .copy_from_slice(&pinned.rotations()[joints..(gap.len() + 1) * joints]);
    Ok(())
}

/// Frames between two keys with the feet of each side moved, [side][frame], metres.
fn moved(window: &Clip, legs: &Legs, knees: &[Option<Hinge>; 2], corrections: &[Vec<Vec3>; 2]) -> Clip {
    let (mut moved, mut pose) = (window.clone(), Pose::default());
    for frame in 1..window.frames() - 1 {
        if corrections.iter().all(|side| side[frame].length_squared() < 1e-12) {
            continue;
        }
        pose.set_joints(window, frame, &legs.required_joints);
        for side in 0..2 {
            if corrections[side][frame].length_squared() >= 1e-12 {
                let hinge = knees[side].as_ref().map_or(Vec3::ZERO, Hinge::axis);
                move_foot(&mut moved, frame, &pose, &legs.chain[side], hinge, corrections[side][frame]);
            }
        }
    }
    moved
}

/// Releases feet around frames with more jerk than `most`: completely there, and gradually less over `ease` frames to
/// each side.
fn release(corrections: &mut [Vec<Vec3>; 2], jerks: &[f32], most: f32, ease: usize) {
    let frames = jerks.len();
    let rough: Vec<usize> = (0..frames).filter(|&frame| jerks[frame] > most).collect();
    for frame in 0..frames {
        let away = rough.iter().map(|&at| at.abs_diff(frame)).min().unwrap_or(frames);
        let share = smoothstep((away.saturating_sub(1) as f32 / ease as f32).min(1.0));
        corrections.iter_mut().for_each(|side| side[frame] *= share);
    }
}

/// Contacts in the frames of the keys next to the gap, [end][side][part].
fn at_keys(contacts: [&RecordedContacts; 2], frames: [usize; 2]) -> [[[bool; 2]; 2]; 2] {
    [0, 1].map(|end| {
        [0, 1].map(|side| [0, 1].map(|part| contacts[end].parts[side][part].get(frames[end]).copied().unwrap_or(false)))
    })
}

/// Contacts by part, including one frame of each key: predicted, else those of the nearer key; only where the part is
/// low and slow enough to be held.
fn flags(
    tracks: &Tracks,
    at_keys: [[[bool; 2]; 2]; 2],
    predicted: Option<&Contacts>,
    grounds: [f32; 2],
    Scale { limb, fps, .. }: Scale,
) -> Contacts {
    let frames = tracks[0][0].len();
    let at_key = |side: usize, part: usize, end: usize| at_keys[end][side][part];
    [0, 1].map(|side| {
        [0, 1].map(|part| {
            let track = &tracks[side][part];
            let mut flags: Vec<bool> = (0..frames)
                .map(|frame| {
                    if frame == 0 || frame == frames - 1 {
                        return at_key(side, part, usize::from(frame > 0));
                    }
                    let near = usize::from(2 * frame >= frames);
                    let touches = predicted.map_or_else(|| at_key(side, part, near), |all| all[side][part][frame - 1]);
                    let step = (track[frame] - track[frame - 1]).with_y(0.0).length();
                    let low = track[frame].y - grounds[part] < BLEND_HEIGHT * limb;
                    touches && low && step * (fps as f32) < BLEND_SPEED * limb
                })
                .collect();
            drop_short(&mut flags, fps);
            flags
        })
    })
}

/// Corrections of one foot, [frames of the window], metres; zero at both ends.
fn corrections(tracks: &[Vec<Vec3>; 2], flags: &[Vec<bool>; 2], grounds: [f32; 2], scale: Scale) -> Vec<Vec3> {
    let Scale { limb, farthest, fps } = scale;
    let frames = tracks[0].len();
    let touching: Vec<bool> = (0..frames).map(|frame| flags[0][frame] || flags[1][frame]).collect();
    let mut holds = Vec::new();
    for run in runs(&touching) {
        holds_of(&mut holds, tracks, flags, grounds, run, scale);
    }
    let mut corrections = vec![Vec3::ZERO; frames];
    // The keys' own frames have no correction.
    fade_between(&mut corrections, &holds, 1..frames - 1, fps);
    let gap = 1..frames - 1;
    let held = |frame: usize| holds.iter().any(|hold| hold.frames.contains(&frame));
    step_over(&mut corrections, &gap, tracks, grounds, held, scale);
    for frame in gap {
        let depth = |part: usize| grounds[part] - tracks[part][frame].y - DEAD_HEIGHT * limb;
        let sunk = depth(0).max(depth(1)).clamp(0.0, farthest);
        corrections[frame].y = corrections[frame].y.max(sunk);
    }
    let reach = ((SMOOTH_SECS * fps).round() as usize).max(1);
    smooth_heights(&mut corrections, reach);
    for (frame, correction) in corrections.iter_mut().enumerate() {
        let inside = frame.min(frames - 1 - frame) as f32 / (reach + 1) as f32;
        correction.y *= smoothstep(inside.min(1.0));
    }
    corrections
}

/// Adds the held ranges of one contact.
fn holds_of(
    holds: &mut Vec<Hold>,
    tracks: &[Vec<Vec3>; 2],
    flags: &[Vec<bool>; 2],
    grounds: [f32; 2],
    run: Range<usize>,
    Scale { limb, farthest, fps }: Scale,
) {
    let frames = tracks[0].len();
    let slip = measure_slip(tracks, flags, &run);
    let (from_key, to_key) = (run.start == 0, run.end == frames);
    let far = |moved: Vec3| moved.length() > farthest;
    let total = slip[slip.len() - 1];
    let mut add = |frames: Range<usize>, corrections: Vec<Vec3>| {
        if frames.len() > 1 {
            holds.push(Hold { frames, corrections });
        }
    };
    match (from_key, to_key) {
        (true, true) if total.length() < GLIDE * limb => {
            let glided = |index: usize| total * smoothstep(index as f32 / (slip.len() - 1) as f32);
            add(run.clone(), (0..slip.len()).map(|index| glided(index) - slip[index]).collect());
        }
        (false, false) => {
            let mean = slip.iter().sum::<Vec3>() / slip.len() as f32;
            if slip.iter().any(|moved| far(*moved - mean)) {
                return;
            }
            let rise = |frame: usize| {
                let parts = (0..2).filter(|&part| flags[part][frame]);
                let rises: Vec<f32> = parts.map(|part| grounds[part] - tracks[part][frame].y).collect();
                rises.iter().sum::<f32>() / rises.len().max(1) as f32
            };
            let grip = grip_slip(&slip, true, true, fps);
            let middle = grip.iter().sum::<Vec3>() / grip.len() as f32;
            add(
                run.clone(),
                run.clone().zip(grip).map(|(frame, undone)| (middle - undone).with_y(rise(frame))).collect(),
            );
        }
        _ => {
            // Anchored at both keys: the first part of the frames at one position, the last part at the other.
            let share = if from_key && to_key { slip.len() * 2 / 5 } else { slip.len() };
            if from_key {
                let count = slip.iter().take(share).take_while(|moved| !far(**moved)).count();
                let grip = grip_slip(&slip[..count], false, true, fps);
                add(run.start..run.start + count, grip.iter().map(|undone| -*undone).collect());
            }
            if to_key {
                let count = slip.iter().rev().take(share).take_while(|moved| !far(total - **moved)).count();
                let grip = grip_slip(&slip[slip.len() - count..], true, false, fps);
                let end = grip.last().copied().unwrap_or_default();
                add(run.end - count..run.end, grip.iter().map(|undone| end - *undone).collect());
            }
        }
    }
}
