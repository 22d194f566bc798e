//! Recordings packed once into one small file of canonical clips, which travels with the binary to a GPU machine.
//!
//! Rotations are stored as the three smallest components of a unit quaternion, 15 bits each (angle error under
//! 0.01°), hips in f32: 144 bytes a frame.

use crate::body::{biped, canonical};
use crate::error::Result;
use crate::feature::encode;
use crate::motion::clip::Clip;
use crate::motion::{bvh, resample, rig};
use crate::train::checkpoint::fail;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Goes up when the file's meaning changes.
const VERSION: u32 = 2;
/// Lowest hips of an upright body, metres over the ground at the canonical leg length of 0.86.
const UPRIGHT_HIPS: f32 = 0.65;
const STEPS: f32 = 32767.0;
/// First frames of CMU's files that are no motion: the Daz conversion begins with a reference pose and takes eight frames,
/// at 120 a second, to get from it to the recording (joints turn by 20° and more from frame to frame).
pub const CMU_LEAD: usize = 9;

/// What a clip is used for. Split by subject (LAFAN1) or by whole recordings (Bandai-Namco, CMU), never by window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Split {
    /// Trains, and is searched for neighbours.
    Train,
    /// Scores.
    Validation,
}

/// A canonical clip with its ground, ready for windows.
#[derive(Debug, Clone)]
pub struct Recording {
    /// File name without its ending.
    pub name: String,
    /// Data set: `lafan1`, `bandai`, `cmu`.
    pub set: String,
    /// Use.
    pub split: Split,
    /// The motion on its canonical skeleton, at the refiner's rate.
    pub clip: Clip,
    /// Ground height, metres.
    pub ground: f32,
    /// Rest height of each contact role over the ground, metres.
    pub rest: [f32; 4],
}

impl Recording {
    /// Whether the hips stay higher than [`UPRIGHT_HIPS`] over some frames: the refiner is for locomotion, and lying,
    /// crawling and falling (a third of our LAFAN1 files) are not.
    pub fn is_upright(&self, start: usize, length: usize) -> bool {
        self.clip.translations()[start..start + length].iter().all(|hips| hips.y - self.ground > UPRIGHT_HIPS)
    }
}

#[derive(Serialize, Deserialize)]
struct PackedRecording {
    name: String,
    set: String,
    split: Split,
    frame_time_secs: f64,
    offsets: Vec<[f32; 3]>,
    ground: f32,
    rest: [f32; 4],
    hips: Vec<[f32; 3]>,
    rotations: Vec<[u8; 6]>,
}

#[derive(Serialize, Deserialize)]
struct Pack {
    version: u32,
    recordings: Vec<PackedRecording>,
}

/// Reads every BVH under `dir`, calling `done` with each path. Files that are no biped are left out and named.
pub fn read_dir(dir: &Path, fps: f64, mut done: impl FnMut(&Path)) -> Result<(Vec<Recording>, Vec<String>)> {
    let (mut recordings, mut left_out) = (Vec::new(), Vec::new());
    for path in bvh_files(dir) {
        done(&path);
        let name = stem(&path);
        let Some((set, split)) = set_and_split(&path, &name) else { continue };
        match read(&path, (set, split), if set == "cmu" { CMU_LEAD } else { 0 }, fps) {
            Ok(recording) => recordings.push(recording),
            Err(error) => left_out.push(format!("{}: {error}", path.display())),
        }
    }
    Ok((recordings, left_out))
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

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A BVH file as a recording of a set and split, without its first `lead` frames, brought to `fps`.
///
/// # Errors
/// [`Error::File`] where it cannot be read, and those of the reader and of [`canonical`].
pub fn read(path: &Path, (set, split): (&str, Split), lead: usize, fps: f64) -> Result<Recording> {
    let name = stem(path);
    let clip = bvh::parse(&name, &std::fs::read(path).map_err(|error| fail(path, error))?)?.clip;
    let clip = clip.trimmed(lead.min(clip.frames().saturating_sub(1))..clip.frames())?;
    let clip = resample::resample(&clip, fps)?;
    let clip = canonical(&clip, &rig::infer(&clip))?.clip;
    let (ground, rest) = encode::ground(&clip);
    Ok(Recording { name, set: set.to_owned(), split, clip, ground, rest })
}

/// Which set a file belongs to, by its name, and what it is used for. LAFAN1: subject 4 validates. Bandai-Namco: of each
/// content and style, recordings numbered 10, 20, 30, … validate. CMU: subject 08 validates.
pub fn set_and_split(path: &Path, name: &str) -> Option<(&'static str, Split)> {
    let split = |validation: bool| if validation { Split::Validation } else { Split::Train };
    if name.contains("_subject") {
        return Some(("lafan1", split(name.ends_with("_subject4"))));
    }
    if name.starts_with("dataset-") {
        let number: usize = name.rsplit('_').next()?.parse().ok()?;
        return Some(("bandai", split(number.is_multiple_of(10))));
    }
    let folders = path.to_string_lossy();
    folders.contains("cmu").then(|| ("cmu", split(name.starts_with("08_"))))
}

/// Writes recordings to a file.
///
/// # Errors
/// [`Error::File`] where the file cannot be written.
pub fn save(path: &Path, recordings: &[Recording]) -> Result<()> {
    let pack = Pack { version: VERSION, recordings: recordings.iter().map(squeeze).collect() };
    let bytes = postcard::to_stdvec(&pack).map_err(|error| fail(path, error))?;
    std::fs::write(path, bytes).map_err(|error| fail(path, error))
}

/// Reads what [`save`] wrote.
///
/// # Errors
/// [`Error::File`] where the file cannot be read or is of another version.
pub fn load(path: &Path) -> Result<Vec<Recording>> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let pack: Pack = postcard::from_bytes(&bytes).map_err(|error| fail(path, format!("not a pack: {error}")))?;
    if pack.version != VERSION {
        return Err(fail(
            path,
            format!("pack version {} where {VERSION} is needed: pack the data again", pack.version),
        ));
    }
    pack.recordings.into_iter().map(|packed| expand(packed).ok_or_else(|| fail(path, "damaged pack"))).collect()
}

