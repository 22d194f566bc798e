//! Location of real recordings. They belong to others: they are never part of the repository, and tests pass without
//! them.

#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Name of a set, its archive, and directories with its unpacked files.
const SETS: [(&str, &str, &[&str]); 9] = [
    ("lafan1", "lafan1-subjects1-4.tar.xz", &["lafan1", "lafan1-subjects1-4"]),
    ("bandai", "bandai-locomotion.tar.xz", &["bandai", "bandai-locomotion"]),
    ("cmu", "cmu-subjects01-14.tar.xz", &["cmu_daz", "cmu", "cmu-subjects01-14"]),
    ("cmu-asf", "cmu-asf.tar.xz", &["cmu-asf"]),
    ("accad", "accad-female1.tar.xz", &["accad", "accad-female1"]),
    ("100style", "100style-neutral.tar.xz", &["100style", "100style-neutral"]),
    ("dog", "dog.tar.xz", &["mann_dog", "dog"]),
    ("mesh2motion", "mesh2motion-glb.tar.xz", &["mesh2motion", "mesh2motion-glb"]),
    ("samples", "", &["samples"]),
];

/// Files of a set (see [`SETS`]), sorted. Prints the reason and returns `None` if the recordings are not available.
///
/// Searches `MOCAP_DATA` (unpacked directories or archives), then `../shared/data`. Archives are unpacked once into
/// `KINESTITCH_CACHE`, or the user's cache directory.
pub fn mocap(set: &str) -> Option<Vec<PathBuf>> {
    let Some(&(name, archive, directories)) = SETS.iter().find(|(name, ..)| *name == set) else {
        panic!("no set of recordings is called {set}");
    };
    // The crates of the workspace are one folder deeper than the library.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/data"));
    let places: Vec<PathBuf> = std::env::var_os("MOCAP_DATA").map(PathBuf::from).into_iter().chain(above).collect();
    for place in &places {
        let unpacked = directories.iter().map(|directory| place.join(directory)).find(|path| path.is_dir());
        let packed = || Some(place.join(archive)).filter(|path| path.is_file()).and_then(|path| unpack(&path, name));
        if let Some(directory) = unpacked.or_else(packed) {
            let mut files = Vec::new();
            collect(&directory, &mut files);
            files.sort();
            return Some(files);
        }
    }
    println!("skipped: no {name} recordings in MOCAP_DATA or ../shared/data");
    None
}

/// Unpacks to a temporary folder and renames it, so that concurrent test programs never see an incomplete archive.
fn unpack(archive: &Path, name: &str) -> Option<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let cache = cache()?;
    let target = cache.join(name);
    if target.is_dir() {
        return Some(target);
    }
    let scratch = cache.join(format!("{name}.{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    std::fs::create_dir_all(&scratch).ok()?;
    let done = Command::new("tar").arg("xJf").arg(archive).arg("-C").arg(&scratch).status();
    if !done.is_ok_and(|status| status.success()) {
        let _ = std::fs::remove_dir_all(&scratch);
        println!("skipped: tar cannot unpack {}", archive.display());
        return None;
    }
    if std::fs::rename(&scratch, &target).is_err() {
        // Another test program was faster.
        let _ = std::fs::remove_dir_all(&scratch);
    }
    target.is_dir().then_some(target)
}

fn cache() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = || Some(var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join(".cache")))?.join("kinestitch/mocap"));
    var("KINESTITCH_CACHE").or_else(user)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "bvh" || end == "glb") {
            files.push(path);
        }
    }
}
