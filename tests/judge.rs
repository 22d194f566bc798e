//! The judge on motions made here, with a file made of them: what it knows scores next to nothing, what it does not scores more,
//! and files that are none are refused.

use glam::{Quat, Vec3};
use kinestitch::body::GroundPose;
use kinestitch::body::canonical;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::feature::encode;
use kinestitch::judge::window::{COLUMNS, FRAMES, Places};
use kinestitch::judge::{FPS, Judge, LAYOUT, NAME, Sizes, naturalness};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::resample::resample;
use kinestitch::motion::{bvh, rig};
use kinestitch::nn::weights::Meta;
use kinestitch::nn::weights::write::{Named, Precision, to_bytes};
use kinestitch::{Error, Result};
use std::path::Path;

/// Columns of the made judge: of every joint and axis the first terms.
const TERMS: usize = 4;
const WIDTH: usize = ROLES * 3 * TERMS;

fn clip(name: &str) -> Clip {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.bvh"));
    bvh::parse(name, &std::fs::read(path).unwrap()).unwrap().clip
}

/// A fixture on its canonical body, its bones and the height of its ground.
fn motion(name: &str) -> (Poses, [Vec3; ROLES], f32) {
    let clip = clip(name);
    let body = resample(&canonical(&clip, &rig::infer(&clip)).unwrap().clip, FPS).unwrap();
    let offsets = std::array::from_fn(|role| body.skeleton().joints()[role].offset);
    let (ground, _) = encode::ground(&body);
    (Poses::of(&body, 0..body.frames()), offsets, ground)
}

fn tensors(motion: &Poses, offsets: &[Vec3; ROLES], ground: f32) -> Vec<Named> {
    let mut weight = vec![0.0; COLUMNS * WIDTH];
    for column in 0..WIDTH {
        weight[(column / TERMS * FRAMES + column % TERMS) * WIDTH + column] = 1.0;
    }
    let places = Places::of(motion, 0..motion.len(), offsets, ground);
    let (mut rows, mut window) = (Vec::new(), vec![0.0; COLUMNS]);
    for start in 0..places.windows() {
        places.window(start, &mut window);
        rows.extend((0..WIDTH).map(|column| window[column / TERMS * FRAMES + column % TERMS]));
    }
    let flat: Vec<f32> = offsets.iter().flat_map(|offset| offset.to_array()).collect();
    vec![
        Named::vector("offsets", &flat),
        Named::vector("scale", &[1.0; COLUMNS]),
        Named { name: "projection.weight".into(), shape: vec![COLUMNS, WIDTH], values: weight },
        Named::vector("projection.bias", &[0.0; WIDTH]),
        Named { name: "windows".into(), shape: vec![rows.len() / WIDTH, WIDTH], values: rows },
        Named::vector("unit", &[0.5]),
    ]
}

fn file(tensors: &[Named], change: impl Fn(&mut Meta)) -> Vec<u8> {
    let windows = tensors.iter().find(|tensor| tensor.name == "windows").map_or(1, |tensor| tensor.shape[0]);
    let config = serde_json::to_value(Sizes { columns: WIDTH, windows }).unwrap();
    let (set, licence) = ("open".to_owned(), "made by a test".to_owned());
    let mut meta = Meta { name: NAME.to_owned(), layout: LAYOUT, config, set, licence };
    change(&mut meta);
    to_bytes(&meta, tensors, Precision::Int8).unwrap()
}

/// A judge that knows one motion, and that motion.
fn judge_of(name: &str) -> (Judge, Poses, f32) {
    let (motion, offsets, ground) = motion(name);
    let judge = Judge::read(&file(&tensors(&motion, &offsets, ground), |_| ())).unwrap();
    (judge, motion, ground)
}

fn largest(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(0.0, f32::max)
}

#[test]
fn what_is_in_the_file_scores_next_to_nothing_and_what_is_not_scores_more() {
    let (judge, walk, ground) = judge_of("ada-walk");
    let own = judge.scores(&walk, ground);
    assert_eq!(own.len(), walk.len());
    // Rows are stored in eight bits.
    assert!(largest(&own) < 0.2, "{}", largest(&own));

    let mut jumps = walk.clone();
    let at = jumps.len() / 2;
    jumps.hips[at..].iter_mut().for_each(|hips| *hips += Vec3::X * 0.5);
    let scores = judge.scores(&jumps, ground);
    let worst = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
    assert!(scores[worst] > 4.0 * largest(&own) && worst.abs_diff(at) <= FRAMES / 2, "{} at {worst}", scores[worst]);
    let far = at + FRAMES..jumps.len() - FRAMES;
    assert!(largest(&scores[far.clone()]) < 0.2, "{far:?}");

    let (run, _, run_ground) = motion("ada-run");
    assert!(Judge::worst_fifth(&judge.scores(&run, run_ground), 0..run.len()) > 4.0 * largest(&own));
}

