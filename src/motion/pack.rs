//! Packs a clip and its rig as bytes, and unpacks them bit-identically. Clips are stored, and passed between modules
//! and threads, as these bytes.
//!
//! Layout: length of the head, `u32`; the head (name, frame time, number of frames, skeleton, rig, warnings) and the
//! remarks on the file in the postcard format; all rotations (x, y, z, w), then all translations, `f32`, in the order of [`Clip`]. The length and
//! the `f32` values are little-endian.

use crate::error::{Error, Result};
use crate::motion::bvh::MAX_VALUE;
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::skeleton::{FileSpace, Joint, Skeleton};
use crate::motion::source::{Reasons, Source};
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Largest deviation of the squared length of a rotation from 1. It allows for the rounding errors of many products.
const MAX_SQUARED_LENGTH_ERROR: f32 = 0.01;

/// A clip, its rig, and the remarks of the file's reader.
#[derive(Debug, Clone, PartialEq)]
pub struct UnpackedClip {
    /// The motion.
    pub clip: Clip,
    /// Its rig.
    pub rig: Rig,
    /// Remarks of the file's reader.
    pub source: Source,
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

/// The other fields of [`Source`]. Bytes that older versions stored end before them.
#[derive(Default, Serialize, Deserialize)]
struct Remarks {
    left_out: Vec<String>,
    reasons: Option<Reasons>,
    bodies: Vec<String>,
}

/// Encodes a clip as bytes.
///
/// # Errors
/// [`Error::Clip`] if the head cannot be encoded. No clip is known for which this happens.
pub fn pack(clip: &Clip, rig: &Rig, source: &Source) -> Result<Vec<u8>> {
    let skeleton = clip.skeleton();
    let head = Head {
        name: clip.name.clone(),
        frame_time_secs: clip.frame_time_secs(),
        frames: clip.frames() as u32,
        joints: skeleton.joints().to_vec(),
        space: skeleton.space(),
        rig: rig.clone(),
        warnings: source.warnings.clone(),
    };
    let Source { left_out, reasons, bodies, .. } = source.clone();
    let head = postcard::to_stdvec(&(head, Remarks { left_out, reasons, bodies }))
        .map_err(|error| invalid(&error.to_string()))?;
    let values = 4 * clip.rotations().len() + 3 * clip.translations().len();
    let mut bytes = Vec::with_capacity(4 + head.len() + 4 * values);
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(head);
    let mut push = |values: &[f32]| values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
    clip.rotations().iter().for_each(|rotation| push(&rotation.to_array()));
    clip.translations().iter().for_each(|translation| push(&translation.to_array()));
    Ok(bytes)
}

/// Decodes a clip. If its skeleton equals `shared`, the clip gets `shared` instead of a copy.
///
/// # Errors
/// [`Error::Clip`] for bytes that are not a packed clip, [`Error::Skeleton`] if the skeleton in them is invalid.
pub fn unpack(bytes: &[u8], shared: Option<&Arc<Skeleton>>) -> Result<UnpackedClip> {
    let truncated = || invalid("they end too early");
    let (length, remaining) = bytes.split_first_chunk::<4>().ok_or_else(truncated)?;
    let (head, remaining) = remaining.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(truncated)?;
    let (head, remarks): (Head, _) = postcard::take_from_bytes(head).map_err(|error| invalid(&error.to_string()))?;
    let Remarks { left_out, reasons, bodies } = match remarks.is_empty() {
        true => Remarks::default(),
        false => postcard::from_bytes(remarks).map_err(|error| invalid(&error.to_string()))?,
    };
    let skeleton = Arc::new(Skeleton::new(head.joints, head.space)?);
    let skeleton = shared.filter(|shared| ***shared == *skeleton).cloned().unwrap_or(skeleton);
    if head.rig.joints.iter().flatten().any(|&joint| joint >= skeleton.len()) {
        return Err(invalid("a role is mapped to a missing joint"));
    }
    let rotation_bytes = (head.frames as usize).checked_mul(skeleton.len() * 16).ok_or_else(truncated)?;
    let (rotations, translations) = remaining.split_at_checked(rotation_bytes).ok_or_else(truncated)?;
    let (rotations, _) = rotations.as_chunks::<16>();
    let rotations: Vec<Quat> = rotations.iter().map(|bytes| Quat::from_array(decode_floats(bytes))).collect();
    let (translations, incomplete) = translations.as_chunks::<12>();
    if !incomplete.is_empty() {
        return Err(invalid("they end within a translation"));
    }
    let translations: Vec<Vec3> = translations.iter().map(|bytes| Vec3::from_array(decode_floats(bytes))).collect();
    check_numbers(&skeleton, &rotations, &translations)?;
    let clip = Clip::from_finite(head.name, skeleton, head.frame_time_secs, rotations, translations)?;
    let source = Source { warnings: head.warnings, left_out, reasons, bodies };
    Ok(UnpackedClip { clip, rig: head.rig, source })
}

/// Returns an error if a rotation is not of length 1, the unit is not positive, or an offset or translation is beyond
/// [`MAX_VALUE`]. So values that are not finite are rejected too; later code does not check for them.
fn check_numbers(skeleton: &Skeleton, rotations: &[Quat], translations: &[Vec3]) -> Result<()> {
    // Every call of the npm package unpacks its clips, so the loops over rotations and translations must be fast. They
    // have no branches (`fold` instead of `all`) and no SIMD sums across lanes.
    let is_unit = |rotation: &Quat| {
        let [x, y, z, w] = rotation.to_array();
        (x * x + y * y + z * z + w * w - 1.0).abs() < MAX_SQUARED_LENGTH_ERROR
    };
    if !rotations.iter().fold(true, |is_valid, rotation| is_valid & is_unit(rotation)) {
        return Err(invalid("a rotation is not of length 1"));
    }
    let metres_per_unit = skeleton.space().metres_per_unit;
    if !(metres_per_unit.is_finite() && metres_per_unit > 0.0) {
        return Err(invalid("its unit is not a positive number of metres"));
    }
    let mut offsets = skeleton.joints().iter().flat_map(|joint| joint.end_sites.iter().chain([&joint.offset]));
    // Compares every component, because `max_element` may ignore a NaN.
    let is_in_range = |vector: &Vec3| vector.abs().cmple(Vec3::splat(MAX_VALUE as f32)).all();
    if !offsets.all(is_in_range) || !translations.iter().fold(true, |in_range, vector| in_range & is_in_range(vector)) {
        return Err(invalid("a length is not finite, or longer than 1,000,000,000 metres"));
    }
    Ok(())
}

/// Decodes little-endian numbers; `BYTES` is 4 · `COUNT`.
fn decode_floats<const BYTES: usize, const COUNT: usize>(bytes: &[u8; BYTES]) -> [f32; COUNT] {
    let mut floats = [0.0; COUNT];
    for (float, bytes) in floats.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *float = f32::from_le_bytes(*bytes);
    }
    floats
}

