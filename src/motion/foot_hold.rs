//! Corrections of foot lock: the displacement of each foot, one vector per frame.
//!
//! Within a contact the correction undoes the slip of the part that touches: of the heel joint after heel strike, of
//! the toe joint during push-off, and the mean of both while the foot is flat. So a foot rolls as recorded. The mean of
//! the horizontal corrections of a contact is zero, so that no foot moves further than necessary. At the start and end
//! of a contact, slip is undone with a weight that rises from 0 and falls to 0 (the grip). In the
//! swings before and after a contact, the correction fades from and to zero, or, in a short swing, from the correction
//! of one contact to that of the next.
//!
//! In blends (frames that the stitch edited or inserted) the touching part is also brought towards its height in the
//! source clip of the contact, or towards the ground where a network predicts the contact; parts below their resting
//! height are lifted, and a foot that must travel along the ground to its position in the next clip takes
//! a small step.
//!
//! If a foot slides far within a contact outside blends, the slide was recorded, and the foot is not held. In a contact
//! that overlaps a blend, it is held only in the longest run of frames near its median position. Corrections fade out
//! with the distance from the nearest blend, so that motion far from blends does not change.

use crate::motion::contact::{CONTACT_SPEED, FootPart, Tracks, ground_speeds};
use crate::motion::ease::smoothstep;
use crate::motion::foot_plan::{FootPlan, HEIGHT_TOLERANCE};
use glam::Vec3;
use std::ops::Range;

/// Duration of fades between contacts, seconds (shorter where the swing is shorter).
pub const EASE_SECS: f64 = 0.25;
/// Duration in which the grip, the weight with which slip is undone, rises from 0 to 1 at the start of a contact and
/// falls at its end, seconds (at most a quarter of the contact each).
pub const GRIP_SECS: f64 = 0.08;
/// Largest horizontal distance of a held foot from the median of its positions in the contact, and largest lift of a
/// foot that is too low, leg lengths. Feet are held at the mean position, so a correction can be larger.
pub const MAX_DISPLACEMENT: f32 = 0.15;
/// Height corrections are averaged over this time to each side, seconds.
pub const SMOOTH_SECS: f64 = 0.07;

/// Height below which a fast foot counts as sliding over the ground, leg lengths.
pub const SLIDE_HEIGHT: f32 = 0.06;
/// Height of a step that replaces a slide, as a fraction of the slide's length. The height is at most
/// [`MAX_STEP_HEIGHT`], and bounded by [`MAX_STEP_CLIMB`] for short steps.
pub const STEP_SLOPE: f32 = 0.25;
/// Largest height of such a step, leg lengths.
pub const MAX_STEP_HEIGHT: f32 = 0.08;
/// Largest height of such a step in relation to its duration, leg lengths per second.
pub const MAX_STEP_CLIMB: f32 = 0.35;
/// Largest speed of a change from the correction of one contact to that of the next, leg lengths per second, computed
/// as if the change took the whole swing. If it is exceeded, only the contact that is held longer is held.
pub const MAX_CORRECTION_SPEED: f32 = 0.8;

/// Scales of a foot or hand and its corrections.
#[derive(Clone, Copy)]
pub(crate) struct LimbScale {
    /// Length of the leg or arm, metres.
    pub limb_length: f32,
    /// Largest displacement, see [`MAX_DISPLACEMENT`], metres.
    pub max_displacement: f32,
    /// Frames per second.
    pub fps: f64,
}

