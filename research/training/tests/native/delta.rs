//! Training of the delta in-betweener: its loss, and the agreement of the trained and the packed network.

use crate::curve::{motion, offsets};
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::body::poses::{CONTACTS, Poses};
use kinestitch::error::Error;
use kinestitch::feature::delta::{CONTACT, INPUT, OUTPUT};
use kinestitch::method::delta::{Delta, tensor};
use kinestitch::method::filler::{BodyKeys, MAX_GAP};
use kinestitch::nn::device::values;
use kinestitch::nn::weights::{self, Weights, write::Precision};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::PathBuf;
use training::delta::loss::{Targets, loss};
use training::delta::sample::{Sample, Window, sample};
use training::delta::{DeltaTraining, Recipe, export, predict};
use training::run::{self, Run, Training};
use training::takes::{Cut, Source, Take, contacts};

fn recipe() -> Recipe {
    let text = r#"{ "name": "t", "set": "open", "licence": "any", "sets": { "a": 1 }, "validation": ["a"],
        "width": 32, "inner": 48, "layers": 2, "heads": 4, "matrix_rate": 2,
        "schedule": { "steps": 120, "cooldown": 40, "batch": 8, "rate": 0.004, "warmup": 5, "every": 60,
            "seed": 3 } }"#;
    serde_json::from_str(text).unwrap()
}

fn take() -> Take {
    let (poses, offsets) = (motion(150), offsets());
    let contacts = contacts(&poses, &offsets, 0.0, [0.3; 4]);
    Take { poses, offsets, ground: 0.0, contacts }
}

fn source() -> Source {
    Source::new(vec![(1.0, vec![take()])])
}

/// Creates samples of different lengths, one of them mirrored.
fn samples() -> Vec<Sample> {
    let window = |past, gap, target| Window { past, gap, target };
    let take = take();
    let sample_at = |(start, window, mirrored)| sample(&Cut { take: &take, start, mirrored, lift: 0.0 }, window);
    [(0, window(10, 5, 1), false), (31, window(3, 12, 2), true), (60, window(1, 70, 1), false)].map(sample_at).into()
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("kinestitch-delta-{name}-{}", std::process::id()))
}

/// Creates random output rows for all gaps of the samples.
fn rows(samples: &[Sample], device: &Device) -> Tensor<2> {
    let count: usize = samples.iter().map(|sample| sample.truth.len()).sum();
    let mut rng = StdRng::seed_from_u64(2);
    let values: Vec<f32> = (0..count * OUTPUT).map(|_| rng.random_range(-1.0..1.0)).collect();
    Tensor::from_data(TensorData::new(values, [count, OUTPUT]), device)
}

fn targets(samples: &[Sample]) -> Vec<Targets> {
    samples.iter().map(Targets::new).collect()
}

fn losses(rows: &Tensor<2>, samples: &[Sample]) -> Vec<f32> {
    loss(rows, samples, &targets(samples)).into_iter().map(|term| term.into_scalar::<f32>()).collect()
}

#[test]
fn the_loss_is_the_mean_of_the_windows_and_the_sum_of_its_terms() {
    let (samples, device) = (samples(), Device::flex());
    let rows = rows(&samples, &device);
    let batch = losses(&rows, &samples);
    assert!((batch[0] - batch[1..].iter().sum::<f32>()).abs() < 1e-5, "{batch:?}");
    let (mut start, mut sums) = (0, vec![0.0; batch.len()]);
    for sample in &samples {
        let window_rows = rows.clone().narrow(0, start, sample.truth.len());
        start += sample.truth.len();
        let terms = losses(&window_rows, std::slice::from_ref(sample));
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term / samples.len() as f32);
    }
    assert!(batch.iter().zip(&sums).all(|(a, b)| (a - b).abs() < 1e-5), "{batch:?}, {sums:?}");
}

