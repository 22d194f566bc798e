//! Finds recordings for tests. For reasons of copyright, recordings are not part of the repository; tests pass without
//! them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Data sets: name, archive, and names of directories that contain the unpacked files.
const DATA_SETS: [(&str, &str, &[&str]); 10] = [
    ("lafan1", "lafan1-subjects1-4.tar.xz", &["lafan1", "lafan1-subjects1-4"]),
    ("bandai", "bandai-locomotion.tar.xz", &["bandai", "bandai-locomotion"]),
    ("cmu", "cmu-subjects01-14.tar.xz", &["cmu_daz", "cmu", "cmu-subjects01-14"]),
    ("cmu-asf", "cmu-asf.tar.xz", &["cmu-asf"]),
    ("accad", "accad-female1.tar.xz", &["accad", "accad-female1"]),
    ("100style", "100style-neutral.tar.xz", &["100style", "100style-neutral"]),
    ("reactidle", "reactidle.tar.xz", &["reactidle"]),
    ("dog", "dog.tar.xz", &["mann_dog", "dog"]),
    ("mesh2motion", "mesh2motion-glb.tar.xz", &["mesh2motion", "mesh2motion-glb"]),
    ("samples", "", &["samples"]),
];

/// Returns the files of a data set (see [`DATA_SETS`]), sorted. If they are not available, prints the reason and
/// returns `None`.
///
/// Searches `MOCAP_DATA` (unpacked directories or archives), then `shared/data` in the crate's folder and those above
/// it. Archives are unpacked once into `KINESTITCH_CACHE`, or the user's cache directory.
pub fn mocap(set: &str) -> Option<Vec<PathBuf>> {
    let Some(&(name, archive, directories)) = DATA_SETS.iter().find(|(name, ..)| *name == set) else {
        panic!("no data set is called {set}");
    };
    // The folder of Cargo.toml differs among the crates of the workspace, so all its ancestors are searched.
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/data"));
    let folders: Vec<PathBuf> = std::env::var_os("MOCAP_DATA").map(PathBuf::from).into_iter().chain(shared).collect();
    for folder in &folders {
        let existing = directories.iter().map(|directory| folder.join(directory)).find(|path| path.is_dir());
        let archive = folder.join(archive);
        let unpack = || if archive.is_file() { unpack(&archive, name) } else { None };
        if let Some(directory) = existing.or_else(unpack) {
            let mut files = Vec::new();
            collect(&directory, &mut files);
            files.sort();
            return Some(files);
        }
    }
    println!("skipped: no {name} recordings in MOCAP_DATA, or in shared/data of this folder or one above it");
    None
}

/// Unpacks an archive to a temporary folder and renames the folder, so that concurrent test programs never see only a
/// part of the files. Returns the folder; `None` if this fails.
fn unpack(archive: &Path, name: &str) -> Option<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let cache = cache()?;
    let target = cache.join(name);
    if target.is_dir() {
        return Some(target);
    }
    let temporary = cache.join(format!("{name}.{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    std::fs::create_dir_all(&temporary).ok()?;
    let tar = Command::new("tar").arg("xJf").arg(archive).arg("-C").arg(&temporary).status();
    if !tar.is_ok_and(|status| status.success()) {
        let _ = std::fs::remove_dir_all(&temporary);
        println!("skipped: tar cannot unpack {}", archive.display());
        return None;
    }
    if std::fs::rename(&temporary, &target).is_err() {
        // Another test program has unpacked the archive in the meantime.
        let _ = std::fs::remove_dir_all(&temporary);
    }
    target.is_dir().then_some(target)
}

/// Returns the folder for unpacked archives; `None` if the environment defines none.
fn cache() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = || Some(var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join(".cache")))?.join("kinestitch/mocap"));
    var("KINESTITCH_CACHE").or_else(user)
}

/// Appends the BVH and GLB files of a directory and its subdirectories.
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
