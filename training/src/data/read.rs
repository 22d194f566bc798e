//! Files → recordings: canonical clips at one rate, with what the sets file knows of them.

use crate::checkpoint::fail;
use crate::data::sets::{Label, Sets, Split};
use kinestitch::body::canonical;
use kinestitch::error::Result;
use kinestitch::feature::encode;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::{bvh, resample, rig};
use std::path::{Path, PathBuf};

/// Lowest hips of an upright body, metres over the ground at the canonical leg length of 0.86.
const UPRIGHT_HIPS: f32 = 0.65;

/// A canonical clip with its ground, ready for windows.
#[derive(Debug, Clone)]
pub struct Recording {
    /// File name without its ending.
    pub name: String,
    /// Data set.
    pub set: String,
    /// Use.
    pub split: Split,
    /// Who moves; unique within the set.
    pub subject: String,
    /// How they move.
    pub style: String,
    /// Body: `biped` or `dog`.
    pub character: String,
    /// The motion on its canonical skeleton.
    pub clip: Clip,
    /// Ground height, metres.
    pub ground: f32,
    /// Rest height of each contact joint over the ground, metres.
    pub rest: [f32; 4],
}

impl Recording {
    /// A clip, at the rate it has, as a recording. The first frames that its label says are no motion must be gone.
    ///
    /// # Errors
    /// Those of [`canonical`].
    pub fn of(clip: &Clip, label: &Label) -> Result<Self> {
        let body = canonical(clip, &rig::infer(clip))?;
        let (ground, rest) = encode::ground_of(&body.clip, body.character);
        Ok(Self {
            name: clip.name.clone(),
            set: label.set.clone(),
            split: label.split,
            subject: label.subject.clone(),
            style: label.style.clone(),
            character: label.character.clone(),
            clip: body.clip,
            ground,
            rest,
        })
    }

    /// Whether the hips stay higher than [`UPRIGHT_HIPS`] over some frames: the refiner is for locomotion, and lying,
    /// crawling and falling (a third of our LAFAN1 files) are not.
    pub fn is_upright(&self, start: usize, length: usize) -> bool {
        self.clip.translations()[start..start + length].iter().all(|hips| hips.y - self.ground > UPRIGHT_HIPS)
    }
}

/// Reads every BVH of known sets under `dir`, calling `done` with each path. What cannot be read or has no canonical
/// body is left out and named.
pub fn read_dir(dir: &Path, sets: &Sets, fps: f64, mut done: impl FnMut(&Path)) -> (Vec<Recording>, Vec<String>) {
    let (mut recordings, mut left_out) = (Vec::new(), Vec::new());
    for path in bvh_files(dir) {
        let Some(label) = sets.label(&path) else { continue };
        done(&path);
        match read(&path, &label, fps) {
            Ok(recording) => recordings.push(recording),
            Err(error) => left_out.push(format!("{}: {error}", path.display())),
        }
    }
    (recordings, left_out)
}

/// A BVH file as a recording, without the lead of its label, brought to `fps`.
///
/// # Errors
/// [`kinestitch::Error::File`] where it cannot be read, and those of the reader and of [`canonical`].
pub fn read(path: &Path, label: &Label, fps: f64) -> Result<Recording> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let clip = bvh::parse(&name, &std::fs::read(path).map_err(|error| fail(path, error))?)?.clip;
    let clip = clip.trimmed(label.lead.min(clip.frames().saturating_sub(1))..clip.frames())?;
    Recording::of(&resample::resample(&clip, fps)?, label)
}

/// Every BVH under a folder, sorted.
pub fn bvh_files(dir: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    collect(dir, &mut paths);
    paths.sort();
    paths
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh")) {
            paths.push(path);
        }
    }
}
