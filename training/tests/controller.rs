//! Training of the controller: the network against the packed one, lanes with feedback, a short run,
//! and styles of frames.

#[path = "common/mixture.rs"]
mod mixture;

#[path = "../../tests/common/controller.rs"]
mod made;

use burn::tensor::Device;
use glam::Vec3;
use kinestitch::body::{biped, dog, to_canonical};
use kinestitch::feature::controller::{Layout, VERSION};
use kinestitch::method::controller::Network as Packed;
use kinestitch::method::controller::network::NAME;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::{bvh, rig};
use kinestitch::nn::weights::{Precision, Weights};
use mixture::same_output;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::Path;
use std::sync::Arc;
use training::checkpoint;
use training::controller::lane::FRAMES;
use training::controller::sample::{Rows, Source};
use training::controller::take::{Course, Take};
use training::controller::{ControllerTraining, Data, Recipe, export, train};
use training::experts::Mixture;
use training::gradients::gradients;
use training::run::{Batch, Run, Training};

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut next = made::random(seed);
    (0..count).map(|_| 1.5 * next()).collect()
}

#[test]
fn the_packed_network_gives_the_output_of_the_network_in_training() {
    let (layout, device, count) = (Layout::new(dog(), 4, 1), Device::flex(), 5);
    let sizes = made::sizes(&layout);
    let bytes = made::weight_file(dog(), 1, 1.0, Precision::F32);
    let packed = Packed::read(&Weights::read(&bytes).unwrap()).unwrap();
    let path = std::env::temp_dir().join(format!("kinestitch-controller-{}.safetensors", std::process::id()));
    std::fs::write(&path, &bytes).unwrap();
    let model = Mixture::blank(&sizes, &device).load(&path, (NAME, VERSION)).unwrap();
    std::fs::remove_file(path).unwrap();
    let rows = [random(count * sizes.input, 1), random(count * sizes.gate, 2)];
    same_output(&model, &sizes, rows, |input, gate, out, buffers| packed.run(input, gate, out, buffers));
}

/// Prepares a walk, and a small recipe for the walk.
fn data(steps: usize) -> (Data, Recipe) {
    let file = bvh::parse("ada-walk", &std::fs::read("../tests/fixtures/ada-walk.bvh").unwrap()).unwrap();
    let clip = to_canonical(&file.clip, &rig::infer(&file.clip)).unwrap().clip;
    let offsets: Vec<Vec3> = clip.skeleton().joints().iter().map(|joint| joint.offset).collect();
    let mut recipe: Recipe = checkpoint::read_json(Path::new("../recipes/controller-biped-open.json")).unwrap();
    (recipe.gate_hidden, recipe.experts, recipe.hidden) = (8, 3, 16);
    let schedule = format!(
        r#"{{ "steps": {steps}, "cooldown": 20, "batch": 24, "rate": 0.003, "warmup": 4, "every": 40, "seed": 3 }}"#
    );
    recipe.schedule = serde_json::from_str(&schedule).unwrap();
    let source = || Source::new(vec![(1.0, Take::of(&clip, biped(), &offsets, 0).unwrap())], FRAMES);
    let rows = Rows { layout: recipe.layout().unwrap(), character: biped() };
    (Data { rows, train: source(), validation: source(), offsets }, recipe)
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
    let apart = |step: usize| (one[step] - recorded[step]).abs() / one[step];
    assert!(apart(0) == 0.0 && apart(FRAMES) == 0.0, "{one:?}, {recorded:?}");
    assert!((1..FRAMES).all(|step| apart(step) > 1e-3), "{one:?}, {recorded:?}");
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

/// Checks a walk forwards, and the walk reversed in time, which goes backwards.
#[test]
fn the_default_style_lends_frames_that_do_not_go_forwards() {
    let file = bvh::parse("ada-walk", &std::fs::read("../tests/fixtures/ada-walk.bvh").unwrap()).unwrap();
    let ahead = to_canonical(&file.clip, &rig::infer(&file.clip)).unwrap().clip;
    let turned =
        |rows: usize| (0..ahead.frames()).rev().flat_map(move |frame| (0..rows).map(move |at| frame * rows + at));
    let rotations = turned(ahead.joints()).map(|at| ahead.rotations()[at]).collect();
    let slots = ahead.translations().len() / ahead.frames();
    let translations = turned(slots).map(|at| ahead.translations()[at]).collect();
    let back =
        Clip::new("back", Arc::clone(ahead.skeleton()), ahead.frame_time_secs(), rotations, translations).unwrap();
    let offsets: Vec<Vec3> = ahead.skeleton().joints().iter().map(|joint| joint.offset).collect();
    let take = |clip: &Clip, style: usize| Take::of(clip, biped(), &offsets, style).unwrap();
    let rows = Rows { layout: Layout::new(biped(), 2, 3), character: biped() };
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
