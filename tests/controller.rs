//! Training of the controller: gradients against differences of the loss, the packed network against the pass that trains.
#![cfg(feature = "train")]

#[path = "common/controller.rs"]
mod made;

use kinestitch::body::dog;
use kinestitch::feature::controller::Layout;
use kinestitch::method::controller::network::Sizes;
use kinestitch::method::controller::{Buffers, FARTHEST, Network as Packed};
use kinestitch::nn::weights::{Precision, Weights};
use kinestitch::train::experts::{Network, Pass};

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
        // The same columns fall each time.
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
