//! A generated judge on generated motions: a jump is scored at its frame, and other files are refused.

use crate::common::fixtures::fixture_clip;
use glam::{Quat, Vec3};
use kinestitch::body::GroundPose;
use kinestitch::body::mirror::opposite_role;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::body::to_canonical;
use kinestitch::feature::encode;
use kinestitch::judge::window::{COLUMNS, FRAMES};
use kinestitch::judge::{FPS, Judge, LAYOUT, MAX_SCORE, NAME, Sizes, naturalness};
use kinestitch::motion::resample::resample;
use kinestitch::motion::rig;
use kinestitch::nn::weights::Meta;
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use kinestitch::{Error, Result};

/// Number of terms of the cosine series of each joint and axis that the generated judge reads.
const TERMS: usize = 4;
const WIDTH: usize = ROLES * 3 * TERMS;

/// Reads a fixture: poses on its canonical body, joint offsets and ground height.
fn motion(name: &str) -> (Poses, [Vec3; ROLES], f32) {
    let clip = fixture_clip(name);
    let body = resample(&to_canonical(&clip, &rig::infer(&clip)).unwrap().clip, FPS).unwrap();
    let offsets = std::array::from_fn(|role| body.skeleton().joints()[role].offset);
    let (ground, _) = encode::ground(&body);
    (Poses::from_clip(&body, 0..body.frames()), offsets, ground)
}

/// Returns the matrix of symmetric and antisymmetric columns, [COLUMNS × WIDTH], and the mirror sign of each column. A
/// column is the sum or the difference of one term of opposite roles.
fn symmetric_columns() -> (Vec<f32>, Vec<f32>) {
    let (mut weight, mut mirror) = (vec![0.0; COLUMNS * WIDTH], vec![0.0; WIDTH]);
    for column in 0..WIDTH {
        let (role, axis, term) = (column / (3 * TERMS), column / TERMS % 3, column % TERMS);
        let sign = if axis == 0 { -1.0 } else { 1.0 };
        let other = opposite_role(role);
        let row = |role: usize| (role * 3 + axis) * FRAMES + term;
        let side = if role <= other { 1.0 } else { -1.0 };
        let size = if role == other { 1.0 } else { 0.5_f32.sqrt() };
        weight[row(role) * WIDTH + column] = size * side;
        if role != other {
            weight[row(other) * WIDTH + column] = size;
        }
        mirror[column] = if role == other { sign } else { sign * side };
    }
    (weight, mirror)
}

/// Creates the tensors of a judge whose score grows with the magnitude of the terms of a window. The first term, the
/// mean position, weighs a tenth of the terms of change over time.
fn tensors(offsets: &[Vec3; ROLES]) -> Vec<NamedTensor> {
    let (weight, mirror) = symmetric_columns();
    let flat: Vec<f32> = offsets.iter().flat_map(|offset| offset.to_array()).collect();
    let matrix = |name: &str, shape: [usize; 2], values: Vec<f32>| NamedTensor {
        name: name.into(),
        shape: shape.into(),
        values,
    };
    let deviation: Vec<f32> = (0..WIDTH).map(|column| if column % TERMS == 0 { 10.0 } else { 1.0 }).collect();
    // First layer in two halves: the positive part of each column, and the negative part.
    let first = (0..WIDTH).flat_map(|column| {
        (0..2 * WIDTH).map(move |out| match out {
            out if out == column => 1.0,
            out if out == column + WIDTH => -1.0,
            _ => 0.0,
        })
    });
    vec![
        NamedTensor::vector("offsets", &flat),
        NamedTensor::vector("scale", &[1.0; COLUMNS]),
        matrix("projection.weight", [COLUMNS, WIDTH], weight),
        NamedTensor::vector("projection.bias", &[0.0; WIDTH]),
        NamedTensor::vector("mirror", &mirror),
        NamedTensor::vector("deviation", &deviation),
        matrix("detector.0.weight", [WIDTH, 2 * WIDTH], first.collect()),
        NamedTensor::vector("detector.0.bias", &[0.0; 2 * WIDTH]),
        matrix("detector.1.weight", [2 * WIDTH, 1], vec![1.0; 2 * WIDTH]),
        NamedTensor::vector("detector.1.bias", &[0.0]),
        matrix("detector.2.weight", [1, 1], vec![1.0]),
        NamedTensor::vector("detector.2.bias", &[0.0]),
        NamedTensor::vector("calibration", &[0.0, 10.0]),
    ]
}

fn file(tensors: &[NamedTensor], change: impl Fn(&mut Meta)) -> Vec<u8> {
    let config = serde_json::to_value(Sizes { columns: WIDTH, hidden: [2 * WIDTH, 1] }).unwrap();
    let (set, licence) = ("open".to_owned(), "made by a test".to_owned());
    let mut meta = Meta { name: NAME.to_owned(), layout: LAYOUT, config, set, licence };
    change(&mut meta);
    to_bytes(&meta, tensors, Precision::Int8).unwrap()
}

/// Creates a judge, and reads a motion with its ground height.
fn judge_and(name: &str) -> (Judge, Poses, f32) {
    let (motion, offsets, ground) = motion(name);
    (Judge::read(&file(&tensors(&offsets), |_| ())).unwrap(), motion, ground)
}