fn invalid(reason: &str) -> Error {
    Error::Clip { clip: String::new(), message: format!("these bytes are not a packed clip: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{bvh, rig};

    fn packed(name: &str) -> (UnpackedClip, Vec<u8>) {
        let path = format!("{}/tests/fixtures/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
        let bvh::Parsed { clip, .. } = bvh::parse(name, &std::fs::read(path).unwrap()).unwrap();
        let rig = rig::infer(&clip);
        let source = Source {
            warnings: vec!["a warning".to_owned()],
            left_out: vec!["a camera".to_owned()],
            reasons: Some(Reasons { up: "Y".to_owned(), ..Reasons::default() }),
            bodies: vec!["a".to_owned(), "b".to_owned()],
        };
        let bytes = pack(&clip, &rig, &source).unwrap();
        (UnpackedClip { clip, rig, source }, bytes)
    }

    #[test]
    fn unpacked_clips_equal_the_packed_clips() {
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
    fn invalid_numbers_are_rejected() {
        let (UnpackedClip { clip, rig, .. }, _) = packed("ada-walk");
        let assert_rejected = |clip: &Clip| {
            let error = unpack(&pack(clip, &rig, &Source::default()).unwrap(), None).unwrap_err();
            assert_eq!(error.code(), "clip", "{error}");
        };
        for unit in [f64::NAN, 0.0, -0.01, f64::INFINITY] {
            let space = FileSpace { metres_per_unit: unit, ..clip.skeleton().space() };
            let skeleton = Arc::new(Skeleton::new(clip.skeleton().joints().to_vec(), space).unwrap());
            let (rotations, translations) = (clip.rotations().to_vec(), clip.translations().to_vec());
            assert_rejected(&Clip::new("unit", skeleton, clip.frame_time_secs(), rotations, translations).unwrap());
        }
        let mut not_unit = clip.clone();
        not_unit.rotations_mut()[5] = Quat::from_xyzw(1.0, 1.0, 0.0, 0.0);
        assert_rejected(&not_unit);
        let mut too_far = clip.clone();
        too_far.translations_mut()[5].x = 2e9;
        assert_rejected(&too_far);
        for value in [f32::NAN, f32::INFINITY] {
            let mut bad_rotation = clip.clone();
            bad_rotation.rotations_mut()[5].y = value;
            assert_rejected(&bad_rotation);
            let mut bad_translation = clip.clone();
            bad_translation.translations_mut()[5].y = value;
            assert_rejected(&bad_translation);
        }
    }

    #[test]
    fn truncated_and_changed_bytes_do_not_panic() {
        let (_, bytes) = packed("ada-walk");
        for end in [0, 3, 4, 40, bytes.len() - 1, bytes.len() - 4] {
            assert_eq!(unpack(&bytes[..end], None).unwrap_err().code(), "clip", "{end}");
        }
        for index in 0..600 {
            let mut changed = bytes.clone();
            changed[index] ^= 0xA5;
            // Any result is accepted; only a panic is an error.
            let _ = unpack(&changed, None);
        }
    }
}
