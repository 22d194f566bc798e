//! The trajectory gallery on generated tracks: files, both trees, Algorithm 1, and selection.

use glam::Vec2;
use kinestitch::method::gallery::file::{Contents, Segment, Track};
use kinestitch::method::gallery::index::{Ends, Index};
use kinestitch::method::gallery::pace::Pace;
use kinestitch::method::gallery::search::{Search, split};
use kinestitch::method::gallery::{Gallery, Request};
use kinestitch::method::random::Random;
use kinestitch::motion::ground_path::GroundState;
use std::f32::consts::{FRAC_PI_2, PI};

/// A walk with varying speed (about `speed` m/s) and turn rate (about `turn` rad/s).
fn walk(style: usize, speed: f32, turn: f32, samples: usize) -> Track {
    let mut track = Track { style, ..Track::default() };
    let mut random = Random::new((1000.0 * (speed + 10.0 * turn)) as u64);
    let (mut faster, mut farther) = (0.0, 0.0);
    let (mut place, mut heading) = (Vec2::new(3.0, -1.0), 0.4_f32);
    for _ in 0..samples {
        track.positions.push(place);
        track.headings.push(heading);
        faster = 0.9 * faster + 0.1 * random.normal();
        farther = 0.9 * farther + 0.2 * random.normal();
        place += 0.1 * speed * (1.0 + faster) * Vec2::new(heading.sin(), heading.cos());
        heading += 0.1 * (turn + farther);
    }
    track
}

fn stored() -> Contents {
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

fn stand(x: f32, z: f32, heading: f32) -> GroundState {
    GroundState { place: Vec2::new(x, z), heading, velocity: None }
}

#[test]
fn a_file_comes_back_as_it_was_but_for_millimetres() {
    let before = stored();
    let bytes = before.write().unwrap();
    let after = Contents::read(&bytes).unwrap();
    assert_eq!((&after.styles, &after.segments, &after.set), (&before.styles, &before.segments, &before.set));
    for (a, b) in before.tracks.iter().zip(&after.tracks) {
        for index in 0..a.positions.len() {
            assert!((a.positions[index] - a.positions[0] - b.positions[index]).length() < 0.003);
            assert!((a.headings[index] - a.headings[0] - b.headings[index]).abs() < 0.005);
        }
    }
    assert_eq!(after.write().unwrap(), bytes, "and from then on to the bit");
}

#[test]
fn hostile_bytes_are_refused_or_are_a_gallery() {
    let bytes = stored().write().unwrap();
    for end in [0, 4, 8, 9, 100, bytes.len() - 1] {
        assert_eq!(Gallery::read(&bytes[..end]).err().unwrap().code(), "weights", "{end}");
    }
    assert!(Contents::read(&[&bytes[..], &[0]].concat()).is_err(), "something follows");
    let mut changed = 0;
    for at in (8..bytes.len()).step_by(37) {
        let mut other = bytes.clone();
        other[at] ^= 0xA5;
        if let Ok(gallery) = Gallery::read(&other) {
            changed += 1;
            // Any accepted file can be searched without a panic.
            let wanted = Request { count: 3, ..Request::default() };
            for candidate in gallery.candidates(stand(0.0, 0.0, 0.0), stand(0.0, 2.0, 0.0), &wanted) {
                assert!(candidate.path.places.iter().all(|place| place.is_finite()));
            }
        }
        if changed > 24 {
            break;
        }
    }
    let refuses = |change: &dyn Fn(&mut Contents)| {
        let mut wrong = stored();
        change(&mut wrong);
        assert_eq!(Contents::read(&wrong.write().unwrap()).unwrap_err().code(), "weights");
    };
    refuses(&|stored| stored.segments[3].start = 119);
    refuses(&|stored| stored.segments[3].start = u32::MAX);
    refuses(&|stored| stored.segments[3].steps = 4);
    refuses(&|stored| stored.segments[3].steps = 51);
    refuses(&|stored| stored.segments[3].track = 9999);
    refuses(&|stored| stored.tracks[3].style = 2);
}

#[test]
fn many_alike_and_none_at_all_are_galleries_too() {
    let mut alike =
        Contents { styles: vec!["usual".to_owned()], tracks: vec![walk(0, 1.0, 0.0, 60)], ..Contents::default() };
    alike.segments = vec![Segment { track: 0, start: 0, steps: 20 }; 20_000];
    let wanted = Request { count: 7, ..Request::default() };
    assert!(!Gallery::new(alike).candidates(stand(0.0, 0.0, 0.0), stand(0.0, 2.0, 0.0), &wanted).is_empty());
    let mut empty = stored();
    empty.tracks.push(Track::default());
    let read = Contents::read(&empty.write().unwrap()).unwrap();
    assert!(!Gallery::new(read).candidates(stand(0.0, 0.0, 0.0), stand(0.0, 2.0, 0.0), &wanted).is_empty());
    empty.segments.push(Segment { track: empty.tracks.len() as u32 - 1, start: 0, steps: 5 });
    assert_eq!(Contents::read(&empty.write().unwrap()).unwrap_err().code(), "weights");
    let none = Gallery::new(Contents::default());
    assert!(none.is_empty());
    assert!(none.candidates(stand(0.0, 0.0, 0.0), stand(0.0, 2.0, 0.0), &wanted).is_empty());
    assert!(none.durations(2.0, None, 7).is_empty());
}

#[test]
fn the_tree_finds_what_looking_at_all_finds() {
    let index = Index::new(&stored());
    let mut random = Random::new(3);
    for _ in 0..50 {
        let off = [random.uniform(), random.uniform()].map(|part| (2.0 * part - 1.0) * PI);
        let query = Ends { distance: 6.0 * random.uniform(), angles: off };
        let (tolerance, alpha) = (0.1, 0.2 + random.uniform());
        let angle = |a: f32, b: f32| (a - b).sin().atan2((a - b).cos()).abs();
        let mut all: Vec<usize> = (0..index.atoms.len())
            .filter(|&atom| {
                let ends = index.atoms[atom].ends;
                let error = angle(ends.angles[0], off[0]) + angle(ends.angles[1], off[1]);
                error <= alpha && (ends.log_distance() - query.log_distance()).abs() <= tolerance
            })
            .collect();
        let mut found: Vec<usize> = index.direct(query, tolerance, alpha).into_iter().map(|(atom, _)| atom).collect();
        all.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, all, "{query:?}");
    }
}

