//! In-betweening by a small generated manifold network: keys are kept, seeds differ, results are bounded.

use crate::common::fixtures::fixture;
use crate::common::inbetween::{key, run, with_options};
use crate::common::mirror;
use crate::common::smooth;
use kinestitch::Error;
use kinestitch::feature::manifold::{CHANGE, CONDITION, CONTACTS, MOVES, OFFSET, STATE, STEP, TARGET};
use kinestitch::inbetween::{InbetweenOptions, Session};
use kinestitch::method::filler::{BodyKeys, Filler};
use kinestitch::method::manifold::sizes::Sizes;
use kinestitch::method::manifold::{Conditions, LAYOUT, Manifold, NAME};
use kinestitch::method::registry::{self, Fillers};
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};
use kinestitch::progress::Progress;
use serde_json::json;
use std::sync::Arc;

const SIZES: Sizes = Sizes {
    latent: 4,
    experts: 2,
    hidden: 12,
    gate: 8,
    embedding: [12, 8],
    state: 12,
    parse: [12, 8],
    past: 3,
    longest: 60,
};

/// Creates a small network with random weights from −`size` to `size`.
fn network(size: f32) -> Arc<dyn Filler> {
    registry::read(&weights(size)).unwrap()
}

fn weights(size: f32) -> Vec<u8> {
    let Sizes { latent, experts, hidden, gate, embedding: [first, second], state, parse, .. } = SIZES;
    let conditioning = STEP + latent;
    let mut random = 1_u64;
    let mut tensors: Vec<NamedTensor> = Vec::new();
    let mut add = |name: String, shape: Vec<usize>, value: Option<f32>| {
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            size * ((random >> 40) as f32 / (1u64 << 23) as f32 - 1.0)
        };
        let count = shape.iter().product();
        let values = (0..count).map(|_| value.unwrap_or_else(&mut next)).collect();
        tensors.push(NamedTensor { name, shape, values });
    };
    for (name, columns, deviation) in [
        ("manifold.condition", CONDITION, 0.5),
        ("manifold.step", STEP, 0.03),
        ("manifold.moves", MOVES, 0.03),
        ("inputs.0", STATE, 0.5),
        ("inputs.1", TARGET, 0.5),
        ("inputs.2", OFFSET, 0.5),
    ] {
        add(format!("{name}.mean"), vec![columns], Some(0.0));
        add(format!("{name}.deviation"), vec![columns], Some(deviation));
    }
    let mut layers = vec![
        ("manifold.encoder.0".to_owned(), CONDITION + STEP + MOVES, hidden),
        ("manifold.encoder.1".to_owned(), hidden, hidden),
        ("manifold.encoder.2".to_owned(), hidden, 2 * latent),
        ("manifold.gate.0".to_owned(), CONDITION + conditioning, gate),
        ("manifold.gate.1".to_owned(), gate, gate),
        ("manifold.gate.2".to_owned(), gate, experts),
        ("recurrent.forwards.input".to_owned(), 3 * second, 4 * state),
        ("recurrent.forwards.recurrent".to_owned(), state, 4 * state),
        ("parse.0".to_owned(), state, parse[0]),
        ("parse.1".to_owned(), parse[0], parse[1]),
        ("parse.2".to_owned(), parse[1], latent + CHANGE),
    ];
    for (part, columns) in [STATE, TARGET, OFFSET].into_iter().enumerate() {
        layers.push((format!("encoders.{part}.0"), columns, first));
        layers.push((format!("encoders.{part}.1"), first, second));
    }
    for (name, from, to) in layers {
        add(format!("{name}.weight"), vec![from, to], None);
        add(format!("{name}.bias"), vec![to], None);
    }
    let widths = [CONDITION + conditioning, hidden + conditioning, hidden + conditioning];
    for (layer, (from, to)) in widths.into_iter().zip([hidden, hidden, MOVES + CONTACTS]).enumerate() {
        add(format!("manifold.experts.{layer}.weight"), vec![experts, from, to], None);
        add(format!("manifold.experts.{layer}.bias"), vec![experts, to], None);
    }
    let config = serde_json::to_value(SIZES).unwrap();
    let (set, licence) = ("test".to_owned(), "none".to_owned());
    let meta = Meta { name: NAME.to_owned(), layout: LAYOUT, config, set, licence };
    to_bytes(&meta, &tensors, Precision::F32).unwrap()
}

