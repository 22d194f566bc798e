//! Clips from plain values, for readers of formats other than BVH (glTF, three.js).
//!
//! In such formats a bone may have any rest rotation. A [`Skeleton`] has none: a reader gives offsets along world
//! axes as the bones are at rest, and rotations relative to rest, and keeps the rest rotations itself.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::skeleton::{Channel, FileSpace, Joint, PositionMode, Skeleton};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Position channels of a joint that moves, then the most common rotation order of BVH files.
const CHANNELS: [Channel; 6] = [
    Channel::Xposition,
    Channel::Yposition,
    Channel::Zposition,
    Channel::Zrotation,
    Channel::Yrotation,
    Channel::Xrotation,
];

/// A joint, before a skeleton is made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Its name.
    pub name: String,
    /// Index of the parent, smaller than its own; `None` for a root.
    pub parent: Option<usize>,
    /// Offset from its parent at rest, metres, world axes.
    pub offset: Vec3,
    /// Whether its translation changes between frames; roots always may.
    pub has_translation: bool,
}

/// Makes a clip over `bones`. `rotations`: [frames × bones], local, relative to rest; `translations`: [frames × bones
/// that move], local, metres. As BVH it is written in centimetres.
///
/// # Errors
/// Those of [`Skeleton::new`] and [`Clip::new`]; [`Error::Clip`] for a rotation of length zero.
pub fn build_clip(
    name: &str,
    bones: Vec<Bone>,
    fps: f64,
    rotations: Vec<Quat>,
    translations: Vec<Vec3>,
) -> Result<Clip> {
    let has_child = |index| bones.iter().any(|bone| bone.parent == Some(index));
    // BVH requires an End Site on every last joint; their length is unknown.
    let end_sites = (0..bones.len()).map(|index| if has_child(index) { Vec::new() } else { vec![Vec3::ZERO] });
    let end_sites: Vec<_> = end_sites.collect();
    let joints =
        bones.into_iter().zip(end_sites).map(|(Bone { name, parent, offset, has_translation: moves }, end_sites)| {
            Joint {
                name,
                parent,
                offset,
                channels: if moves || parent.is_none() { CHANNELS.to_vec() } else { CHANNELS[3..].to_vec() },
                position_mode: PositionMode::Replace,
                end_sites,
            }
        });
    let skeleton = Arc::new(Skeleton::new(joints.collect(), FileSpace::default())?);
    // Files round their numbers, so lengths may differ from 1, but not be zero.
    if let Some(at) = rotations.iter().position(|rotation| rotation.is_finite() && rotation.length_squared() < 1e-6) {
        let message = format!("frame {} holds a rotation of length zero", at / skeleton.len());
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
        let bone = |name: &str, parent, y, moves| Bone {
            name: name.to_owned(),
            parent,
            offset: Vec3::Y * y,
            has_translation: moves,
        };
        vec![bone("root", None, 0.0, false), bone("hips", Some(0), 0.9, true), bone("head", Some(1), 0.7, false)]
    }

    #[test]
    fn it_is_a_clip_that_can_be_written_and_read() {
        let turn = Quat::from_rotation_y(0.5);
        let rotations = vec![turn * 2.0, Quat::IDENTITY, turn, turn, turn, Quat::IDENTITY];
        let translations = vec![Vec3::ZERO, Vec3::Y, Vec3::Z, Vec3::Y * 0.9];
        let made = build_clip("made", bones(), 24.0, rotations, translations).unwrap();
        assert_eq!((made.frames(), made.skeleton().translated()), (2, [0, 1].as_slice()));
        assert!(made.rotations().iter().all(|rotation| rotation.is_normalized()), "they come back unit");
        let read = bvh::parse("made", bvh::write(&made).unwrap().as_bytes()).unwrap().clip;
        assert!(read.skeleton().same_topology(made.skeleton()));
        for (a, b) in read.rotations().iter().zip(made.rotations()) {
            assert!(a.angle_between(*b) < 1e-3);
        }
        for (a, b) in read.translations().iter().zip(made.translations()) {
            assert!(a.distance(*b) < 1e-4, "{a} {b}");
        }
    }

    #[test]
    fn what_is_no_motion_is_refused() {
        let (one, none) = (Quat::IDENTITY, Quat::from_array([0.0; 4]));
        let code = |fps: f64, rotations: &[Quat], translations: usize| {
            build_clip("made", bones(), fps, rotations.to_vec(), vec![Vec3::ZERO; translations]).unwrap_err().code()
        };
        assert_eq!(code(30.0, &[one, one, none], 2), "clip");
        assert_eq!(code(30.0, &[one; 3], 3), "clip");
        assert_eq!(code(0.0, &[one; 3], 2), "clip");
        assert_eq!(code(30.0, &[one, one, one * f32::NAN], 2), "clip");
        let mut wrong = bones();
        wrong[1].parent = Some(2);
        assert_eq!(build_clip("made", wrong, 30.0, vec![], vec![]).unwrap_err().code(), "skeleton");
    }
}
