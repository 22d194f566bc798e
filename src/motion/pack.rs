//! A clip and its bone mapping as bytes, and back, to the last bit. Motion is stored and passed between modules and
//! threads in this form.
//!
//! Layout: four bytes with the length of a head; the head (names, skeleton, mapping; postcard); then rotations and
//! translations as in the clip, `f32`. All numbers little-endian.

use crate::error::{Error, Result};
use crate::motion::bvh::MAX_VALUE;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::skeleton::{FileSpace, Joint, Skeleton};
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Largest deviation of a squared rotation length from 1: rounding errors of many products.
const UNIT: f32 = 0.01;

/// A clip, its bone mapping, and the warnings of its reader.
#[derive(Debug, Clone, PartialEq)]
pub struct UnpackedClip {
    /// The motion.
    pub clip: Clip,
    /// Its bone mapping.
    pub rig: Rig,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    name: String,
    frame_time_secs: f64,
    frames: u32,
    joints: Vec<Joint>,
    space: FileSpace,
    rig: Rig,
    warnings: Vec<String>,
}

/// Encodes a clip as bytes.
///
/// # Errors
/// [`Error::Clip`] if the head cannot be encoded; no such clip is known.
pub fn pack(clip: &Clip, rig: &Rig, warnings: &[String]) -> Result<Vec<u8>> {
    let skeleton = clip.skeleton();
    let head = Head {
        name: clip.name.clone(),
        frame_time_secs: clip.frame_time_secs(),
        frames: clip.frames() as u32,
        joints: skeleton.joints().to_vec(),
        space: skeleton.space(),
        rig: rig.clone(),
        warnings: warnings.to_vec(),
    };
    let head = postcard::to_stdvec(&head).map_err(|error| broken(&error.to_string()))?;
    let floats = 4 * clip.rotations().len() + 3 * clip.translations().len();
    let mut bytes = Vec::with_capacity(4 + head.len() + 4 * floats);
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(head);
    let mut put = |values: &[f32]| values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
    clip.rotations().iter().for_each(|rotation| put(&rotation.to_array()));
    clip.translations().iter().for_each(|translation| put(&translation.to_array()));
    Ok(bytes)
}

/// Decodes a clip. If the decoded skeleton equals `like`, the clip shares `like`.
///
/// # Errors
/// [`Error::Clip`] for bytes that [`pack`] did not write.
pub fn unpack(bytes: &[u8], like: Option<&Arc<Skeleton>>) -> Result<UnpackedClip> {
    let short = || broken("they end too early");
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
    let (head, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(short)?;
    let head: Head = postcard::from_bytes(head).map_err(|error| broken(&error.to_string()))?;
    let skeleton = Arc::new(Skeleton::new(head.joints, head.space)?);
    let skeleton = like.filter(|like| ***like == *skeleton).cloned().unwrap_or(skeleton);
    if head.rig.joints.iter().flatten().any(|&joint| joint >= skeleton.len()) {
        return Err(broken("a role is mapped to a missing joint"));
    }
    let rotations = (head.frames as usize).checked_mul(skeleton.len() * 16).ok_or_else(short)?;
    let (rotations, translations) = rest.split_at_checked(rotations).ok_or_else(short)?;
    let rotations: Vec<Quat> =
        rotations.as_chunks::<16>().0.iter().map(|bytes| Quat::from_array(floats(bytes))).collect();
    let (translations, rest) = translations.as_chunks::<12>();
    if !rest.is_empty() {
        return Err(short());
    }
    let translations: Vec<Vec3> = translations.iter().map(|bytes| Vec3::from_array(floats(bytes))).collect();
    check(&skeleton, &rotations, &translations)?;
    let clip = Clip::from_finite(head.name, skeleton, head.frame_time_secs, rotations, translations)?;
    Ok(UnpackedClip { clip, rig: head.rig, warnings: head.warnings })
}

/// Refuses values that are no rotations, lengths beyond the limits of readers, and thereby everything that is not
/// finite, because later code does not check them.
fn check(skeleton: &Skeleton, rotations: &[Quat], translations: &[Vec3]) -> Result<()> {
    // Without a branch or a horizontal sum for each rotation: every call of the package unpacks its clips.
    let is_unit = |rotation: &Quat| {
        let [x, y, z, w] = rotation.to_array();
        (x * x + y * y + z * z + w * w - 1.0).abs() < UNIT
    };
    if !rotations.iter().fold(true, |unit, rotation| unit & is_unit(rotation)) {
        return Err(broken("a rotation is not of length 1"));
    }
    let unit = skeleton.space().metres_per_unit;
    if !(unit.is_finite() && unit > 0.0) {
        return Err(broken("its unit is not a positive number of metres"));
    }
    let mut offsets = skeleton.joints().iter().flat_map(|joint| joint.end_sites.iter().chain([&joint.offset]));
    // A comparison of each component: a largest component would pass over NaN.
    let is_near = |place: &Vec3| place.abs().cmple(Vec3::splat(MAX_VALUE as f32)).all();
    if !offsets.all(is_near) || !translations.iter().fold(true, |near, place| near & is_near(place)) {
        return Err(broken("a length is not finite or beyond a thousand million metres"));
    }
    Ok(())
}

fn floats<const BYTES: usize, const COUNT: usize>(bytes: &[u8; BYTES]) -> [f32; COUNT] {
    let mut floats = [0.0; COUNT];
    for (float, bytes) in floats.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *float = f32::from_le_bytes(*bytes);
    }
    floats
}

