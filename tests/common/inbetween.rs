//! Keys from our own clips, and the motion through them.

use kinestitch::inbetween::{Inbetween, InbetweenOptions, Key, inbetween};
use kinestitch::method::filler::Filler;
use kinestitch::method::registry::{Choice, Fillers};
use kinestitch::motion::rig::{self, Rig};
use kinestitch::motion::{bvh, clip::Clip};
use kinestitch::progress::Progress;
use std::ops::Range;

/// One of our own clips.
pub fn fixture(name: &str) -> (Clip, Rig) {
    let path = format!("{}/tests/fixtures/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
    let clip = bvh::parse(name, &std::fs::read(path).unwrap()).unwrap().clip;
    let rig = rig::infer(&clip);
    (clip, rig)
}

/// Frames of a clip, where the motion leads.
pub fn key<'a>((clip, rig): &'a (Clip, Rig), frames: Range<usize>) -> Key<'a> {
    Key { clip, rig, frames, at: None }
}

/// The motion through keys.
pub fn run(keys: &[Key], filler: &dyn Filler, options: &InbetweenOptions) -> Inbetween {
    inbetween(keys, filler, options, &mut Progress::silent()).unwrap()
}

/// A method that needs no weights.
pub fn plain(name: &str) -> Box<dyn Filler> {
    Fillers::default().get(&Choice::from(name)).unwrap()
}

/// A network with options, an object.
#[allow(dead_code)] // Of the tests that share this file only those of networks have options.
pub fn told(network: &dyn Filler, options: serde_json::Value) -> kinestitch::Result<Box<dyn Filler>> {
    network.with(options.as_object().unwrap())
}
