//! Corrections of foot lock: the displacement of each foot, one vector per frame.
//!
//! Within a contact the correction undoes the slip of the touching part: the heel joint after heel strike, the toe
//! joint through push-off, half of each while the foot is flat. So a foot rolls as recorded. The correction is
//! centred (no foot is moved further than necessary), fades in and out over a few frames, and fades to zero during
//! the swings between contacts.
//!
//! Inside blends the touching part is also brought to its height in the clip that sets the contact, no part sinks
//! below its ground, and a foot that must travel along the ground to its place in the next clip takes a small step.
//!
//! Contacts that travel far are left alone. Outside blends such travel is a recorded slide; inside, only the frames
//! near the resting place are held. Far from all blends no foot is moved.

use crate::motion::contact::{CONTACT_SPEED, FootPart, Tracks, ground_speeds};
use crate::motion::ease::smoothstep;
use crate::motion::foot_plan::{DEAD_HEIGHT, FootPlan};
use glam::Vec3;
use std::ops::Range;

/// Duration of fades between contacts, seconds (shorter where the swing is shorter).
pub const EASE_SECS: f64 = 0.25;
/// Duration in which a lock fades in and out within its contact, seconds (at most a quarter of the contact each).
pub const GRIP_SECS: f64 = 0.08;
/// Largest horizontal displacement of a foot, leg lengths.
pub const MAX_DISPLACEMENT: f32 = 0.15;
/// Height corrections are averaged over this time to each side, seconds.
pub const SMOOTH_SECS: f64 = 0.07;

/// A foot below this height counts as travelling along the ground, leg lengths.
pub const SLIDE_HEIGHT: f32 = 0.06;
/// Height of a step as a fraction of its length …
pub const STEP_SLOPE: f32 = 0.25;
/// … at most this, leg lengths, …
pub const STEP_HEIGHT: f32 = 0.08;
/// … and bounded by its duration, leg lengths per second.
pub const STEP_CLIMB: f32 = 0.35;
/// Of two contacts so close that a foot would have to move faster than this between their corrections, the shorter
/// one is not held; leg lengths per second.
pub const MAX_CORRECTION_SPEED: f32 = 0.8;

/// Limits of the corrections of a foot or hand.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// Length of the leg or arm, metres.
    pub limb: f32,
    /// Largest displacement, metres.
    pub farthest: f32,
    /// Frames per second.
    pub fps: f64,
}

/// Correction of one foot, [frames], metres.
pub(crate) fn foot_corrections(side: usize, tracks: &Tracks, plan: &FootPlan, leg: f32, fps: f64) -> Vec<Vec3> {
    let tracks = &tracks[side];
    let scale = Scale { limb: leg, farthest: MAX_DISPLACEMENT * leg, fps };
    let frames = tracks[0].len();
    let mut corrections = vec![Vec3::ZERO; frames];
    let touching = plan.contacts.foot(side);
    let mut holds: Vec<Hold> = Vec::new();
    for run in runs(&touching) {
        let blended = plan.blends.iter().any(|blend| blend.start < run.end && run.start < blend.end);
        let Some(next) = hold_contact(side, tracks, plan, run, blended, scale) else { continue };
        let hasty = holds.last().is_some_and(|last| {
            let way = last.corrections[last.corrections.len() - 1].distance(next.corrections[0]);
            let frames = (next.frames.start - last.frames.end + 1) as f32;
            1.5 * way * fps as f32 > MAX_CORRECTION_SPEED * leg * frames
        });
        match holds.last_mut() {
            Some(last) if hasty && next.frames.len() > last.frames.len() => *last = next,
            Some(_) if hasty => {}
            _ => holds.push(next),
        }
    }
    fade_between(&mut corrections, &holds, 0..frames, fps);
    for range in &plan.blends {
        let held = |frame: usize| holds.iter().any(|hold| hold.frames.contains(&frame));
        step_over(&mut corrections, range, tracks, plan.contacts.world_ground, held, scale);
        for frame in range.clone() {
            // Fades at both ends, so that nothing outside the blend changes.
            let inside = (frame + 1 - range.start).min(range.end - frame) as f32 / (range.len() as f32 / 4.0 + 1.0);
            let depth = |part: usize| plan.contacts.world_ground[part] - tracks[part][frame].y - DEAD_HEIGHT * leg;
            let sunk = depth(0).max(depth(1)).clamp(0.0, MAX_DISPLACEMENT * leg);
            corrections[frame].y = corrections[frame].y.max(sunk * smoothstep(inside.min(1.0)));
        }
    }
    smooth_heights(&mut corrections, (SMOOTH_SECS * fps).round() as usize);
    corrections
        .iter_mut()
        .enumerate()
        .for_each(|(frame, correction)| *correction *= plan.correction_weight(frame, fps));
    corrections
}

