//! The trajectory gallery on generated tracks: file format, both search trees, Algorithm 1, and the choice of
//! candidates.

use glam::Vec2;
use kinestitch::method::gallery::file::{Contents, Segment, Track};
use kinestitch::method::gallery::index::{Ends, Index};
use kinestitch::method::gallery::pace::Pace;
use kinestitch::method::gallery::search::{Search, find_sequence};
use kinestitch::method::gallery::{Gallery, Request};
use kinestitch::method::random::Random;
use kinestitch::motion::ground_path::GroundState;
use std::f32::consts::{FRAC_PI_2, PI};

/// Height of the hips of a standing body, metres.
const STANDING: f32 = 0.95;
/// Height of the hips of a body on hands and knees, metres.
const KNEELING: f32 = 0.45;

/// Generates the track of a walk with varying speed (about `speed` m/s) and turning rate (about `turn` rad/s).
fn walk(style: usize, speed: f32, turn: f32, samples: usize) -> Track {
    let mut track = Track { style, ..Track::default() };
    let mut random = Random::new((1000.0 * (speed + 10.0 * turn)) as u64);
    let (mut speed_noise, mut turn_noise) = (0.0, 0.0);
    let (mut position, mut heading) = (Vec2::new(3.0, -1.0), 0.4_f32);
    for _ in 0..samples {
        track.positions.push(position);
        track.headings.push(heading);
        track.heights.push(STANDING);
        speed_noise = 0.9 * speed_noise + 0.1 * random.normal();
        turn_noise = 0.9 * turn_noise + 0.2 * random.normal();
        position += 0.1 * speed * (1.0 + speed_noise) * Vec2::new(heading.sin(), heading.cos());
        heading += 0.1 * (turn + turn_noise);
    }
    track
}

/// Creates a gallery of walks with many speeds and turning rates in two styles.
fn contents() -> Contents {
    let mut tracks = Vec::new();
    for (style, factor) in [(0, 1.0), (1, 0.6)] {
        for speed in [0.05, 0.3, 0.6, 1.0, 1.4, 2.2, 3.2] {
            for turn in [0.0, 0.4, 0.9, 1.6] {
                tracks.push(walk(style, factor * speed, turn, 120));
            }
        }
    }
    let mut segments = Vec::new();
    for track in 0..tracks.len() as u32 {
        for start in (0..69).step_by(7) {
            segments.extend([5, 8, 12, 18, 26, 36, 50].map(|steps| Segment { track, start, steps }));
        }
    }
    let styles = vec!["usual".to_owned(), "old".to_owned()];
    Contents { set: "open".to_owned(), licence: "made by a test".to_owned(), styles, tracks, segments }
}

fn standing(x: f32, z: f32, heading: f32) -> GroundState {
    GroundState { position: Vec2::new(x, z), heading, velocity: None }
}

#[test]
fn a_file_is_read_as_written_within_its_resolution() {
    let written = contents();
    let bytes = written.write().unwrap();
    let read = Contents::read(&bytes).unwrap();
    assert_eq!((&read.styles, &read.segments, &read.set), (&written.styles, &written.segments, &written.set));
    assert_eq!(written.tracks.len(), read.tracks.len());
    for (a, b) in written.tracks.iter().zip(&read.tracks) {
        assert_eq!((a.style, a.positions.len()), (b.style, b.positions.len()));
        for index in 0..a.positions.len() {
            assert!((a.heights[index] - b.heights[index]).abs() < 0.01);
            // The file has positions relative to the first one, in the axes of the first heading.
            let (path_a, path_b) = (a.positions[index] - a.positions[0], b.positions[index]);
            let in_first_axes = path_a.rotate(Vec2::from_angle(a.headings[0]));
            assert!((in_first_axes - path_b).length() < 0.003, "{in_first_axes} and {path_b}");
            assert!((a.headings[index] - a.headings[0] - b.headings[index]).abs() < 0.005);
        }
    }
    assert_eq!(read.write().unwrap(), bytes, "writing the read contents gives the same bytes");
}

