//! The method "hermite": keys are kept, speeds continue unless tension removes them, and options are validated.

#[path = "common/inbetween.rs"]
mod common;

use common::{fixture, key, plain, run, with_options};
use kinestitch::Error;
use kinestitch::inbetween::InbetweenOptions;
use kinestitch::metrics;
use serde_json::json;

#[test]
fn it_goes_on_at_the_speed_of_its_keys_and_stops_at_them_where_told() {
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 5..15), key(&walk, 30..40)];
    let options = InbetweenOptions { frames: vec![15], foot_lock: false, ..Default::default() };
    let step = |made: &kinestitch::Clip, at: usize| made.local_translation(at + 1, 0) - made.local_translation(at, 0);
    let hermite = plain("hermite");
    let made = run(&keys, hermite.as_ref(), &options).clip;
    assert!(step(&made, 9).distance(step(&made, 8)) < 0.2 * step(&made, 8).length());
    let stopped =
        run(&keys, with_options(hermite.as_ref(), json!({ "tension": 1.0 })).unwrap().as_ref(), &options).clip;
    assert!(step(&stopped, 9).length() < 0.4 * step(&stopped, 8).length());
    // Joints stay in range, however long the gap.
    let long = InbetweenOptions { frames: vec![240], ..options };
    let most = metrics::largest_step(&walk.0);
    assert!(metrics::largest_step(&run(&keys, hermite.as_ref(), &long).clip) < 1.5 * most);
}

#[test]
fn its_options_are_checked() {
    let hermite = plain("hermite");
    for (options, option) in [(json!({ "tension": 2 }), "tension"), (json!({ "tension": "much" }), "method")] {
        let wrong = with_options(hermite.as_ref(), options);
        assert!(matches!(wrong, Err(Error::Option { option: found, .. }) if found == option), "{wrong:?}");
    }
}