#[test]
fn the_recorded_motion_has_no_loss() {
    let (samples, device) = (samples(), Device::flex());
    let mut rows = Vec::new();
    for sample in &samples {
        let (base, truth) = (&sample.input.base, &sample.truth);
        for frame in 0..truth.len() {
            let [rotation_unit, hips_unit] = kinestitch::body::interpolate::typical_correction(frame + 1, truth.len());
            let encoded = |poses: &Poses| kinestitch::body::rotation6d::encode_rotations(poses.pose(frame));
            rows.extend(encoded(truth).iter().zip(encoded(base)).map(|(truth, base)| (truth - base) / rotation_unit));
            rows.extend(((truth.hips[frame] - base.hips[frame]) / hips_unit).to_array());
            rows.extend(sample.contacts[frame * CONTACTS..][..CONTACTS].iter().map(|contact| 40.0 * contact - 20.0));
        }
    }
    let count = rows.len() / OUTPUT;
    let losses_of_truth = losses(&Tensor::from_data(TensorData::new(rows, [count, OUTPUT]), &device), &samples);
    // The slide has no name in this list and is not checked: planted feet of the recording slide a little.
    for (name, term) in ["rotations", "positions", "changes", "", "contacts"].iter().zip(&losses_of_truth[1..]) {
        assert!(name.is_empty() || term.abs() < 2e-4, "{name}: {term}");
    }
}

#[test]
fn the_loss_moves_contacts_of_an_untrained_network_towards_the_recorded_contacts() {
    let (samples, device) = (samples(), Device::flex().autodiff());
    let contacts: Vec<f32> = samples.iter().flat_map(|sample| sample.contacts.clone()).collect();
    let rows = Tensor::<2>::zeros([contacts.len() / CONTACTS, OUTPUT], &device).require_grad();
    let gradients = loss(&rows, &samples, &targets(&samples)).remove(0).backward();
    let gradients = values(rows.grad(&gradients).unwrap()).unwrap();
    let contact_gradients = gradients.chunks_exact(OUTPUT).flat_map(|row| &row[CONTACT..]);
    for (gradient, contact) in contact_gradients.zip(&contacts) {
        assert!(gradient * (0.5 - contact) > 1e-8, "{gradient} where the contact is {contact}");
    }
}

