//! Training of DC-MoE: the loss's gradient against differences, and rows that lead to the recording.

#[path = "../../tests/common/dcmoe.rs"]
mod made;

use burn::tensor::Device;
use kinestitch::feature::dcmoe::{CHANNELS, MOVES, OUTPUT, Question};
use kinestitch::feature::periodic::COLUMNS;
use kinestitch::feature::posture::Posture;
use kinestitch::method::dcmoe::{Network as Packed, posture};
use kinestitch::motion::{bvh, resample};
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::Precision;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::Path;
use training::checkpoint;
use training::data::{Label, Recording, Split};
use training::dcmoe::Recipe;
use training::dcmoe::learn::{Learner, Rule, measured};
use training::dcmoe::loss::loss;
use training::dcmoe::posture::{dressed, measured as measured_postures};
use training::dcmoe::sample::{Rows, Source};
use training::dcmoe::take::{Phases, Take};
use training::experts::normal::Normal;
use training::periodic::network::Autoencoder;
use training::periodic::{self, encoder};
use training::takes::Take as Plain;

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn recording() -> Recording {
    let path = format!("{}/../tests/fixtures/ada-walk.bvh", env!("CARGO_MANIFEST_DIR"));
    let clip = bvh::parse("ada-walk", &std::fs::read(path).unwrap()).unwrap().clip;
    let label = Label {
        set: "made".to_owned(),
        split: Split::Train,
        subject: "ada".to_owned(),
        style: "neutral".to_owned(),
        character: "biped".to_owned(),
        lead: 0,
    };
    Recording::of(&resample::resample(&clip, 30.0).unwrap(), &label).unwrap()
}

/// The shipped recipe, applied to generated recordings.
fn recipe() -> Recipe {
    let recipe: Recipe = checkpoint::read(Path::new("../recipes/dcmoe-research.json")).unwrap();
    let parts = recipe.takes["bandai"].clone();
    Recipe { takes: [("made".to_owned(), parts)].into(), ..recipe }
}

fn source() -> Source {
    let plain = Plain::of(&recording());
    let mut recipe: periodic::Recipe = checkpoint::read(Path::new("../recipes/periodic-research.json")).unwrap();
    (recipe.hidden, recipe.channels) = (3, CHANNELS);
    let network = Autoencoder::untrained(&recipe.sizes(), &[1.0; COLUMNS], 1, &Device::flex());
    let bytes = encoder(&recipe, &network, Precision::F32).unwrap();
    let phases = Phases::read(&bytes).unwrap();
    Source::new([false, true].map(|side| (1.0, Take::of(&plain, side, &phases).unwrap())).into())
}

#[test]
fn gradients_are_differences_of_the_loss() {
    let normal = Normal { mean: random(OUTPUT, 3), deviation: vec![0.02; OUTPUT] };
    let rows = Rows {
        base: random(MOVES, 4),
        now: random(MOVES, 5),
        freedom: 0.8,
        planted: [1.0, 0.0, 1.0, 1.0],
        ..Rows::default()
    };
    let (out, truth) = (random(OUTPUT, 1), random(OUTPUT, 2));
    let mut by = vec![0.0; OUTPUT];
    let total = |out: &[f32], by: &mut [f32]| {
        loss(out, &truth, &rows, &normal, 1.0, by).iter().map(|part| f64::from(*part)).sum::<f64>()
    };
    total(&out, &mut by);
    for column in (0..OUTPUT).step_by(7) {
        let at = |step: f32| {
            let mut moved = out.clone();
            moved[column] += step;
            total(&moved, &mut vec![0.0; OUTPUT])
        };
        let slope = (at(0.01) - at(-0.01)) / 0.02;
        assert!((slope - f64::from(by[column])).abs() < 3e-3, "{column}: {slope} where it says {}", by[column]);
    }
}

#[test]
fn what_a_row_says_of_the_next_frame_leads_there() {
    let source = source();
    let mut rng = StdRng::seed_from_u64(2);
    for _ in 0..20 {
        let mut lane = source.draw(8, &mut rng);
        let mut rows = Rows::default();
        let sizes = made::SIZES;
        (rows.input, rows.gate) = (vec![0.0; sizes.input], vec![0.0; sizes.gate]);
        while !lane.is_done() {
            // With the truth fed back, a lane stays on the recording.
            lane.rows(&source, 1.0, &mut rng, &mut rows);
            assert!(rows.input.iter().chain(&rows.gate).all(|x| x.is_finite()));
            let [now, before, target, next] = lane.bodies(&source);
            let question = Question { now: &now, before: &before, target: &target, span: 1.0 / (1.0 - rows.freedom) };
            let made = question.moved(now.root(), &rows.base, &rows.truth);
            let off = made.places.iter().zip(&next.places).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            // Following the path moves the body slightly off.
            assert!(off < 0.06, "{off} m");
            let truth = rows.truth.clone();
            lane.advance(&source, &truth, &rows);
        }
    }
}

#[test]
fn a_weight_file_is_given_the_postures_of_its_recordings() {
    let (recording, recipe) = (recording(), Recipe { styles: vec!["neutral".to_owned()], ..recipe() });
    let measured = measured_postures(std::slice::from_ref(&recording), &recipe).unwrap();
    assert_eq!(measured[0].windows[0], measured[0].windows[1], "one style alone loses no window");
    let postures: Vec<Posture> = measured.into_iter().map(|one| one.posture).collect();
    let plain = made::made(0, 0.02, Precision::Int8);
    let bytes = dressed(&plain, &recipe.styles, &postures, Precision::Int8).unwrap();
    let (before, after) = (Weights::read(&plain).unwrap(), Weights::read(&bytes).unwrap());
    let read = &posture::read(&after, 1).unwrap()[0];
    assert_eq!((read.height, read.speeds), (postures[0].height, postures[0].speeds));
    assert_eq!(Packed::read(&after).unwrap().styles(), ["neutral"]);
    for name in before.names() {
        let shape = before.shape(name).unwrap();
        assert_eq!(before.tensor(name, &shape).unwrap(), after.tensor(name, &shape).unwrap(), "{name}");
    }
    // A motion already in the posture does not change.
    let mut poses = Plain::of(&recording).poses;
    let (own, ground) = (poses.clone(), recording.ground);
    Posture::of(&[(&own, ground)]).unwrap().put_on(&mut poses, ground);
    assert!(poses.rotations.iter().zip(&own.rotations).all(|(a, b)| a.dot(*b).abs() > 0.99999));
    assert!(poses.hips.iter().zip(&own.hips).all(|(a, b)| a.distance(*b) < 1e-4));
    assert!(measured_postures(&[], &recipe).is_err());
}

#[test]
fn a_few_steps_lessen_the_loss() {
    let source = source();
    let sizes = made::SIZES;
    let normals = measured(&source, &sizes, 1);
    let mut learner = Learner::new(sizes, normals, 1, 1);
    let rule = Rule { batch: 32, frames: 8, rate: 3e-3, feedback: 0.8, noise: 0.01, dropout: 0.0, decay: 0.0, seed: 1 };
    let mut total = |steps: usize| (0..steps).map(|_| learner.learn(&source, &rule).iter().sum::<f32>()).sum::<f32>();
    let first = total(10) / 10.0;
    total(100);
    let last = total(10) / 10.0;
    assert!(last < 0.8 * first, "{first} became {last}");
}
