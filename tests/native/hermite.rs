//! The method "hermite": speeds of the keys continue unless tension removes them, a long gap is not much faster than
//! the clip, and options are validated.

use crate::common::fixtures::fixture;
use crate::common::inbetween::{key, plain, run, with_options};
use kinestitch::Error;
use kinestitch::inbetween::InbetweenOptions;
use kinestitch::metrics;
use serde_json::json;

#[test]
fn the_speed_of_the_keys_continues_and_tension_stops_it() {
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 5..15), key(&walk, 30..40)];
    let options = InbetweenOptions { frames: vec![15], foot_lock: false, ..Default::default() };
    let step =
        |clip: &kinestitch::Clip, frame: usize| clip.local_translation(frame + 1, 0) - clip.local_translation(frame, 0);
    let hermite = plain("hermite");
    let smooth = run(&keys, hermite.as_ref(), &options).clip;
    assert!(step(&smooth, 9).distance(step(&smooth, 8)) < 0.2 * step(&smooth, 8).length());
    let stopped =
        run(&keys, with_options(hermite.as_ref(), json!({ "tension": 1.0 })).unwrap().as_ref(), &options).clip;
    assert!(step(&stopped, 9).length() < 0.4 * step(&stopped, 8).length());
    // In a long gap, joints are not much faster than in the clip.
    let long = InbetweenOptions { frames: vec![240], ..options };
    let largest_step = metrics::largest_step(&walk.0);
    assert!(metrics::largest_step(&run(&keys, hermite.as_ref(), &long).clip) < 1.5 * largest_step);
}

#[test]
fn options_are_checked() {
    let hermite = plain("hermite");
    for (options, option) in [(json!({ "tension": 2 }), "tension"), (json!({ "tension": "much" }), "method")] {
        let result = with_options(hermite.as_ref(), options);
        assert!(matches!(result, Err(Error::Option { option: found, .. }) if found == option), "{result:?}");
    }
}