/// Computes the corrections of one foot, world metres, [frames].
pub(crate) fn foot_corrections(side: usize, tracks: &Tracks, plan: &FootPlan, leg_length: f32, fps: f64) -> Vec<Vec3> {
    let tracks = &tracks[side];
    let scale = LimbScale { limb_length: leg_length, max_displacement: MAX_DISPLACEMENT * leg_length, fps };
    let frames = tracks[0].len();
    let mut corrections = vec![Vec3::ZERO; frames];
    let touching = plan.contacts.foot(side);
    let mut holds: Vec<Hold> = Vec::new();
    for contact in runs(&touching) {
        let overlaps_blend = plan.blends.iter().any(|blend| blend.start < contact.end && contact.start < blend.end);
        let Some(hold) = hold_contact(side, tracks, plan, contact, overlaps_blend, scale) else { continue };
        add_hold(&mut holds, hold, scale);
    }
    fade_between(&mut corrections, &holds, 0..frames, fps);
    // Blends of seams that are near to each other overlap: their union is one blend, so that a slide becomes one step.
    let is_blended: Vec<bool> =
        (0..frames).map(|frame| plan.blends.iter().any(|blend| blend.contains(&frame))).collect();
    for blend in runs(&is_blended) {
        let is_held = |frame: usize| holds.iter().any(|hold| hold.frames.contains(&frame));
        lift_sliding_foot(&mut corrections, &blend, tracks, plan.contacts.world_ground, is_held, scale);
        for frame in blend.clone() {
            // Fades at both ends, so that no height jumps there.
            let from_edge = (frame + 1 - blend.start).min(blend.end - frame) as f32 / (blend.len() as f32 / 4.0 + 1.0);
            let depth =
                |part: usize| plan.contacts.world_ground[part] - tracks[part][frame].y - HEIGHT_TOLERANCE * leg_length;
            let lift = depth(0).max(depth(1)).clamp(0.0, MAX_DISPLACEMENT * leg_length);
            corrections[frame].y = corrections[frame].y.max(lift * smoothstep(from_edge.min(1.0)));
        }
    }
    smooth_heights(&mut corrections, (SMOOTH_SECS * fps).round() as usize);
    corrections
        .iter_mut()
        .enumerate()
        .for_each(|(frame, correction)| *correction *= plan.correction_weight(frame, fps));
    corrections
}

/// Computes the corrections of one foot that hold it in all its contacts, far slides excepted, [frames], metres; they
/// fade out in the swings between them. The plan has no blends.
pub(crate) fn contact_corrections(side: usize, tracks: &Tracks, plan: &FootPlan, scale: LimbScale) -> Vec<Vec3> {
    let tracks = &tracks[side];
    let mut holds: Vec<Hold> = Vec::new();
    for contact in runs(&plan.contacts.foot(side)) {
        if let Some(hold) = hold_contact(side, tracks, plan, contact, false, scale) {
            add_hold(&mut holds, hold, scale);
        }
    }
    let mut corrections = vec![Vec3::ZERO; tracks[0].len()];
    let frames = 0..corrections.len();
    fade_between(&mut corrections, &holds, frames, scale.fps);
    smooth_heights(&mut corrections, (SMOOTH_SECS * scale.fps).round() as usize);
    corrections
}

/// Adds a hold. Earlier holds from which the correction would have to change too fast ([`MAX_CORRECTION_SPEED`]) are
/// removed if all of them are shorter; otherwise the new hold is not added.
fn add_hold(holds: &mut Vec<Hold>, hold: Hold, LimbScale { limb_length, fps, .. }: LimbScale) {
    let is_too_fast = |previous: &Hold| {
        let distance = previous.corrections[previous.corrections.len() - 1].distance(hold.corrections[0]);
        let steps = (hold.frames.start - previous.frames.end + 1) as f32;
        // The peak speed of an eased change is 1.5 times its mean speed.
        1.5 * distance * fps as f32 > MAX_CORRECTION_SPEED * limb_length * steps
    };
    let conflicts = holds.iter().rev().take_while(|previous| is_too_fast(previous)).count();
    let kept = holds.len() - conflicts;
    if holds[kept..].iter().all(|previous| previous.frames.len() < hold.frames.len()) {
        holds.truncate(kept);
        holds.push(hold);
    }
}

/// Lifts a foot in an arc while, in the frames `range`, it is not held and moves fast near the ground, so that a slide
/// becomes a small step. `world_ground`: resting height of heel and toe, metres.
pub(crate) fn lift_sliding_foot(
    corrections: &mut [Vec3],
    range: &Range<usize>,
    tracks: &[Vec<Vec3>; 2],
    world_ground: [f32; 2],
    is_held: impl Fn(usize) -> bool,
    LimbScale { limb_length, fps, .. }: LimbScale,
) {
    let speeds = [0, 1].map(|part| ground_speeds(&tracks[part][range.clone()], fps as f32));
    let slides: Vec<bool> = range
        .clone()
        .map(|frame| {
            let is_low = |part: usize| tracks[part][frame].y - world_ground[part] < SLIDE_HEIGHT * limb_length;
            let is_fast = |part: usize| speeds[part][frame - range.start] > CONTACT_SPEED[0] * limb_length;
            !is_held(frame) && (0..2).any(|part| is_low(part) && is_fast(part))
        })
        .collect();
    for run in runs(&slides) {
        let secs = run.len() as f32 / fps as f32;
        let length = run.clone().map(|k| speeds[0][k].min(speeds[1][k]) / fps as f32).sum::<f32>();
        let height = (STEP_SLOPE * length).min(MAX_STEP_HEIGHT * limb_length).min(MAX_STEP_CLIMB * limb_length * secs);
        for k in run.clone() {
            let fraction = (k - run.start + 1) as f32 / (run.len() + 1) as f32;
            corrections[range.start + k].y += height * (std::f32::consts::PI * fraction).sin().powi(2);
        }
    }
}

