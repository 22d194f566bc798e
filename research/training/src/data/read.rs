//! Reads files into recordings: canonical clips at one frame rate, with the labels of the sets file.

use crate::checkpoint::file_error;
use crate::data::sets::{Label, Sets, Split};
use kinestitch::body::to_canonical;
use kinestitch::error::Result;
use kinestitch::feature::encode;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::{bvh, resample, rig};
use std::path::{Path, PathBuf};

/// Minimum hip height of an upright body, metres. The legs of the canonical body are 0.86 m long.
const MIN_HIP_HEIGHT: f32 = 0.65;

/// A canonical clip with its ground height and labels.
#[derive(Debug, Clone)]
pub struct Recording {
    /// File name without extension.
    pub name: String,
    /// Name of the data set.
    pub set: String,
    /// Train, validation or test split.
    pub split: Split,
    /// Performer; unique within the set.
    pub subject: String,
    /// Style of the motion.
    pub style: String,
    /// Character: `biped` or `dog`.
    pub character: String,
    /// The motion on its canonical skeleton.
    pub clip: Clip,
    /// Ground height, metres.
    pub ground: f32,
    /// Heights of the contact joints at rest above the ground, metres.
    pub rest: [f32; 4],
}

impl Recording {
    /// Creates a recording from a clip, whose frame rate it keeps. The label's lead frames must already be removed.
    ///
    /// # Errors
    /// Those of [`to_canonical`].
    pub fn from_clip(clip: &Clip, label: &Label) -> Result<Self> {
        let body = to_canonical(clip, &rig::infer(clip))?;
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

    /// Checks whether the hips stay above [`MIN_HIP_HEIGHT`] in `length` frames from `start` on. The refiner is for
    /// locomotion; lying, crawling and falling (a third of the LAFAN1 files) are excluded.
    pub fn is_upright(&self, start: usize, length: usize) -> bool {
        self.clip.translations()[start..start + length].iter().all(|hips| hips.y - self.ground > MIN_HIP_HEIGHT)
    }
}

/// Reads every BVH file of known sets below `dir`, and calls `on_file` with each path before reading it. Returns the
/// recordings, and a message for each file that cannot be read or mapped to a canonical body.
pub fn read_dir(dir: &Path, sets: &Sets, fps: f64, mut on_file: impl FnMut(&Path)) -> (Vec<Recording>, Vec<String>) {
    let (mut recordings, mut failures) = (Vec::new(), Vec::new());
    for path in bvh_files(dir) {
        let Some(label) = sets.label(&path) else { continue };
        on_file(&path);
        match read(&path, &label, fps) {
            Ok(recording) => recordings.push(recording),
            Err(error) => failures.push(format!("{}: {error}", path.display())),
        }
    }
    (recordings, failures)
}

/// Reads a BVH file, removes its lead frames, and resamples it to `fps` frames per second.
///
/// # Errors
/// [`kinestitch::Error::File`] if it cannot be read, and those of [`bvh::parse`] and [`Recording::from_clip`].
pub fn read(path: &Path, label: &Label, fps: f64) -> Result<Recording> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let clip = bvh::parse(&name, &std::fs::read(path).map_err(|error| file_error(path, error))?)?.clip;
    let clip = clip.trimmed(label.lead.min(clip.frames().saturating_sub(1))..clip.frames())?;
    Recording::from_clip(&resample::resample(&clip, fps)?, label)
}

/// Lists the BVH files below a folder, sorted by path.
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
