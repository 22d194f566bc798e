//! Reading of files. Every error names the file or folder.

use crate::Outcome;
use kinestitch::Clip;
use kinestitch::motion::bvh;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Returns a function that puts a path before an error.
pub fn at<E: Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Reads the bytes of a file.
pub fn read(path: &Path) -> Outcome<Vec<u8>> {
    Ok(std::fs::read(path).map_err(at(path))?)
}

/// Reads a recording (BVH). The clip has the name of the file.
pub fn read_clip(path: &Path) -> Outcome<Clip> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(bvh::parse(&name, &read(path)?).map_err(at(path))?.clip)
}

/// Returns the remark on a recording below `folder` that cannot be used. `error` begins with the path of the recording.
/// The folder is written as `DIR`, because remarks are published with the results.
pub fn left_out(folder: &Path, error: impl Display) -> String {
    let (folder, error) = (folder.to_string_lossy(), error.to_string());
    match error.strip_prefix(folder.trim_end_matches(std::path::is_separator)) {
        Some(below) => format!("left out: DIR{below}"),
        None => format!("left out: {error}"),
    }
}

/// Lists the BVH files below a folder, sorted. A folder that cannot be read or has none is an error.
pub fn bvh_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    std::fs::read_dir(folder).map_err(at(folder))?;
    let files = training::data::bvh_files(folder);
    if files.is_empty() {
        return Err(at(folder)("no BVH files in this folder or below; give the folder of the recordings").into());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_replace_only_the_folder() {
        for (folder, error) in [(".", "./walk.bvh: no motion"), ("takes/", "takes/walk.bvh: no motion")] {
            assert_eq!(left_out(Path::new(folder), error), "left out: DIR/walk.bvh: no motion");
        }
    }

    #[test]
    fn folders_without_recordings_are_errors_that_name_them() {
        let folder = std::env::temp_dir().join(format!("kinestitch-files-{}", std::process::id()));
        let missing = bvh_files(&folder).unwrap_err().to_string();
        std::fs::create_dir_all(folder.join("below")).unwrap();
        let empty = bvh_files(&folder).unwrap_err().to_string();
        let file = folder.join("below/walk.BVH");
        std::fs::write(&file, "no motion").unwrap();
        let (files, unreadable) = (bvh_files(&folder), read_clip(&file).unwrap_err().to_string());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(left_out(&folder, &unreadable).starts_with("left out: DIR/below/walk.BVH: "), "{unreadable}");
        for message in [&missing, &empty, &unreadable] {
            assert!(message.starts_with(&*folder.to_string_lossy()), "{message}");
        }
        assert!(empty.contains("no BVH files") && unreadable.contains("walk.BVH"), "{empty}, {unreadable}");
        assert_eq!(files.unwrap(), [file]);
    }
}
