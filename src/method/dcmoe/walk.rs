//! Fills a gap frame by frame.

use super::path::sampled;
use super::{Conditions, Network};
use crate::body::GroundPose;
use crate::body::poses::{CONTACTS, Poses, ROLES};
use crate::feature::dcmoe::mirror::{mirror_input, mirror_output};
use crate::feature::dcmoe::{
    Body, CHANNELS, CONTACT, NOW, PHASE, PHASES, Question, SPACING, next_phases, path, write_gate,
};
use crate::nn::mixture::Buffers;
use glam::{Vec2, Vec3};

/// Number of past frames that are read.
const TRAIL: usize = NOW * SPACING + 1;
/// Fraction of the root's distance from a requested path that is corrected per frame; the part beyond the limit,
/// metres, is corrected at once.
const FOLLOWS: f32 = 0.2;
const FARTHEST: f32 = 0.06;
/// Largest length of phase vectors.
const LONGEST_PHASE: f32 = 20.0;

/// State of one of two evaluations: on the motion, or on its mirror image.
struct Side {
    input: Vec<f32>,
    /// Phases up to now, the oldest first; then those from now on.
    past: Vec<[Vec2; CHANNELS]>,
    phases: Vec<Vec2>,
    out: Vec<f32>,
}

/// A motion towards its target. Heights are relative to the ground.
pub struct Walk<'a> {
    network: &'a Network,
    now: Body,
    before: Body,
    target: Body,
    /// Frames from now to the target, and from the beginning.
    span: usize,
    whole: usize,
    /// Roots up to now, the oldest first.
    trail: Vec<GroundPose>,
    requested: Option<Vec<Vec2>>,
    /// The network is also evaluated on the mirrored motion; the mean has a smaller error than either.
    sides: [Side; 2],
    gate: Vec<f32>,
    mirrored: Vec<f32>,
    buffers: Buffers,
}

impl<'a> Walk<'a> {
    /// Starts behind the last frame of `past`, `span` frames before the target. See [`Network::fill`]; neither key
    /// may be empty.
    pub fn new(
        network: &'a Network,
        past: &Poses,
        target: &Poses,
        offsets: &[Vec3; ROLES],
        ground: f32,
        span: usize,
        conditions: &Conditions,
    ) -> Self {
        let body = |poses: &Poses, at: usize| Body::of(poses.hips[at] - Vec3::Y * ground, poses.pose(at), offsets);
        let last = past.len() - 1;
        let (now, target) = (body(past, last), body(target, 0));
        // A single frame has no velocity: use that of the straight way to the target.
        let before = match last {
            0 => now.towards(&target, -1.0 / span as f32),
            _ => body(past, last - 1),
        };
        let trail =
            (last.saturating_sub(TRAIL - 1)..=last).map(|at| GroundPose::under(past.hips[at], past.pose(at)[0]));
        let flat = |body: &Body| Vec2::new(body.places[0].x, body.places[0].z);
        let requested = conditions.path.map(|points| sampled(points, span, [flat(&now), flat(&target)]));
        let sizes = &network.config.sizes;
        let side = || Side {
            input: vec![0.0; sizes.input],
            past: vec![[Vec2::ZERO; CHANNELS]],
            phases: vec![Vec2::ZERO; PHASES],
            out: vec![0.0; sizes.output],
        };
        Self {
            trail: trail.collect(),
            requested,
            sides: [side(), side()],
            gate: vec![0.0; sizes.gate],
            mirrored: vec![0.0; PHASE],
            buffers: Buffers::default(),
            network,
            now,
            before,
            target,
            span,
            whole: span,
        }
    }

    /// The next frame, and the contact probabilities of left heel, left toe, right heel, right toe.
    pub fn step(&mut self) -> (Body, [f32; CONTACTS]) {
        let Self { network, now, before, target, trail, requested, sides, gate, mirrored, .. } = self;
        let question = Question { now, before, target, span: self.span.max(1) as f32 };
        let (root, index) = (now.root(), self.whole - self.span);
        let path = requested.as_deref().map(|path| (path, index));
        let [side, other] = sides;
        question.write(root, &path::samples(trail, &question, path), &mut side.input);
        mirror_input(&side.input, &mut other.input);
        for side in [&mut *side, &mut *other] {
            write_gate(&side.past, &side.phases, question.span, path.is_some(), gate);
            network.mixture.run(&mut side.input, gate, &mut side.out, &mut self.buffers);
            let mut turned = vec![Vec2::ZERO; PHASES];
            next_phases(&side.phases, &side.out, &mut turned);
            turned.iter_mut().for_each(|phase| *phase = phase.clamp_length_max(LONGEST_PHASE));
            side.past.push(std::array::from_fn(|channel| turned[channel]));
            side.past.drain(..side.past.len().saturating_sub(TRAIL));
            side.phases = turned;
        }
        mirror_output(&other.out, mirrored);
        side.out.iter_mut().zip(mirrored).for_each(|(out, mirrored)| *out = 0.5 * (*out + *mirrored));
        let mut next = question.moved(root, &question.base(root), &side.out);
        if let Some(target) = requested.as_ref().and_then(|path| path.get(index + 1)) {
            drawn(&mut next, *target);
        }
        let contacts = std::array::from_fn(|part| side.out[CONTACT + part].clamp(0.0, 1.0));
        next.hold(now, contacts, question.freedom());

        trail.push(next.root());
        trail.drain(..trail.len().saturating_sub(TRAIL));
        *before = std::mem::replace(now, next.clone());
        self.span = self.span.saturating_sub(1);
        (next, contacts)
    }
}

/// Moves a body towards the root position of a requested path.
pub fn drawn(body: &mut Body, wanted: Vec2) {
    let off = Vec3::new(wanted.x - body.places[0].x, 0.0, wanted.y - body.places[0].z);
    let left = (off * (1.0 - FOLLOWS)).clamp_length_max(FARTHEST);
    body.shift(off - left);
}
