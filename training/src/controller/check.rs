//! Validation: one second of held-out recordings, in which the network's own joints, contacts and phases are fed back.

use super::sample::{FrameIndex, Rows, Source};
use crate::experts::normal::Normals;
use crate::experts::{Network, Pass};
use glam::Vec3;
use kinestitch::feature::controller::{FPS, JOINT};

/// Frames generated from each start.
const FRAMES: usize = 30;

/// Above this speed a body counts as moving, m/s.
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

/// Start frames in the takes, half a second apart. Only frames in which the body moves: frames at rest are too easy to
/// continue.
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
pub fn check(
    network: &Network,
    weights: &[f32],
    normals: &Normals,
    rows: &Rows,
    source: &Source,
    starts: &[FrameIndex],
) -> Check {
    let (sizes, layout) = (&network.sizes, &rows.layout);
    let (count, gate) = (starts.len(), layout.gate());
    let mut input = vec![0.0; count * sizes.input];
    let mut phases = vec![0.0; count * gate];
    let mut gates = vec![0.0; count * sizes.gate];
    let mut truth = vec![0.0; count * sizes.output];
    let (mut prediction, mut given) = (Vec::new(), Vec::new());
    let mut pass = Pass::default();
    let mut found = Check::default();
    for step in 0..FRAMES {
        for (lane, at) in starts.iter().enumerate() {
            let take = &source.takes()[at.take];
            let frame = at.frame + step * take.stride;
            let input = &mut input[lane * sizes.input..][..sizes.input];
            let phases = &mut phases[lane * gate..][..gate];
            rows.input(take, frame, input, phases);
            if step > 0 {
                rows.feed_back(
                    &prediction[lane * sizes.output..][..sizes.output],
                    &given[lane * gate..][..gate],
                    input,
                    phases,
                );
            }
            rows.gate(input, phases, &mut gates[lane * sizes.gate..][..sizes.gate]);
            rows.output(take, frame, &mut truth[lane * sizes.output..][..sizes.output]);
        }
        given.clone_from(&phases);
        normals.input.apply(&mut input);
        normals.gate.apply(&mut gates);
        network.forward(weights, &input, &gates, &mut pass, 1.0, &mut || 1.0);
        prediction.clone_from(&pass.out);
        if step == 0 {
            let mut normal = truth.clone();
            normals.output.apply(&mut normal);
            let off = normal.iter().zip(&prediction).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
            found.first = (off / normal.len().max(1) as f64) as f32;
        }
        normals.output.undo(&mut prediction);
        let share = 1.0 / (count * FRAMES).max(1) as f32;
        for (prediction, truth) in prediction.chunks_exact(sizes.output).zip(truth.chunks_exact(sizes.output)) {
            let joints =
                prediction[layout.out_state()].chunks_exact(JOINT).zip(truth[layout.out_state()].chunks_exact(JOINT));
            let off: f32 = joints.map(|(a, b)| Vec3::from_slice(a).distance(Vec3::from_slice(b))).sum();
            found.position += share * off / layout.joints as f32;
            found.step += share * (prediction[0] - truth[0]).hypot(prediction[1] - truth[1]) * FPS as f32;
        }
    }
    found
}
