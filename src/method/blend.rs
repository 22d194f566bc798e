//! Classical blends: the baselines for every learned method.
//!
//! **Crossfade** overlaps the last frames of one clip with the first frames of the next and mixes them (smoothstep
//! weight, slerp along the shorter arc). Positions of the root over the ground are not mixed: where the paths diverge,
//! a mix would also move the root from one path to the other, which changes its speed. Instead the root's displacements
//! per frame are mixed, each relative to the heading in its clip, and summed. The next clip is placed at the end of
//! that path. So speed and turning rate change from one clip to the other without overshoot.
//!
//! **Inertialization** (Bollo, GDC 2018; see [`crate::motion::inertialize`]) keeps every frame of both clips and edits
//! the first frames of the next clip. The difference between the old motion, extrapolated by one frame, and the next
//! clip is added to these frames and decays. On the ground, only the difference in velocity decays. The next clip is
//! placed further ahead by the distance that this velocity covers, so that no offset of its position has to decay.
//!
//! Both blends leave every frame outside the blend bit-identical to the placed clips.

pub use crate::method::transition::Transition;

use crate::method::frame::Frame;
use crate::method::transition::ground_displacement;
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::gait::Gait;
use crate::motion::hinge::{GUARD_SECS, Hinge};
use crate::motion::inertialize::{BRAKE_SECS, Decay, rotation_decay, translation_decay};
use crate::motion::quat::exp;
use crate::motion::resample::slerp;
use crate::motion::root::{GroundTransform, Root, RootPose, wrap};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// Largest angle by which inertialization turns the second clip further because the first was turning, radians.
const MAX_CONTINUED_TURN: f32 = 0.7;

/// Crossfades the last `frames` frames of `a` into the first `frames` frames of `b`. Both need at least `frames` + 2
/// frames, and the same skeleton. `gaits`: those at the end of `a` and at the start of `b`.
pub fn crossfade(a: &Clip, b: Clip, root: &Root, gaits: [Gait; 2], frames: usize) -> Transition {
    if frames == 0 {
        return inertialize(a, b, root, gaits, &[], 0);
    }
    let path = MixedPath::new(a, &b, root, gaits, frames);
    let yaw = wrap(path.end_heading - path.heading_of_b(frames));
    let placement = GroundTransform::from_points(path.end_of_b.world_position, path.end_position, yaw);
    let mut placed = b;
    root.place(&mut placed, &placement);

    let mut transition = Transition::empty(placed, frames, frames);
    let first_frame = a.frames() - frames;
    for (k, point) in path.points.iter().enumerate() {
        let root_of_b = root.pose(&transition.placed, k);
        let old = ClipPose {
            frame: Frame::from_clip(a, root, first_frame + k),
            root: point.root_of_a,
            rotation: Quat::from_rotation_y(point.heading - path.heading_of_a(k as f32)),
        };
        let new = ClipPose {
            frame: Frame::from_clip(&transition.placed, root, k),
            root: root_of_b,
            rotation: Quat::from_rotation_y(wrap(point.heading - path.heading_of_b(k) - yaw)),
        };
        let mixed = old.mix(&new, crossfade_weight(k, frames), point.position, a.skeleton(), root);
        transition.push(mixed, root);
    }
    transition
}

/// Returns the weight of the second clip in frame `k` of a crossfade of `frames` frames.
fn crossfade_weight(k: usize, frames: usize) -> f32 {
    smoothstep((k + 1) as f32 / (frames + 1) as f32)
}

/// Path of the root during a crossfade.
struct MixedPath {
    points: Vec<PathPoint>,
    /// Root of B, not yet placed, in the first frame after the crossfade.
    end_of_b: RootPose,
    /// Position at which the path places that frame, metres.
    end_position: Vec3,
    /// Heading at which the path places that frame, radians.
    end_heading: f32,
    /// Gaits of A in the first frame of the crossfade, and of B, not yet placed, in its first frame.
    gaits: [Gait; 2],
}

/// One frame of a [`MixedPath`].
struct PathPoint {
    /// Position on the ground, metres.
    position: Vec3,
    /// Heading of the gait, radians.
    heading: f32,
    root_of_a: RootPose,
}

