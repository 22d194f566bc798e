//! Training of the controller: gradients against differences of the loss, and the packed network against the training
//! pass.

#[path = "../../tests/common/controller.rs"]
mod made;

use glam::Vec3;
use kinestitch::body::{biped, canonical, dog};
use kinestitch::feature::controller::Layout;
use kinestitch::method::controller::network::Sizes;
use kinestitch::method::controller::{Buffers, FARTHEST, Gate, Network as Packed};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::{bvh, rig};
use kinestitch::nn::weights::{Precision, Weights};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::sync::Arc;
use training::controller::sample::Rows;
use training::controller::take::{Course, Take};
use training::experts::{Network, Pass};

const COUNT: usize = 5;

fn rows(width: usize, seed: u64) -> Vec<f32> {
    let mut next = made::random(seed);
    (0..COUNT * width).map(|_| 1.5 * next()).collect()
}

fn weights(network: &Network) -> Vec<f32> {
    let mut next = made::random(9);
    let mut weights = vec![0.0; network.len()];
    for parameter in &network.parameters {
        let inputs = parameter.shape[parameter.shape.len().saturating_sub(2)] as f32;
        weights[parameter.range()].iter_mut().for_each(|weight| *weight = next() * (3.0 / inputs).sqrt());
    }
    weights
}

#[test]
fn gradients_are_those_of_the_loss() {
    let sizes = Sizes { input: 7, gate: 6, gate_hidden: 5, experts: 3, hidden: 8, output: 4 };
    let network = Network::new(sizes);
    let weights = weights(&network);
    let (input, gate, truth) = (rows(sizes.input, 1), rows(sizes.gate, 2), rows(sizes.output, 3));
    for keep in [1.0, 0.7] {
        // The dropout masks are the same each time.
        let forward = |weights: &[f32], pass: &mut Pass| {
            let mut next = made::random(5);
            network.forward(weights, &input, &gate, pass, keep, &mut || 0.5 + 0.5 * next());
        };
        let loss = |weights: &[f32]| {
            let mut pass = Pass::default();
            forward(weights, &mut pass);
            pass.out.iter().zip(&truth).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>()
        };
        let mut pass = Pass::default();
        forward(&weights, &mut pass);
        let by_out: Vec<f32> = pass.out.iter().zip(&truth).map(|(a, b)| 2.0 * (a - b)).collect();
        let mut gradient = vec![0.0; network.len()];
        network.backward(&weights, &mut gradient, &by_out, &mut pass);
        let largest = gradient.iter().fold(0.0_f32, |largest, g| largest.max(g.abs()));
        for parameter in &network.parameters {
            for index in parameter.range().step_by(11) {
                let moved = |by: f32| {
                    let mut weights = weights.clone();
                    weights[index] += by;
                    loss(&weights)
                };
                let step = 2e-3;
                let slope = ((moved(step) - moved(-step)) / f64::from(2.0 * step)) as f32;
                let off = (slope - gradient[index]).abs();
                assert!(
                    off < 0.01 * largest,
                    "{} at {index}, keep {keep}: {slope}, {}",
                    parameter.name,
                    gradient[index]
                );
            }
        }
    }
}

#[test]
fn the_packed_network_says_what_the_trained_one_does() {
    let layout = Layout::of(dog(), 4, 1);
    let sizes = made::sizes(&layout);
    let network = Network::new(sizes);
    let bytes = made::made(dog(), 1, 1.0, Precision::F32);
    let file = Weights::read(&bytes).unwrap();
    let packed = Packed::read(&file).unwrap();
    let mut weights = vec![0.0; network.len()];
    for parameter in &network.parameters {
        weights[parameter.range()].copy_from_slice(&file.tensor(&parameter.name, &parameter.shape).unwrap());
    }
    let mean = file.tensor("output.mean", &[sizes.output]).unwrap();
    let (input, gate) = (rows(sizes.input, 1), rows(sizes.gate, 2));
    assert!(input.iter().all(|value| value.abs() < FARTHEST));
    let mut pass = Pass::default();
    network.forward(&weights, &input, &gate, &mut pass, 1.0, &mut || 1.0);
    let mut buffers = Buffers::default();
    for row in 0..COUNT {
        let mut out = vec![0.0; sizes.output];
        let mut one = input[row * sizes.input..][..sizes.input].to_vec();
        let mut phases = gate[row * sizes.gate..][..sizes.gate].to_vec();
        packed.run(&mut one, &mut phases, &mut out, &mut buffers);
        let own = &pass.out[row * sizes.output..][..sizes.output];
        for ((out, own), mean) in out.iter().zip(own).zip(&mean) {
            assert!((out - mean - own).abs() < 1e-4, "row {row}: {} and {own}", out - mean);
        }
        let shares = &pass.shares[row * sizes.experts..][..sizes.experts];
        assert!(buffers.shares.iter().zip(shares).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}

/// A walk forwards; the same reversed in time goes backwards.
#[test]
fn the_usual_style_lends_what_does_not_go_ahead() {
    let file = bvh::parse("ada-walk", &std::fs::read("../tests/fixtures/ada-walk.bvh").unwrap()).unwrap();
    let ahead = canonical(&file.clip, &rig::infer(&file.clip)).unwrap().clip;
    let turned =
        |rows: usize| (0..ahead.frames()).rev().flat_map(move |frame| (0..rows).map(move |at| frame * rows + at));
    let rotations = turned(ahead.joints()).map(|at| ahead.rotations()[at]).collect();
    let slots = ahead.translations().len() / ahead.frames();
    let translations = turned(slots).map(|at| ahead.translations()[at]).collect();
    let back =
        Clip::new("back", Arc::clone(ahead.skeleton()), ahead.frame_time_secs(), rotations, translations).unwrap();
    let offsets: Vec<Vec3> = ahead.skeleton().joints().iter().map(|joint| joint.offset).collect();
    let take = |clip: &Clip, style: usize| Take::of(clip, biped(), &offsets, style).unwrap();
    let rows = Rows { layout: Layout::of(biped(), 2, 3), character: biped(), gate: Gate::Phases };
    let middle = ahead.frames() / 2;
    let mut rng = StdRng::seed_from_u64(1);
    let mut learned = |take: &Take, lend: f64| -> Vec<usize> {
        let mut styles: Vec<usize> = (0..60).map(|_| rows.learned_as(take, middle, lend, &mut rng)).collect();
        styles.sort_unstable();
        styles.dedup();
        styles
    };
    let (walks, backs) = (take(&ahead, 0), take(&back, 0));
    assert_eq!((walks.course(middle), backs.course(middle)), (Course::Ahead, Course::Backwards));
    assert_eq!(learned(&walks, 1.0), [0]);
    assert_eq!(learned(&backs, 0.0), [0]);
    assert_eq!(learned(&backs, 1.0), [1, 2]);
    assert_eq!(learned(&backs, 0.5), [0, 1, 2]);
    assert_eq!(learned(&take(&back, 2), 1.0), [2], "only the usual style lends");
}
