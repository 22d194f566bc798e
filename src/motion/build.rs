//! Clips from plain values, for readers of formats other than BVH (glTF, three.js).
//!
//! In such formats a bone may have any rest rotation, but a [`Skeleton`] has no rest rotations. So a reader passes the
//! offsets of the rest pose in world axes, and rotations relative to the rest pose; it keeps the rest rotations itself.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::skeleton::{Channel, FileSpace, Joint, PositionMode, Skeleton, UpAxis};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Channels of a joint with translation: three position channels, then the most common rotation order of BVH files.
const CHANNELS: [Channel; 6] = [
    Channel::Xposition,
    Channel::Yposition,
    Channel::Zposition,
    Channel::Zrotation,
    Channel::Yrotation,
    Channel::Xrotation,
];

/// A joint of a skeleton to build.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Its name.
    pub name: String,
    /// Index of the parent, smaller than the index of the joint; `None` for a root.
    pub parent: Option<usize>,
    /// Offset from its parent at rest, metres, world axes.
    pub offset: Vec3,
    /// Whether its translation changes between frames. Roots have translations in any case.
    pub has_translation: bool,
}

/// Builds a clip on a skeleton of `bones`. `rotations`: [frames × bones], local, relative to rest. `translations`:
/// [frames × bones with translation, roots included], local, metres. A BVH file written from the clip is in
/// metres, as glTF is.
///
/// # Errors
/// Those of [`Skeleton::new`] and [`Clip::new`]; [`Error::Clip`] for a rotation that cannot be normalised.
pub fn build_clip(
    name: &str,
    bones: Vec<Bone>,
    fps: f64,
    rotations: Vec<Quat>,
    translations: Vec<Vec3>,
) -> Result<Clip> {
    let has_child = |index| bones.iter().any(|bone| bone.parent == Some(index));
    // BVH requires an End Site on every joint without children; the lengths of these last bones are unknown.
    let end_sites = (0..bones.len()).map(|index| if has_child(index) { Vec::new() } else { vec![Vec3::ZERO] });
    let end_sites: Vec<_> = end_sites.collect();
    let joints =
        bones.into_iter().zip(end_sites).map(|(Bone { name, parent, offset, has_translation }, end_sites)| Joint {
            name,
            parent,
            offset,
            channels: if has_translation || parent.is_none() { CHANNELS.to_vec() } else { CHANNELS[3..].to_vec() },
            position_mode: PositionMode::Replace,
            end_sites,
        });
    let skeleton = Arc::new(Skeleton::new(joints.collect(), FileSpace { metres_per_unit: 1.0, up: UpAxis::Y })?);
    // Files round their numbers, so lengths may differ from 1, but not be zero. The squared length of a finite rotation
    // may be infinite; normalised, it would be zero.
    let can_be_normalised = |rotation: &Quat| (1e-6..=f32::MAX).contains(&rotation.length_squared());
    if let Some(index) = rotations.iter().position(|rotation| rotation.is_finite() && !can_be_normalised(rotation)) {
        let message = format!("frame {} holds a rotation of length zero, or far too long", index / skeleton.len());
        return Err(Error::Clip { clip: name.to_owned(), message });
    }
    let rotations = rotations.into_iter().map(Quat::normalize).collect();
    Clip::new(name, skeleton, 1.0 / fps, rotations, translations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::bvh;

    fn bones() -> Vec<Bone> {
        let bone = |name: &str, parent, y, has_translation| Bone {
            name: name.to_owned(),
            parent,
            offset: Vec3::Y * y,
            has_translation,
        };
        vec![bone("root", None, 0.0, false), bone("hips", Some(0), 0.9, true), bone("head", Some(1), 0.7, false)]
    }

    #[test]
    fn a_built_clip_can_be_written_and_read() {
        let rotation = Quat::from_rotation_y(0.5);
        let rotations = vec![rotation * 2.0, Quat::IDENTITY, rotation, rotation, rotation, Quat::IDENTITY];
        let translations = vec![Vec3::ZERO, Vec3::Y, Vec3::Z, Vec3::Y * 0.9];
        let built = build_clip("built", bones(), 24.0, rotations, translations).unwrap();
        assert_eq!((built.frames(), built.skeleton().translated()), (2, [0, 1].as_slice()));
        assert!(built.rotations().iter().all(|rotation| rotation.is_normalized()), "rotations are normalized");
        let read = bvh::parse("built", bvh::write(&built).unwrap().as_bytes()).unwrap().clip;
        assert!(read.skeleton().same_topology(built.skeleton()));
        for (a, b) in read.rotations().iter().zip(built.rotations()) {
            assert!(a.angle_between(*b) < 1e-3);
        }
        for (a, b) in read.translations().iter().zip(built.translations()) {
            assert!(a.distance(*b) < 1e-4, "{a} {b}");
        }
    }

    #[test]
    fn invalid_values_are_refused() {
        let (unit, zero) = (Quat::IDENTITY, Quat::from_array([0.0; 4]));
        let code = |fps: f64, rotations: &[Quat], translations: usize| {
            build_clip("built", bones(), fps, rotations.to_vec(), vec![Vec3::ZERO; translations]).unwrap_err().code()
        };
        assert_eq!(code(30.0, &[unit, unit, zero], 2), "clip");
        assert_eq!(code(30.0, &[unit, unit, unit * 1e20], 2), "clip");
        assert_eq!(code(30.0, &[unit; 3], 3), "clip");
        assert_eq!(code(0.0, &[unit; 3], 2), "clip");
        assert_eq!(code(30.0, &[unit, unit, unit * f32::NAN], 2), "clip");
        let (mut rotations, mut translations) = (vec![unit; 6], vec![Vec3::ZERO; 4]);
        (rotations[3].x, translations[1].y) = (f32::NAN, f32::INFINITY);
        let error = build_clip("built", bones(), 30.0, rotations, translations).unwrap_err().to_string();
        assert!(error.contains("the translation of \"hips\" in frame 0"), "{error}");
        let mut wrong = bones();
        wrong[1].parent = Some(2);
        assert_eq!(build_clip("built", wrong, 30.0, vec![], vec![]).unwrap_err().code(), "skeleton");
    }
}
