//! Classical blends: the baselines for every learned method.
//!
//! **Crossfade** overlaps the last frames of one clip with the first frames of the next and mixes them (smoothstep
//! weight, slerp along the shorter arc). Ground positions of the root are not mixed: if the paths separate, the change
//! of their distance would add to the speed. Instead the root's displacements per frame are mixed, each relative to the
//! heading in its clip, and summed. The next clip is placed at the end of that path. So speed and turning rate change
//! from one clip to the other without overshoot.
//!
//! **Inertialization** (Bollo, GDC 2016/2018; see [`crate::motion::inertialize`]) keeps every frame of both clips and
//! edits the first frames of the next clip. The difference between the old motion, extrapolated by one frame, and the
//! next clip is added to these frames and decays. On the ground, only the difference in velocity decays. The next clip
//! is placed so that the root covers the resulting distance; it neither lags nor catches up.
//!
//! Both blends leave every frame outside the blend bit-equal to the placed clips.

pub use crate::method::transition::Transition;

use crate::method::frame::Frame;
use crate::method::transition::{TURN_SECS, step_at, turning_rate};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::hinge::{GUARD_SECS, Hinge};
use crate::motion::inertialize::{BRAKE_SECS, rotation_decay, translation_decay};
use crate::motion::quat::exp;
use crate::motion::resample::slerp;
use crate::motion::root::{GroundTransform, Root, RootPose, wrap};
use glam::{Quat, Vec3};

/// Largest heading change that inertialization continues, radians.
const MAX_CARRIED_TURN: f32 = 0.7;
/// Smaller differences in turning rate are attributed to the gait, radians per second.
const GAIT_TURN_RATE: f32 = 0.2;

/// Crossfades the last `frames` frames of `a` into the first `frames` frames of `b`. Both need at least `frames` + 2
/// frames, and the same skeleton.
pub fn crossfade(a: &Clip, b: Clip, root: &Root, frames: usize) -> Transition {
    if frames == 0 {
        return inertialize(a, b, root, &[], 0);
    }
    let first = a.frames() - frames;
    let reference = root.pose(a, first - 1);
    let heading = |standing: &RootPose| reference.turn_to(standing);
    let weight = |k: usize| smoothstep((k + 1) as f32 / (frames + 1) as f32);

    // Sums the mixed displacements. Frame −1 is the last frame that is only A, frame `frames` the first that is only B.
    let b_standing: Vec<RootPose> = (0..=frames).map(|k| root.pose(&b, k)).collect();
    let mut a_before = reference;
    let mut position = reference.world_position;
    let mut heading_change = 0.0;
    // Position, change of heading since `reference`, and root of A, for each blended frame.
    let mut path: Vec<(Vec3, f32, RootPose)> = Vec::with_capacity(frames);
    for k in 0..=frames {
        let (from, to) = if k == 0 { (&b_standing[0], &b_standing[1]) } else { (&b_standing[k - 1], &b_standing[k]) };
        let b_turn = from.turn_to(to);
        let b_step = step_at(from, to, heading_change - heading(from));
        if k == frames {
            heading_change += b_turn;
            position += b_step;
            break;
        }
        let a_now = root.pose(a, first + k);
        let a_turn = a_before.turn_to(&a_now);
        let a_step = step_at(&a_before, &a_now, heading_change - heading(&a_before));
        position += a_step.lerp(b_step, weight(k));
        heading_change += a_turn + (b_turn - a_turn) * weight(k);
        path.push((position, heading_change, a_now));
        a_before = a_now;
    }
    let first_of_b = &b_standing[frames];
    let yaw = wrap(heading_change - heading(first_of_b));
    let placement = GroundTransform::from_points(first_of_b.world_position, position, yaw);
    let mut placed = b;
    root.place(&mut placed, &placement);

    let mut joined = Transition::empty(placed, frames, frames);
    for (k, (position, heading_change, a_now)) in path.iter().enumerate() {
        let b_weight = weight(k);
        let b_now = root.pose(&joined.placed, k);
        let (old, new) = (Frame::from_clip(a, root, first + k), Frame::from_clip(&joined.placed, root, k));
        let mut mixed = Frame {
            rotations: old.rotations.iter().zip(&new.rotations).map(|(a, b)| slerp(*a, *b, b_weight)).collect(),
            translations: old.translations.iter().zip(&new.translations).map(|(a, b)| a.lerp(*b, b_weight)).collect(),
        };
        // Both frames are rotated about their roots to the mixed heading, then mixed. All joints of the root's path are
        // in world space, so this is done for each of them.
        let a_turn = Quat::from_rotation_y(heading_change - heading(a_now));
        let b_turn = Quat::from_rotation_y(wrap(heading_change - heading(&b_now)));
        for &joint in root.path() {
            mixed.rotations[joint] = slerp(a_turn * old.rotations[joint], b_turn * new.rotations[joint], b_weight);
            let Some(slot) = a.skeleton().translation_slot(joint) else { continue };
            let a_from_root = a_turn * (old.translations[slot] - a_now.world_position);
            let b_from_root = b_turn * (new.translations[slot] - b_now.world_position);
            let height = a_now.world_position.y + (b_now.world_position.y - a_now.world_position.y) * b_weight;
            mixed.translations[slot] = position.with_y(height) + a_from_root.lerp(b_from_root, b_weight);
        }
        joined.push(mixed, root);
    }
    joined
}

