//! BVH: round trips of recorded files.

use crate::common::recordings::mocap;
use kinestitch::Clip;
use kinestitch::motion::bvh::{Parsed, parse, write};
use kinestitch::motion::space::Unit;

/// Asserts that joints, channels, offsets, End Sites, frame time and translations are equal, and rotations within 1e-4
/// degrees.
fn assert_round_trip(what: &str, parsed: &Parsed) {
    let clip = &parsed.clip;
    let text = write(clip).unwrap();
    let back = parse(&clip.name, text.as_bytes()).unwrap_or_else(|e| panic!("{what}: the written text: {e}")).clip;
    assert_eq!(clip.skeleton(), back.skeleton(), "{what}");
    assert_eq!(clip.frame_time_secs().to_bits(), back.frame_time_secs().to_bits(), "{what}");
    assert_eq!(clip.frames(), back.frames(), "{what}");
    assert_eq!(clip.translations(), back.translations(), "{what}");
    let worst = worst_degrees(clip, &back);
    assert!(worst < 1e-4, "{what}: rotations differ by {worst} degrees");
}

fn worst_degrees(a: &Clip, b: &Clip) -> f64 {
    let pairs = a.rotations().iter().zip(b.rotations());
    // The chord of half the angle is exact for small angles; acos of a dot product is not.
    let degrees = pairs.map(|(p, q)| {
        let (p, q) = (p.as_dquat().normalize(), q.as_dquat().normalize());
        (4.0 * (0.5 * (p - q).length().min((p + q).length())).asin()).to_degrees()
    });
    degrees.fold(0.0, f64::max)
}

fn check_recordings(set: &str, unit: Unit) {
    let Some(files) = mocap(set) else { return };
    assert!(!files.is_empty());
    for file in files {
        let what = file.display().to_string();
        let parsed = parse(&what, &std::fs::read(&file).unwrap()).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(parsed.unit, unit, "{what}");
        assert_eq!(parsed.clip.skeleton().space().up, kinestitch::motion::skeleton::UpAxis::Y, "{what}");
        assert_eq!(parsed.source.warnings, [""; 0], "{what}");
        assert!(parsed.clip.frames() > 0, "{what}");
        assert_round_trip(&what, &parsed);
    }
}

#[test]
fn lafan1_round_trips() {
    check_recordings("lafan1", Unit::Centimetre);
}

#[test]
fn bandai_round_trips() {
    check_recordings("bandai", Unit::Centimetre);
}

#[test]
fn cmu_round_trips() {
    check_recordings("cmu", Unit::Centimetre);
}

#[test]
fn dog_round_trips() {
    check_recordings("dog", Unit::Metre);
}

#[test]
fn samples_round_trip() {
    for file in mocap("samples").unwrap_or_default() {
        let what = file.display().to_string();
        let parsed = parse(&what, &std::fs::read(&file).unwrap()).unwrap_or_else(|e| panic!("{what}: {e}"));
        println!("{what}: {:?} {:?} {:?}", parsed.unit, parsed.clip.skeleton().space(), parsed.source.warnings);
        assert_round_trip(&what, &parsed);
    }
}

/// Prints megabytes per second: `cargo test --release -p native-tests bvh::speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let text = mocap("lafan1").and_then(|files| std::fs::read(files.first()?).ok());
    let Some(text) = text else { return };
    let seconds = |run: &dyn Fn()| {
        let time = |_| {
            let start = std::time::Instant::now();
            run();
            start.elapsed().as_secs_f64()
        };
        (0..9).map(time).fold(f64::MAX, f64::min)
    };
    let megabytes = text.len() as f64 / 1e6;
    let clip = parse("speed", &text).unwrap().clip;
    let (read, written) = (seconds(&|| drop(parse("speed", &text))), seconds(&|| drop(write(&clip).unwrap())));
    println!("{megabytes:.1} MB: parse {:.0} MB/s, write {:.0} MB/s", megabytes / read, megabytes / written);
}
