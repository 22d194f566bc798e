//! Keys from our own clips, and the motion through them.

use kinestitch::inbetween::{Inbetween, InbetweenOptions, Inbetweener, Key, inbetween};
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
pub fn run(keys: &[Key], method: Inbetweener, options: &InbetweenOptions) -> Inbetween {
    inbetween(keys, method, options, &mut Progress::silent()).unwrap()
}
