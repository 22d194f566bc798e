//! Training of DC-MoE: rows that lead to the recording, agreement of the trained and the packed network, lanes with
//! feedback, and a short run.

use crate::mixture::assert_same_output;
use crate::small_dcmoe;
use burn::optim::SgdConfig;
use burn::tensor::Device;
use kinestitch::feature::dcmoe::{CHANNELS, NetworkInput, VERSION};
use kinestitch::feature::periodic::COLUMNS;
use kinestitch::feature::posture::Posture;
use kinestitch::method::dcmoe::{NAME, Network as Packed, posture};
use kinestitch::motion::{bvh, resample};
use kinestitch::nn::mixture::{PackedMixture, Sizes};
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::Precision;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::Path;
use training::checkpoint;
use training::data::{Label, Recording, Split};
use training::dcmoe::posture::{add_postures, measure as measured_postures};
use training::dcmoe::sample::{Rows, Source};
use training::dcmoe::take::{Phases, Take};
use training::dcmoe::{Data, DcmoeTraining, Recipe, export};
use training::experts::Mixture;
use training::gradients::gradients;
use training::periodic::network::Autoencoder;
use training::periodic::{self, encoder_file};
use training::recipe::Header;
use training::run::{self, Batch, Run, Training};
use training::takes::Take as PoseTake;

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
    let path = format!("{}/../../tests/fixtures/ada-walk.bvh", env!("CARGO_MANIFEST_DIR"));
    let clip = bvh::parse("ada-walk", &std::fs::read(path).unwrap()).unwrap().clip;
    let label = Label {
        set: "made".to_owned(),
        split: Split::Train,
        subject: "ada".to_owned(),
        style: "neutral".to_owned(),
        character: "biped".to_owned(),
        lead: 0,
    };
    Recording::from_clip(&resample::resample(&clip, 30.0).unwrap(), &label).unwrap()
}

/// Reads the shipped recipe, applied to generated recordings.
fn recipe() -> Recipe {
    let recipe: Recipe = checkpoint::read_json(Path::new("../recipes/dcmoe-research.json")).unwrap();
    let bandai_takes = recipe.takes["bandai"].clone();
    Recipe { takes: [("made".to_owned(), bandai_takes)].into(), ..recipe }
}

fn source() -> Source {
    let take = PoseTake::from_recording(&recording());
    let mut recipe: periodic::Recipe = checkpoint::read_json(Path::new("../recipes/periodic-research.json")).unwrap();
    (recipe.hidden, recipe.channels) = (3, CHANNELS);
    let network = Autoencoder::untrained(&recipe.sizes(), &[1.0; COLUMNS], 1, &Device::flex());
    let bytes = encoder_file(&recipe, &network, Precision::F32).unwrap();
    let phases = Phases::read(&bytes).unwrap();
    Source::new([false, true].map(|mirrored| (1.0, Take::new(&take, mirrored, &phases).unwrap())).into())
}