#[test]
fn a_distance_that_nobody_went_is_split() {
    let index = Index::new(&stored());
    let farthest = index.atoms.iter().map(|atom| atom.ends.distance).fold(0.0, f32::max);
    let query = Ends { distance: 1.6 * farthest, angles: [0.0; 2] };
    let search = Search::default();
    assert!(index.direct(query, search.tolerance, search.alpha).is_empty());
    let found = (0..20).find_map(|seed| split(&index, query, &search, &|_| true, &mut Random::new(seed))).unwrap();
    assert!(found.atoms.len() > 1 && found.error <= search.alpha, "{found:?}");
    let led: f32 = found.atoms.iter().map(|&atom| index.atoms[atom].ends.distance).sum();
    assert!((led / query.distance).ln().abs() < 0.2, "{led}");
    let styled = split(&index, query, &search, &|atom| index.atoms[atom].style == 0, &mut Random::new(1));
    assert!(styled.is_none_or(|found| found.atoms.iter().all(|&atom| index.atoms[atom].style == 0)));
}

#[test]
fn ways_begin_and_end_where_they_must_from_ten_centimetres_to_ten_metres() {
    let gallery = Gallery::new(stored());
    let wanted = Request { count: 7, seed: 5, ..Request::default() };
    for distance in [0.1, 0.5, 1.0, 3.0, 6.0, 10.0] {
        for turn in [0.0, FRAC_PI_2, -2.5] {
            let velocity = Some(Vec2::new(0.0, 0.04));
            let from = GroundState { velocity, ..stand(1.0, 2.0, 0.3) };
            let to = stand(1.0 + distance * 0.6, 2.0 + distance * 0.8, 0.3 + turn);
            let candidates = gallery.candidates(from, to, &wanted);
            assert!(candidates.len() == 7, "{} for {distance} m, turning {turn}", candidates.len());
            for candidate in &candidates {
                let way = &candidate.path;
                let last = way.steps();
                assert!(way.places[0].distance(from.place) < 1e-3 && way.places[last].distance(to.place) < 1e-3);
                assert!((way.headings[0] - 0.3).abs() < 1e-3);
                assert!(
                    ((way.headings[last] - to.heading) / (2.0 * PI)).fract().abs().min(1.0) < 1e-3 || {
                        let off = way.headings[last] - to.heading;
                        off.sin().abs() < 1e-3 && off.cos() > 0.0
                    }
                );
                assert!((way.places[1] - way.places[0]).distance(Vec2::new(0.0, 0.04)) < 0.02, "goes on as it did");
            }
        }
    }
}

#[test]
fn the_answers_are_far_apart_the_seed_s_own_and_of_the_asked_pace() {
    let gallery = Gallery::new(stored());
    let (from, to) = (stand(0.0, 0.0, 0.0), stand(0.0, 3.0, 0.0));
    let wanted = Request { count: 7, seed: 1, ..Request::default() };
    let once = gallery.candidates(from, to, &wanted);
    assert!(once == gallery.candidates(from, to, &wanted), "a seed's answers are its own");
    assert!(once != gallery.candidates(from, to, &Request { seed: 2, ..wanted.clone() }), "another seed has others");
    let pairs = (0..7).flat_map(|a| (0..a).map(move |b| (a, b)));
    let apart = pairs.map(|(a, b)| once[a].path.apart(&once[b].path)).sum::<f32>() / 21.0;
    assert!(apart > 0.2, "{apart} m");
    let mean = |pace| {
        let of = gallery.candidates(from, to, &Request { pace: Some(pace), ..wanted.clone() });
        assert!(!of.is_empty() && of.iter().all(|candidate| candidate.pace == pace));
        of.iter().map(|candidate| candidate.path.steps()).sum::<usize>() / of.len()
    };
    let [slow, medium, fast] = Pace::ALL.map(mean);
    assert!(slow > medium && medium > fast, "{slow} {medium} {fast}");
    let exact = gallery.candidates(from, to, &Request { steps: Some(77), ..wanted.clone() });
    assert!(exact.iter().all(|candidate| candidate.path.steps() == 77));
    // Candidates similar to one path are closer to it than the others.
    let like = gallery.candidates(from, to, &Request { similar_to: Some(&once[3].path), seed: 9, ..wanted });
    let off = |all: &[kinestitch::method::gallery::Candidate]| {
        all.iter().map(|other| other.path.apart(&once[3].path)).sum::<f32>()
    };
    assert!(off(&like) < off(&once), "{} {}", off(&like), off(&once));
}

#[test]
fn a_drawn_way_takes_as_long_as_people_take() {
    let durations = Gallery::new(stored()).durations(3.0, None, 5);
    assert_eq!(durations.len(), 5);
    assert!(durations.windows(2).all(|pair| pair[0].0 >= pair[1].0), "{durations:?}");
    // .36 to 3.2 m/s.
    assert!(durations.iter().all(|(steps, _)| (25..=260).contains(steps)), "{durations:?}");
}
