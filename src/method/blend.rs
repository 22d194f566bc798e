//! Classical blends: the baselines for every learned method.
//!
//! **Crossfade** overlaps the last frames of one clip with the first of the next and mixes them (smoothstep weight,
//! slerp the short way). Ground positions of the root are not mixed (where the paths separate at different speeds,
//! their distance would add to the speed). Instead the root's steps, each in its own heading, are mixed and summed,
//! and the next clip is placed at the end of that path. So speed and turning rate change from those of one clip to
//! those of the other without overshoot.
//!
//! **Inertialization** (Bollo, GDC 2016/2018; see [`crate::motion::inertialize`]) keeps every frame of both clips and
//! edits the first frames of the next: the difference between the old motion, extrapolated by one frame, and the next
//! clip decays. On the ground only the difference in velocity decays; the distance it covers is part of the
//! placement, so the root neither lags nor has to catch up.
//!
//! Both leave every frame outside the blend bit-equal to the placed clips.

pub use crate::method::transition::Transition;

use crate::method::frame::Frame;
use crate::method::transition::{TURN_SECS, step_at, turning_rate};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::hinge::Hinge;
use crate::motion::inertialize::{BRAKE_SECS, rotation_decay, translation_decay};
use crate::motion::quat::exp;
use crate::motion::resample::slerp;
use crate::motion::root::{GroundTransform, Root, RootPose, wrap};
use glam::{Quat, Vec3};

/// Largest heading change that inertialization continues, radians.
const MAX_CARRIED_TURN: f32 = 0.7;
/// Smaller differences in turning rate are attributed to gait, radians per second.
const FEIGNED_TURN_RATE: f32 = 0.2;
/// Crossfades the last `frames` frames of `a` into the first of `b`. Both need at least `frames` + 2 frames and one
/// skeleton.
pub fn crossfade(a: &Clip, b: Clip, root: &Root, frames: usize) -> Transition {
    if frames == 0 {
        return inertialize(a, b, root, &[], 0);
    }
    let first = a.frames() - frames;
    let reference = root.standing(a, first - 1);
    let heading = |standing: &RootPose| reference.turn_to(standing);
    let weight = |k: usize| smoothstep((k + 1) as f32 / (frames + 1) as f32);

    // Sums the mixed steps: frame −1 is the last frame of A alone, frame `frames` the first of B alone.
    let b_standing: Vec<RootPose> = (0..=frames).map(|k| root.standing(&b, k)).collect();
    let mut a_before = reference;
    let mut place = reference.world_position;
    let mut turned = 0.0;
    let mut way: Vec<(Vec3, f32, RootPose)> = Vec::with_capacity(frames);
    for k in 0..=frames {
        let (from, to) = if k == 0 { (&b_standing[0], &b_standing[1]) } else { (&b_standing[k - 1], &b_standing[k]) };
        let b_turn = from.turn_to(to);
        let b_step = step_at(from, to, turned - heading(from));
        if k == frames {
            turned += b_turn;
            place += b_step;
            break;
        }
        let a_now = root.standing(a, first + k);
        let a_turn = a_before.turn_to(&a_now);
        let a_step = step_at(&a_before, &a_now, turned - heading(&a_before));
        place += a_step.lerp(b_step, weight(k));
        turned += a_turn + (b_turn - a_turn) * weight(k);
        way.push((place, turned, a_now));
        a_before = a_now;
    }
    let landing = &b_standing[frames];
    let placement = GroundTransform::bringing(landing.world_position, place, wrap(turned - heading(landing)));
    let mut placed = b;
    root.place(&mut placed, &placement);

    let mut joined = Transition::empty(placed, frames, frames);
    for (k, (place, turned, a_now)) in way.iter().enumerate() {
        let part = weight(k);
        let b_now = root.standing(&joined.placed, k);
        let (old, new) = (Frame::of(a, root, first + k), Frame::of(&joined.placed, root, k));
        let mut mixed = Frame {
            rotations: old.rotations.iter().zip(&new.rotations).map(|(a, b)| slerp(*a, *b, part)).collect(),
            translations: old.translations.iter().zip(&new.translations).map(|(a, b)| a.lerp(*b, part)).collect(),
        };
        // Each frame is turned to the mixed heading about its own root, then mixed; likewise for every joint of the
        // path.
        let a_turn = Quat::from_rotation_y(turned - heading(a_now));
        let b_turn = Quat::from_rotation_y(wrap(turned - heading(&b_now)));
        for &joint in root.path() {
            mixed.rotations[joint] = slerp(a_turn * old.rotations[joint], b_turn * new.rotations[joint], part);
            let Some(slot) = a.skeleton().translation_slot(joint) else { continue };
            let a_from_root = a_turn * (old.translations[slot] - a_now.world_position);
            let b_from_root = b_turn * (new.translations[slot] - b_now.world_position);
            let height = a_now.world_position.y + (b_now.world_position.y - a_now.world_position.y) * part;
            mixed.translations[slot] = place.with_y(height) + a_from_root.lerp(b_from_root, part);
        }
        joined.push(mixed, root);
    }
    joined
}