impl MixedPath {
    /// Sums the mixed displacements of both clips.
    fn new(a: &Clip, b: &Clip, root: &Root, [before, after]: [Gait; 2], frames: usize) -> Self {
        let first = a.frames() - frames;
        let roots_of_b: Vec<RootPose> = (0..=frames).map(|k| root.pose(b, k)).collect();
        let before = before.later(1.0 - frames as f32);
        let half = frames / 2;
        let [middle_of_a, middle_of_b] = [root.pose(a, first + half), roots_of_b[half]];
        let middles = [before.later(half as f32), after.later(half as f32)];
        // Zero unless both bodies lie.
        let offset =
            Gait::alignment(middles, &middle_of_a, &middle_of_b, root) - (middles[0].heading - middles[1].heading);
        let mut path = Self {
            points: Vec::with_capacity(frames),
            end_of_b: roots_of_b[frames],
            end_position: Vec3::ZERO,
            end_heading: 0.0,
            gaits: [before, after.rotated(-offset)],
        };
        let mut previous_root_of_a = root.pose(a, first - 1);
        let (mut position, mut heading) = (previous_root_of_a.world_position, path.heading_of_a(-1.0));
        for k in 0..frames {
            // Displacement of B from its previous frame; in the first frame of B, the displacement to the second frame.
            let from = k.max(1) - 1;
            let b_step =
                ground_displacement(&roots_of_b[from], &roots_of_b[from + 1], heading - path.heading_of_b(from));
            let root_of_a = root.pose(a, first + k);
            let a_step =
                ground_displacement(&previous_root_of_a, &root_of_a, heading - path.heading_of_a(k as f32 - 1.0));
            let weight = crossfade_weight(k, frames);
            position += a_step.lerp(b_step, weight);
            heading += before.turn_rate + (after.turn_rate - before.turn_rate) * weight;
            path.points.push(PathPoint { position, heading, root_of_a });
            previous_root_of_a = root_of_a;
        }
        // The displacement to the first frame after the crossfade is that of B alone.
        let turn = heading - path.heading_of_b(frames - 1);
        path.end_position = position + ground_displacement(&roots_of_b[frames - 1], &roots_of_b[frames], turn);
        path.end_heading = heading + after.turn_rate;
        path
    }

    /// Returns the heading of A in a frame of the crossfade, radians.
    fn heading_of_a(&self, frame: f32) -> f32 {
        self.gaits[0].later(frame).heading
    }

    /// Returns the heading of B, not yet placed, in a frame of the crossfade, radians.
    fn heading_of_b(&self, frame: usize) -> f32 {
        self.gaits[1].later(frame as f32).heading
    }
}

/// A pose of one of the two clips of a crossfade.
struct ClipPose {
    frame: Frame,
    root: RootPose,
    /// Rotation about the vertical axis to the heading of the mixed path.
    rotation: Quat,
}

impl ClipPose {
    /// Mixes two poses. `weight`: weight of `other`. `position`: position of the root on the ground, metres.
    fn mix(&self, other: &Self, weight: f32, position: Vec3, skeleton: &Skeleton, root: &Root) -> Frame {
        let (old, new) = (&self.frame, &other.frame);
        let mut mixed = Frame {
            rotations: old.rotations.iter().zip(&new.rotations).map(|(a, b)| slerp(*a, *b, weight)).collect(),
            translations: old.translations.iter().zip(&new.translations).map(|(a, b)| a.lerp(*b, weight)).collect(),
        };
        // All joints of the root's path are in world space, so each of them is rotated to the mixed heading first,
        // about the root.
        let (a_root, b_root) = (self.root.world_position, other.root.world_position);
        for &joint in root.path() {
            mixed.rotations[joint] =
                slerp(self.rotation * old.rotations[joint], other.rotation * new.rotations[joint], weight);
            let Some(slot) = skeleton.translation_slot(joint) else { continue };
            let a_offset = self.rotation * (old.translations[slot] - a_root);
            let b_offset = other.rotation * (new.translations[slot] - b_root);
            let height = a_root.y + (b_root.y - a_root.y) * weight;
            mixed.translations[slot] = position.with_y(height) + a_offset.lerp(b_offset, weight);
        }
        mixed
    }
}

/// Appends `b` to `a` and adds the decaying difference to the first `frames` frames of `b`; 0 gives a hard cut, with
/// `b` placed. `a` needs at least 2 frames, `b` at least `frames` + 2, and both the same skeleton. `hinges` do not
/// straighten much further than in the clips: otherwise a knee that swings forward could bend the wrong way.
pub fn inertialize(a: &Clip, b: Clip, root: &Root, gaits: [Gait; 2], hinges: &[Hinge], frames: usize) -> Transition {
    let (placement, velocity_difference) = inertial_placement(a, &b, root, gaits, frames);
    let mut placed = b;
    root.place(&mut placed, &placement);

    let mut transition = Transition::empty(placed, 0, frames);
    if frames == 0 {
        return transition;
    }
    let length = frames as f32;
    let offsets = Offsets::new(a, &transition.placed, root, length);
    let root_slot = a.skeleton().translation_slot(root.joint());
    let guard_frames = GUARD_SECS / a.frame_time_secs() as f32;
    for k in 0..frames {
        let time = k as f32;
        let mut frame = Frame::from_clip(&transition.placed, root, k);
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
            frame.translations[slot] -= velocity_difference * (length * remaining_distance(time / length));
        }
        transition.push(frame, root);
    }
    transition
}

