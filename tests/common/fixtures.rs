//! Files of the repository that tests read, among them the generated clips of tests/fixtures.

use kinestitch::Clip;
use kinestitch::motion::bvh;
use kinestitch::motion::rig::{Rig, infer};
use std::path::{Path, PathBuf};

/// Returns the path of a file or folder in the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Reads a BVH file. The clip has the name of the file without its ending.
pub fn read(path: &Path) -> Clip {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    bvh::parse(&name, &std::fs::read(path).unwrap()).unwrap().clip
}

/// Reads a generated clip by its name.
pub fn fixture_clip(name: &str) -> Clip {
    read(&repository(&format!("tests/fixtures/{name}.bvh")))
}

/// Reads a generated clip by its name, and infers its rig.
pub fn fixture(name: &str) -> (Clip, Rig) {
    let clip = fixture_clip(name);
    let rig = infer(&clip);
    (clip, rig)
}

/// Returns the paths of all generated clips, sorted.
pub fn fixture_paths() -> Vec<PathBuf> {
    let files = std::fs::read_dir(repository("tests/fixtures")).unwrap().flatten().map(|entry| entry.path());
    let mut bvh: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "bvh")).collect();
    bvh.sort();
    bvh
}