fn largest(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(0.0, f32::max)
}

#[test]
fn a_jump_scores_where_it_is_and_nowhere_else() {
    let (judge, idle, ground) = judge_and("ada-idle");
    let idle_scores = judge.scores(&idle, ground);
    assert_eq!(idle_scores.len(), idle.len());
    let mut jumps = idle.clone();
    let jump = jumps.len() / 2;
    jumps.hips[jump..].iter_mut().for_each(|hips| *hips += Vec3::X * 0.5);
    let scores = judge.scores(&jumps, ground);
    let worst = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
    assert!(
        scores[worst] > largest(&idle_scores) + 1.0 && worst.abs_diff(jump) <= FRAMES / 2,
        "{} at {worst}",
        scores[worst]
    );
    for frame in (0..jump - FRAMES).chain(jump + FRAMES..idle_scores.len()) {
        assert!(
            (scores[frame] - idle_scores[frame]).abs() < 1e-3,
            "frame {frame}: {} was {}",
            scores[frame],
            idle_scores[frame]
        );
    }
}

#[test]
fn scores_do_not_depend_on_position_heading_and_side() {
    let (judge, run, ground) = judge_and("ada-run");
    let plain = judge.scores(&run, ground);
    let difference = |scores: &[f32]| plain.iter().zip(scores).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let frame = GroundPose { position: Vec3::new(3.0, 0.0, -7.0), heading: 2.0 };
    for transformed in [run.to_local(frame), run.mirrored()] {
        let difference = difference(&judge.scores(&transformed, ground));
        assert!(difference < 2e-3 * largest(&plain), "{difference} of {}", largest(&plain));
    }
    let lifted = Poses { hips: run.hips.iter().map(|hips| *hips + Vec3::Y).collect(), ..run.clone() };
    assert!(difference(&judge.scores(&lifted, ground + 1.0)) < 1e-3);
    assert!(difference(&judge.scores(&lifted, ground)) > 0.1);
}

#[test]
fn a_part_scores_as_in_the_whole_motion_and_short_motions_score_zero() {
    let (judge, run, ground) = judge_and("ada-run");
    let whole = judge.scores(&run, ground);
    for part in [0..run.len(), 0..3, 5..20, run.len() - 4..run.len()] {
        let scores = judge.scores_in(&run, ground, part.clone());
        assert_eq!(scores.len(), part.len());
        let difference = scores.iter().zip(&whole[part]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(difference < 1e-4, "{difference}");
    }
    assert_eq!(judge.scores_in(&run, ground, run.len() + 5..run.len() + 9), Vec::<f32>::new());
    assert_eq!(judge.scores(&run.slice(0..FRAMES - 1), ground), [0.0; FRAMES - 1]);
    assert_eq!(judge.scores(&run.slice(0..FRAMES), ground).len(), FRAMES);
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
    let (judge, ..) = judge_and("ada-walk");
    let walk = fixture_clip("ada-walk");
    let at_30 = naturalness(&judge, &resample(&walk, FPS)?, &rig::infer(&walk))?;
    let at_60 = naturalness(&judge, &resample(&walk, 2.0 * FPS)?, &rig::infer(&walk))?;
    assert!(at_60.len().abs_diff(2 * at_30.len()) <= 2);
    for (frame, score) in at_30.iter().enumerate() {
        assert!((at_60[2 * frame] - score).abs() < 0.05 * score, "frame {frame}: {score} and {}", at_60[2 * frame]);
    }
    let dog = fixture_clip("cleo-walk");
    assert!(matches!(naturalness(&judge, &dog, &rig::infer(&dog)), Err(Error::Rig { .. })));
    Ok(())
}

#[test]
fn motion_with_nan_gets_the_worst_score_without_a_panic() {
    let (judge, mut walk, ground) = judge_and("ada-walk");
    walk.hips[20] = Vec3::splat(f32::NAN);
    walk.rotations[25 * ROLES + 3] = Quat::from_xyzw(f32::INFINITY, 0.0, 0.0, 0.0);
    let scores = judge.scores(&walk, ground);
    assert_eq!(scores.len(), walk.len());
    assert!(scores.iter().all(|score| (0.0..=MAX_SCORE).contains(score)) && largest(&scores) == MAX_SCORE);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let good = tensors(&motion("ada-walk").1);
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
    refused(&file(&good, |meta| meta.config["hidden"] = [1_000_000_000, 1].into()), "size of 1000000000");
    refused(&file(&good, |meta| meta.config["columns"] = 7.into()), "is needed");
    let mut zero = good.clone();
    zero.iter_mut().filter(|tensor| tensor.name == "calibration").for_each(|tensor| tensor.values[1] = 0.0);
    refused(&file(&zero, |_| ()), "unit");
    zero = good.clone();
    zero.iter_mut().filter(|tensor| tensor.name == "deviation").for_each(|tensor| tensor.values[2] = 0.0);
    refused(&file(&zero, |_| ()), "standard deviation");
    for missing in 0..good.len() {
        let mut fewer = good.clone();
        let name = fewer.remove(missing).name;
        refused(&file(&fewer, |_| ()), &name);
    }
}
