//! The generated clips of tests/fixtures.

use kinestitch::Clip;
use kinestitch::motion::bvh;
use kinestitch::motion::rig::{Rig, infer};

/// Reads a clip by its file name without the ending, and infers its rig.
pub fn fixture(name: &str) -> (Clip, Rig) {
    let path = format!("{}/tests/fixtures/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
    let clip = bvh::parse(name, &std::fs::read(path).unwrap()).unwrap().clip;
    let rig = infer(&clip);
    (clip, rig)
}