fn squeeze(recording: &Recording) -> PackedRecording {
    let clip = &recording.clip;
    PackedRecording {
        name: recording.name.clone(),
        set: recording.set.clone(),
        split: recording.split,
        frame_time_secs: clip.frame_time_secs(),
        offsets: clip.skeleton().joints().iter().map(|joint| joint.offset.to_array()).collect(),
        ground: recording.ground,
        rest: recording.rest,
        hips: clip.translations().iter().map(|hips| hips.to_array()).collect(),
        rotations: clip.rotations().iter().map(|&rotation| smallest_three(rotation)).collect(),
    }
}

fn expand(packed: PackedRecording) -> Option<Recording> {
    let offsets: Vec<Vec3> = packed.offsets.into_iter().map(Vec3::from_array).collect();
    let hips = packed.hips.into_iter().map(Vec3::from_array).collect();
    let rotations = packed.rotations.into_iter().map(from_smallest_three).collect();
    let skeleton = biped().skeleton(&offsets).ok()?;
    Some(Recording {
        clip: Clip::new(packed.name.clone(), skeleton, packed.frame_time_secs, rotations, hips).ok()?,
        name: packed.name,
        set: packed.set,
        split: packed.split,
        ground: packed.ground,
        rest: packed.rest,
    })
}

/// The largest component's index in the top bits of the first two words, the others in 15 bits each.
fn smallest_three(rotation: Quat) -> [u8; 6] {
    let q = rotation.to_array();
    let largest = (0..4).max_by(|&a, &b| q[a].abs().total_cmp(&q[b].abs())).unwrap_or(3);
    let sign = q[largest].signum();
    let mut words = [0_u16; 3];
    for (word, i) in words.iter_mut().zip((0..4).filter(|&i| i != largest)) {
        let unit = (q[i] * sign * std::f32::consts::FRAC_1_SQRT_2.recip() * 0.5 + 0.5).clamp(0.0, 1.0);
        *word = (unit * STEPS).round() as u16;
    }
    words[0] |= ((largest & 1) as u16) << 15;
    words[1] |= ((largest >> 1) as u16) << 15;
    // Bytes, because postcard would write words as varints, three bytes each.
    let [[a, b], [c, d], [e, f]] = words.map(u16::to_le_bytes);
    [a, b, c, d, e, f]
}

fn from_smallest_three([a, b, c, d, e, f]: [u8; 6]) -> Quat {
    let words = [[a, b], [c, d], [e, f]].map(u16::from_le_bytes);
    let largest = usize::from(words[0] >> 15) | usize::from(words[1] >> 15) << 1;
    let mut q = [0.0_f32; 4];
    for (word, i) in words.iter().zip((0..4).filter(|&i| i != largest)) {
        q[i] = (f32::from(word & 0x7fff) / STEPS * 2.0 - 1.0) * std::f32::consts::FRAC_1_SQRT_2;
    }
    q[largest] = (1.0 - q.iter().map(|v| v * v).sum::<f32>()).max(0.0).sqrt();
    Quat::from_array(q).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_three_keeps_rotations_within_a_hundredth_of_a_degree() {
        for step in 0..1000_u32 {
            let t = step as f32;
            let q = Quat::from_euler(glam::EulerRot::XYZ, t * 0.37, t * 0.11, t * 0.53);
            let back = from_smallest_three(smallest_three(q));
            // Half the sine of the angle between them; acos would be noise here.
            let apart = (q - back).length().min((q + back).length());
            assert!(apart < 0.5 * 0.01_f32.to_radians(), "{q} became {back}");
        }
    }
}