/// Appends `b` to `a`; the first `frames` frames of `b` contain the decaying difference. `a` needs at least 2 frames,
/// `b` at least `frames` + 2; both have one skeleton. `hinges` do not bend past the straightest bend of the clips:
/// the braking of a swing could carry a knee beyond straight. With `frames` 0 a hard cut, with placement.
pub fn inertialize(a: &Clip, b: Clip, root: &Root, hinges: &[Hinge], frames: usize) -> Transition {
    let length = frames as f32;
    let end = a.frames() - 1;
    let (before, last) = (root.standing(a, end - 1), root.standing(a, end));
    let (start, after) = (root.standing(&b, 0), root.standing(&b, 1));

    // Heading: that of A, extrapolated by one frame, plus half of the angle covered while the difference in turning
    // rate decays.
    let window = ((TURN_SECS / a.frame_time_secs()) as usize).max(1);
    let a_rate = turning_rate(a, root, end.saturating_sub(window), end);
    let b_rate = turning_rate(&b, root, 0, window.min(b.frames() - 1));
    // Minus the turning rate that the swing of hips and shoulders may cause in a straight walk.
    let feigned = FEIGNED_TURN_RATE * a.frame_time_secs() as f32;
    let rate = a_rate - b_rate;
    let carried = (rate - rate.clamp(-feigned, feigned)) * length / 2.0;
    let carried = carried.clamp(-MAX_CARRIED_TURN, MAX_CARRIED_TURN);
    let yaw = wrap(start.turn_to(&last) + before.turn_to(&last) + carried);

    // Position: the same with ground velocities.
    let a_step = (last.world_position - before.world_position).with_y(0.0);
    let b_step = Quat::from_rotation_y(yaw) * (after.world_position - start.world_position).with_y(0.0);
    let lost = a_step - b_step;
    let target = last.world_position + a_step + lost * (length / 2.0);
    let mut placed = b;
    root.place(&mut placed, &GroundTransform::bringing(start.world_position, target, yaw));

    let mut joined = Transition::empty(placed, 0, frames);
    if frames == 0 {
        return joined;
    }
    let brake = BRAKE_SECS / a.frame_time_secs() as f32;
    let old = [Frame::of(a, root, end - 1), Frame::of(a, root, end)];
    let new = [Frame::of(&joined.placed, root, 0), Frame::of(&joined.placed, root, 1)];
    let rotations: Vec<_> = (0..a.joints())
        .map(|joint| {
            let (past, now) = (old[0].rotations[joint], old[1].rotations[joint]);
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
    for k in 0..frames {
        let time = k as f32;
        let mut frame = Frame::of(&joined.placed, root, k);
        let bends: Vec<f32> = hinges.iter().map(|hinge| hinge.bend(&frame.rotations)).collect();
        for (rotation, decay) in frame.rotations.iter_mut().zip(&rotations) {
            *rotation = (exp(decay.at(time)) * *rotation).normalize();
        }
        let inside = ((k + 1).min(frames - k) as f32 / 4.0).min(1.0);
        hinges.iter().zip(bends).for_each(|(hinge, bend)| hinge.guard(&mut frame.rotations, bend, inside));
        for (translation, decay) in frame.translations.iter_mut().zip(&translations) {
            *translation += decay.at(time);
        }
        if let Some(slot) = root_slot {
            frame.translations[slot] -= lost * (length * fading_speed_to_go(time / length));
        }
        joined.push(frame, root);
    }
    joined
}

/// Integral from `s` to 1 of 1 − smoothstep: the distance covered while a speed fades out. ½ at 0.
fn fading_speed_to_go(s: f32) -> f32 {
    0.5 - s + s * s * s - 0.5 * s * s * s * s
}
