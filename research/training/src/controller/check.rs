//! Validation of the controller on held-out recordings. The network runs for one second from each start; its predicted
//! joints, contacts and phases are fed back.

use super::lane::{BatchRows, append_zeros};
use super::loss::normalise;
use super::sample::{FrameIndex, RowWriter, Source};
use crate::experts::{Mixture, matrix};
use burn::tensor::Device;
use glam::Vec3;
use kinestitch::error::Result;
use kinestitch::feature::controller::{FPS, JOINT_WIDTH};
use kinestitch::nn::device::values;

/// Frames generated from each start.
const FRAMES: usize = 30;

/// Speed of the root above which a frame can be a start, metres per second.
pub const MIN_SPEED: f32 = 0.3;

/// Errors of a network that runs on its own output.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Check {
    /// Mean distance of joints from the recording, in root space, metres.
    pub position: f32,
    /// Mean length of the difference between the root's velocity and the velocity in the recording, metres per second.
    pub velocity: f32,
    /// Mean squared error of all normalised columns in the first frame, before any feedback.
    pub first_frame: f32,
}

/// Lists start frames in the takes, half a second apart. Frames in which the root is slower than [`MIN_SPEED`] are left
/// out, because a body at rest is too easy to continue.
pub fn list_starts(source: &Source) -> Vec<FrameIndex> {
    let starts_of_take = |(index, take): (usize, &super::take::Take)| {
        let end = take.frames().saturating_sub((FRAMES + 1) * take.stride);
        let is_moving = |frame: &usize| take.path(*frame as isize).velocity.length() > MIN_SPEED;
        let frames = (0..end).step_by((take.fps / 2.0).round() as usize).filter(is_moving);
        frames.map(move |frame| FrameIndex { take: index, frame, style: take.style }).collect::<Vec<_>>()
    };
    source.takes().iter().enumerate().flat_map(starts_of_take).collect()
}

/// Runs the network for [`FRAMES`] frames from every start, and compares its output with the recording.
///
/// # Errors
/// [`kinestitch::Error::Weights`] if values cannot be read from the device.
pub fn check(
    model: &Mixture,
    writer: &RowWriter,
    source: &Source,
    starts: &[FrameIndex],
    device: &Device,
) -> Result<Check> {
    let (layout, count, gate) = (&writer.layout, starts.len(), writer.layout.gate_width());
    let [inputs, outputs] = [layout.input_width(), layout.output_width()];
    let mut lanes: Vec<Feedback> = vec![Feedback::default(); count];
    let mut errors = Check::default();
    for step in 0..FRAMES {
        let mut batch = BatchRows::default();
        for (lane, start) in lanes.iter_mut().zip(starts) {
            let take = &source.takes()[start.take];
            let frame = start.frame + step * take.stride;
            let (mut input, mut phases) = (vec![0.0; inputs], vec![0.0; gate]);
            writer.input(take, frame, &mut input, &mut phases);
            if step > 0 {
                writer.feed_back(&lane.prediction, &lane.phases, &mut input, &mut phases);
            }
            batch.gates.extend_from_slice(&phases);
            writer.output(take, frame, append_zeros(&mut batch.truth, outputs));
            batch.input.extend(input);
            lane.phases = phases;
        }
        let truth = matrix(batch.truth.clone(), outputs, device);
        let [input, gates] = batch.tensors(inputs, gate, device);
        let [input, gates] = model.normalise(input, gates);
        let out = model.forward(input, gates, &[]);
        if step == 0 {
            errors.first_frame = (normalise(model.output(), truth) - out.clone()).square().mean().into_scalar::<f32>();
        }
        let predictions = values(model.output().denormalise(out))?;
        let weight = 1.0 / (count * FRAMES).max(1) as f32;
        let rows_with_truth = predictions.chunks_exact(outputs).zip(batch.truth.chunks_exact(outputs));
        for (lane, (prediction, truth)) in lanes.iter_mut().zip(rows_with_truth) {
            let joints = prediction[layout.out_state()]
                .chunks_exact(JOINT_WIDTH)
                .zip(truth[layout.out_state()].chunks_exact(JOINT_WIDTH));
            let distance: f32 = joints.map(|(a, b)| Vec3::from_slice(a).distance(Vec3::from_slice(b))).sum();
            errors.position += weight * distance / layout.joints as f32;
            errors.velocity += weight * (prediction[0] - truth[0]).hypot(prediction[1] - truth[1]) * FPS as f32;
            lane.prediction = prediction.to_vec();
        }
    }
    Ok(errors)
}

/// Last prediction of a lane, and the phases in the input of this prediction.
#[derive(Clone, Default)]
struct Feedback {
    prediction: Vec<f32>,
    phases: Vec<f32>,
}
