//! Training of the controller: agreement of the trained and the packed network, lanes with feedback, a short run, and
//! the styles of drawn frames.

use crate::mixture::assert_same_output;
use crate::small_controller;
use burn::tensor::Device;
use glam::Vec3;
use kinestitch::body::{biped, dog, to_canonical};
use kinestitch::feature::controller::{Layout, VERSION};
use kinestitch::method::controller::Network as Packed;
use kinestitch::method::controller::network::NAME;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::{bvh, rig};
use kinestitch::nn::weights::{Precision, Weights};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::Path;
use std::sync::Arc;
use training::checkpoint;
use training::controller::lane::FRAMES;
use training::controller::sample::{RowWriter, Source};
use training::controller::take::{Course, Take};
use training::controller::{ControllerTraining, Data, Recipe, export, train};
use training::experts::Mixture;
use training::gradients::gradients;
use training::recipe::Header;
use training::run::{Batch, Run, Training};

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut next = small_controller::random(seed);
    (0..count).map(|_| 1.5 * next()).collect()
}

#[test]
fn the_packed_network_gives_the_output_of_the_network_in_training() {
    let (layout, device, count) = (Layout::new(dog(), 4, 1), Device::flex(), 5);
    let sizes = small_controller::sizes(&layout);
    let bytes = small_controller::weight_file(dog(), 1, 1.0, Precision::F32);
    let packed = Packed::read(&Weights::read(&bytes).unwrap()).unwrap();
    let path = std::env::temp_dir().join(format!("kinestitch-controller-{}.safetensors", std::process::id()));
    std::fs::write(&path, &bytes).unwrap();
    let model = Mixture::blank(&sizes, &device).load(&path, (NAME, VERSION), &Header::for_measurements()).unwrap();
    std::fs::remove_file(path).unwrap();
    let rows = [random(count * sizes.input, 1), random(count * sizes.gate, 2)];
    assert_same_output(&model, &sizes, rows, |input, gate, out, buffers| packed.run(input, gate, out, buffers));
}

/// Reads a generated walk on its canonical skeleton.
fn walk() -> Clip {
    let clip = bvh::parse("ada-walk", &std::fs::read("../../tests/fixtures/ada-walk.bvh").unwrap()).unwrap().clip;
    to_canonical(&clip, &rig::infer(&clip)).unwrap().clip
}

/// Prepares the data of a walk, and a recipe of a small network.
fn data(steps: usize) -> (Data, Recipe) {
    let clip = walk();
    let offsets: Vec<Vec3> = clip.skeleton().joints().iter().map(|joint| joint.offset).collect();
    let mut recipe: Recipe = checkpoint::read_json(Path::new("../recipes/controller-biped-open.json")).unwrap();
    (recipe.gate_hidden, recipe.experts, recipe.hidden) = (8, 3, 16);
    let schedule = format!(
        r#"{{ "steps": {steps}, "cooldown": 20, "batch": 24, "rate": 0.003, "warmup": 4, "every": 40, "seed": 3 }}"#
    );
    recipe.schedule = serde_json::from_str(&schedule).unwrap();
    let source = || Source::new(vec![(1.0, Take::new(&clip, biped(), &offsets, 0).unwrap())], FRAMES);
    let writer = RowWriter { layout: recipe.layout().unwrap(), character: biped() };
    (Data { writer, train: source(), validation: source(), offsets }, recipe)
}

#[test]
fn lanes_with_feedback_do_not_depend_on_threads() {
    let (data, mut recipe) = data(21);
    let device = Device::flex().autodiff();
    let mut losses = |threads: usize, feedback: f64| -> Vec<f32> {
        recipe.feedback = feedback;
        let training = ControllerTraining::new(&data, &recipe).unwrap();
        let model = training.model(None, &device).unwrap();
        let step = |step| gradients(&training, &model, &recipe.schedule, step, threads, &device).unwrap().losses[0];
        (0..FRAMES + 2).map(step).collect()
    };
    let (one, three, recorded) = (losses(1, 0.9), losses(3, 0.9), losses(1, 0.0));
    assert!(one.iter().zip(&three).all(|(a, b)| (a - b).abs() < 1e-3 * a), "{one:?}, {three:?}");
    // Nothing is fed back in the first frame of a lane.
    let difference = |step: usize| (one[step] - recorded[step]).abs() / one[step];
    assert!(difference(0) == 0.0 && difference(FRAMES) == 0.0, "{one:?}, {recorded:?}");
    assert!((1..FRAMES).all(|step| difference(step) > 1e-3), "{one:?}, {recorded:?}");
}

