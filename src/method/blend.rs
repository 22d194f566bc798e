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
use crate::motion::inertialize::{BRAKE_SECS, Decay, rotation_decay, translation_decay};
use crate::motion::quat::exp;
use crate::motion::resample::slerp;
use crate::motion::root::{GroundTransform, Root, RootPose, wrap};
use crate::motion::skeleton::Skeleton;
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
    let path = MixedPath::new(a, &b, root, frames);
    let yaw = wrap(path.end_turn - path.reference.turn_to(&path.end_of_b));
    let placement = GroundTransform::from_points(path.end_of_b.world_position, path.end_position, yaw);
    let mut placed = b;
    root.place(&mut placed, &placement);

    let mut joined = Transition::empty(placed, frames, frames);
    let first = a.frames() - frames;
    for (k, point) in path.points.iter().enumerate() {
        let root_of_b = root.pose(&joined.placed, k);
        let old = Source {
            frame: Frame::from_clip(a, root, first + k),
            root: point.root_of_a,
            turn: Quat::from_rotation_y(point.turn - path.reference.turn_to(&point.root_of_a)),
        };
        let new = Source {
            frame: Frame::from_clip(&joined.placed, root, k),
            root: root_of_b,
            turn: Quat::from_rotation_y(wrap(point.turn - path.reference.turn_to(&root_of_b))),
        };
        let mixed = old.mix(&new, crossfade_weight(k, frames), point.position, a.skeleton(), root);
        joined.push(mixed, root);
    }
    joined
}

/// Returns the weight of the second clip in frame `k` of a crossfade of `frames` frames.
fn crossfade_weight(k: usize, frames: usize) -> f32 {
    smoothstep((k + 1) as f32 / (frames + 1) as f32)
}

/// Path of the root during a crossfade.
struct MixedPath {
    /// Root of A in the frame before the crossfade. Turns are relative to its heading.
    reference: RootPose,
    points: Vec<PathPoint>,
    /// Root of B, not yet placed, in the first frame that is only B.
    end_of_b: RootPose,
    /// Position at which the path places that frame, metres.
    end_position: Vec3,
    /// Heading at which the path places that frame, relative to the reference, radians.
    end_turn: f32,
}

/// One frame of a [`MixedPath`].
struct PathPoint {
    /// Position on the ground, metres.
    position: Vec3,
    /// Heading relative to the reference, radians.
    turn: f32,
    root_of_a: RootPose,
}

impl MixedPath {
    /// Sums the mixed displacements of both clips.
    fn new(a: &Clip, b: &Clip, root: &Root, frames: usize) -> Self {
        let first = a.frames() - frames;
        let reference = root.pose(a, first - 1);
        let roots_of_b: Vec<RootPose> = (0..=frames).map(|k| root.pose(b, k)).collect();
        let mut before = reference;
        let (mut position, mut turn) = (reference.world_position, 0.0);
        let mut points = Vec::with_capacity(frames);
        for k in 0..frames {
            // Displacement of B from its previous frame. B's first frame has none, so it takes that of the next frame.
            let (b_turn, b_step) = Self::step(&roots_of_b[k.max(1) - 1..], turn, &reference);
            let root_of_a = root.pose(a, first + k);
            let (a_turn, a_step) = Self::step(&[before, root_of_a], turn, &reference);
            let weight = crossfade_weight(k, frames);
            position += a_step.lerp(b_step, weight);
            turn += a_turn + (b_turn - a_turn) * weight;
            points.push(PathPoint { position, turn, root_of_a });
            before = root_of_a;
        }
        // The last displacement, to the first frame that is only B, is that of B.
        let (b_turn, b_step) = Self::step(&roots_of_b[frames - 1..], turn, &reference);
        Self {
            reference,
            points,
            end_of_b: roots_of_b[frames],
            end_position: position + b_step,
            end_turn: turn + b_turn,
        }
    }

    /// Returns the change of heading and the displacement between the first two of `roots`, for a path whose heading is
    /// `turn` from the reference.
    fn step(roots: &[RootPose], turn: f32, reference: &RootPose) -> (f32, Vec3) {
        (roots[0].turn_to(&roots[1]), step_at(&roots[0], &roots[1], turn - reference.turn_to(&roots[0])))
    }
}

/// A pose of one of the two clips of a crossfade.
struct Source {
    frame: Frame,
    root: RootPose,
    /// Rotation about the vertical axis to the heading of the mixed path.
    turn: Quat,
}

impl Source {
    /// Mixes two poses. `weight`: of `other`. `position`: of the root on the ground, metres.
    fn mix(&self, other: &Self, weight: f32, position: Vec3, skeleton: &Skeleton, root: &Root) -> Frame {
        let (old, new) = (&self.frame, &other.frame);
        let mut mixed = Frame {
            rotations: old.rotations.iter().zip(&new.rotations).map(|(a, b)| slerp(*a, *b, weight)).collect(),
            translations: old.translations.iter().zip(&new.translations).map(|(a, b)| a.lerp(*b, weight)).collect(),
        };
        // All joints of the root's path are in world space, so each of them is rotated to the mixed heading first, about
        // the root.
        let (a_root, b_root) = (self.root.world_position, other.root.world_position);
        for &joint in root.path() {
            mixed.rotations[joint] = slerp(self.turn * old.rotations[joint], other.turn * new.rotations[joint], weight);
            let Some(slot) = skeleton.translation_slot(joint) else { continue };
            let a_from_root = self.turn * (old.translations[slot] - a_root);
            let b_from_root = other.turn * (new.translations[slot] - b_root);
            let height = a_root.y + (b_root.y - a_root.y) * weight;
            mixed.translations[slot] = position.with_y(height) + a_from_root.lerp(b_from_root, weight);
        }
        mixed
    }
}