fn frames(frames: usize) -> InbetweenOptions {
    InbetweenOptions { frames: vec![frames], ..Default::default() }
}

#[test]
fn keys_stay_bit_equal_and_each_seed_gives_another_motion() {
    let network = network(0.3);
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 10..20), key(&walk, 30..40)];
    let seeded = |seed: Option<u64>| with_options(network.as_ref(), json!({ "seed": seed })).unwrap();
    let made = |seed| run(&keys, seeded(seed).as_ref(), &frames(20));
    let (mean, one, two) = (made(None), made(Some(1)), made(Some(2)));
    for made in [&mean, &one, &two] {
        assert_eq!((made.gaps[0].method, made.gaps[0].range.clone()), ("manifold", 10..30));
        let joints = walk.0.joints();
        assert_eq!(made.clip.rotations()[..10 * joints], walk.0.rotations()[10 * joints..20 * joints]);
        assert_eq!(made.clip.rotations()[30 * joints..], walk.0.rotations()[30 * joints..40 * joints]);
    }
    assert_ne!(one.clip.rotations(), two.clip.rotations());
    assert_ne!(mean.clip.rotations(), one.clip.rotations());
    assert_eq!(one.clip.rotations(), made(Some(1)).clip.rotations());
    // The live session gives the same result.
    let session = Session::new(&keys, &frames(20), &mut Progress::silent()).unwrap();
    let live = session.solve(seeded(Some(2)).as_ref(), &mut Progress::silent()).unwrap();
    assert_eq!(live.clip.rotations(), two.clip.rotations());
}

#[test]
fn an_offset_of_the_latent_variable_changes_the_motion() {
    let network = network(0.3);
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 10..20), key(&walk, 30..40)];
    let session = Session::new(&keys, &frames(10), &mut Progress::silent()).unwrap();
    let made = |latent: &[f32]| {
        let pushed = with_options(network.as_ref(), json!({ "latent": latent }))?;
        session.solve(pushed.as_ref(), &mut Progress::silent())
    };
    let (mean, pushed) = (made(&[]).unwrap().clip, made(&[0.0, 2.0]).unwrap().clip);
    assert_ne!(mean.rotations(), pushed.rotations());
    assert_eq!(run(&keys, network.as_ref(), &frames(10)).clip.rotations(), mean.rotations());
    assert!(matches!(made(&[0.0; SIZES.latent + 1]), Err(Error::Option { option: "latent", .. })));
    // JSON has no NaN: it becomes `null`, which is not a number of the option.
    assert!(matches!(made(&[f32::NAN]), Err(Error::Option { option: "method", .. })));
}

#[test]
fn without_a_seed_the_mirrored_gap_gives_the_mirrored_motion() {
    let network = Manifold::read(&Weights::read(&weights(0.3)).unwrap()).unwrap();
    mirror::assert_mirrored_result(|past, target, offsets, _| {
        network.fill(&BodyKeys { past, target, offsets, ground: 0.0 }, 15, &Conditions::default()).unwrap()
    });
}

#[test]
fn results_are_bounded_for_all_target_positions() {
    let network = network(1.0);
    smooth::assert_smooth_motion(with_options(network.as_ref(), json!({ "seed": 9 })).unwrap().as_ref());
}

#[test]
fn needs_its_network_and_is_found_by_name() {
    let mut fillers = Fillers::default();
    match fillers.get(&"manifold".into()) {
        Err(Error::Option { option: "method", message }) => assert!(message.contains("needs its network"), "{message}"),
        other => panic!("{other:?}"),
    }
    fillers.add(network(0.1));
    assert_eq!(fillers.get(&"manifold".into()).unwrap().name(), "manifold");
    assert!(fillers.names().any(|name| name == "manifold") && fillers.names().all(|name| name != "delta"));
}
