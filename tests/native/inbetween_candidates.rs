//! Candidate paths from one key to another, found in a small generated gallery.

use crate::common::fixtures::fixture_clip;
use glam::{Vec2, Vec3Swizzles};
use kinestitch::Progress;
use kinestitch::inbetween::{CandidateOptions, Gallery, GroundPose, InbetweenOptions, Key, Pace, Session};
use kinestitch::method::gallery::file::{Contents, Segment, Track};
use kinestitch::motion::rig;

fn gallery() -> Gallery {
    let mut stored = Contents { styles: vec!["usual".to_owned()], ..Contents::default() };
    for speed in 1..30 {
        for turn in -4..=4 {
            let mut track = Track::default();
            let (mut position, mut heading) = (Vec2::ZERO, 0.0_f32);
            for _ in 0..60 {
                track.positions.push(position);
                track.headings.push(heading);
                track.heights.push(0.95);
                position += 0.01 * speed as f32 * Vec2::new(heading.sin(), heading.cos());
                heading += 0.03 * turn as f32;
            }
            let track_index = stored.tracks.len() as u32;
            stored.segments.extend([5, 9, 14, 20, 30, 44].map(|steps| Segment { track: track_index, start: 3, steps }));
            stored.tracks.push(track);
        }
    }
    Gallery::new(stored)
}

fn session<T>(at: GroundPose, then: impl FnOnce(&mut Session) -> T) -> T {
    let clip = fixture_clip("ada-walk");
    let rig = rig::infer(&clip);
    let key = |frames, at| Key { clip: &clip, rig: &rig, frames, at };
    let keys = [key(20..30, None), key(60..61, Some(at))];
    then(&mut Session::new(&keys, &InbetweenOptions::default(), &mut Progress::silent()).unwrap())
}

const AHEAD: GroundPose = GroundPose::new(0.8, 3.0, 0.6);

#[test]
fn plans_lead_from_key_to_key_with_the_requested_duration() {
    let gallery = gallery();
    session(AHEAD, |session| {
        let poses = session.ground_poses();
        let plans = session.candidates(&gallery, &CandidateOptions::default()).unwrap();
        assert_eq!(plans.len(), 7);
        for plan in &plans {
            let (first, last) = (plan.path[0], plan.path[plan.path.len() - 1]);
            // Paths lead to the hips of the canonical body, a few centimetres from those of the clip.
            assert!(last.distance(AHEAD.position.xz()) < 0.05, "{last}");
            // A path begins at the last frame of the first key; the key's ground pose is that of its first frame.
            assert!(first.distance(poses[0].position.xz()) < 1.0, "{first}");
            assert!((1..=480).contains(&plan.frames));
        }
        let exact = CandidateOptions { frames: Some(44), ..CandidateOptions::default() };
        assert!(session.candidates(&gallery, &exact).unwrap().iter().all(|plan| plan.frames == 44));
        let mean_frames = |pace| {
            let options = CandidateOptions { pace: Some(pace), ..CandidateOptions::default() };
            let plans = session.candidates(&gallery, &options).unwrap();
            assert!(plans.iter().all(|plan| plan.pace == pace));
            plans.iter().map(|plan| plan.frames).sum::<usize>() / plans.len()
        };
        assert!(mean_frames(Pace::Slow) > mean_frames(Pace::Fast));
    });
}

#[test]
fn candidates_follow_a_given_path_with_durations_of_the_recordings() {
    let gallery = gallery();
    session(AHEAD, |session| {
        let points = vec![Vec2::new(0.0, 0.3), Vec2::new(-1.0, 1.5), Vec2::new(0.8, 3.0)];
        let options = CandidateOptions { path: Some(points), ..CandidateOptions::default() };
        let plans = session.candidates(&gallery, &options).unwrap();
        assert!(plans.len() > 3 && plans[0].frames > plans[plans.len() - 1].frames);
        for plan in plans {
            // The corner at x = −1 is rounded, and moved by about half of the distance between first key and first
            // point.
            assert!(plan.path.iter().any(|point| point.x < -0.5), "the path passes near the corner");
        }
    });
}

#[test]
fn errors_name_the_wrong_option() {
    let gallery = gallery();
    session(AHEAD, |session| {
        let usual = CandidateOptions::default;
        let wrong = [
            ("candidates", CandidateOptions { count: 0, ..usual() }),
            ("candidates", CandidateOptions { count: 65, ..usual() }),
            ("frames", CandidateOptions { frames: Some(0), ..usual() }),
            ("speed", CandidateOptions { frames: Some(30), pace: Some(Pace::Fast), ..usual() }),
            ("tolerance", CandidateOptions { tolerance: f32::NAN, ..usual() }),
            ("path", CandidateOptions { path: Some(vec![Vec2::ZERO]), ..usual() }),
            ("similarTo", CandidateOptions { similar_to: Some(vec![Vec2::ZERO, Vec2::NAN]), ..usual() }),
        ];
        for (expected, options) in wrong {
            match session.candidates(&gallery, &options) {
                Err(kinestitch::Error::Option { option, .. }) => assert_eq!(option, expected),
                other => panic!("{expected}: {other:?}"),
            }
        }
    });
}

#[test]
fn long_paths_are_timed_and_an_empty_gallery_is_an_error() {
    let gallery = gallery();
    session(AHEAD, |session| {
        let usual = CandidateOptions::default;
        // A path longer than all recordings gets its duration from their speed.
        let long = vec![Vec2::new(0.0, 0.3), Vec2::new(90.0, 40.0), Vec2::new(0.8, 3.0)];
        assert!(!session.candidates(&gallery, &CandidateOptions { path: Some(long), ..usual() }).unwrap().is_empty());
        // A path that no body can cover in the longest gap has no more points than the gap has steps.
        let endless = vec![Vec2::new(0.0, 0.3), Vec2::new(1e9, 0.0), Vec2::new(0.8, 3.0)];
        let plans = session.candidates(&gallery, &CandidateOptions { path: Some(endless), ..usual() }).unwrap();
        assert!(!plans.is_empty() && plans.iter().all(|plan| plan.frames <= 480 && plan.path.len() <= 601));
        let empty = Gallery::new(Contents::default());
        assert_eq!(session.candidates(&empty, &usual()).unwrap_err().code(), "weights");
    });
}