#[test]
fn damaged_files_are_rejected_or_can_be_searched() {
    let bytes = contents().write().unwrap();
    for end in [0, 4, 8, 9, 100, bytes.len() - 1] {
        assert_eq!(Gallery::read(&bytes[..end]).err().unwrap().code(), "weights", "{end}");
    }
    assert!(Contents::read(&[&bytes[..], &[0]].concat()).is_err(), "data after the end");
    let mut accepted = 0;
    for index in (8..bytes.len()).step_by(37) {
        let mut other = bytes.clone();
        other[index] ^= 0xA5;
        if let Ok(gallery) = Gallery::read(&other) {
            accepted += 1;
            // Any accepted file can be searched without a panic.
            let request = Request { count: 3, ..Request::default() };
            for candidate in gallery.candidates(standing(0.0, 0.0, 0.0), standing(0.0, 2.0, 0.0), &request) {
                assert!(candidate.path.positions.iter().all(|position| position.is_finite()));
            }
        }
        if accepted > 24 {
            break;
        }
    }
    let assert_rejected = |change: &dyn Fn(&mut Contents)| {
        let mut invalid = contents();
        change(&mut invalid);
        assert_eq!(Contents::read(&invalid.write().unwrap()).unwrap_err().code(), "weights");
    };
    assert_rejected(&|contents| contents.segments[3].start = 119);
    assert_rejected(&|contents| contents.segments[3].start = u32::MAX);
    assert_rejected(&|contents| contents.segments[3].steps = 4);
    assert_rejected(&|contents| contents.segments[3].steps = 51);
    assert_rejected(&|contents| contents.segments[3].track = 9999);
    assert_rejected(&|contents| contents.tracks[3].style = 2);
}

#[test]
fn galleries_of_equal_trajectories_and_empty_ones_can_be_searched() {
    let mut equal =
        Contents { styles: vec!["usual".to_owned()], tracks: vec![walk(0, 1.0, 0.0, 60)], ..Contents::default() };
    equal.segments = vec![Segment { track: 0, start: 0, steps: 20 }; 20_000];
    let request = Request { count: 7, ..Request::default() };
    assert!(!Gallery::new(equal).candidates(standing(0.0, 0.0, 0.0), standing(0.0, 2.0, 0.0), &request).is_empty());
    let mut empty = contents();
    empty.tracks.push(Track::default());
    let read = Contents::read(&empty.write().unwrap()).unwrap();
    assert!(!Gallery::new(read).candidates(standing(0.0, 0.0, 0.0), standing(0.0, 2.0, 0.0), &request).is_empty());
    empty.segments.push(Segment { track: empty.tracks.len() as u32 - 1, start: 0, steps: 5 });
    assert_eq!(Contents::read(&empty.write().unwrap()).unwrap_err().code(), "weights");
    let none = Gallery::new(Contents::default());
    assert!(none.is_empty());
    assert!(none.candidates(standing(0.0, 0.0, 0.0), standing(0.0, 2.0, 0.0), &request).is_empty());
    assert!(none.durations(2.0, None, 7).is_empty());
}

