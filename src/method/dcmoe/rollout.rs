//! Generates the frames of a gap one by one.

use super::{Conditions, Network, path as requested_path};
use crate::body::GroundPose;
use crate::body::poses::Poses;
use crate::feature::dcmoe::mirror::{mirror_input, mirror_output};
use crate::feature::dcmoe::{
    Body, CHANNELS, Contacts, NOW, NetworkInput, PHASE, PHASES, SPACING, contacts, next_phases, path, write_gate,
};
use crate::method::filler::BodyKeys;
use crate::nn::mixture::Buffers;
use glam::{Vec2, Vec3};

/// Number of frames that the network reads: past frames and the current frame.
const TRAIL_FRAMES: usize = NOW * SPACING + 1;
/// Fraction of the root's distance from a requested path that is corrected in each frame.
const CORRECTION_FRACTION: f32 = 0.2;
/// Largest distance of the root from a requested path after the correction, metres.
const MAX_PATH_DISTANCE: f32 = 0.06;
/// Predicted phase vectors are clamped to this length, because the gate reads them again in the next frames.
const MAX_PHASE: f32 = 20.0;

/// State of one of the two evaluations: on the motion, or on its mirror image.
struct Evaluation {
    input: Vec<f32>,
    /// Phases of the past frames and of the current frame, the oldest first.
    past_phases: Vec<[Vec2; CHANNELS]>,
    /// Phases of the samples from the current frame on, [[`PHASES`]].
    phases: Vec<Vec2>,
    output: Vec<f32>,
}

/// A motion that the network predicts frame by frame towards a target. Heights are relative to the ground.
pub struct Rollout<'a> {
    network: &'a Network,
    current: Body,
    previous: Body,
    target: Body,
    /// Number of frames from the current frame to the target.
    span: usize,
    /// Number of frames from the last past frame to the target.
    total_span: usize,
    /// Roots of the past frames and of the current frame, the oldest first.
    trail: Vec<GroundPose>,
    requested_path: Option<Vec<Vec2>>,
    /// Evaluations of the motion and of the mirrored motion; their mean has a smaller error than each of them.
    evaluations: [Evaluation; 2],
    gate: Vec<f32>,
    /// Joint and contact columns of the output for the mirrored motion, mirrored back. Phases are not averaged: each
    /// evaluation keeps its own.
    mirrored_back: Vec<f32>,
    buffers: Buffers,
}

impl<'a> Rollout<'a> {
    /// Starts at the last frame of the past, `span` frames before the target. Both keys have at least one frame.
    pub fn new(network: &'a Network, keys: &BodyKeys, span: usize, conditions: &Conditions) -> Self {
        let &BodyKeys { past, target, offsets, ground } = keys;
        let body = |poses: &Poses, frame: usize| {
            Body::from_local_rotations(poses.hips[frame] - Vec3::Y * ground, poses.pose(frame), offsets)
        };
        let last = past.len() - 1;
        let (current, target) = (body(past, last), body(target, 0));
        // A single frame has no velocity; the mean velocity to the target is used instead.
        let previous = match last {
            0 => current.interpolate(&target, -1.0 / span as f32),
            _ => body(past, last - 1),
        };
        let trail = (last.saturating_sub(TRAIL_FRAMES - 1)..=last)
            .map(|frame| GroundPose::from_root(past.hips[frame], past.pose(frame)[0]));
        let hips_on_ground = |body: &Body| Vec2::new(body.positions[0].x, body.positions[0].z);
        let path_ends = [hips_on_ground(&current), hips_on_ground(&target)];
        let requested_path = conditions.path.map(|points| requested_path::sample(points, span, path_ends));
        let sizes = &network.config.sizes;
        let evaluation = || Evaluation {
            input: vec![0.0; sizes.input],
            past_phases: vec![[Vec2::ZERO; CHANNELS]],
            phases: vec![Vec2::ZERO; PHASES],
            output: vec![0.0; sizes.output],
        };
        Self {
            trail: trail.collect(),
            requested_path,
            evaluations: [evaluation(), evaluation()],
            gate: vec![0.0; sizes.gate],
            mirrored_back: vec![0.0; PHASE],
            buffers: Buffers::default(),
            network,
            current,
            previous,
            target,
            span,
            total_span: span,
        }
    }

    /// Advances by one frame. Returns the body and the probabilities of its contacts.
    pub fn step(&mut self) -> (Body, Contacts) {
        let Self {
            network, current, previous, target, trail, requested_path, evaluations, gate, mirrored_back, ..
        } = self;
        let input = NetworkInput { current, previous, target, span: self.span.max(1) as f32 };
        let (root, frame) = (current.root(), self.total_span - self.span);
        let path = requested_path.as_deref().map(|path| (path, frame));
        let [original, mirrored] = evaluations;
        input.write(root, &path::samples(trail, &input, path), &mut original.input);
        mirror_input(&original.input, &mut mirrored.input);
        for evaluation in [&mut *original, &mut *mirrored] {
            write_gate(&evaluation.past_phases, &evaluation.phases, input.span, path.is_some(), gate);
            network.mixture.run(&mut evaluation.input, gate, &mut evaluation.output, &mut self.buffers);
            let mut phases = vec![Vec2::ZERO; PHASES];
            next_phases(&evaluation.phases, &evaluation.output, &mut phases);
            phases.iter_mut().for_each(|phase| *phase = phase.clamp_length_max(MAX_PHASE));
            evaluation.past_phases.push(std::array::from_fn(|channel| phases[channel]));
            evaluation.past_phases.drain(..evaluation.past_phases.len().saturating_sub(TRAIL_FRAMES));
            evaluation.phases = phases;
        }
        mirror_output(&mirrored.output, mirrored_back);
        original.output.iter_mut().zip(mirrored_back).for_each(|(out, mirrored)| *out = 0.5 * (*out + *mirrored));
        let mut next = input.next_body(root, &input.extrapolation(root), &original.output);
        if let Some(point) = requested_path.as_ref().and_then(|path| path.get(frame + 1)) {
            correct_to_path(&mut next, *point);
        }
        let contacts = contacts(&original.output);
        next.hold_supports(current, &contacts, input.prediction_weight());

        trail.push(next.root());
        trail.drain(..trail.len().saturating_sub(TRAIL_FRAMES));
        *previous = std::mem::replace(current, next.clone());
        self.span = self.span.saturating_sub(1);
        (next, contacts)
    }
}

/// Moves a body towards a point of a requested path. `point`: x and z, metres. Returns the corrected fraction of the
/// distance, 0 to 1.
pub fn correct_to_path(body: &mut Body, point: Vec2) -> f32 {
    let offset = Vec3::new(point.x - body.positions[0].x, 0.0, point.y - body.positions[0].z);
    let remaining_offset = (offset * (1.0 - CORRECTION_FRACTION)).clamp_length_max(MAX_PATH_DISTANCE);
    body.translate(offset - remaining_offset);
    let distance = offset.length();
    if distance > 0.0 { 1.0 - remaining_offset.length() / distance } else { CORRECTION_FRACTION }
}