fn broken(how: &str) -> Error {
    Error::Clip { clip: String::new(), message: format!("these bytes are not a packed clip: {how}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{bvh, rig};

    fn packed(name: &str) -> (UnpackedClip, Vec<u8>) {
        let path = format!("{}/tests/fixtures/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
        let bvh::Parsed { clip, .. } = bvh::parse(name, &std::fs::read(path).unwrap()).unwrap();
        let rig = rig::infer(&clip);
        let warnings = vec!["a doubt".to_owned()];
        let bytes = pack(&clip, &rig, &warnings).unwrap();
        (UnpackedClip { clip, rig, warnings }, bytes)
    }

    #[test]
    fn every_bit_comes_back() {
        for name in ["ada-walk", "cleo-trot", "bo-run"] {
            let (before, bytes) = packed(name);
            let after = unpack(&bytes, None).unwrap();
            assert_eq!(after, before, "{name}");
            let shared = unpack(&bytes, Some(before.clip.skeleton())).unwrap();
            assert!(Arc::ptr_eq(shared.clip.skeleton(), before.clip.skeleton()));
        }
        let (walk, trot) = (packed("ada-walk").0, packed("cleo-trot").1);
        assert!(!Arc::ptr_eq(unpack(&trot, Some(walk.clip.skeleton())).unwrap().clip.skeleton(), walk.clip.skeleton()));
    }

    #[test]
    fn numbers_that_no_reader_lets_through_are_refused() {
        let (UnpackedClip { clip, rig, .. }, _) = packed("ada-walk");
        let refused = |clip: &Clip| {
            let error = unpack(&pack(clip, &rig, &[]).unwrap(), None).unwrap_err();
            assert_eq!(error.code(), "clip", "{error}");
        };
        for unit in [f64::NAN, 0.0, -0.01, f64::INFINITY] {
            let space = FileSpace { metres_per_unit: unit, ..clip.skeleton().space() };
            let skeleton = Arc::new(Skeleton::new(clip.skeleton().joints().to_vec(), space).unwrap());
            let (rotations, translations) = (clip.rotations().to_vec(), clip.translations().to_vec());
            refused(&Clip::new("unit", skeleton, clip.frame_time_secs(), rotations, translations).unwrap());
        }
        let mut long = clip.clone();
        long.rotations_mut()[5] = Quat::from_xyzw(1.0, 1.0, 0.0, 0.0);
        refused(&long);
        let mut far = clip.clone();
        far.translations_mut()[5].x = 2e9;
        refused(&far);
        for value in [f32::NAN, f32::INFINITY] {
            let mut turned = clip.clone();
            turned.rotations_mut()[5].y = value;
            refused(&turned);
            let mut placed = clip.clone();
            placed.translations_mut()[5].y = value;
            refused(&placed);
        }
    }

    #[test]
    fn bytes_cut_short_or_changed_are_refused_or_another_clip() {
        let (_, bytes) = packed("ada-walk");
        for end in [0, 3, 4, 40, bytes.len() - 1, bytes.len() - 4] {
            assert_eq!(unpack(&bytes[..end], None).unwrap_err().code(), "clip", "{end}");
        }
        for at in 0..600 {
            let mut changed = bytes.clone();
            changed[at] ^= 0xA5;
            // Any result is accepted, but no panic.
            let _ = unpack(&changed, None);
        }
    }
}
