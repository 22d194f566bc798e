//! In-betweening by a small generated delta network: its changes reach the clip, keys are kept, results are bounded.

use crate::common::fixtures::fixture;
use crate::common::inbetween::{key, plain, run};
use glam::{Quat, Vec3};
use kinestitch::body::GroundPose;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::feature::delta::{INPUT, NetworkInput, OUTPUT, VERSION};
use kinestitch::inbetween::{Auto, InbetweenOptions, Key, Session, inbetween};
use kinestitch::judge::score::Scoring;
use kinestitch::method::delta::{Delta, network};
use kinestitch::method::filler::Filler;
use kinestitch::method::registry::{self, Fillers};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::world_positions;
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};
use kinestitch::progress::Progress;
use kinestitch::{Error, metrics};
use std::sync::Arc;

/// Creates a small network with random weights, of magnitudes up to `output_size` in the last layer. With 0, its
/// prediction is the interpolation.
fn network(output_size: f32) -> Arc<dyn Filler> {
    registry::read(&weights(output_size)).unwrap()
}

fn weights(output_size: f32) -> Vec<u8> {
    let sizes = network::Sizes { input: INPUT, output: OUTPUT, width: 32, layers: 2, heads: 4, inner: 48, reach: 16 };
    let parameters = network::Parameters::new(&sizes);
    let mut state = 1_u64;
    let mut noise = |count: usize, size: f32| -> Vec<f32> {
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        (0..count).map(|_| size * next()).collect()
    };
    let mut tensors: Vec<NamedTensor> = Vec::new();
    for (index, parameter) in parameters.all.iter().enumerate() {
        let size = if parameters.output.contains(&index) { output_size } else { 0.1 };
        let (name, shape) = (parameter.name.clone(), parameter.stored_shape());
        tensors.push(NamedTensor { name, values: noise(shape.iter().product(), size), shape });
    }
    for (name, value) in [("mean", 0.0), ("deviation", 1.0)] {
        tensors.push(NamedTensor { name: name.to_owned(), shape: vec![INPUT], values: vec![value; INPUT] });
    }
    let config = serde_json::to_value(sizes).unwrap();
    let (set, licence) = ("test".to_owned(), "none".to_owned());
    let meta = Meta { name: network::NAME.to_owned(), layout: VERSION, config, set, licence };
    to_bytes(&meta, &tensors, Precision::F32).unwrap()
}

