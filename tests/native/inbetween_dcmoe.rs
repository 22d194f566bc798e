//! In-betweening by a small generated DC-MoE: keys are kept, styles and paths have an effect, results are bounded.

use crate::common::dcmoe as small_dcmoe;
use crate::common::fixtures::fixture;
use crate::common::inbetween::{key, plain, run, with_options};
use crate::common::mirror;
use crate::common::smooth;
use glam::{Vec2, Vec3};
use kinestitch::body::to_canonical;
use kinestitch::inbetween::{GroundPose, InbetweenOptions, Key, Session, inbetween};
use kinestitch::method::dcmoe::{Conditions, Network, path};
use kinestitch::method::filler::{BodyKeys, Filler};
use kinestitch::method::registry::{self, FillerChoice, Fillers};
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::Precision;
use kinestitch::progress::Progress;
use kinestitch::{Error, metrics};
use serde_json::{Value, json};
use std::sync::Arc;

fn network(styles: usize, output_scale: f32) -> Arc<dyn Filler> {
    registry::read(&small_dcmoe::weight_file(styles, output_scale, Precision::F32)).unwrap()
}

fn frames(frames: usize) -> InbetweenOptions {
    InbetweenOptions { frames: vec![frames], ..Default::default() }
}

/// Returns the name of the invalid option, and the message.
fn option_error<T: std::fmt::Debug>(result: kinestitch::Result<T>) -> (&'static str, String) {
    match result {
        Err(Error::Option { option, message }) => (option, message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn keys_stay_bit_equal_and_each_style_gives_another_motion() {
    let network = network(3, 0.01);
    assert_eq!(network.styles(), ["style 0", "style 1", "style 2"]);
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 10..20), key(&walk, 30..40)];
    let styled = |style: Option<&str>| with_options(network.as_ref(), json!({ "style": style })).unwrap();
    let made = |style: Option<&str>| run(&keys, styled(style).as_ref(), &frames(20));
    let all = [made(None), made(Some("style 0")), made(Some("style 2"))];
    for made in &all {
        assert_eq!((made.gaps[0].method, made.gaps[0].range.clone()), ("dcmoe", 10..30));
        let joints = walk.0.joints();
        assert_eq!(made.clip.rotations()[..10 * joints], walk.0.rotations()[10 * joints..20 * joints]);
        assert_eq!(made.clip.rotations()[30 * joints..], walk.0.rotations()[30 * joints..40 * joints]);
    }
    assert_ne!(all[0].clip.rotations(), all[1].clip.rotations());
    assert_ne!(all[1].clip.rotations(), all[2].clip.rotations());
    // The live session gives the same result.
    let session = Session::new(&keys, &frames(20), &mut Progress::silent()).unwrap();
    let live = session.solve(styled(Some("style 2")).as_ref(), &mut Progress::silent()).unwrap();
    assert_eq!(live.clip.rotations(), all[2].clip.rotations());
}

#[test]
fn a_requested_path_is_followed_within_ten_centimetres_on_average() {
    let network = network(1, 0.005);
    let walk = fixture("ada-walk");
    let count = 60;
    let ground_poses = [GroundPose::new(0.0, 0.0, 0.0), GroundPose::new(2.0, 1.0, 0.5)];
    let keys = ground_poses.map(|at| Key { at: Some(at), ..key(&walk, 20..21) });
    for corners in [[Vec2::new(1.0, 1.5), Vec2::new(2.0, 2.0)], [Vec2::new(-0.5, 0.5), Vec2::new(0.5, 1.5)]] {
        let points = vec![Vec2::ZERO, corners[0], corners[1], Vec2::new(2.0, 1.0)];
        let along = with_options(network.as_ref(), json!({ "path": points })).unwrap();
        let made = run(&keys, along.as_ref(), &frames(count));
        assert_eq!((made.clip.frames(), made.gaps[0].method), (count + 2, "dcmoe"));
        let body = to_canonical(&made.clip, &walk.1).unwrap();
        let ends = [0, count + 1].map(|frame| body.clip.frame_translations(frame)[0] / body.scale);
        let wanted = path::sample(&points, count + 1, ends.map(|end| Vec2::new(end.x, end.z)));
        let error = |frame: usize| {
            let hips = body.clip.frame_translations(frame)[0] / body.scale;
            Vec3::new(hips.x - wanted[frame].x, 0.0, hips.z - wanted[frame].y).length()
        };
        let mean = (0..count + 2).map(error).sum::<f32>() / (count + 2) as f32;
        assert!(mean < 0.1, "{mean} m off the path on average");
    }
}

#[test]
fn the_mirrored_gap_gives_the_mirrored_motion() {
    let network = Network::read(&Weights::read(&small_dcmoe::weight_file(0, 0.02, Precision::F32)).unwrap()).unwrap();
    let line: Vec<Vec2> = (0..4).map(|i| Vec2::new(0.1 * (i as f32).sin(), 0.3 * i as f32)).collect();
    let lines = [line.clone(), line.iter().map(|point| Vec2::new(-point.x, point.y)).collect()];
    for guided in [false, true] {
        mirror::assert_mirrored_result(|past, target, offsets, side| {
            let conditions = Conditions { path: guided.then_some(&lines[side]), style: None };
            network.fill(&BodyKeys { past, target, offsets, ground: 0.0 }, 15, &conditions).unwrap()
        });
    }
}

#[test]
fn results_are_bounded_for_all_target_positions() {
    let network = network(1, 0.05);
    smooth::assert_smooth_motion(network.as_ref());
}

#[test]
fn jerk_is_smoothed_to_the_level_of_the_keys() {
    let network = network(1, 0.01);
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 10..20), key(&walk, 60..70)];
    let plain = run(&keys, plain("inertialize").as_ref(), &frames(40));
    let root = |frame: usize| plain.clip.frame_translations(frame)[0];
    let (from, to) = (Vec2::new(root(9).x, root(9).z), Vec2::new(root(50).x, root(50).z));
    let aside = Vec2::new(to.y - from.y, from.x - to.x) * 0.2;
    let along = with_options(network.as_ref(), json!({ "path": [from, from.lerp(to, 0.5) + aside, to] })).unwrap();
    let made = run(&keys, along.as_ref(), &frames(40));
    assert_eq!(made.gaps[0].method, "dcmoe");
    let key_jerk = metrics::shown_jerk(&walk.0, &walk.1).into_iter().fold(plain.gaps[0].peak_jerk, f32::max);
    let peak = made.gaps[0].peak_jerk;
    assert!(peak < 1.5 * key_jerk, "{peak} m/s³, where keys and interpolation have {key_jerk}");
}

