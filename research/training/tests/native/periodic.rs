//! The periodic autoencoder: agreement of the trained and the packed encoder, and a short run.

use crate::curve::{motion, offsets};
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::feature::periodic::{COLUMNS, MIDDLE, WINDOW, write_window};
use kinestitch::method::periodic::spectrum::{hertz, seconds};
use kinestitch::method::periodic::{Periodic, Sizes};
use kinestitch::nn::device::values;
use kinestitch::nn::weights::{Network, Weights, write::Precision};
use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::path::{Path, PathBuf};
use std::process::Command;
use training::checkpoint;
use training::data::{Label, Split, pack, read};
use training::periodic::network::Autoencoder;
use training::periodic::{PeriodicTraining, Recipe, encoder_file, export};
use training::run::{self, Batch, Run, Training};
use training::takes::{Take, contacts};

const SIZES: Sizes = Sizes { hidden: 3, channels: 2 };

/// Creates velocities that oscillate at two frequencies, [frames × 66].
fn oscillation(frames: usize) -> Vec<f32> {
    let wave = |frame: usize, column: usize| {
        let (time, shift) = (frame as f32 / 30.0, column as f32);
        (TAU * hertz(2) * time + shift).sin() + 0.4 * (TAU * hertz(5) * time - 2.0 * shift).cos() + 0.1 * shift
    };
    (0..frames).flat_map(|frame| (0..COLUMNS).map(move |column| wave(frame, column))).collect()
}

fn recipe() -> Recipe {
    let mut recipe: Recipe = checkpoint::read_json(Path::new("../recipes/periodic-research.json")).unwrap();
    (recipe.hidden, recipe.channels) = (SIZES.hidden, SIZES.channels);
    recipe
}

fn takes() -> BTreeMap<String, Vec<Take>> {
    let (poses, offsets) = (motion(150), offsets());
    let contacts = contacts(&poses, &offsets, 0.0, [0.3; 4]);
    [("a".to_owned(), vec![Take { poses, offsets, ground: 0.0, contacts }])].into()
}

/// Returns windows around some frames, [lanes, window, 66].
fn windows(rows: &[f32], frames: &[usize], device: &Device) -> Tensor<3> {
    let mut values = vec![0.0; frames.len() * WINDOW * COLUMNS];
    for (frame, values) in frames.iter().zip(values.chunks_exact_mut(WINDOW * COLUMNS)) {
        write_window(rows, *frame, &[1.0; COLUMNS], values);
    }
    Tensor::from_data(TensorData::new(values, [frames.len(), WINDOW, COLUMNS]), device)
}

#[test]
fn the_packed_encoder_agrees_with_the_training_network() {
    let (device, rows, frames) = (Device::flex(), oscillation(120), [3, 60, 61, 119]);
    let scale: Vec<f32> = (0..COLUMNS).map(|column| 0.5 + 0.01 * column as f32).collect();
    let network = Autoencoder::untrained(&SIZES, &scale, 4, &device);
    let bytes = encoder_file(&recipe(), &network, Precision::F32).unwrap();
    let packed = Periodic::read(&Weights::read(&bytes).unwrap()).unwrap();
    let waves = network.encode(network.normalise(windows(&rows, &frames, &device)));
    let [amplitude, frequency, offset, direction] =
        [waves.amplitude, waves.frequency, waves.offset, waves.direction].map(|tensor| values(tensor).unwrap());
    for (lane, frame) in frames.into_iter().enumerate() {
        let curves = packed.encode(&rows, frame).unwrap();
        assert_eq!(curves.len(), SIZES.channels);
        for (channel, curve) in curves.iter().enumerate() {
            let row = lane * SIZES.channels + channel;
            let phase_difference = direction[2 * row + 1].atan2(direction[2 * row]) - curve.phase;
            let differences = [
                amplitude[row] - curve.amplitude,
                frequency[row] - curve.frequency,
                offset[row] - curve.offset,
                (phase_difference + TAU / 2.0).rem_euclid(TAU) - TAU / 2.0,
            ];
            assert!(differences.iter().all(|difference| difference.abs() < 1e-4), "{differences:?} of {curve:?}");
            assert!(curve.amplitude > 0.01 && (0.0..15.0).contains(&curve.frequency), "{curve:?}");
        }
    }
    assert_eq!(seconds(MIDDLE), 0.0);
}