#[test]
fn the_recorded_output_row_leads_to_the_next_frame() {
    let source = source();
    let mut rng = StdRng::seed_from_u64(2);
    for _ in 0..20 {
        let mut lane = source.draw(8, &mut rng);
        let mut rows = Rows::blank();
        while !lane.is_done() {
            // With the truth fed back, a lane stays on the recording.
            lane.compute_rows(&source, 1.0, &mut rng, &mut rows);
            assert!(rows.input.iter().chain(&rows.gate).all(|x| x.is_finite()));
            let [current, previous, target, truth] = lane.bodies(&source);
            let span = 1.0 / (1.0 - rows.prediction_weight);
            let input = NetworkInput { current: &current, previous: &previous, target: &target, span };
            let next = input.next_body(current.root(), &rows.extrapolation, &rows.truth);
            let error = next.positions.iter().zip(&truth.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            // The correction to the path moves the body away from the recording a little.
            assert!(error < 0.06, "{error} m");
            let prediction = rows.truth.clone();
            lane.advance(&source, &prediction, &rows);
        }
    }
}

#[test]
fn postures_are_added_to_a_weight_file() {
    let (recording, recipe) = (recording(), Recipe { styles: vec!["neutral".to_owned()], ..recipe() });
    let measured = measured_postures(std::slice::from_ref(&recording), &recipe).unwrap();
    assert_eq!(measured[0].windows[0], measured[0].windows[1], "one style alone loses no window");
    let postures: Vec<Posture> = measured.into_iter().map(|style| style.posture).collect();
    let without_postures = small_dcmoe::weight_file(0, 0.02, Precision::Int8);
    let bytes = add_postures(&without_postures, &recipe, &postures, Precision::Int8).unwrap();
    let (original, extended) = (Weights::read(&without_postures).unwrap(), Weights::read(&bytes).unwrap());
    let read = &posture::read(&extended, 1).unwrap()[0];
    assert_eq!((read.height, read.speeds), (postures[0].height, postures[0].speeds));
    assert_eq!(Packed::read(&extended).unwrap().styles(), ["neutral"]);
    assert_eq!((extended.meta.set.as_str(), extended.meta.licence.as_str()), recipe.header.terms());
    for name in original.names() {
        let shape = original.shape(name).unwrap();
        assert_eq!(original.tensor(name, &shape).unwrap(), extended.tensor(name, &shape).unwrap(), "{name}");
    }
    // A motion that already has the posture does not change.
    let mut poses = PoseTake::from_recording(&recording).poses;
    let (recorded, ground) = (poses.clone(), recording.ground);
    Posture::measure(&[(&recorded, ground)]).unwrap().apply(&mut poses, ground);
    assert!(poses.rotations.iter().zip(&recorded.rotations).all(|(a, b)| a.dot(*b).abs() > 0.99999));
    assert!(poses.hips.iter().zip(&recorded.hips).all(|(a, b)| a.distance(*b) < 1e-4));
    assert!(measured_postures(&[], &recipe).is_err());
}

/// Prepares recordings, and a small recipe for them.
fn data(steps: usize) -> (Data, Recipe) {
    let mut recipe = recipe();
    (recipe.gate_hidden, recipe.experts, recipe.hidden) =
        (small_dcmoe::SIZES.gate_hidden, small_dcmoe::SIZES.experts, small_dcmoe::SIZES.hidden);
    (recipe.frames, recipe.pairs) = (6, 1);
    let schedule = format!(
        r#"{{ "steps": {steps}, "cooldown": 20, "batch": 24, "rate": 0.003, "warmup": 4, "every": 40, "seed": 3 }}"#
    );
    recipe.schedule = serde_json::from_str(&schedule).unwrap();
    (Data { train: source(), held_out: vec![PoseTake::from_recording(&recording())] }, recipe)
}

#[test]
fn the_packed_network_gives_the_output_of_the_network_in_training() {
    let (bytes, device, sizes) = (small_dcmoe::weight_file(1, 1.0, Precision::F32), Device::flex(), small_dcmoe::SIZES);
    let header = Header::for_measurements();
    let path = std::env::temp_dir().join(format!("kinestitch-mixture-{}.safetensors", std::process::id()));
    std::fs::write(&path, &bytes).unwrap();
    let model = Mixture::blank(&sizes, &device).load(&path, (NAME, VERSION), &header).unwrap();
    assert!(Mixture::blank(&sizes, &device).load(&path, ("controller", VERSION), &header).is_err());
    let wider = Sizes { hidden: 17, ..sizes };
    assert!(Mixture::blank(&wider, &device).load(&path, (NAME, VERSION), &header).is_err());
    std::fs::remove_file(path).unwrap();
    let file = Weights::read(&bytes).unwrap();
    let packed = PackedMixture::read(&file, &sizes).unwrap();
    let count = 5;
    let scaled = |columns: usize, seed: u64| -> Vec<f32> {
        random(count * columns, seed).into_iter().map(|x| 7.0 * x).collect()
    };
    let rows = [scaled(sizes.input, 1), scaled(sizes.gate, 2)];
    let out =
        assert_same_output(&model, &sizes, rows, |input, gate, out, buffers| packed.run(input, gate, out, buffers));
    assert!(out.chunks_exact(sizes.output).all(|row| row.iter().any(|x| x.abs() > 0.1)));
}

#[test]
fn lanes_with_feedback_do_not_depend_on_threads() {
    let (data, mut recipe) = data(100);
    let device = Device::flex().autodiff();
    let mut losses = |threads: usize, feedback: f64| -> Vec<f32> {
        recipe.feedback = feedback;
        let training = DcmoeTraining::new(&data, &recipe);
        let model = training.model(None, &device).unwrap();
        let step = |step| gradients(&training, &model, &recipe.schedule, step, threads, &device).unwrap().losses[0];
        (0..5).map(step).collect()
    };
    let (one, three, recorded) = (losses(1, 0.9), losses(3, 0.9), losses(1, 0.0));
    assert!(one.iter().zip(&three).all(|(a, b)| (a - b).abs() < 1e-3 * a), "{one:?}, {three:?}");
    assert_eq!(one[0], recorded[0], "nothing is fed back in the first step");
    assert!(one.iter().zip(&recorded).skip(1).all(|(a, b)| (a - b).abs() > 1e-3 * a), "{one:?}, {recorded:?}");
}

#[test]
fn recordings_too_short_for_validation_are_an_error() {
    let ((mut data, recipe), device) = (data(20), Device::flex());
    for take in &mut data.held_out {
        take.poses = take.poses.slice(0..100);
    }
    let training = DcmoeTraining::new(&data, &recipe);
    let error = training.validate(&training.model(None, &device).unwrap(), &device).unwrap_err().to_string();
    assert!(error.contains("validation") && error.contains("101 frames"), "{error}");
}

#[test]
fn it_learns_resumes_and_exports() {
    let ((data, recipe), device) = (data(120), Device::flex());
    let folder = std::env::temp_dir().join(format!("kinestitch-dcmoe-{}", std::process::id()));
    let training = DcmoeTraining::new(&data, &recipe);
    let loss = |model: &Mixture| {
        let batch = Batch { seed: 9, step: 0, size: 24, lanes: 0..24, device: &device };
        training.loss(model, &batch).unwrap().remove(0).into_scalar::<f32>()
    };
    let untrained = loss(&training.model(None, &device).unwrap());
    let run = |stop, resume| Run { folder: folder.clone(), resume, from: None, stop, threads: 2 };
    run::train(&training, &recipe.schedule, &run(40, false), &device).unwrap();
    // In practice, a resumed run is another process, which starts without lanes.
    let resumed = DcmoeTraining::new(&data, &recipe);
    let state = run::train(&resumed, &recipe.schedule, &run(usize::MAX, true), &device).unwrap();
    assert_eq!(state.step, 120);
    let trained = loss(&training.model(Some(&folder.join("last.bpk")), &device).unwrap());
    assert!(trained < 0.7 * untrained, "{trained} after {untrained}");
    let bytes = export(&recipe, &folder.join("best.bpk"), Precision::Int8).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(Packed::read(&Weights::read(&bytes).unwrap()).unwrap().styles().len(), 0);
}

#[test]
fn gradients_reach_the_predictions_of_earlier_frames() {
    let (data, mut recipe) = data(100);
    (recipe.unroll, recipe.absolute, recipe.local, recipe.feedback, recipe.noise) = (4, 10.0, 0.0, 1.0, 0.0);
    recipe.schedule.clip = Some(f32::MAX);
    let device = Device::flex().autodiff();
    let start = DcmoeTraining::new(&data, &recipe).model(None, &device).unwrap();
    // Step 1, because nothing is fed back in step 0. New lanes for each model, so that all predict the same frames.
    let gradients_at = |model: &Mixture| {
        gradients(&DcmoeTraining::new(&data, &recipe), model, &recipe.schedule, 1, 1, &device).unwrap()
    };
    let (norm, rate) = (gradients_at(&start).norm, 1e-4);
    let loss_after = |rate: f64| {
        let params = gradients_at(&start).params;
        gradients_at(&SgdConfig::new().init().step(rate, start.clone(), params)).losses[0]
    };
    let (measured, expected) = (loss_after(-rate) - loss_after(rate), 2.0 * rate as f32 * norm.powi(2));
    assert!((measured / expected - 1.0).abs() < 0.05, "{measured}, expected {expected}");
}