/// Returns the mean distance between the joints of two clips of one skeleton, metres.
fn mean_distance(a: &Clip, b: &Clip) -> f32 {
    let (a, b) = (world_positions(a), world_positions(b));
    a.iter().zip(&b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len() as f32
}

#[test]
fn a_network_that_changes_nothing_leaves_an_interpolation() {
    let network = network(0.0);
    for (a, b) in [("ada-walk", "ada-jog"), ("bo-walk", "bo-turn")] {
        let (a, b) = (fixture(a), fixture(b));
        for fps in [24.0, 30.0, 60.0, 100.0] {
            let options = InbetweenOptions { frames: vec![20], fps: Some(fps), foot_lock: false, ..Default::default() };
            let keys = [key(&a, 0..20), key(&b, 8..30)];
            let [plain, result] =
                [plain("inertialize").as_ref(), network.as_ref()].map(|filler| run(&keys, filler, &options));
            assert_eq!((result.gaps[0].method, &result.warnings), ("delta", &plain.warnings));
            let distance = mean_distance(&plain.clip, &result.clip);
            assert!(distance < 0.02, "{fps}: {distance} m from the crate's interpolation");
            assert!(result.gaps[0].key_error_cm < 3.0, "{} cm", result.gaps[0].key_error_cm);
        }
    }
}

#[test]
fn the_networks_change_reaches_the_clip_and_keys_stay() {
    let (network, walk) = (network(0.05), fixture("ada-walk"));
    for fps in [30.0, 60.0] {
        for frames in [2, 3, 10, 40, 120] {
            let options = InbetweenOptions { frames: vec![frames], fps: Some(fps), ..Default::default() };
            let keys = [key(&walk, 3..20), key(&walk, 25..26), key(&walk, 31..40)];
            let [plain, result] =
                [plain("inertialize").as_ref(), network.as_ref()].map(|filler| run(&keys, filler, &options));
            assert_eq!(result.keys, plain.keys);
            for frame in result.keys.iter().flat_map(Clone::clone) {
                assert_eq!(result.clip.frame_rotations(frame), plain.clip.frame_rotations(frame));
                assert_eq!(result.clip.frame_translations(frame), plain.clip.frame_translations(frame));
            }
            for (gap, plain_gap) in result.gaps.iter().zip(&plain.gaps) {
                let part = |clip: &Clip| clip.trimmed(gap.range.clone()).unwrap();
                assert_eq!((gap.method, &gap.range), ("delta", &plain_gap.range));
                assert!(mean_distance(&part(&result.clip), &part(&plain.clip)) > 1e-5);
                // In a gap of two or three network steps the error at the next key has no meaningful value.
                assert!(gap.key_error_cm.is_finite() && gap.key_error_degrees.is_finite());
                assert!(frames < 10 || gap.key_error_cm > 0.0 && gap.key_error_degrees > 0.0);
            }
        }
    }
}

#[test]
fn extreme_outputs_are_bounded_or_rejected_with_a_warning() {
    let walk = fixture("ada-walk");
    let bo = fixture("bo-run");
    for output_size in [1.0, 30.0, 1e6] {
        let network = network(output_size);
        for frames in [2, 9, 30, 120] {
            for at in [None, Some(GroundPose::new(-3.0, -2.0, 3.0))] {
                let options = InbetweenOptions { frames: vec![frames], ..Default::default() };
                let keys = [key(&walk, 3..20), Key { at, ..key(&bo, 25..26) }];
                let result = run(&keys, network.as_ref(), &options);
                let plain = run(&keys, plain("inertialize").as_ref(), &options);
                let limit = [&walk.0, &bo.0, &plain.clip].map(metrics::largest_step).into_iter().fold(0.0, f32::max);
                let found = metrics::largest_step(&result.clip);
                assert!(found <= 2.2 * limit, "{output_size} {frames}: {found} m per frame, inputs {limit}");
                assert_eq!(result.gaps[0].method == "inertialize", !result.warnings.is_empty());
            }
        }
    }
}

#[test]
fn warnings_count_gaps_from_one_and_do_not_number_a_single_gap() {
    let (network, walk) = (network(30.0), fixture("ada-walk"));
    let keys = [key(&walk, 3..20), key(&walk, 25..26), key(&walk, 31..40)];
    let warnings = |keys: &[Key], frames| {
        run(keys, network.as_ref(), &InbetweenOptions { frames: vec![frames], ..Default::default() }).warnings
    };
    let [first, second] = &warnings(&keys, 20)[..] else { panic!("{:?}", warnings(&keys, 20)) };
    assert!(first.starts_with("gap 1: the network's motion") && second.starts_with("gap 2: "), "{first} {second}");
    assert!(warnings(&keys[..2], 20)[0].starts_with("the network's motion"), "{:?}", warnings(&keys[..2], 20));
}

#[test]
fn a_dog_is_an_error_with_a_message() {
    let (network, dog) = (network(0.0), fixture("cleo-walk"));
    let keys = [key(&dog, 0..10), key(&dog, 30..40)];
    match inbetween(&keys, network.as_ref(), &InbetweenOptions::default(), &mut Progress::silent()) {
        Err(Error::Rig { message, .. }) => assert!(message.contains("biped"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn outputs_from_a_gpu_give_the_same_motion() {
    let bytes = weights(0.02);
    let (network, packed) = (registry::read(&bytes).unwrap(), Delta::read(&Weights::read(&bytes).unwrap()).unwrap());
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 3..20), key(&walk, 25..26), key(&walk, 31..40)];
    let options = InbetweenOptions { frames: vec![15, 8], ..Default::default() };
    let session = Session::new(&keys, &options, &mut Progress::silent()).unwrap();
    let network_inputs = session.network_inputs(network.as_ref()).unwrap();
    assert_eq!(network_inputs.len(), 4, "two gaps and their mirror images");
    let plain = plain("inertialize");
    assert!(session.network_inputs(plain.as_ref()).unwrap().is_empty());
    // A GPU returns the rows of all tokens; only the rows of the gap are used.
    let outputs: Vec<Vec<f32>> = network_inputs
        .into_iter()
        .map(|rows| {
            let base = identity_poses(rows.len() / INPUT);
            packed.evaluate(&NetworkInput { rows, past: 0, ground: GroundPose::default(), base })
        })
        .collect();
    let on_cpu = session.solve(network.as_ref(), &mut Progress::silent()).unwrap();
    let from_outputs = session.solve_from_outputs(network.as_ref(), &outputs, &mut Progress::silent()).unwrap();
    assert_eq!(on_cpu.clip, from_outputs.clip);
    let assert_refused = |outputs: &[Vec<f32>], gap: &str| {
        let error = session.solve_from_outputs(network.as_ref(), outputs, &mut Progress::silent()).unwrap_err();
        assert!(matches!(error, Error::Device { .. }) && error.to_string().contains(gap), "{error}");
    };
    assert_refused(&outputs[..3], "gap 2");
    for change in [|output: &mut Vec<f32>| output.push(0.0), |output: &mut Vec<f32>| output[0] = f32::NAN] {
        let mut wrong = outputs.clone();
        change(&mut wrong[1]);
        assert_refused(&wrong, "gap 1");
    }
}

/// Creates poses without any rotation at the origin.
fn identity_poses(count: usize) -> Poses {
    Poses { hips: vec![Vec3::ZERO; count], rotations: vec![Quat::IDENTITY; count * ROLES] }
}

#[test]
fn a_missing_network_is_an_error() {
    let mut fillers = Fillers::default();
    assert_eq!(fillers.get(&"linear".into()).unwrap().name(), "linear");
    for name in ["delta", "magic"] {
        assert!(matches!(fillers.get(&name.into()), Err(Error::Option { option: "method", .. })));
    }
    fillers.add(network(0.0));
    assert_eq!(fillers.get(&"delta".into()).unwrap().name(), "delta");
}

#[test]
fn the_automatic_choice_leaves_out_fillers_of_gaps_that_are_too_long_for_them() {
    let walk = fixture("ada-walk");
    let network = network(0.02);
    let mut fillers = Fillers::default();
    fillers.add(network.clone());
    // At 60 frames per second 480 frames are 240 of the network; at 30 they are too many.
    let keys = [key(&walk, 0..10), key(&walk, 20..30), key(&walk, 40..50)];
    let trials = |frames: [usize; 2], fps: f64| {
        let options = InbetweenOptions { frames: frames.to_vec(), fps: Some(fps), ..Default::default() };
        let session = Session::new(&keys, &options, &mut Progress::silent()).unwrap();
        let mut auto = Auto::new(&session, &fillers);
        while auto.advance(&session, &fillers, Scoring::default(), &mut Progress::silent()).unwrap() < 1.0 {}
        let motion = auto.finish(&session, &fillers, &mut Progress::silent()).unwrap();
        motion.gaps.iter().map(|gap| gap.trials.iter().map(|trial| trial.method).collect()).collect::<Vec<Vec<_>>>()
    };
    let tried = |frames, fps| trials(frames, fps).iter().map(|gap| gap.contains(&"delta")).collect::<Vec<_>>();
    assert_eq!(tried([480, 20], 60.0), [true, true]);
    assert_eq!(tried([241, 20], 30.0), [false, true]);
    assert_eq!(tried([480, 480], 30.0), [false, false]);
    assert!(trials([480, 480], 30.0).iter().all(|gap| gap.contains(&"inertialize")));
    // A filler that was named is not replaced.
    let options = InbetweenOptions { frames: vec![241], fps: Some(30.0), ..Default::default() };
    let named = inbetween(&keys[..2], network.as_ref(), &options, &mut Progress::silent());
    match named {
        Err(Error::Option { option: "frames", message }) => assert!(message.contains("1 to 240"), "{message}"),
        other => panic!("{:?}", other.map(|motion| motion.warnings)),
    }
}

#[test]
fn an_automatic_choice_without_trials_is_the_default_filler() {
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 0..10), key(&walk, 20..30)];
    let session = Session::new(&keys, &InbetweenOptions::default(), &mut Progress::silent()).unwrap();
    let fillers = Fillers::default();
    let motion = Auto::new(&session, &fillers).finish(&session, &fillers, &mut Progress::silent()).unwrap();
    assert_eq!(motion.clip, run(&keys, plain("inertialize").as_ref(), &InbetweenOptions::default()).clip);
}
