//! Keys from the generated clips, and in-betweening through them.

use kinestitch::inbetween::{Inbetween, InbetweenOptions, Key, inbetween};
use kinestitch::method::filler::Filler;
use kinestitch::method::registry::{FillerChoice, Fillers};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::rig::Rig;
use kinestitch::progress::Progress;
use std::ops::Range;

/// Creates a key with frames of a clip, which keeps their ground pose.
pub fn key<'a>((clip, rig): &'a (Clip, Rig), frames: Range<usize>) -> Key<'a> {
    Key { clip, rig, frames, at: None }
}

/// Fills the gaps between keys.
pub fn run(keys: &[Key], filler: &dyn Filler, options: &InbetweenOptions) -> Inbetween {
    inbetween(keys, filler, options, &mut Progress::silent()).unwrap()
}

/// Returns a method without weights, by its name in the registry.
pub fn plain(name: &str) -> Box<dyn Filler> {
    Fillers::default().get(&FillerChoice::from(name)).unwrap()
}

/// Returns a copy of a method with these options, a JSON object.
pub fn with_options(network: &dyn Filler, options: serde_json::Value) -> kinestitch::Result<Box<dyn Filler>> {
    network.with_options(options.as_object().unwrap())
}