#[test]
fn batched_windows_give_the_rows_of_single_windows_and_of_the_packed_network() {
    let (recipe, samples, device, source) = (recipe(), samples(), Device::flex(), source());
    let folder = folder("packed");
    let run = Run { folder: folder.clone(), resume: false, from: None, stop: 30, threads: 2 };
    run::train(&DeltaTraining::new(&source, &[take()], &recipe), &recipe.schedule, &run, &device).unwrap();
    for (precision, max_difference) in [(Precision::F32, 2e-4), (Precision::Int8, 0.05)] {
        let bytes = export(&recipe, &folder.join("last.bpk"), precision).unwrap();
        let file = Weights::read(&bytes).unwrap();
        let packed = Delta::read(&file).unwrap();
        let tensors: tensor::Delta = weights::into_module(&file, &device).unwrap();
        let batched = values(predict(&tensors, &samples, None, &device)).unwrap();
        let size = batched.iter().fold(0.0_f32, |size, x| size.max(x.abs()));
        assert!(size > 1e-3, "the output of a trained network is not zero");
        let mut start = 0;
        for sample in &samples {
            let batched_rows = &batched[start..start + sample.truth.len() * OUTPUT];
            start += batched_rows.len();
            let alone = pollster::block_on(tensors.evaluate(&sample.input.rows)).unwrap();
            let alone = &alone[sample.input.past * OUTPUT..][..batched_rows.len()];
            let packed_rows = packed.evaluate(&sample.input);
            for (name, rows, limit) in [("packed", &packed_rows[..], max_difference), ("alone", alone, 2e-4)] {
                let difference = rows.iter().zip(batched_rows).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(difference < limit * size, "{name}: {difference} of {size}");
            }
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_tensor_form_rejects_rows_of_a_wrong_layout() {
    let (recipe, samples, source) = (recipe(), samples(), source());
    let tensors = DeltaTraining::new(&source, &[], &recipe).model(None, &Device::flex()).unwrap();
    let mut not_finite = samples[0].input.rows.clone();
    not_finite[7] = f32::NAN;
    for rows in [vec![], vec![0.0; INPUT + 1], vec![0.0; 300 * INPUT], not_finite] {
        match pollster::block_on(tensors.evaluate(&rows)) {
            Err(kinestitch::Error::Option { option, .. }) => assert_eq!(option, "rows"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_running_average_that_would_never_change_is_rejected() {
    let (recipe, source) = (Recipe { average: 1.0, ..recipe() }, source());
    let run = Run { folder: folder("average"), resume: false, from: None, stop: 1, threads: 1 };
    let training = DeltaTraining::new(&source, &[], &recipe);
    let error = run::train(&training, &recipe.schedule, &run, &Device::flex()).unwrap_err();
    assert!(matches!(error, Error::Option { option: "average", .. }), "{error}");
    std::fs::remove_dir_all(run.folder).unwrap();
}

#[test]
fn gaps_too_short_or_too_long_to_train_on_are_rejected() {
    let source = source();
    for longest in [30, MAX_GAP + 1] {
        let recipe = Recipe { longest, ..recipe() };
        let error = DeltaTraining::new(&source, &[], &recipe).model(None, &Device::flex()).unwrap_err();
        assert!(matches!(error, Error::Option { option: "longest", .. }), "{error}");
    }
}

#[test]
fn sizes_and_dropout_rates_that_no_network_can_have_are_rejected() {
    let source = source();
    let model = |recipe: Recipe| DeltaTraining::new(&source, &[], &recipe).model(None, &Device::flex()).map(drop);
    assert!(model(Recipe { heads: 1, ..recipe() }).is_ok());
    for heads in [0, 3, 16] {
        let error = model(Recipe { heads, ..recipe() }).unwrap_err();
        assert!(matches!(error, Error::Weights { .. }), "{heads} heads: {error}");
    }
    let error = model(Recipe { dropout: 1.0, ..recipe() }).unwrap_err();
    assert!(matches!(error, Error::Option { option: "dropout", .. }), "{error}");
}

#[test]
fn recordings_too_short_for_validation_are_an_error() {
    let (recipe, source, device) = (recipe(), source(), Device::flex());
    let short = Take { poses: take().poses.slice(0..100), ..take() };
    for held_out in [vec![], vec![short]] {
        let training = DeltaTraining::new(&source, &held_out, &recipe);
        let error = training.validate(&training.model(None, &device).unwrap(), &device).unwrap_err().to_string();
        assert!(error.contains("validation") && error.contains("101 frames"), "{error}");
    }
}

#[test]
fn a_take_played_backwards_begins_with_its_last_pose() {
    let (forward, backward) = (take(), take().with_speed(-1.0));
    let last = forward.poses.len() - 1;
    assert_eq!(backward.poses.len(), last + 1);
    for frame in [0, 40, last] {
        assert_eq!(backward.poses.hips[frame], forward.poses.hips[last - frame]);
        let angles =
            backward.poses.pose(frame).iter().zip(forward.poses.pose(last - frame)).map(|(a, b)| a.angle_between(*b));
        assert!(angles.fold(0.0, f32::max) < 2e-3);
        let row = |take: &Take, frame: usize| take.contacts[frame * CONTACTS..][..CONTACTS].to_vec();
        assert_eq!(row(&backward, frame), row(&forward, last - frame));
    }
}

#[test]
fn it_learns_resumes_and_rejects_gaps_it_cannot_fill() {
    let (recipe, device, source) = (recipe(), Device::flex(), source());
    let folder = folder("learns");
    let training = DeltaTraining::new(&source, &[take()], &recipe);
    let untrained = training.validate(&training.model(None, &device).unwrap(), &device).unwrap();
    let run = |stop, resume| Run { folder: folder.clone(), resume, from: None, stop, threads: 2 };
    run::train(&training, &recipe.schedule, &run(60, false), &device).unwrap();
    let state = run::train(&training, &recipe.schedule, &run(usize::MAX, true), &device).unwrap();
    assert!(state.best < 0.9 * untrained[0], "{} after {}", state.best, untrained[0]);
    // The resumed run has restored the average: the validated network is the average.
    let average = training.model(Some(&folder.join("average.bpk")), &device).unwrap();
    let log = std::fs::read_to_string(folder.join("loss.csv")).unwrap();
    // The first validation error follows step, rate, norm and six losses.
    let last: f32 = log.lines().last().unwrap().split(',').nth(9).unwrap().parse().unwrap();
    let errors = training.validate(&average, &device).unwrap();
    assert!((errors[0] - last).abs() < 1e-4);
    // The held-out take is the training take here, with fewer windows.
    let error = |name: &str| errors[DeltaTraining::VALIDATION.iter().position(|column| *column == name).unwrap()];
    let (held_out, trained) = (error("l2p"), error("training_l2p"));
    assert!((trained - held_out).abs() < 0.3 * held_out, "{errors:?}");

    let bytes = export(&recipe, &folder.join("best.bpk"), Precision::F16).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let delta = Delta::read(&Weights::read(&bytes).unwrap()).unwrap();
    let poses = motion(30);
    let (past, target) = (poses.slice(0..10), poses.slice(29..30));
    let fill = |past: &Poses, target: &Poses, gap| {
        delta.fill(&BodyKeys { past, target, offsets: &offsets(), ground: 0.0 }, gap)
    };
    let filled = fill(&past, &target, 19).unwrap();
    assert_eq!((filled.poses.len(), filled.contacts.len()), (19, 19 * CONTACTS));
    assert!(filled.poses.rotations.iter().all(|rotation| rotation.is_normalized()));
    let mut not_finite = target.clone();
    not_finite.hips[0].x = f32::NAN;
    for (past, target, gap, wrong_option) in [
        (&past, &target, 0, "frames"),
        (&past, &target, 1000, "frames"),
        (&Poses::default(), &target, 5, "keys"),
        (&past, &not_finite, 5, "keys"),
    ] {
        match fill(past, target, gap) {
            Err(kinestitch::Error::Option { option, .. }) => assert_eq!(option, wrong_option),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_deeper_network_starts_with_the_outputs_of_a_shallower_one() {
    let (recipe, samples, device, source) = (recipe(), samples(), Device::flex(), source());
    let folder = folder("deeper");
    let run = Run { folder: folder.clone(), resume: false, from: None, stop: 5, threads: 1 };
    run::train(&DeltaTraining::new(&source, &[take()], &recipe), &recipe.schedule, &run, &device).unwrap();
    let file = folder.join("network.safetensors");
    std::fs::write(&file, export(&recipe, &folder.join("last.bpk"), Precision::F32).unwrap()).unwrap();
    let load = |layers: usize| {
        let recipe = Recipe { layers, ..recipe.clone() };
        DeltaTraining::new(&source, &[], &recipe).model(Some(&file), &device)
    };
    let outputs = |layers: usize| values(predict(&load(layers).unwrap(), &samples, None, &device)).unwrap();
    let shallow = outputs(recipe.layers);
    assert!(shallow.iter().any(|value| value.abs() > 1e-3), "the output of a trained network is not zero");
    assert_eq!(outputs(recipe.layers + 2), shallow);
    assert!(matches!(load(recipe.layers - 1), Err(Error::Weights { .. })));
    std::fs::remove_dir_all(folder).unwrap();
}
