//! Foot lock: feet that touch the ground stay where they are.
//!
//! For each foot a correction is found first, one vector a frame, and only then do the legs follow by two-bone IK; pelvis,
//! upper body and the foot's own world rotation are not touched. Within a contact the correction undoes the slip of whatever
//! touches: the heel joint after heel strike, the toe joint through push-off, half of each while the foot is flat, so a foot
//! rolls as it was recorded. It is centred (no foot is moved further than it must be), takes hold and lets go over a few
//! frames, and fades out into the swings between contacts. Inside blends the touching part is also brought to the height
//! it has in the clip that sets the contact, and no part sinks below its ground.
//!
//! Feet that travel far while they touch are left alone: outside blends that is a slide somebody recorded; inside, only the
//! stretch near the resting place is held.

use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::contact::{self, Contacts, Legs, Part, Tracks, contacts_of};
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use glam::{Quat, Vec3};
use std::ops::Range;

/// Corrections fade in and out over this long, seconds (less where the swing is shorter).
pub const EASE_SECS: f64 = 0.25;
/// A lock takes hold, and lets go, over this long, seconds (at most a quarter of the contact each).
pub const GRIP_SECS: f64 = 0.08;
/// No foot is moved further than this on the ground, leg lengths.
pub const FARTHEST: f32 = 0.15;
/// Corrections of height are averaged over this long to each side, seconds.
pub const SMOOTH_SECS: f64 = 0.07;

/// Inside a blend a contact counts only while the blended foot is below this height over the ground, leg lengths …
pub const BLEND_HEIGHT: f32 = 0.12;
/// … and slower than this, leg lengths a second.
pub const BLEND_SPEED: f32 = 1.8;
/// Heights wrong by less than this are left: a straight knee has to bend far for little height, leg lengths.
pub const DEAD_HEIGHT: f32 = 0.01;
/// Of two contacts so close that a foot would have to move faster than this between their corrections, the shorter is
/// not held, leg lengths a second.
pub const HASTE: f32 = 0.8;

/// What the feet of a stitched clip should do.
#[derive(Debug, Clone, Default)]
pub struct FootPlan {
    /// Which part touches when, [side][part][frame].
    pub contacts: Contacts,
    /// Height wanted less height now, metres, [side][part][frame]; zero outside blends.
    pub rise: [[Vec<f32>; 2]; 2],
    /// Frames of the blends.
    pub blends: Vec<Range<usize>>,
}

/// A clip that went into a stitched one.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// As it was joined.
    pub clip: &'a Clip,
    /// Frame of the result at which its frame 0 stands.
    pub start: usize,
    /// First frame of the result for which its contacts count; up to the next source's.
    pub from: usize,
    /// Frames of the result that blend it with the source before.
    pub blend: Range<usize>,
}

impl FootPlan {
    /// Contacts as recorded in the sources, each for its stretch of `clip`, whose tracks are `tracks`.
    pub fn of(clip: &Clip, legs: &Legs, tracks: &Tracks, sources: &[Source]) -> Self {
        let mut plan = Self { blends: sources.iter().map(|source| source.blend.clone()).collect(), ..Self::default() };
        for (side, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            plan.contacts.parts[side][part] = vec![false; clip.frames()];
            plan.rise[side][part] = vec![0.0; clip.frames()];
        }
        plan.contacts.world_ground = [f32::MAX; 2];
        let leg = legs.length(clip, 0);
        for (index, source) in sources.iter().enumerate() {
            let own_tracks = contact::tracks(source.clip, legs);
            let own = contacts_of(source.clip, legs, &own_tracks);
            // Frames injected between two sources stand in for the nearest recorded one.
            let recorded = |frame: usize| frame.saturating_sub(source.start).min(source.clip.frames() - 1);
            let frames = source.from..sources.get(index + 1).map_or(clip.frames(), |next| next.from);
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
            contact::drop_short(flags, clip.fps());
        }
        plan
    }
}

/// Part of a correction that is made, by how a leg stands: all of it under a body, none of it where the leg lies (hip
/// hardly above ankle) or is folded away; there a foot is no support.
fn support(leg: &TwoBone) -> f32 {
    let length = leg.root.distance(leg.middle) + leg.middle.distance(leg.end);
    let part = |value: f32, none: f32, all: f32| smoothstep(((value / length - none) / (all - none)).clamp(0.0, 1.0));
    part(leg.root.y - leg.end.y, 0.2, 0.45) * part(leg.root.distance(leg.end), 0.35, 0.5)
}