#[test]
fn it_learns_resumes_and_exports() {
    let ((data, recipe), device) = (data(120), Device::flex());
    let folder = std::env::temp_dir().join(format!("kinestitch-control-{}", std::process::id()));
    let training = ControllerTraining::new(&data, &recipe).unwrap();
    let loss = |model: &Mixture| {
        let batch = Batch { seed: 9, step: 0, size: 24, lanes: 0..24, device: &device };
        training.loss(model, &batch).unwrap().remove(0).into_scalar::<f32>()
    };
    let untrained = loss(&training.model(None, &device).unwrap());
    let run = |stop, resume| Run { folder: folder.clone(), resume, from: None, stop, threads: 2 };
    train(&data, &recipe, &run(40, false), &device).unwrap();
    let state = train(&data, &recipe, &run(usize::MAX, true), &device).unwrap();
    assert_eq!(state.step, 120);
    let trained = loss(&training.model(Some(&folder.join("last.bpk")), &device).unwrap());
    assert!(trained < 0.7 * untrained, "{trained} after {untrained}");
    let bytes = export(&recipe, &folder.join("best.bpk"), Precision::Int8).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let packed = Packed::read(&Weights::read(&bytes).unwrap()).unwrap();
    let offset = Vec3::from(packed.config.offsets[3]);
    assert!(offset.abs_diff_eq(data.offsets[3], 1e-6), "{offset} and {}", data.offsets[3]);
}

#[test]
fn data_without_starts_for_validation_and_wrong_numbers_of_actions_are_errors() {
    let (mut data, mut recipe) = data(21);
    data.validation = Source::new(Vec::new(), FRAMES);
    assert_eq!(ControllerTraining::new(&data, &recipe).err().map(|error| error.code()), Some("option"));
    recipe.actions.truncate(1);
    assert_eq!(recipe.layout().err().map(|error| error.code()), Some("option"));
}

/// Checks a walk forwards, and the walk reversed in time, which goes backwards.
#[test]
fn frames_of_the_default_style_that_do_not_go_forwards_train_other_styles() {
    let forwards = walk();
    // Indices of values, [frames × `width`], with the frames in reverse order.
    let reversed = |width: usize| {
        (0..forwards.frames()).rev().flat_map(move |frame| (0..width).map(move |value| frame * width + value))
    };
    let rotations = reversed(forwards.joints()).map(|index| forwards.rotations()[index]).collect();
    let translations_per_frame = forwards.translations().len() / forwards.frames();
    let translations = reversed(translations_per_frame).map(|index| forwards.translations()[index]).collect();
    let backwards =
        Clip::new("backwards", Arc::clone(forwards.skeleton()), forwards.frame_time_secs(), rotations, translations)
            .unwrap();
    let offsets: Vec<Vec3> = forwards.skeleton().joints().iter().map(|joint| joint.offset).collect();
    let take = |clip: &Clip, style: usize| Take::new(clip, biped(), &offsets, style).unwrap();
    let writer = RowWriter { layout: Layout::new(biped(), 2, 3), character: biped() };
    let middle = forwards.frames() / 2;
    let mut rng = StdRng::seed_from_u64(1);
    let mut styles = |take: &Take, lend: f64| -> Vec<usize> {
        let mut drawn: Vec<usize> = (0..60).map(|_| writer.draw_style(take, middle, lend, &mut rng)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        drawn
    };
    let (walk, reverse) = (take(&forwards, 0), take(&backwards, 0));
    assert_eq!((walk.course(middle), reverse.course(middle)), (Course::Ahead, Course::Backwards));
    assert_eq!(styles(&walk, 1.0), [0]);
    assert_eq!(styles(&reverse, 0.0), [0]);
    assert_eq!(styles(&reverse, 1.0), [1, 2]);
    assert_eq!(styles(&reverse, 0.5), [0, 1, 2]);
    assert_eq!(styles(&take(&backwards, 2), 1.0), [2], "frames of other styles keep their style");
}
