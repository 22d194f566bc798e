//! Round trip from a clip to rows of the refiner and back to the user's skeleton, on the fixtures and on recordings.

use crate::common::fixtures::{fixture_paths, read};
use crate::common::recordings::mocap;
use kinestitch::Clip;
use kinestitch::body::{Canonical, GroundPose, apply, to_canonical};
use kinestitch::feature::decode;
use kinestitch::feature::encode::{LOWER_BODY_ROLES, ground, rows};
use kinestitch::feature::layout::RefinerRow;
use kinestitch::motion::fk;
use kinestitch::motion::rig::{RigKind, infer};

/// Computes the largest distance between the joints of two clips in each frame, metres.
fn errors(a: &Clip, b: &Clip) -> Vec<f32> {
    let (pa, pb) = (fk::world_positions(a), fk::world_positions(b));
    let frames = pa.chunks(a.joints()).zip(pb.chunks(b.joints()));
    frames.map(|(pa, pb)| pa.iter().zip(pb).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)).collect()
}

/// Encodes a clip to rows, decodes them and applies the result to the clip; `None` if the rig is not a biped.
fn round_trip(clip: &Clip) -> Option<Clip> {
    let rig = infer(clip);
    if rig.kind != RigKind::Biped || clip.frames() < 2 {
        return None;
    }
    let body: Canonical = to_canonical(clip, &rig).unwrap();
    let (height, rest) = ground(&body.clip);
    let rows = rows(&body.clip, 0..clip.frames(), height, rest);
    let path = decode::path(&rows, GroundPose::from_clip(&body.clip, 0));
    let decoded = decode::clip(&rows, &path, &body.clip, height).unwrap();
    Some(apply(clip, &rig, &body, &decoded).unwrap())
}

#[test]
fn fixtures_survive_the_round_trip_within_half_a_centimetre() {
    let mut bipeds = 0;
    for path in fixture_paths() {
        let clip = read(&path);
        let Some(restored) = round_trip(&clip) else { continue };
        let worst = errors(&clip, &restored).into_iter().fold(0.0, f32::max);
        assert!(worst < 0.005, "{}: {worst} m", path.display());
        bipeds += 1;
    }
    assert!(bipeds >= 10, "only {bipeds} bipeds among the fixtures");
}

#[test]
fn recordings_survive_the_round_trip_within_half_a_centimetre() {
    for set in ["lafan1", "bandai", "cmu", "cmu-asf", "accad", "100style", "samples"] {
        let Some(paths) = mocap(set) else { continue };
        let (mut frames, mut accurate_frames, mut worst) = (0, 0, 0.0_f32);
        // Every fifth file, the first 600 frames of each, because only the variety of rigs matters.
        for path in paths.iter().step_by(if paths.len() < 10 { 1 } else { 5 }) {
            let clip = read(path);
            let clip = clip.trimmed(0..clip.frames().min(600)).unwrap();
            let Some(restored) = round_trip(&clip) else { continue };
            let errors = errors(&clip, &restored);
            frames += errors.len();
            accurate_frames += errors.iter().filter(|&&error| error < 0.005).count();
            worst = errors.into_iter().fold(worst, f32::max);
        }
        let fraction = accurate_frames as f32 / frames as f32;
        println!("{set}: {:.2} % of {frames} frames within 0.5 cm, worst {:.3} cm", fraction * 100.0, worst * 100.0);
        assert!(fraction >= 0.99, "{set}: {fraction}");
    }
}

#[test]
fn a_range_encodes_to_the_same_rows_as_the_whole_clip() {
    let clip = read(&fixture_paths()[0]);
    let body = to_canonical(&clip, &infer(&clip)).unwrap().clip;
    let (height, rest) = ground(&body);
    let all = rows(&body, 0..body.frames(), height, rest);
    for range in [0..1, 0..7, 1..2, 5..20] {
        let part = rows(&body, range.clone(), height, rest);
        assert_eq!(part, all[range.start * RefinerRow::WIDTH..range.end * RefinerRow::WIDTH], "{range:?}");
    }
}

#[test]
fn column_ranges_adjoin_and_have_the_width_of_the_paper() {
    assert_eq!(RefinerRow::WIDTH, 161);
    assert_eq!(LOWER_BODY_ROLES.len() * 3, RefinerRow::POSITION.width);
    let mut next = 0;
    for column in RefinerRow::FIELDS {
        assert_eq!(column.start, next, "{}", column.name);
        next += column.width;
    }
    assert_eq!(next, RefinerRow::WIDTH);
}
