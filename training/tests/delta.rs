//! Training of the delta in-betweener: gradients, and the packed network against the training pass.

#[path = "../../tests/common/motion.rs"]
mod made;

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, Tolerance};
use kinestitch::body::poses::{CONTACTS, Poses};
use kinestitch::feature::delta::{INPUT, OUTPUT};
use kinestitch::method::delta::{Delta, tensor};
use kinestitch::nn::weights::{Weights, write::Precision};
use made::{motion, offsets};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use training::delta::bigru::{self, BigruTraining};
use training::delta::learn::{Learner, gradient, stacked};
use training::delta::sample::{Sample, Window, sample};
use training::delta::step::Pass;
use training::delta::{Recipe, learn::Normal, weights};
use training::run::{self, Batch, Run, Training};
use training::takes::{Cut, Source, Take, contacts};

fn recipe() -> Recipe {
    let text = r#"{ "name": "t", "set": "open", "licence": "any", "sets": { "a": 1 }, "validation": [], "width": 32, "inner": 48,
        "layers": 2, "heads": 4, "hidden": 0,
        "schedule": { "steps": 40, "cooldown": 10, "batch": 8, "rate": 0.002, "warmup": 5, "every": 10, "seed": 3 } }"#;
    serde_json::from_str(text).unwrap()
}

fn take() -> Take {
    let (poses, offsets) = (motion(150), offsets());
    let contacts = contacts(&poses, &offsets, 0.0, [0.3; 4]);
    Take { poses, offsets, ground: 0.0, contacts }
}

fn samples() -> Vec<Sample> {
    let window = |past, gap, target| Window { past, gap, target };
    let take = take();
    let one = |(start, window, mirrored)| sample(&Cut { take: &take, start, mirrored, lift: 0.0 }, window);
    [(0, window(10, 5, 1), false), (31, window(3, 12, 2), true), (60, window(1, 70, 1), false)].map(one).into()
}

/// A learner whose output differs from the interpolation.
fn learner(recipe: &Recipe, samples: &[Sample]) -> Learner {
    let mut learner = Learner::new(recipe.sizes(), Normal::of(samples), recipe.hidden, 1);
    let mut rng = StdRng::seed_from_u64(2);
    learner.trained.weights.iter_mut().for_each(|weight| *weight += rng.random_range(-0.03..0.03));
    learner.trained.average.clone_from(&learner.trained.weights);
    learner
}

#[test]
fn gradients_are_the_slopes_of_the_loss() {
    let (recipe, samples) = (recipe(), samples());
    let learner = learner(&recipe, &samples);
    let mut rng = StdRng::seed_from_u64(4);
    let mut pass = Pass::default();
    let mut loss = |weights: &[f32], into: &mut [f32]| -> f32 {
        gradient(&learner.network, &learner.normal, weights, &samples, into, &mut pass).iter().sum()
    };
    let mut slopes = vec![0.0; learner.trained.weights.len()];
    loss(&learner.trained.weights, &mut slopes);
    let mut unused = slopes.clone();
    for parameter in &learner.network.parameters.all {
        let way: Vec<f32> =
            slopes[parameter.range()].iter().map(|slope| slope.signum() * rng.random::<f32>()).collect();
        let step = 4e-4 / (parameter.shape[0] as f32).sqrt();
        let mut at = |sign: f32| {
            let mut weights = learner.trained.weights.clone();
            weights[parameter.range()].iter_mut().zip(&way).for_each(|(weight, way)| *weight += sign * step * way);
            loss(&weights, &mut unused)
        };
        let measured = (at(1.0) - at(-1.0)) / (2.0 * step);
        let expected: f32 = slopes[parameter.range()].iter().zip(&way).map(|(slope, way)| slope * way).sum();
        // Absolute differences have kinks, and f32 has seven digits.
        let slack = 0.05 * expected.abs() + 3e-7 / step;
        assert!((measured - expected).abs() < slack, "{}: {measured}, not {expected}", parameter.name);
    }
}

#[test]
fn the_network_packed_or_on_tensors_is_the_trained_one_and_eight_bits_are_near_it() {
    let (recipe, samples) = (recipe(), samples());
    let learner = learner(&recipe, &samples);
    let (rows, spans) = stacked(&learner.normal, &samples);
    let mut pass = Pass::default();
    learner.network.forward(&learner.trained.weights, &rows, &spans, &mut pass);
    for (precision, most) in [(Precision::F32, 2e-4), (Precision::Int8, 0.05)] {
        let bytes = weights(&recipe, &learner, precision).unwrap();
        let delta = Delta::read(&Weights::read(&bytes).unwrap()).unwrap();
        let tensors = tensor::Delta::load(&bytes, &Device::flex()).unwrap();
        for (sample, span) in samples.iter().zip(&spans) {
            let packed = delta.rows(&sample.question);
            let gap = |rows: &[f32], start: usize| rows[start * OUTPUT..][..packed.len()].to_vec();
            let question = &sample.question;
            let tensors = gap(&pollster::block_on(tensors.rows(&question.rows)).unwrap(), question.past);
            let own = gap(&pass.out, span.start + question.past);
            let size = own.iter().fold(0.0_f32, |size, x| size.max(x.abs()));
            for rows in [&packed, &tensors] {
                let apart = rows.iter().zip(&own).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(apart < most * size, "{apart} of {size}");
            }
        }
    }
}