#[test]
fn place_heading_and_side_do_not_count() {
    let (judge, walk, ground) = judge_of("ada-walk");
    let run = motion("ada-run").0;
    let plain = judge.scores(&run, ground);
    let frame = GroundPose { position: Vec3::new(3.0, 0.0, -7.0), heading: 2.0 };
    for (moved, height) in [(run.moved(frame), ground), (run.mirrored(), ground)] {
        let scores = judge.scores(&moved, height);
        let apart = plain.iter().zip(&scores).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 2e-3 * largest(&plain), "{apart} of {}", largest(&plain));
    }
    let lifted = Poses { hips: walk.hips.iter().map(|hips| *hips + Vec3::Y).collect(), ..walk.clone() };
    assert!(largest(&judge.scores(&lifted, ground + 1.0)) < 0.2);
    assert!(largest(&judge.scores(&lifted, ground)) > 2.0);
}

#[test]
fn a_part_scores_as_in_the_whole_and_short_motions_score_nothing() {
    let (judge, _, ground) = judge_of("ada-walk");
    let run = motion("ada-run").0;
    let whole = judge.scores(&run, ground);
    for part in [0..run.len(), 0..3, 5..20, run.len() - 4..run.len()] {
        let scores = judge.scores_in(&run, ground, part.clone());
        assert_eq!(scores.len(), part.len());
        let apart = scores.iter().zip(&whole[part]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-4, "{apart}");
    }
    assert_eq!(judge.scores_in(&run, ground, run.len() + 5..run.len() + 9), Vec::<f32>::new());
    assert_eq!(judge.scores(&run.cut(0..FRAMES - 1), ground), [0.0; FRAMES - 1]);
    assert_eq!(judge.scores(&run.cut(0..FRAMES), ground).len(), FRAMES);
    assert_eq!(judge.scores(&Poses::default(), ground), Vec::<f32>::new());
}

#[test]
fn the_worst_fifth_is_a_mean_of_the_largest() {
    let scores = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    assert_eq!(Judge::worst_fifth(&scores, 0..10), 8.5);
    assert_eq!(Judge::worst_fifth(&scores, 0..6), 4.5);
    assert_eq!(Judge::worst_fifth(&scores, 8..40), 9.0);
    assert_eq!(Judge::worst_fifth(&scores, 20..40), 0.0);
}

#[test]
fn a_clip_has_a_score_for_each_frame_at_its_own_rate() -> Result<()> {
    let (judge, ..) = judge_of("ada-walk");
    let walk = clip("ada-walk");
    let at_30 = naturalness(&judge, &resample(&walk, FPS)?, &rig::infer(&walk))?;
    let at_60 = naturalness(&judge, &resample(&walk, 2.0 * FPS)?, &rig::infer(&walk))?;
    assert!(at_60.len().abs_diff(2 * at_30.len()) <= 2 && largest(&at_60) < 0.3, "{}", largest(&at_60));
    let dog = clip("cleo-walk");
    assert!(matches!(naturalness(&judge, &dog, &rig::infer(&dog)), Err(Error::Rig { .. })));
    Ok(())
}

#[test]
fn motion_that_is_no_number_scores_but_does_not_panic() {
    let (judge, mut walk, ground) = judge_of("ada-walk");
    walk.hips[20] = Vec3::splat(f32::NAN);
    walk.rotations[25 * ROLES + 3] = Quat::from_xyzw(f32::INFINITY, 0.0, 0.0, 0.0);
    let scores = judge.scores(&walk, ground);
    assert_eq!(scores.len(), walk.len());
    assert!(Judge::worst_fifth(&scores, 0..walk.len()) > 1.0);
}

#[test]
fn files_that_are_none_are_refused_in_words() {
    let (motion, offsets, ground) = motion("ada-walk");
    let good = tensors(&motion, &offsets, ground);
    let refused = |bytes: &[u8], word: &str| match Judge::read(bytes) {
        Err(Error::Weights { message }) => assert!(message.contains(word), "{message}"),
        other => panic!("{word}: {other:?}"),
    };
    refused(b"", "safetensors");
    let whole = file(&good, |_| ());
    refused(&whole[..whole.len() - 9], "safetensors");
    refused(&file(&good, |meta| meta.name = "rmr".to_owned()), "\"rmr\"");
    refused(&file(&good, |meta| meta.layout += 1), "layout");
    refused(&file(&good, |meta| meta.config = serde_json::json!({})), "configuration");
    refused(&file(&good, |meta| meta.config["columns"] = 0.into()), "size of 0");
    refused(&file(&good, |meta| meta.config["windows"] = 1_000_000_000.into()), "size of 1000000000");
    refused(&file(&good, |meta| meta.config["columns"] = 7.into()), "is needed");
    let mut zero = good.clone();
    zero.iter_mut().filter(|tensor| tensor.name == "unit").for_each(|tensor| tensor.values[0] = 0.0);
    refused(&file(&zero, |_| ()), "unit");
    for missing in 0..good.len() {
        let mut fewer = good.clone();
        let name = fewer.remove(missing).name;
        let config = serde_json::json!({ "columns": WIDTH, "windows": good[4].shape[0] });
        refused(&file(&fewer, |meta| meta.config = config.clone()), &name);
    }
}
