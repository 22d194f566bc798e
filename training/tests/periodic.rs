//! The periodic autoencoder: gradients match the loss, and the exported encoder matches the trained one.

use kinestitch::feature::periodic::{COLUMNS, MIDDLE, WINDOW, window};
use kinestitch::method::periodic::spectrum::{hertz, seconds};
use kinestitch::method::periodic::{Periodic, Sizes};
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::Precision;
use std::f32::consts::TAU;
use std::path::Path;
use training::checkpoint;
use training::periodic::step::{Network, Pass};
use training::periodic::{Recipe, initial, weights};

const SIZES: Sizes = Sizes { hidden: 3, channels: 2 };

/// Velocities that oscillate at two frequencies.
fn motion(frames: usize) -> Vec<f32> {
    let wave = |frame: usize, column: usize| {
        let (time, about) = (frame as f32 / 30.0, column as f32);
        (TAU * hertz(2) * time + about).sin() + 0.4 * (TAU * hertz(5) * time - 2.0 * about).cos() + 0.1 * about
    };
    (0..frames).flat_map(|frame| (0..COLUMNS).map(move |column| wave(frame, column))).collect()
}

fn recipe() -> Recipe {
    let mut recipe: Recipe = checkpoint::read(Path::new("../recipes/periodic-research.json")).unwrap();
    (recipe.hidden, recipe.channels) = (SIZES.hidden, SIZES.channels);
    recipe
}

#[test]
fn gradients_are_differences_of_the_loss() {
    let network = Network::new(SIZES);
    let values = initial(&network, 3);
    let mut rows = vec![0.0; WINDOW * COLUMNS];
    window(&motion(100), 40, &[1.0; COLUMNS], &mut rows);
    let mut pass = Pass::default();
    let mut gradient = vec![0.0; network.len()];
    network.learn(&values, &rows, 1.0, Some(&mut gradient), &mut pass);
    for parameter in &network.parameters {
        // Along the gradient of each parameter.
        let own = &gradient[parameter.range.clone()];
        let length = own.iter().map(|g| g * g).sum::<f32>().sqrt();
        assert!(length > 1e-7, "{} has no gradient", parameter.name);
        let mut at = |by: f32| {
            let mut moved = values.clone();
            moved[parameter.range.clone()].iter_mut().zip(own).for_each(|(x, g)| *x += by * g / length);
            f64::from(network.learn(&moved, &rows, 1.0, None, &mut pass))
        };
        let step = 2e-3;
        let slope = (at(step) - at(-step)) / f64::from(2.0 * step);
        let off = (slope - f64::from(length)).abs() / f64::from(length).max(1e-3);
        assert!(off < 0.03, "{}: {slope} where the gradient is {length}", parameter.name);
    }
}

#[test]
fn the_packed_encoder_finds_what_the_network_was_trained_on() {
    let network = Network::new(SIZES);
    let values = initial(&network, 4);
    let bytes = weights(&network, &values, &[1.0; COLUMNS], &recipe(), Precision::F32).unwrap();
    let packed = Periodic::read(&Weights::read(&bytes).unwrap()).unwrap();
    let rows = motion(120);
    let curves = packed.encode(&rows, 60).unwrap();
    assert_eq!(curves.len(), 2);
    // Decoding its curves gives the training loss.
    assert!(curves.iter().all(|curve| curve.amplitude > 0.0 && (0.0..15.0).contains(&curve.frequency)));
    // In a steady motion, every wave advances (or goes back) by its frequency per frame.
    let next = packed.encode(&rows, 61).unwrap();
    for (now, next) in curves.iter().zip(&next) {
        assert!((now.amplitude - next.amplitude).abs() < 0.2 * now.amplitude, "{now:?} {next:?}");
    }
    assert_eq!(seconds(MIDDLE), 0.0);
}