/// Returns the placement of `b` after `a`, and the difference of their velocities over the ground, metres per frame,
/// which fades out during the blend.
fn inertial_placement(
    a: &Clip,
    b: &Clip,
    root: &Root,
    [before, after]: [Gait; 2],
    frames: usize,
) -> (GroundTransform, Vec3) {
    let length = frames as f32;
    let end = a.frames() - 1;
    let [a_previous, a_last] = [end - 1, end].map(|frame| root.pose(a, frame));
    let [b_first, b_second] = [0, 1].map(|frame| root.pose(b, frame));

    // Heading of B: the heading of A, extrapolated by one frame, plus the angle that A's turning rate in excess of B's
    // covers while it fades to 0 over the blend: half of rate × frames.
    let continued_turn = (before.turn_rate - after.turn_rate) * length / 2.0;
    let continued_turn = continued_turn.clamp(-MAX_CONTINUED_TURN, MAX_CONTINUED_TURN);
    let yaw = wrap(Gait::alignment([before.later(1.0), after], &a_last, &b_first, root) + continued_turn);

    // Position of B: computed from the ground velocities in the same manner.
    let a_step = (a_last.world_position - a_previous.world_position).with_y(0.0);
    let b_step = Quat::from_rotation_y(yaw) * (b_second.world_position - b_first.world_position).with_y(0.0);
    let velocity_difference = a_step - b_step;
    let target = a_last.world_position + a_step + velocity_difference * (length / 2.0);
    (GroundTransform::from_points(b_first.world_position, target, yaw), velocity_difference)
}

/// Differences between the end of the first clip and the start of the second, which decay during the blend.
struct Offsets {
    /// `[joints]`.
    rotations: Vec<Decay>,
    /// [translated joints].
    translations: Vec<Decay>,
}

impl Offsets {
    /// `placed`: the second clip, placed after the first. `length`: duration of the blend, frames.
    fn new(a: &Clip, placed: &Clip, root: &Root, length: f32) -> Self {
        let brake_frames = BRAKE_SECS / a.frame_time_secs() as f32;
        let end = a.frames() - 1;
        let a_frames = [end - 1, end].map(|frame| Frame::from_clip(a, root, frame));
        let b_frames = [0, 1].map(|frame| Frame::from_clip(placed, root, frame));
        let rotations = (0..a.joints()).map(|joint| {
            let [a_previous, a_last] = a_frames.each_ref().map(|frame| frame.rotations[joint]);
            let [b_first, b_second] = b_frames.each_ref().map(|frame| frame.rotations[joint]);
            // A is extrapolated to the first frame of B, and B to the last frame of A.
            let a_next = a_last * a_previous.conjugate() * a_last;
            let b_previous = b_first * b_second.conjugate() * b_first;
            rotation_decay([a_last, a_next], [b_previous, b_first], length, brake_frames)
        });
        let root_slot = a.skeleton().translation_slot(root.joint());
        let translations = (0..a.skeleton().translated().len()).map(|slot| {
            let [a_previous, a_last] = a_frames.each_ref().map(|frame| frame.translations[slot]);
            let [b_first, b_second] = b_frames.each_ref().map(|frame| frame.translations[slot]);
            // The horizontal difference of the root decays separately, by `remaining_distance`.
            let axes = if Some(slot) == root_slot { Vec3::Y } else { Vec3::ONE };
            translation_decay(
                [a_last * axes, (2.0 * a_last - a_previous) * axes],
                [(2.0 * b_first - b_second) * axes, b_first * axes],
                length,
                brake_frames,
            )
        });
        Self { rotations: rotations.collect(), translations: translations.collect() }
    }
}

/// Returns the distance from time `t` to time 1 at a speed that fades from 1 at time 0 to 0 at time 1: the integral of
/// 1 − smoothstep from `t` to 1, which is ½ for `t` = 0.
fn remaining_distance(t: f32) -> f32 {
    0.5 - t + t * t * t - 0.5 * t * t * t * t
}
