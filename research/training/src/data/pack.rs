//! Packs all recordings into one small file, which loads in a second and can be copied to a GPU machine with the
//! binary.
//!
//! Rotations are stored as the three smallest components of a unit quaternion, 15 bits each (angle error below 0.01°);
//! hips as f32. A biped takes 144 bytes per frame.

use crate::checkpoint::file_error;
use crate::data::read::Recording;
use crate::data::sets::Split;
use glam::{Quat, Vec3};
use kinestitch::body::character;
use kinestitch::error::{Error, Result};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::quat::with_nearest_sign;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the file format; increased whenever the format changes.
const VERSION: u32 = 2;
/// Largest value of a component in 15 bits.
const MAX_COMPONENT: f32 = 32767.0;

/// A recording in the file; fields as in [`Recording`] and its clip.
#[derive(Serialize, Deserialize)]
struct PackedRecording {
    name: String,
    set: String,
    split: Split,
    subject: String,
    style: String,
    character: String,
    frame_time_secs: f64,
    offsets: Vec<[f32; 3]>,
    ground: f32,
    rest: [f32; 4],
    roots: Vec<[f32; 3]>,
    rotations: Vec<[u8; 6]>,
}

/// Writes recordings to a file.
///
/// # Errors
/// [`kinestitch::Error::File`] if the file cannot be written.
pub fn save(path: &Path, recordings: &[Recording]) -> Result<()> {
    let packed: Vec<PackedRecording> = recordings.iter().map(pack).collect();
    let bytes = postcard::to_stdvec(&(VERSION, packed)).map_err(|error| file_error(path, error))?;
    std::fs::write(path, bytes).map_err(|error| file_error(path, error))
}

/// Reads a file written by [`save`].
///
/// # Errors
/// [`kinestitch::Error::File`] if the file cannot be read or has another version.
pub fn load(path: &Path) -> Result<Vec<Recording>> {
    let bytes = std::fs::read(path).map_err(|error| file_error(path, error))?;
    let (version, body): (u32, &[u8]) =
        postcard::take_from_bytes(&bytes).map_err(|error| file_error(path, format!("not a pack: {error}")))?;
    if version != VERSION {
        return Err(file_error(path, format!("pack version {version}, but {VERSION} is needed: pack the data again")));
    }
    let packed: Vec<PackedRecording> =
        postcard::from_bytes(body).map_err(|error| file_error(path, format!("not a pack: {error}")))?;
    packed
        .into_iter()
        .map(|packed| unpack(packed).map_err(|error| file_error(path, format!("damaged: {error}"))))
        .collect()
}

fn pack(recording: &Recording) -> PackedRecording {
    let clip = &recording.clip;
    PackedRecording {
        name: recording.name.clone(),
        set: recording.set.clone(),
        split: recording.split,
        subject: recording.subject.clone(),
        style: recording.style.clone(),
        character: recording.character.clone(),
        frame_time_secs: clip.frame_time_secs(),
        offsets: clip.skeleton().joints().iter().map(|joint| joint.offset.to_array()).collect(),
        ground: recording.ground,
        rest: recording.rest,
        roots: clip.translations().iter().map(|root| root.to_array()).collect(),
        rotations: clip.rotations().iter().map(|&rotation| smallest_three(rotation)).collect(),
    }
}

fn unpack(packed: PackedRecording) -> Result<Recording> {
    let offsets: Vec<Vec3> = packed.offsets.into_iter().map(Vec3::from_array).collect();
    let joints = offsets.len();
    let unknown = || Error::Option { option: "character", message: format!("\"{}\" is not known", packed.character) };
    let skeleton = character::from_name(&packed.character).ok_or_else(unknown)?.skeleton(&offsets)?;
    let mut rotations: Vec<Quat> = packed.rotations.into_iter().map(from_smallest_three).collect();
    // Restores the sign continuity along time.
    for index in joints..rotations.len() {
        rotations[index] = with_nearest_sign(rotations[index], rotations[index - joints]);
    }
    let roots = packed.roots.into_iter().map(Vec3::from_array).collect();
    let clip = Clip::new(packed.name.clone(), skeleton, packed.frame_time_secs, rotations, roots)?;
    Ok(Recording {
        clip,
        name: packed.name,
        set: packed.set,
        split: packed.split,
        subject: packed.subject,
        style: packed.style,
        character: packed.character,
        ground: packed.ground,
        rest: packed.rest,
    })
}

/// Encodes a rotation in three words of 16 bits. The top bits of the first two words are the index of the largest
/// component; the other three components have 15 bits each.
fn smallest_three(rotation: Quat) -> [u8; 6] {
    let q = rotation.to_array();
    let largest = (0..4).max_by(|&a, &b| q[a].abs().total_cmp(&q[b].abs())).unwrap_or(3);
    let sign = q[largest].signum();
    let mut words = [0_u16; 3];
    for (word, i) in words.iter_mut().zip((0..4).filter(|&i| i != largest)) {
        let unit = (q[i] * sign * std::f32::consts::FRAC_1_SQRT_2.recip() * 0.5 + 0.5).clamp(0.0, 1.0);
        *word = (unit * MAX_COMPONENT).round() as u16;
    }
    words[0] |= ((largest & 1) as u16) << 15;
    words[1] |= ((largest >> 1) as u16) << 15;
    // Bytes, because postcard would write each word as a varint of three bytes.
    let [[a, b], [c, d], [e, f]] = words.map(u16::to_le_bytes);
    [a, b, c, d, e, f]
}

/// Decodes a rotation from [`smallest_three`].
fn from_smallest_three([a, b, c, d, e, f]: [u8; 6]) -> Quat {
    let words = [[a, b], [c, d], [e, f]].map(u16::from_le_bytes);
    let largest = usize::from(words[0] >> 15) | usize::from(words[1] >> 15) << 1;
    let mut q = [0.0_f32; 4];
    for (word, i) in words.iter().zip((0..4).filter(|&i| i != largest)) {
        q[i] = (f32::from(word & 0x7fff) / MAX_COMPONENT * 2.0 - 1.0) * std::f32::consts::FRAC_1_SQRT_2;
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
            let decoded = from_smallest_three(smallest_three(q));
            // For small angles, the distance is half the angle; acos would be too inaccurate.
            let distance = (q - decoded).length().min((q + decoded).length());
            assert!(distance < 0.5 * 0.01_f32.to_radians(), "{q} became {decoded}");
        }
    }
}