/// Appends `b` to `a` and adds the decaying difference to the first `frames` frames of `b`; 0 gives a hard cut, with
/// `b` placed. `a` needs at least 2 frames, `b` at least `frames` + 2, and both the same skeleton. `hinges` do not
/// straighten further than in the clips: otherwise a knee that swings forward could bend the wrong way.
pub fn inertialize(a: &Clip, b: Clip, root: &Root, hinges: &[Hinge], frames: usize) -> Transition {
    let length = frames as f32;
    let end = a.frames() - 1;
    let (before, last) = (root.pose(a, end - 1), root.pose(a, end));
    let (start, after) = (root.pose(&b, 0), root.pose(&b, 1));

    // Heading of B: the heading of A, extrapolated by one frame, plus the angle that A's excess turning rate covers
    // while it decays (half of rate × frames).
    let window = ((TURN_SECS / a.frame_time_secs()) as usize).max(1);
    let a_rate = turning_rate(a, root, end.saturating_sub(window), end);
    let b_rate = turning_rate(&b, root, 0, window.min(b.frames() - 1));
    // In a straight walk, the swing of hips and shoulders also causes a turning rate; it does not count.
    let gait_rate = GAIT_TURN_RATE * a.frame_time_secs() as f32;
    let rate = a_rate - b_rate;
    let carried = (rate - rate.clamp(-gait_rate, gait_rate)) * length / 2.0;
    let carried = carried.clamp(-MAX_CARRIED_TURN, MAX_CARRIED_TURN);
    let yaw = wrap(start.turn_to(&last) + before.turn_to(&last) + carried);

    // Position of B: computed from the ground velocities in the same manner.
    let a_step = (last.world_position - before.world_position).with_y(0.0);
    let b_step = Quat::from_rotation_y(yaw) * (after.world_position - start.world_position).with_y(0.0);
    let lost_velocity = a_step - b_step;
    let target = last.world_position + a_step + lost_velocity * (length / 2.0);
    let mut placed = b;
    root.place(&mut placed, &GroundTransform::from_points(start.world_position, target, yaw));

    let mut joined = Transition::empty(placed, 0, frames);
    if frames == 0 {
        return joined;
    }
    let brake = BRAKE_SECS / a.frame_time_secs() as f32;
    let old = [Frame::from_clip(a, root, end - 1), Frame::from_clip(a, root, end)];
    let new = [Frame::from_clip(&joined.placed, root, 0), Frame::from_clip(&joined.placed, root, 1)];
    let rotations: Vec<_> = (0..a.joints())
        .map(|joint| {
            let (past, now) = (old[0].rotations[joint], old[1].rotations[joint]);
            // A extrapolated to the first frame of B, and B to the last frame of A.
            let ahead = now * past.conjugate() * now;
            let (first, second) = (new[0].rotations[joint], new[1].rotations[joint]);
            let behind = first * second.conjugate() * first;
            rotation_decay([now, ahead], [behind, first], length, brake)
        })
        .collect();
    let root_slot = a.skeleton().translation_slot(root.joint());
    let translations: Vec<_> = (0..a.skeleton().translated().len())
        .map(|slot| {
            let (past, now) = (old[0].translations[slot], old[1].translations[slot]);
            let (first, second) = (new[0].translations[slot], new[1].translations[slot]);
            // The horizontal motion of the root has its own decay, below.
            let axes = if Some(slot) == root_slot { Vec3::Y } else { Vec3::ONE };
            translation_decay(
                [now * axes, (2.0 * now - past) * axes],
                [(2.0 * first - second) * axes, first * axes],
                length,
                brake,
            )
        })
        .collect();
    let guard_frames = GUARD_SECS / a.frame_time_secs() as f32;
    for k in 0..frames {
        let time = k as f32;
        let mut frame = Frame::from_clip(&joined.placed, root, k);
        let bends: Vec<f32> = hinges.iter().map(|hinge| hinge.bend(&frame.rotations)).collect();
        for (rotation, decay) in frame.rotations.iter_mut().zip(&rotations) {
            *rotation = (exp(decay.offset_at(time)) * *rotation).normalize();
        }
        let guard_weight = ((k + 1).min(frames - k) as f32 / guard_frames).min(1.0);
        hinges
            .iter()
            .zip(bends)
            .for_each(|(hinge, bend)| hinge.limit_extension(&mut frame.rotations, bend, guard_weight));
        for (translation, decay) in frame.translations.iter_mut().zip(&translations) {
            *translation += decay.offset_at(time);
        }
        if let Some(slot) = root_slot {
            frame.translations[slot] -= lost_velocity * (length * remaining_distance(time / length));
        }
        joined.push(frame, root);
    }
    joined
}

/// Returns the distance that remains at time `s` of a speed that fades out from 1 at time 0 to 0 at time 1: the
/// integral of 1 − smoothstep from `s` to 1. ½ for `s` = 0.
fn remaining_distance(s: f32) -> f32 {
    0.5 - s + s * s * s - 0.5 * s * s * s * s
}
