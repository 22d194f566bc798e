//! Joins of game loops: all ordered pairs of the clips of a pack.

use super::{Bench, Results};
use crate::{Outcome, files};
use kinestitch::motion::rig;
use kinestitch::{Clip, Input};
use std::path::Path;

/// Joins all ordered pairs of the BVH files in each folder of `packs`.
pub(super) fn join_all(packs: &Path, bench: &Bench, results: &mut Results) -> Outcome {
    let mut folders: Vec<_> = std::fs::read_dir(packs).map_err(files::at(packs))?.collect::<Result<_, _>>()?;
    folders.sort_by_key(std::fs::DirEntry::path);
    for folder in folders.into_iter().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let clips: Vec<Clip> =
            files::bvh_files(&folder)?.iter().map(|path| files::read_clip(path)).collect::<Outcome<_>>()?;
        let rigs: Vec<_> = clips.iter().map(rig::infer).collect();
        for first in 0..clips.len() {
            for second in (0..clips.len()).filter(|&second| second != first) {
                let input = |index: usize| Input { clip: &clips[index], rig: &rigs[index] };
                bench.join([input(first), input(second)], results)?;
            }
        }
    }
    Ok(())
}