#[test]
fn a_batch_has_the_mean_loss_of_its_windows() {
    let (device, rows, frames) = (Device::flex(), oscillation(120), [10, 40, 90]);
    let network = Autoencoder::untrained(&SIZES, &[1.0; COLUMNS], 3, &device);
    let loss = |frames: &[usize]| network.loss(windows(&rows, frames, &device)).into_scalar::<f32>();
    let mean = frames.iter().map(|frame| loss(&[*frame])).sum::<f32>() / frames.len() as f32;
    assert!((loss(&frames) - mean).abs() < 1e-4 * mean, "{} and {mean}", loss(&frames));
}

#[test]
fn it_learns_resumes_and_exports() {
    let mut recipe = recipe();
    recipe.sets = [("a".to_owned(), 1.0)].into();
    let schedule = r#"{ "steps": 40, "cooldown": 10, "batch": 4, "rate": 0.004, "warmup": 4, "every": 20, "seed": 3 }"#;
    recipe.schedule = serde_json::from_str(schedule).unwrap();
    let (device, held_out) = (Device::flex(), takes().remove("a").unwrap());
    let folder: PathBuf = std::env::temp_dir().join(format!("kinestitch-periodic-{}", std::process::id()));
    let training = PeriodicTraining::new(takes(), &held_out, &recipe).unwrap();
    let loss = |model: &Autoencoder| {
        let batch = Batch { seed: 9, step: 0, size: 16, lanes: 0..16, device: &device };
        training.loss(model, &batch).unwrap().remove(0).into_scalar::<f32>()
    };
    let untrained = loss(&training.model(None, &device).unwrap());
    let run = |stop, resume| Run { folder: folder.clone(), resume, from: None, stop, threads: 2 };
    run::train(&training, &recipe.schedule, &run(20, false), &device).unwrap();
    let state = run::train(&training, &recipe.schedule, &run(usize::MAX, true), &device).unwrap();
    assert_eq!(state.step, 40);
    let blank = || Autoencoder::blank(&recipe.sizes(), &device);
    let trained = loss(&checkpoint::load_network(blank(), &folder.join("last.bpk"), &recipe.header).unwrap());
    assert!(trained < 0.9 * untrained, "{trained} after {untrained}");
    let bytes = export(&recipe, &folder.join("average.bpk"), Precision::Int8).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let packed = Periodic::read(&Weights::read(&bytes).unwrap()).unwrap();
    assert_eq!(packed.encode(&oscillation(70), 30).unwrap().len(), SIZES.channels);
}

#[test]
fn the_score_rejects_sets_without_recordings_and_data_without_walking_frames() {
    let folder = std::env::temp_dir().join(format!("kinestitch-periodic-score-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let network = Autoencoder::untrained(&SIZES, &[1.0; COLUMNS], 4, &Device::flex());
    std::fs::write(folder.join("weights"), encoder_file(&recipe(), &network, Precision::F32).unwrap()).unwrap();
    let score = |split: Split, sets: &str| {
        let label = Label {
            set: "ours".to_owned(),
            split,
            subject: "ada".to_owned(),
            style: "neutral".to_owned(),
            character: "biped".to_owned(),
            lead: 0,
        };
        let walk = read(Path::new("../../tests/fixtures/ada-walk.bvh"), &label, 30.0).unwrap();
        pack::save(&folder.join("ours.pack"), &[walk]).unwrap();
        let mut train = Command::new(env!("CARGO_BIN_EXE_train"));
        train.current_dir(&folder).args(["score-periodic", "--data", "ours.pack", "--weights", "weights"]);
        let output = train.args(["--sets", sets]).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let (succeeds, error) = score(Split::Test, "ours");
    assert!(succeeds, "{error}");
    let (succeeds, error) = score(Split::Test, "ours,hours");
    assert!(!succeeds && error.contains("no recordings of \"hours\""), "{error}");
    let (succeeds, error) = score(Split::Train, "ours");
    assert!(!succeeds && error.contains("no walking frames in 0 test recordings of ours"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