/// Averages the height corrections with triangular weights over `reach` frames, at least one, to each side. This
/// smooths their jumps: from heel to toe and from clip to clip. Horizontal corrections are not averaged, because on the
/// ground they have to undo all jitter.
pub(crate) fn smooth_heights(corrections: &mut [Vec3], reach: usize) {
    let reach = reach.max(1) as isize;
    let old_heights: Vec<f32> = corrections.iter().map(|correction| correction.y).collect();
    let height_at = |frame: isize| old_heights[frame.clamp(0, old_heights.len() as isize - 1) as usize];
    for (frame, correction) in corrections.iter_mut().enumerate() {
        let sum: f32 = (-reach..=reach)
            .map(|distance| height_at(frame as isize + distance) * (reach + 1 - distance.abs()) as f32)
            .sum();
        correction.y = sum / ((reach + 1) * (reach + 1)) as f32;
    }
}

/// Frames in which a foot is held, and their corrections.
pub(crate) struct Hold {
    /// Frames of the clip.
    pub frames: Range<usize>,
    /// Displacement of the foot in each of these frames, metres.
    pub corrections: Vec<Vec3>,
}

/// Writes the corrections of the holds to `corrections`, and fades each hold out to both sides, at most to the
/// neighbouring holds and the ends of `range`.
pub(crate) fn fade_between(corrections: &mut [Vec3], holds: &[Hold], range: Range<usize>, fps: f64) {
    let ease_frames = ((EASE_SECS * fps).round() as usize).max(1);
    for (index, hold) in holds.iter().enumerate() {
        corrections[hold.frames.clone()].copy_from_slice(&hold.corrections);
        let min_frame = if index > 0 { holds[index - 1].frames.end } else { range.start };
        let max_frame = holds.get(index + 1).map_or(range.end, |next| next.frames.start);
        let (first, last) = (hold.corrections[0], hold.corrections[hold.corrections.len() - 1]);
        let frames_before = ease_frames.min(hold.frames.start.saturating_sub(min_frame));
        let frames_after = ease_frames.min(max_frame.saturating_sub(hold.frames.end));
        let weight = |distance: usize, frames: usize| 1.0 - smoothstep(distance as f32 / (frames as f32 + 1.0));
        for distance in 1..=frames_before {
            corrections[hold.frames.start - distance] += first * weight(distance, frames_before);
        }
        for distance in 1..=frames_after {
            corrections[hold.frames.end - 1 + distance] += last * weight(distance, frames_after);
        }
    }
}

/// Computes the displacement of the touching parts since the first frame of a contact, [frames of the contact].
/// `touching`: [part][frame]; at least one part touches in every frame of `contact`.
pub(crate) fn measure_slip(tracks: &[Vec<Vec3>; 2], touching: &[Vec<bool>; 2], contact: &Range<usize>) -> Vec<Vec3> {
    let mut sum = Vec3::ZERO;
    let mut step = |frame: usize| {
        if frame > contact.start {
            let touching_parts = (0..2).filter(|&part| touching[part][frame - 1] && touching[part][frame]);
            let mut parts: Vec<usize> = touching_parts.collect();
            if parts.is_empty() {
                parts.extend((0..2).filter(|&part| touching[part][frame]));
            }
            let movement: Vec3 = parts.iter().map(|&part| tracks[part][frame] - tracks[part][frame - 1]).sum();
            sum += movement / parts.len() as f32;
        }
        sum
    };
    contact.clone().map(&mut step).collect()
}

/// Returns n, the number of frames in which the grip rises to 1: in frame i of the contact it is smoothstep(i / n).
fn grip_frames(contact_frames: usize, fps: f64) -> f32 {
    ((GRIP_SECS * fps).round() as usize).min(contact_frames / 4) as f32 + 1.0
}

/// Computes the slip that the correction undoes. Sums the changes of `slip` from frame to frame, each times the grip: a
/// weight that rises from 0 to 1 at the start if `grips_at_start`, and falls to 0 at the end if `releases_at_end`.
pub(crate) fn slip_to_undo(slip: &[Vec3], grips_at_start: bool, releases_at_end: bool, fps: f64) -> Vec<Vec3> {
    let grip_frames = grip_frames(slip.len(), fps);
    let mut sum = Vec3::ZERO;
    let mut undone_until = |index: usize| {
        if index > 0 {
            let rising = if grips_at_start { index as f32 / grip_frames } else { 1.0 };
            let falling = if releases_at_end { (slip.len() - index) as f32 / grip_frames } else { 1.0 };
            sum += (slip[index] - slip[index - 1]) * smoothstep(rising.min(falling).min(1.0));
        }
        sum
    };
    (0..slip.len()).map(&mut undone_until).collect()
}