/// Lifts an unheld foot that travels low along the ground, in an arc: a slide becomes a small step. `world_ground`:
/// resting height of heel and toe, metres.
pub(crate) fn step_over(
    corrections: &mut [Vec3],
    blend: &Range<usize>,
    tracks: &[Vec<Vec3>; 2],
    world_ground: [f32; 2],
    held: impl Fn(usize) -> bool,
    Scale { limb: leg, fps, .. }: Scale,
) {
    let speeds = [0, 1].map(|part| ground_speeds(&tracks[part][blend.clone()], fps as f32));
    let slides: Vec<bool> = blend
        .clone()
        .map(|frame| {
            let low = |part: usize| tracks[part][frame].y - world_ground[part] < SLIDE_HEIGHT * leg;
            let fast = |part: usize| speeds[part][frame - blend.start] > CONTACT_SPEED[0] * leg;
            !held(frame) && (0..2).any(|part| low(part) && fast(part))
        })
        .collect();
    for run in runs(&slides) {
        let secs = run.len() as f32 / fps as f32;
        let way = run.clone().map(|k| speeds[0][k].min(speeds[1][k]) / fps as f32).sum::<f32>();
        let height = (STEP_SLOPE * way).min(STEP_HEIGHT * leg).min(STEP_CLIMB * leg * secs);
        for k in run.clone() {
            let part = (k - run.start + 1) as f32 / (run.len() + 1) as f32;
            corrections[blend.start + k].y += height * (std::f32::consts::PI * part).sin().powi(2);
        }
    }
}

/// Triangular average of the heights over `reach` frames to each side: smooths the changes between parts and between
/// clips. Frames on the ground are not averaged, because there the correction has to undo all jitter.
pub(crate) fn smooth_heights(corrections: &mut [Vec3], reach: usize) {
    let reach = reach.max(1) as isize;
    let old: Vec<f32> = corrections.iter().map(|correction| correction.y).collect();
    let at = |frame: isize| old[frame.clamp(0, old.len() as isize - 1) as usize];
    for (frame, correction) in corrections.iter_mut().enumerate() {
        let sum: f32 = (-reach..=reach).map(|away| at(frame as isize + away) * (reach + 1 - away.abs()) as f32).sum();
        correction.y = sum / ((reach + 1) * (reach + 1)) as f32;
    }
}

/// A range of frames in which a contact is held, with a correction for each.
pub(crate) struct Hold {
    /// Frames of the clip.
    pub frames: Range<usize>,
    /// Displacements of the foot, metres.
    pub corrections: Vec<Vec3>,
}

/// Puts the corrections of holds in place, and fades them out to both sides, up to the neighbouring holds and the ends
/// of `within`.
pub(crate) fn fade_between(corrections: &mut [Vec3], holds: &[Hold], within: Range<usize>, fps: f64) {
    let ease = ((EASE_SECS * fps).round() as usize).max(1);
    for (index, hold) in holds.iter().enumerate() {
        corrections[hold.frames.clone()].copy_from_slice(&hold.corrections);
        let from = if index > 0 { holds[index - 1].frames.end } else { within.start };
        let to = holds.get(index + 1).map_or(within.end, |next| next.frames.start);
        let (first, last) = (hold.corrections[0], hold.corrections[hold.corrections.len() - 1]);
        let before = ease.min(hold.frames.start.saturating_sub(from));
        let after = ease.min(to.saturating_sub(hold.frames.end));
        let left = |away: usize, frames: usize| 1.0 - smoothstep(away as f32 / (frames as f32 + 1.0));
        for away in 1..=before {
            corrections[hold.frames.start - away] += first * left(away, before);
        }
        for away in 1..=after {
            corrections[hold.frames.end - 1 + away] += last * left(away, after);
        }
    }
}