/// Appends `b` to `a` and adds the decaying difference to the first `frames` frames of `b`; 0 gives a hard cut, with
/// `b` placed. `a` needs at least 2 frames, `b` at least `frames` + 2, and both the same skeleton. `hinges` do not
/// straighten further than in the clips: otherwise a knee that swings forward could bend the wrong way.
pub fn inertialize(a: &Clip, b: Clip, root: &Root, hinges: &[Hinge], frames: usize) -> Transition {
    let (placement, lost_velocity) = inertial_placement(a, &b, root, frames);
    let mut placed = b;
    root.place(&mut placed, &placement);

    let mut joined = Transition::empty(placed, 0, frames);
    if frames == 0 {
        return joined;
    }
    let length = frames as f32;
    let offsets = Offsets::new(a, &joined.placed, root, length);
    let root_slot = a.skeleton().translation_slot(root.joint());
    let guard_frames = GUARD_SECS / a.frame_time_secs() as f32;
    for k in 0..frames {
        let time = k as f32;
        let mut frame = Frame::from_clip(&joined.placed, root, k);
        let bends: Vec<f32> = hinges.iter().map(|hinge| hinge.bend(&frame.rotations)).collect();
        for (rotation, decay) in frame.rotations.iter_mut().zip(&offsets.rotations) {
            *rotation = (exp(decay.offset_at(time)) * *rotation).normalize();
        }
        let guard_weight = ((k + 1).min(frames - k) as f32 / guard_frames).min(1.0);
        hinges
            .iter()
            .zip(bends)
            .for_each(|(hinge, bend)| hinge.limit_extension(&mut frame.rotations, bend, guard_weight));
        for (translation, decay) in frame.translations.iter_mut().zip(&offsets.translations) {
            *translation += decay.offset_at(time);
        }
        if let Some(slot) = root_slot {
            frame.translations[slot] -= lost_velocity * (length * remaining_distance(time / length));
        }
        joined.push(frame, root);
    }
    joined
}

/// Returns the placement of `b` behind `a`, and the difference of their velocities over the ground, metres per frame,
/// which fades out during the blend.
fn inertial_placement(a: &Clip, b: &Clip, root: &Root, frames: usize) -> (GroundTransform, Vec3) {
    let length = frames as f32;
    let end = a.frames() - 1;
    let (before, last) = (root.pose(a, end - 1), root.pose(a, end));
    let (start, after) = (root.pose(b, 0), root.pose(b, 1));

    // Heading of B: the heading of A, extrapolated by one frame, plus the angle that A's excess turning rate covers
    // while it decays (half of rate × frames).
    let window = ((TURN_SECS / a.frame_time_secs()) as usize).max(1);
    let a_rate = turning_rate(a, root, end.saturating_sub(window), end);
    let b_rate = turning_rate(b, root, 0, window.min(b.frames() - 1));
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
    (GroundTransform::from_points(start.world_position, target, yaw), lost_velocity)
}

/// Differences between the end of the first clip and the start of the second, which decay during the blend.
struct Offsets {
    /// `[joints]`.
    rotations: Vec<Decay>,
    /// [translated joints].
    translations: Vec<Decay>,
}

impl Offsets {
    /// `placed`: the second clip behind the first. `length`: duration of the blend, frames.
    fn new(a: &Clip, placed: &Clip, root: &Root, length: f32) -> Self {
        let brake = BRAKE_SECS / a.frame_time_secs() as f32;
        let end = a.frames() - 1;
        let old = [Frame::from_clip(a, root, end - 1), Frame::from_clip(a, root, end)];
        let new = [Frame::from_clip(placed, root, 0), Frame::from_clip(placed, root, 1)];
        let rotations = (0..a.joints()).map(|joint| {
            let (past, now) = (old[0].rotations[joint], old[1].rotations[joint]);
            // A extrapolated to the first frame of B, and B to the last frame of A.
            let ahead = now * past.conjugate() * now;
            let (first, second) = (new[0].rotations[joint], new[1].rotations[joint]);
            let behind = first * second.conjugate() * first;
            rotation_decay([now, ahead], [behind, first], length, brake)
        });
        let root_slot = a.skeleton().translation_slot(root.joint());
        let translations = (0..a.skeleton().translated().len()).map(|slot| {
            let (past, now) = (old[0].translations[slot], old[1].translations[slot]);
            let (first, second) = (new[0].translations[slot], new[1].translations[slot]);
            // The difference over the ground has its own decay, `remaining_distance`.
            let axes = if Some(slot) == root_slot { Vec3::Y } else { Vec3::ONE };
            translation_decay(
                [now * axes, (2.0 * now - past) * axes],
                [(2.0 * first - second) * axes, first * axes],
                length,
                brake,
            )
        });
        Self { rotations: rotations.collect(), translations: translations.collect() }
    }
}

/// Returns the distance that remains at time `s` of a speed that fades out from 1 at time 0 to 0 at time 1: the
/// integral of 1 − smoothstep from `s` to 1. ½ for `s` = 0.
fn remaining_distance(s: f32) -> f32 {
    0.5 - s + s * s * s - 0.5 * s * s * s * s
}