#[test]
fn candidates_have_the_heights_of_both_poses() {
    let mut contents = contents();
    let standing_tracks = contents.tracks.len() as u32;
    // The same tracks on hands and knees, four times as slow.
    for track in 0..standing_tracks as usize {
        let mut slow = contents.tracks[track].clone();
        slow.positions.iter_mut().for_each(|position| *position *= 0.25);
        slow.heights.fill(KNEELING);
        contents.tracks.push(slow);
    }
    let slow_segments =
        contents.segments.iter().map(|segment| Segment { track: segment.track + standing_tracks, ..*segment });
    contents.segments.extend(slow_segments.collect::<Vec<_>>());
    let gallery = Gallery::new(Contents::read(&contents.write().unwrap()).unwrap());
    let durations = |heights: Option<[f32; 2]>| -> Vec<usize> {
        let request = Request { count: 7, heights, ..Request::default() };
        let candidates = gallery.candidates(standing(0.0, 0.0, 0.0), standing(0.0, 1.2, 0.0), &request);
        candidates.iter().map(|candidate| candidate.path.steps()).collect()
    };
    let [mean_standing, mean_kneeling] = [STANDING, KNEELING].map(|height| {
        let durations = durations(Some([height; 2]));
        assert!(durations.len() == 7, "{durations:?}");
        durations.iter().sum::<usize>() as f32 / 7.0
    });
    assert!(mean_kneeling > 1.5 * mean_standing, "{mean_kneeling} and {mean_standing} steps");
    assert!(!durations(Some([STANDING, 5.0])).is_empty(), "without trajectories of such heights, others are used");
    assert!(!durations(None).is_empty());
}

#[test]
fn the_tree_finds_the_same_atoms_as_a_scan() {
    let index = Index::new(&contents());
    let mut random = Random::new(3);
    for _ in 0..50 {
        let angles = [random.uniform(), random.uniform()].map(|number| (2.0 * number - 1.0) * PI);
        let query = Ends { distance: 6.0 * random.uniform(), angles };
        let (tolerance, alpha) = (0.1, 0.2 + random.uniform());
        let angle = |a: f32, b: f32| (a - b).sin().atan2((a - b).cos()).abs();
        let mut all: Vec<usize> = (0..index.atoms.len())
            .filter(|&atom| {
                let ends = index.atoms[atom].ends;
                let error = angle(ends.angles[0], angles[0]) + angle(ends.angles[1], angles[1]);
                error <= alpha && (ends.log_distance() - query.log_distance()).abs() <= tolerance
            })
            .collect();
        let mut found: Vec<usize> =
            index.find_matches(query, tolerance, alpha).into_iter().map(|(atom, _)| atom).collect();
        all.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, all, "{query:?}");
    }
}

#[test]
fn a_distance_longer_than_all_trajectories_is_split() {
    let index = Index::new(&contents());
    let farthest = index.atoms.iter().map(|atom| atom.ends.distance).fold(0.0, f32::max);
    let query = Ends { distance: 1.6 * farthest, angles: [0.0; 2] };
    let search = Search::default();
    assert!(index.find_matches(query, search.tolerance, search.alpha).is_empty());
    let found =
        (0..20).find_map(|seed| find_sequence(&index, query, &search, &|_| true, &mut Random::new(seed))).unwrap();
    assert!(found.atoms.len() > 1 && found.error <= search.alpha, "{found:?}");
    let length: f32 = found.atoms.iter().map(|&atom| index.atoms[atom].ends.distance).sum();
    assert!((length / query.distance).ln().abs() < 0.2, "{length}");
    let styled = find_sequence(&index, query, &search, &|atom| index.atoms[atom].style == 0, &mut Random::new(1));
    assert!(styled.is_none_or(|found| found.atoms.iter().all(|&atom| index.atoms[atom].style == 0)));
}

#[test]
fn paths_begin_and_end_at_both_states_from_ten_centimetres_to_ten_metres() {
    let gallery = Gallery::new(contents());
    let request = Request { count: 7, seed: 5, ..Request::default() };
    for distance in [0.1, 0.5, 1.0, 3.0, 6.0, 10.0] {
        for turn in [0.0, FRAC_PI_2, -2.5] {
            let velocity = Some(Vec2::new(0.0, 0.04));
            let from = GroundState { velocity, ..standing(1.0, 2.0, 0.3) };
            let to = standing(1.0 + distance * 0.6, 2.0 + distance * 0.8, 0.3 + turn);
            let candidates = gallery.candidates(from, to, &request);
            assert!(candidates.len() == 7, "{} for {distance} m, turning {turn}", candidates.len());
            for candidate in &candidates {
                let path = &candidate.path;
                let last = path.steps();
                assert!(
                    path.positions[0].distance(from.position) < 1e-3
                        && path.positions[last].distance(to.position) < 1e-3
                );
                assert!((path.headings[0] - 0.3).abs() < 1e-3);
                // The last heading may differ by full turns.
                let difference = path.headings[last] - to.heading;
                assert!(difference.sin().abs() < 1e-3 && difference.cos() > 0.0, "{difference} rad");
                assert!(
                    (path.positions[1] - path.positions[0]).distance(Vec2::new(0.0, 0.04)) < 0.02,
                    "the path continues with the velocity of the body"
                );
            }
        }
    }
}