/// Displacement of the touching parts since the first frame of a contact, [frames of the contact]. `touching`:
/// [part][frame], with a part in every frame of `run`.
pub(crate) fn measure_slip(tracks: &[Vec<Vec3>; 2], touching: &[Vec<bool>; 2], run: &Range<usize>) -> Vec<Vec3> {
    let mut sum = Vec3::ZERO;
    let mut step = |frame: usize| {
        if frame > run.start {
            let both = (0..2).filter(|&part| touching[part][frame - 1] && touching[part][frame]);
            let mut parts: Vec<usize> = both.collect();
            if parts.is_empty() {
                parts.extend((0..2).filter(|&part| touching[part][frame]));
            }
            let moved: Vec3 = parts.iter().map(|&part| tracks[part][frame] - tracks[part][frame - 1]).sum();
            sum += moved / parts.len() as f32;
        }
        sum
    };
    run.clone().map(&mut step).collect()
}

/// Number of frames, and one, in which the grip on a contact closes or opens.
fn grip_frames(contact: usize, fps: f64) -> f32 {
    ((GRIP_SECS * fps).round() as usize).min(contact / 4) as f32 + 1.0
}

/// The part of the slip to undo: all of it, except where the grip closes at the start or opens at the end.
pub(crate) fn grip_slip(slip: &[Vec3], closes: bool, opens: bool, fps: f64) -> Vec<Vec3> {
    let grip = grip_frames(slip.len(), fps);
    let mut sum = Vec3::ZERO;
    let mut undone = |index: usize| {
        if index > 0 {
            let since = if closes { index as f32 / grip } else { 1.0 };
            let left = if opens { (slip.len() - index) as f32 / grip } else { 1.0 };
            sum += (slip[index] - slip[index - 1]) * smoothstep(since.min(left).min(1.0));
        }
        sum
    };
    (0..slip.len()).map(&mut undone).collect()
}

/// Corrections of one contact; `None` if the foot is left alone.
fn hold_contact(
    side: usize,
    tracks: &[Vec<Vec3>; 2],
    plan: &FootPlan,
    run: Range<usize>,
    blended: bool,
    Scale { farthest, fps, .. }: Scale,
) -> Option<Hold> {
    let touching = |part: FootPart, frame: usize| plan.contacts.parts[side][part as usize][frame];
    let level = |moved: Vec3| moved.with_y(0.0);
    let slip: Vec<Vec3> = measure_slip(tracks, &plan.contacts.parts[side], &run).into_iter().map(level).collect();
    let near = longest_range_near_median(&slip, farthest);
    if near.len() < 2 || (!blended && near.len() < run.len()) {
        return None;
    }
    let frames = run.start + near.start..run.start + near.end;
    let slip = &slip[near];

    let undone = grip_slip(slip, true, true, fps);
    let mean = undone.iter().sum::<Vec3>() / undone.len() as f32;
    // Height corrections fade within the contact: lowering a foot before it lands would only straighten the leg.
    let settle = 2.0 * grip_frames(undone.len(), fps);
    let corrections = frames
        .clone()
        .enumerate()
        .map(|(index, frame)| {
            let parts: Vec<f32> = FootPart::ALL
                .into_iter()
                .filter(|part| touching(*part, frame))
                .map(|part| plan.rise[side][part as usize][frame])
                .collect();
            let inside = index.min(undone.len() - 1 - index) as f32 / settle;
            let rise = parts.iter().sum::<f32>() / parts.len().max(1) as f32;
            (mean - undone[index]).with_y(rise * smoothstep(inside.min(1.0)))
        })
        .collect();
    Some(Hold { frames, corrections })
}

/// Longest range of points within `radius` of their median.
fn longest_range_near_median(points: &[Vec3], radius: f32) -> Range<usize> {
    let median = |axis: usize| {
        let mut values: Vec<f32> = points.iter().map(|point| point[axis]).collect();
        let middle = values.len() / 2;
        *values.select_nth_unstable_by(middle, f32::total_cmp).1
    };
    let centre = Vec3::new(median(0), 0.0, median(2));
    let near: Vec<bool> = points.iter().map(|point| point.distance(centre) < radius).collect();
    runs(&near).max_by_key(|run| run.len()).unwrap_or(0..0)
}

/// Maximal ranges of `true`.
pub(crate) fn runs(flags: &[bool]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = (at..flags.len()).find(|&frame| flags[frame])?;
        at = (start..flags.len()).find(|&frame| !flags[frame]).unwrap_or(flags.len());
        Some(start..at)
    })
}