/// Computes the corrections of one contact; `None` if the foot is not held.
fn hold_contact(
    side: usize,
    tracks: &[Vec<Vec3>; 2],
    plan: &FootPlan,
    contact: Range<usize>,
    overlaps_blend: bool,
    LimbScale { max_displacement, fps, .. }: LimbScale,
) -> Option<Hold> {
    let touching = |part: FootPart, frame: usize| plan.contacts.parts[side][part as usize][frame];
    let horizontal = |displacement: Vec3| displacement.with_y(0.0);
    let slip: Vec<Vec3> =
        measure_slip(tracks, &plan.contacts.parts[side], &contact).into_iter().map(horizontal).collect();
    let held = longest_range_near_median(&slip, max_displacement);
    if held.len() < 2 || (!overlaps_blend && held.len() < contact.len()) {
        return None;
    }
    let frames = contact.start + held.start..contact.start + held.end;
    let slip = &slip[held];

    let undone_slip = slip_to_undo(slip, true, true, fps);
    let mean = undone_slip.iter().sum::<Vec3>() / undone_slip.len() as f32;
    // Unlike horizontal corrections, which fade in the swings, height corrections fade within the contact: lowering a
    // foot before it lands would only straighten the leg. In short contacts both fades meet before their weight is 1.
    let fade_frames = 2.0 * grip_frames(undone_slip.len(), fps);
    let corrections = frames
        .clone()
        .enumerate()
        .map(|(index, frame)| {
            let rises: Vec<f32> = FootPart::ALL
                .into_iter()
                .filter(|part| touching(*part, frame))
                .map(|part| plan.rise[side][part as usize][frame])
                .collect();
            let from_edge = index.min(undone_slip.len() - 1 - index) as f32 / fade_frames;
            let rise = rises.iter().sum::<f32>() / rises.len().max(1) as f32;
            (mean - undone_slip[index]).with_y(rise * smoothstep(from_edge.min(1.0)))
        })
        .collect();
    Some(Hold { frames, corrections })
}

/// Returns the longest range of points within `radius` of their median, which is taken of x and of z. The height of all
/// points must be 0.
fn longest_range_near_median(points: &[Vec3], radius: f32) -> Range<usize> {
    let median = |axis: usize| {
        let mut values: Vec<f32> = points.iter().map(|point| point[axis]).collect();
        let middle = values.len() / 2;
        *values.select_nth_unstable_by(middle, f32::total_cmp).1
    };
    let centre = Vec3::new(median(0), 0.0, median(2));
    let is_near: Vec<bool> = points.iter().map(|point| point.distance(centre) < radius).collect();
    runs(&is_near).max_by_key(|run| run.len()).unwrap_or(0..0)
}

/// Returns each run of consecutive `true` as a range.
pub(crate) fn runs(flags: &[bool]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = (next..flags.len()).find(|&frame| flags[frame])?;
        next = (start..flags.len()).find(|&frame| !flags[frame]).unwrap_or(flags.len());
        Some(start..next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds holds with these frames and displacements along x, metres, of a leg of 1 m at 30 frames per second. Returns
    /// the first frames of the remaining ones.
    fn remaining(holds: &[(Range<usize>, f32)]) -> Vec<usize> {
        let scale = LimbScale { limb_length: 1.0, max_displacement: MAX_DISPLACEMENT, fps: 30.0 };
        let mut added = Vec::new();
        for (frames, x) in holds {
            let corrections = vec![Vec3::X * *x; frames.len()];
            add_hold(&mut added, Hold { frames: frames.clone(), corrections }, scale);
        }
        added.into_iter().map(|hold| hold.frames.start).collect()
    }

    #[test]
    fn a_hold_replaces_all_shorter_holds_before_it_that_need_too_fast_a_change() {
        assert_eq!(remaining(&[(0..20, 0.0), (22..25, 0.01), (27..57, 0.01)]), [0, 22, 27]);
        assert_eq!(remaining(&[(0..20, 0.0), (22..25, 0.01), (27..57, 0.3)]), [27]);
    }

    #[test]
    fn a_hold_that_is_shorter_than_one_of_them_is_not_added_and_removes_none() {
        assert_eq!(remaining(&[(0..20, 0.0), (22..25, 0.01), (27..37, 0.3)]), [0, 22]);
    }
}
