//! Split of recordings into takes to train on and takes held out for validation.

use kinestitch::motion::{bvh, resample};
use std::collections::BTreeMap;
use training::data::{Label, Recording, Split};
use training::takes::{Take, split_takes};

fn recording(set: &str, split: Split, frames: usize) -> Recording {
    let path = format!("{}/../../tests/fixtures/ada-walk.bvh", env!("CARGO_MANIFEST_DIR"));
    let clip = bvh::parse("ada-walk", &std::fs::read(path).unwrap()).unwrap().clip;
    let clip = resample::resample(&clip, 30.0).unwrap().trimmed(0..frames).unwrap();
    let label = Label {
        set: set.to_owned(),
        split,
        subject: "ada".to_owned(),
        style: "neutral".to_owned(),
        character: "biped".to_owned(),
        lead: 0,
    };
    Recording::from_clip(&clip, &label).unwrap()
}

#[test]
fn only_training_recordings_of_the_recipes_sets_are_trained_on() {
    // The number of frames tells which recording a take was made from.
    let recordings = [
        recording("a", Split::Train, 20),
        recording("a", Split::Validation, 21),
        recording("a", Split::Test, 22),
        recording("b", Split::Train, 23),
        recording("b", Split::Validation, 24),
        recording("c", Split::Train, 25),
        recording("c", Split::Validation, 26),
    ];
    let sets = BTreeMap::from([("a".to_owned(), 1.0), ("b".to_owned(), 1.0)]);
    let validation = ["a".to_owned(), "c".to_owned()];
    let (takes, held_out) = split_takes(&recordings, &sets, &validation);
    let frames = |takes: &[&Take]| takes.iter().map(|take| take.poses.len()).collect::<Vec<_>>();
    assert_eq!(frames(&takes.values().flatten().collect::<Vec<_>>()), [20, 23], "c is not trained on");
    assert_eq!(frames(&held_out.iter().collect::<Vec<_>>()), [21, 26], "b validates nothing");
}