/// Pins the feet of `clip` as `plan` says. `tracks` are the clip's own; `step` is called now and then with the part done
/// and may stop the work.
///
/// # Errors
/// Only those of `step`.
pub fn lock(
    clip: &mut Clip,
    legs: &Legs,
    tracks: &Tracks,
    plan: &FootPlan,
    step: &mut dyn FnMut(f32) -> Result<()>,
) -> Result<()> {
    if clip.frames() < 2 {
        return Ok(());
    }
    let leg = legs.length(clip, 0);
    let corrections = [0, 1].map(|side| corrections(side, tracks, plan, leg, clip.fps()));
    let hinges = [0, 1].map(|side| local_hinge(clip, legs, side));
    let mut pose = Pose::default();
    for frame in 0..clip.frames() {
        if frame % 256 == 0 {
            step(frame as f32 / clip.frames() as f32)?;
        }
        if (0..2).all(|side| corrections[side][frame].length_squared() < 1e-12) {
            continue;
        }
        pose.set_joints(clip, frame, &legs.needed);
        for side in 0..2 {
            let correction = corrections[side][frame];
            if correction.length_squared() >= 1e-12 {
                move_foot(clip, frame, &pose, &legs.chain[side], hinges[side], correction);
            }
        }
    }
    Ok(())
}

/// Moves one ankle by `correction`, metres; the foot keeps its world rotation.
fn move_foot(clip: &mut Clip, frame: usize, pose: &Pose, chain: &[usize; 3], hinge: Vec3, correction: Vec3) {
    let [upper, lower, foot] = *chain;
    let at = |joint: usize| pose.world_positions[joint];
    let leg = TwoBone { root: at(upper), middle: at(lower), end: at(foot), hinge: pose.world_rotations[upper] * hinge };
    let reach = leg.reach(leg.end + correction * support(&leg));
    let skeleton = std::sync::Arc::clone(clip.skeleton());
    // World rotation of the parent, before any change; twist joints may lie between the joints of the chain.
    let above = |joint: usize| match skeleton.joints()[joint].parent {
        Some(parent) => pose.world_rotations[parent],
        None => Quat::IDENTITY,
    };
    let rotations = &mut clip.rotations_mut()[frame * skeleton.len()..][..skeleton.len()];
    let in_frame_of = |parent: Quat, turn: Quat| parent.conjugate() * turn * parent;
    rotations[upper] = (in_frame_of(above(upper), reach.upper) * rotations[upper]).normalize();
    rotations[lower] = (in_frame_of(above(lower), reach.lower) * rotations[lower]).normalize();
    let turned = reach.upper * reach.lower;
    rotations[foot] = (in_frame_of(above(foot), turned.conjugate()) * rotations[foot]).normalize();
}

/// Hinge of the knee in the thigh's own frame, positive folding: the mean over the clip, weighted by how much it bends.
fn local_hinge(clip: &Clip, legs: &Legs, side: usize) -> Vec3 {
    let [upper, lower, foot] = legs.chain[side];
    let mut pose = Pose::default();
    let stride = (clip.frames() / 128).max(1);
    let sum: Vec3 = (0..clip.frames())
        .step_by(stride)
        .map(|frame| {
            pose.set_joints(clip, frame, &legs.needed);
            let at = |joint: usize| pose.world_positions[joint];
            let bend = (at(lower) - at(upper)).normalize_or_zero().cross((at(foot) - at(lower)).normalize_or_zero());
            pose.world_rotations[upper].conjugate() * bend
        })
        .sum();
    sum.normalize_or_zero()
}

/// Correction of one foot, metres, one a frame.
fn corrections(side: usize, tracks: &Tracks, plan: &FootPlan, leg: f32, fps: f64) -> Vec<Vec3> {
    let tracks = &tracks[side];
    let frames = tracks[0].len();
    let mut corrections = vec![Vec3::ZERO; frames];
    let touching = plan.contacts.foot(side);
    let mut holds: Vec<Hold> = Vec::new();
    for run in runs(&touching) {
        let blended = plan.blends.iter().any(|blend| blend.start < run.end && run.start < blend.end);
        let Some(next) = hold(side, tracks, plan, run, blended, FARTHEST * leg, fps) else { continue };
        let hasty = holds.last().is_some_and(|last| {
            let way = last.corrections[last.corrections.len() - 1].distance(next.corrections[0]);
            let frames = (next.frames.start - last.frames.end + 1) as f32;
            1.5 * way * fps as f32 > HASTE * leg * frames
        });
        match holds.last_mut() {
            Some(last) if hasty && next.frames.len() > last.frames.len() => *last = next,
            Some(_) if hasty => {}
            _ => holds.push(next),
        }
    }
    let ease = ((EASE_SECS * fps).round() as usize).max(1);
    for (index, hold) in holds.iter().enumerate() {
        corrections[hold.frames.clone()].copy_from_slice(&hold.corrections);
        let from = if index > 0 { holds[index - 1].frames.end } else { 0 };
        let to = holds.get(index + 1).map_or(frames, |next| next.frames.start);
        let (first, last) = (hold.corrections[0], hold.corrections[hold.corrections.len() - 1]);
        let swing = |gap: usize| ease.min(gap) as f32 + 1.0;
        let (before, after) = (hold.frames.start - from, to - hold.frames.end);
        for away in 1..=ease.min(before) {
            corrections[hold.frames.start - away] += first * (1.0 - smoothstep(away as f32 / swing(before)));
        }
        for away in 1..=ease.min(after) {
            corrections[hold.frames.end - 1 + away] += last * (1.0 - smoothstep(away as f32 / swing(after)));
        }
    }
    for range in &plan.blends {
        for frame in range.clone() {
            // Fades at both ends: what the clips do outside the blend is theirs.
            let inside = (frame + 1 - range.start).min(range.end - frame) as f32 / (range.len() as f32 / 4.0 + 1.0);
            let depth = |part: usize| plan.contacts.world_ground[part] - tracks[part][frame].y - DEAD_HEIGHT * leg;
            let sunk = depth(0).max(depth(1)).clamp(0.0, FARTHEST * leg);
            corrections[frame].y = corrections[frame].y.max(sunk * smoothstep(inside.min(1.0)));
        }
    }
    smooth_heights(&mut corrections, (SMOOTH_SECS * fps).round() as usize);
    corrections
}