#[test]
fn invalid_options_are_errors_with_their_name() {
    let network = network(2, 0.01);
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 10..20), key(&walk, 30..40), key(&walk, 41..42)];
    let options = |options: Value| option_error(with_options(network.as_ref(), options));
    let (option, message) = options(json!({ "style": "drunk" }));
    assert!(option == "style" && message.contains("style 0, style 1"), "{message}");
    for path in [json!([[0.0, 0.0]]), json!(vec![[0.0, 0.0]; path::MAX_POINTS + 1])] {
        assert_eq!(options(json!({ "path": path })).0, "path");
    }
    for wrong in [json!({ "path": [[0.0, null], [1.0, 1.0]] }), json!({ "path": 3 }), json!({ "seed": 1 })] {
        let (option, message) = options(wrong);
        assert!(option == "method" && message.contains("\"dcmoe\""), "{message}");
    }
    // Methods without styles and paths refuse them.
    for (name, value) in [("style", json!("style 0")), ("path", json!([[0.0, 0.0], [1.0, 0.0]]))] {
        let options = json!({ name: value }).as_object().unwrap().clone();
        let (option, message) =
            option_error(Fillers::default().get(&FillerChoice { options, ..FillerChoice::default() }));
        assert!(option == "method" && message.contains(&format!("`{name}`")), "{message}");
    }
    let along = with_options(network.as_ref(), json!({ "path": [[0.0, 0.0], [1.0, 0.0]] })).unwrap();
    let three = inbetween(&keys, along.as_ref(), &frames(30), &mut Progress::silent());
    assert_eq!(option_error(three).0, "path");
    let mut fillers = Fillers::default();
    let (option, message) = option_error(fillers.get(&"dcmoe".into()));
    assert!(option == "method" && message.contains("needs its network"), "{message}");
    fillers.add(network);
    assert_eq!(fillers.get(&"dcmoe".into()).unwrap().name(), "dcmoe");
}

#[test]
fn weights_of_other_sizes_are_refused() {
    let bytes = small_dcmoe::weight_file(2, 0.01, Precision::Int8);
    let file = Weights::read(&bytes).unwrap();
    assert_eq!(Network::read(&file).unwrap().styles().len(), 2);
    let mut meta = file.meta.clone();
    for (field, value) in [("input", 473), ("hidden", 0), ("experts", 1_u64 << 40), ("gate", 7)] {
        meta.config = file.meta.config.clone();
        meta.config["sizes"][field] = value.into();
        let tensors = |name: &&str| kinestitch::nn::weights::write::NamedTensor {
            name: (*name).to_owned(),
            shape: file.shape(name).unwrap(),
            values: file.tensor(name, &file.shape(name).unwrap()).unwrap(),
        };
        let names = file.names();
        let all: Vec<_> = names.iter().map(tensors).collect();
        let bytes = kinestitch::nn::weights::write::to_bytes(&meta, &all, Precision::F32).unwrap();
        assert!(matches!(Network::read(&Weights::read(&bytes).unwrap()), Err(Error::Weights { .. })), "{field}");
    }
}

#[test]
fn a_gap_has_up_to_600_frames_at_30_per_second() {
    let (network, walk) = (network(1, 0.0), fixture("ada-walk"));
    let keys = [key(&walk, 10..20), key(&walk, 30..40)];
    let fill = |fps| {
        let options = InbetweenOptions { fps: Some(fps), ..frames(480) };
        inbetween(&keys, network.as_ref(), &options, &mut Progress::silent())
    };
    assert_eq!(fill(24.0).unwrap().gaps[0].range.len(), 480);
    let (option, message) = option_error(fill(20.0));
    assert!(option == "frames" && message.contains("1 to 600 frames"), "{message}");
}