#[test]
fn on_tensors_rows_that_are_no_question_are_refused() {
    let (recipe, samples) = (recipe(), samples());
    let bytes = weights(&recipe, &learner(&recipe, &samples), Precision::F32).unwrap();
    let tensors = tensor::Delta::load(&bytes, &Device::flex()).unwrap();
    let mut strange = samples[0].question.rows.clone();
    strange[7] = f32::NAN;
    for rows in [vec![], vec![0.0; INPUT + 1], vec![0.0; 300 * INPUT], strange] {
        match pollster::block_on(tensors.rows(&rows)) {
            Err(kinestitch::Error::Option { option, .. }) => assert_eq!(option, "rows"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn it_learns_and_refuses_what_it_cannot_fill() {
    let mut recipe = Recipe { hidden: 2.0, ..recipe() };
    (recipe.schedule.steps, recipe.schedule.cooldown, recipe.schedule.rate) = (200, 60, 0.004);
    let samples = samples();
    let mut learner = Learner::new(recipe.sizes(), Normal::of(&samples), recipe.hidden, 1);
    let source = Source::new(vec![(1.0, vec![take()])]);
    let mut losses: Vec<f32> = Vec::new();
    for step in 0..recipe.schedule.steps {
        losses.push(
            learner
                .learn(&source, recipe.schedule.batch, recipe.schedule.rate_at(step), recipe.schedule.seed)
                .iter()
                .sum(),
        );
    }
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    assert!(mean(&losses[180..]) < 0.8 * mean(&losses[..20]), "{losses:?}");

    let bytes = weights(&recipe, &learner, Precision::F16).unwrap();
    let delta = Delta::read(&Weights::read(&bytes).unwrap()).unwrap();
    let poses = motion(30);
    let (past, target) = (poses.cut(0..10), poses.cut(29..30));
    let of_delta = |past: &Poses, target: &Poses, gap| delta.fill(past, target, gap, &offsets(), 0.0);
    let filled = of_delta(&past, &target, 19).unwrap();
    assert_eq!((filled.poses.len(), filled.contacts.len()), (19, 19 * CONTACTS));
    assert!(filled.poses.rotations.iter().all(|rotation| rotation.is_normalized()));
    let mut strange = target.clone();
    strange.hips[0].x = f32::NAN;
    for (past, target, gap, word) in [
        (&past, &target, 0, "frames"),
        (&past, &target, 1000, "frames"),
        (&Poses::default(), &target, 5, "keys"),
        (&past, &strange, 5, "keys"),
    ] {
        match of_delta(past, target, gap) {
            Err(kinestitch::Error::Option { option, .. }) => assert_eq!(option, word),
            other => panic!("{other:?}"),
        }
    }
}

/// Counts parameters, and compares their gradients.
struct Same<'a>(&'a GradientsParams, &'a GradientsParams, usize);

impl ModuleVisitor for Same<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let [ours, burns] = [self.0, self.1].map(|all| all.get::<D>(param.id).unwrap().into_data());
        let size = burns.iter::<f32>().fold(0.0, |size: f32, x| size.max(x.abs()));
        assert!(size > 0.0, "a parameter that does not matter");
        ours.assert_approx_eq::<f32>(&burns, Tolerance::absolute(1e-3 * size));
        self.2 += 1;
    }
}

#[test]
fn the_recurrent_network_it_is_compared_with_learns_by_the_gradients_of_its_loss() {
    let text = r#"{ "name": "t", "sets": { "a": 1 }, "validation": [], "hidden": 16,
        "steps": 60, "batch": 20, "rate": 0.005, "warmup": 5, "seed": 3, "optimizer": "adamw", "every": 30 }"#;
    let recipe: bigru::Recipe = serde_json::from_str(text).unwrap();
    let (source, held_out) = (Source::new(vec![(1.0, vec![take()])]), [take()]);
    let training = BigruTraining::new(&source, &held_out, &recipe);
    let folder = std::env::temp_dir().join(format!("kinestitch-bigru-{}", std::process::id()));
    let run = Run { folder: folder.clone(), resume: false, from: None, stop: usize::MAX, threads: 1 };
    let device = Device::flex();
    let untrained = training.validate(&training.model(None, &device).unwrap(), &device).unwrap();
    let state = run::train(&training, &recipe.schedule, &run, &device).unwrap();
    assert!(state.best < 0.95 * untrained[0], "{} after {}", state.best, untrained[0]);

    let tape = device.autodiff();
    let model = training.model(Some(&folder.join("last.bpk")), &tape).unwrap();
    // Two groups of lanes, each with its own lengths.
    let batch = Batch { seed: 8, step: 0, size: 20, lanes: 0..20, device: &tape };
    let (ours, losses) = training.gradients(&model, &batch).unwrap();
    let (burns, taped) = run::taped(&training, &model, &batch).unwrap();
    assert!(losses.iter().zip(&taped).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs()), "{losses:?}, {taped:?}");
    let mut same = Same(&ours, &burns, 0);
    model.visit(&mut same);
    assert_eq!(same.2, 24);
    std::fs::remove_dir_all(folder).unwrap();
}