/// Triangular average of the heights over `reach` frames to each side: rounds off where parts and clips change over. On the
/// ground nothing is averaged, there the correction has to undo every jitter.
fn smooth_heights(corrections: &mut [Vec3], reach: usize) {
    let reach = reach.max(1) as isize;
    let old: Vec<f32> = corrections.iter().map(|correction| correction.y).collect();
    let at = |frame: isize| old[frame.clamp(0, old.len() as isize - 1) as usize];
    for (frame, correction) in corrections.iter_mut().enumerate() {
        let sum: f32 = (-reach..=reach).map(|away| at(frame as isize + away) * (reach + 1 - away.abs()) as f32).sum();
        correction.y = sum / ((reach + 1) * (reach + 1)) as f32;
    }
}

/// A stretch of contact that is held.
struct Hold {
    frames: Range<usize>,
    corrections: Vec<Vec3>,
}

/// The corrections of one contact; `None` where the foot is left alone.
fn hold(
    side: usize,
    tracks: &[Vec<Vec3>; 2],
    plan: &FootPlan,
    run: Range<usize>,
    blended: bool,
    farthest: f32,
    fps: f64,
) -> Option<Hold> {
    let touching = |part: Part, frame: usize| plan.contacts.parts[side][part as usize][frame];
    // Slip of what touches, from the first frame on.
    let mut slip = Vec::with_capacity(run.len());
    let mut sum = Vec3::ZERO;
    for frame in run.clone() {
        if frame > run.start {
            let both = |part: &Part| touching(*part, frame - 1) && touching(*part, frame);
            let mut parts: Vec<Part> = Part::ALL.into_iter().filter(both).collect();
            if parts.is_empty() {
                parts.extend(Part::ALL.into_iter().filter(|part| touching(*part, frame)));
            }
            for part in &parts {
                let track = &tracks[*part as usize];
                sum += (track[frame] - track[frame - 1]).with_y(0.0) / parts.len() as f32;
            }
        }
        slip.push(sum);
    }
    let near = longest_near(&slip, farthest);
    if near.len() < 2 || (!blended && near.len() < run.len()) {
        return None;
    }
    let frames = run.start + near.start..run.start + near.end;
    let slip = &slip[near];

    // The grip closes and opens: only part of the slip is undone at both ends.
    let grip = ((GRIP_SECS * fps).round() as usize).min(slip.len() / 4) as f32 + 1.0;
    let mut undone = Vec::with_capacity(slip.len());
    let mut sum = Vec3::ZERO;
    for index in 0..slip.len() {
        if index > 0 {
            let inside = (index as f32).min((slip.len() - index) as f32);
            sum += (slip[index] - slip[index - 1]) * smoothstep((inside / grip).min(1.0));
        }
        undone.push(sum);
    }
    let mean = undone.iter().sum::<Vec3>() / undone.len() as f32;
    let corrections = frames
        .clone()
        .zip(&undone)
        .map(|(frame, undone)| {
            let parts: Vec<f32> = Part::ALL
                .into_iter()
                .filter(|part| touching(*part, frame))
                .map(|part| plan.rise[side][part as usize][frame])
                .collect();
            (mean - *undone).with_y(parts.iter().sum::<f32>() / parts.len().max(1) as f32)
        })
        .collect();
    Some(Hold { frames, corrections })
}

/// Longest run of points within `radius` of their median.
fn longest_near(points: &[Vec3], radius: f32) -> Range<usize> {
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
fn runs(flags: &[bool]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = (at..flags.len()).find(|&frame| flags[frame])?;
        at = (start..flags.len()).find(|&frame| !flags[frame]).unwrap_or(flags.len());
        Some(start..at)
    })
}

fn smoothstep(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}