#[test]
fn candidates_are_diverse_depend_on_the_seed_and_have_the_requested_pace() {
    let gallery = Gallery::new(contents());
    let (from, to) = (standing(0.0, 0.0, 0.0), standing(0.0, 3.0, 0.0));
    let request = Request { count: 7, seed: 1, ..Request::default() };
    let candidates = gallery.candidates(from, to, &request);
    assert!(candidates == gallery.candidates(from, to, &request), "equal seeds give equal candidates");
    assert!(
        candidates != gallery.candidates(from, to, &Request { seed: 2, ..request.clone() }),
        "another seed gives other candidates"
    );
    let pairs = (0..7).flat_map(|a| (0..a).map(move |b| (a, b)));
    let mean_distance = pairs.map(|(a, b)| candidates[a].path.mean_distance(&candidates[b].path)).sum::<f32>() / 21.0;
    assert!(mean_distance > 0.2, "{mean_distance} m");
    let mean = |pace| {
        let paced = gallery.candidates(from, to, &Request { pace: Some(pace), ..request.clone() });
        assert!(!paced.is_empty() && paced.iter().all(|candidate| candidate.pace == pace));
        paced.iter().map(|candidate| candidate.path.steps()).sum::<usize>() / paced.len()
    };
    let [slow, medium, fast] = Pace::ALL.map(mean);
    assert!(slow > medium && medium > fast, "{slow} {medium} {fast}");
    let exact = gallery.candidates(from, to, &Request { steps: Some(77), ..request.clone() });
    assert!(exact.iter().all(|candidate| candidate.path.steps() == 77));
    // Candidates similar to one path are closer to it than the others.
    let similar = gallery.candidates(from, to, &Request { similar_to: Some(&candidates[3].path), seed: 9, ..request });
    let distance = |all: &[kinestitch::method::gallery::Candidate]| {
        all.iter().map(|other| other.path.mean_distance(&candidates[3].path)).sum::<f32>()
    };
    assert!(distance(&similar) < distance(&candidates), "{} {}", distance(&similar), distance(&candidates));
}

#[test]
fn durations_of_a_drawn_path_are_those_of_recordings() {
    let durations = Gallery::new(contents()).durations(3.0, None, 5);
    assert_eq!(durations.len(), 5);
    assert!(durations.windows(2).all(|pair| pair[0].0 >= pair[1].0), "{durations:?}");
    // 0.35 to 3.6 m/s.
    assert!(durations.iter().all(|(steps, _)| (25..=260).contains(steps)), "{durations:?}");
}

#[test]
fn a_drawn_path_longer_than_all_trajectories_has_durations_at_their_speed() {
    let gallery = Gallery::new(contents());
    for length in [0.0, 0.01, 60.0, 1000.0] {
        for count in [1, 7, 64] {
            let durations = gallery.durations(length, None, count);
            assert!(!durations.is_empty(), "{length} m");
            let speeds = durations.iter().map(|&(steps, _)| 30.0 * length / steps as f32);
            assert!(length < 1.0 || speeds.into_iter().all(|speed| (0.2..5.0).contains(&speed)), "{durations:?}");
        }
    }
    for pace in Pace::ALL {
        assert!(gallery.durations(60.0, Some(pace), 3).iter().all(|&(_, found)| found == pace));
    }
}
