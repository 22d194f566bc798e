//! Validation of the controller on held-out recordings. For one second from each start, the network's joints, contacts
//! and phases are fed back.

use super::lane::{BatchRows, append_zeros};
use super::loss::normalise;
use super::sample::{FrameIndex, Rows, Source};
use crate::experts::{Mixture, matrix};
use burn::tensor::Device;
use glam::Vec3;
use kinestitch::error::Result;
use kinestitch::feature::controller::{FPS, JOINT};
use kinestitch::nn::device::values;

/// Frames generated from each start.
const FRAMES: usize = 30;

/// Speed above which a body is considered to move, metres per second.
const MOVING: f32 = 0.3;

/// Errors of a network that runs on its own output.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Check {
    /// Mean distance of joints from the recording, in root space, metres.
    pub position: f32,
    /// Mean difference between the root's velocity and the recording's, m/s.
    pub step: f32,
    /// Mean square error of all normalised columns in the first frame, before any feedback.
    pub first: f32,
}

/// Lists start frames in the takes, half a second apart. Frames in which the body rests are left out, because they are
/// too easy to continue.
pub fn starts(source: &Source) -> Vec<FrameIndex> {
    let one = |(index, take): (usize, &super::take::Take)| {
        let last = take.frames().saturating_sub((FRAMES + 1) * take.stride);
        let moves = |frame: &usize| take.path(*frame as isize).velocity.length() > MOVING;
        let frames = (0..last).step_by((take.fps / 2.0).round() as usize).filter(moves);
        frames.map(move |frame| FrameIndex { take: index, frame, style: take.style }).collect::<Vec<_>>()
    };
    source.takes().iter().enumerate().flat_map(one).collect()
}

/// Runs the network from every start.
///
/// # Errors
/// [`kinestitch::Error::Weights`] if values cannot be read from the device.
pub fn check(model: &Mixture, rows: &Rows, source: &Source, starts: &[FrameIndex], device: &Device) -> Result<Check> {
    let (layout, count, gate) = (&rows.layout, starts.len(), rows.layout.gate_width());
    let [inputs, outputs] = [layout.input_width(), layout.output_width()];
    let mut lanes: Vec<Fed> = vec![Fed::default(); count];
    let mut found = Check::default();
    for step in 0..FRAMES {
        let mut batch = BatchRows::default();
        for (lane, at) in lanes.iter_mut().zip(starts) {
            let take = &source.takes()[at.take];
            let frame = at.frame + step * take.stride;
            let (mut input, mut phases) = (vec![0.0; inputs], vec![0.0; gate]);
            rows.input(take, frame, &mut input, &mut phases);
            if step > 0 {
                rows.feed_back(&lane.prediction, &lane.given, &mut input, &mut phases);
            }
            batch.gates.extend_from_slice(&phases);
            rows.output(take, frame, append_zeros(&mut batch.truth, outputs));
            batch.input.extend(input);
            lane.given = phases;
        }
        let truth = matrix(batch.truth.clone(), outputs, device);
        let [input, gates] = batch.tensors(inputs, gate, device);
        let [input, gates] = model.normalise(input, gates);
        let out = model.forward(input, gates, &[]);
        if step == 0 {
            found.first = (normalise(model.output(), truth) - out.clone()).square().mean().into_scalar::<f32>();
        }
        let predictions = values(model.output().denormalise(out))?;
        let share = 1.0 / (count * FRAMES).max(1) as f32;
        let both = predictions.chunks_exact(outputs).zip(batch.truth.chunks_exact(outputs));
        for (lane, (prediction, truth)) in lanes.iter_mut().zip(both) {
            let joints =
                prediction[layout.out_state()].chunks_exact(JOINT).zip(truth[layout.out_state()].chunks_exact(JOINT));
            let off: f32 = joints.map(|(a, b)| Vec3::from_slice(a).distance(Vec3::from_slice(b))).sum();
            found.position += share * off / layout.joints as f32;
            found.step += share * (prediction[0] - truth[0]).hypot(prediction[1] - truth[1]) * FPS as f32;
            lane.prediction = prediction.to_vec();
        }
    }
    Ok(found)
}

/// Prediction that is fed back, and the phases of its input.
#[derive(Clone, Default)]
struct Fed {
    prediction: Vec<f32>,
    given: Vec<f32>,
}
