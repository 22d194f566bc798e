//! Conversion of any character's motion to its canonical skeleton.
//!
//! The local axes of a joint cannot be compared across rigs (in the rest poses of LAFAN1 and Bandai-Namco all bones lie
//! along x). The body axes of each joint, determined once per rig ([`crate::motion::rig::axes`]), relate it to the body
//! part that it moves: canonical world rotation = world rotation of the joint · body axes. Bone lengths are measured in
//! the rig's reference pose. So all clips of one actor have the same canonical skeleton, a stooped walk stays stooped,
//! and a clip of one frame can be converted.

use crate::body::character::{Character, CharacterJoint, biped, dog};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::{with_nearest_sign, with_positive_w};
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, RigKind, leg};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// A motion on its canonical skeleton. Only the root is translated.
#[derive(Debug, Clone, PartialEq)]
pub struct Canonical {
    /// Kind of body.
    pub character: &'static Character,
    /// The motion: local rotations, which all are the identity in the stance, and positions of the root. Y up, metres
    /// at the canonical leg length.
    pub clip: Clip,
    /// Scale: canonical metres per metre of the source.
    pub scale: f32,
}

/// The mapping of a rig to its character. It is computed once and valid for all clips of the rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Kind of body of the rig.
    pub character: &'static Character,
    /// The rig's joint for each joint of the character, [character joints]; `None` if the rig has none.
    pub joints: Vec<Option<usize>>,
    /// Body axes of the rig's joints.
    pub axes: Axes,
    /// Scale: canonical metres per metre of the rig.
    pub scale: f32,
    /// The canonical skeleton, with the proportions of the rig.
    pub skeleton: Arc<Skeleton>,
}

/// Converts a clip to its canonical body.
///
/// # Errors
/// [`Error::Rig`] if the rig is of no known character or its axes cannot be determined, [`Error::TooShort`] for a
/// clip without frames.
pub fn to_canonical(clip: &Clip, rig: &Rig) -> Result<Canonical> {
    if clip.frames() == 0 {
        return Err(Error::TooShort { clip: clip.name.clone(), frames: 0, needed: 1 });
    }
    let fit = Fit::new(clip, rig)?;
    Ok(Canonical { clip: fit.convert(clip)?, character: fit.character, scale: fit.scale })
}

impl Fit {
    /// Fits the rig of a clip to its character. The motion of `clip` is used only if neither the rest pose nor the
    /// table of known rigs gives the axes.
    ///
    /// # Errors
    /// [`Error::Rig`] if the rig is of no known character or its axes cannot be determined.
    pub fn new(clip: &Clip, rig: &Rig) -> Result<Self> {
        let fail = |message: &str| Err(Error::Rig { clip: clip.name.clone(), message: message.to_owned() });
        let Some((character, joints)) = map_joints(clip, rig) else {
            return fail("networks need a biped or a known dog; map hips, legs and feet in the bone mapping");
        };
        let axes = if character == biped() { Axes::detect(clip, rig) } else { Axes::detect_dog(clip, &joints) };
        let Some(axes) = axes else {
            return fail("neither its rest pose nor its frames show a standing body; use a clip whose frames do");
        };
        let reference =
            ReferencePose { pose: axes.world_reference_pose(clip.skeleton()), axes: &axes, joints: &joints };
        let legs: Option<Vec<Vec<usize>>> =
            character.legs.iter().map(|leg| leg.iter().map(|&joint| joints[joint]).collect()).collect();
        let length = legs.map_or(0.0, |legs| leg::length(&reference.pose, &legs));
        let scale = if length > 0.0 { character.leg_length / length } else { 1.0 };
        let skeleton = character.skeleton(&reference.offsets(character, clip.skeleton(), scale))?;
        Ok(Self { character, joints, axes, scale, skeleton })
    }

    /// Converts a clip of the rig to the canonical skeleton.
    ///
    /// # Errors
    /// [`Error::Clip`] for a clip that has another number of joints than the rig.
    pub fn convert(&self, clip: &Clip) -> Result<Clip> {
        let joint_count = self.character.len();
        if clip.joints() != self.axes.joint_from_body.len() {
            let message =
                format!("it has {} joints, but its rig has {}", clip.joints(), self.axes.joint_from_body.len());
            return Err(Error::Clip { clip: clip.name.clone(), message });
        }
        let root = self.joints[0].unwrap_or(0);
        let mut rotations: Vec<Quat> = Vec::with_capacity(clip.frames() * joint_count);
        let mut root_positions = Vec::with_capacity(clip.frames());
        let mut pose = Pose::default();
        for frame in 0..clip.frames() {
            pose.set(clip, frame);
            let body_rotations = world_body_rotations(self.character, &self.joints, &self.axes, &pose);
            root_positions.push(pose.world_positions[root] * self.scale);
            for (index, joint) in self.character.joints.iter().enumerate() {
                let to_parent = joint.parent.map_or(Quat::IDENTITY, |parent| body_rotations[parent].inverse());
                let rotation = (to_parent * body_rotations[index]).normalize();
                // Quaternion signs are continuous in time.
                rotations.push(match frame {
                    0 => with_positive_w(rotation),
                    _ => with_nearest_sign(rotation, rotations[rotations.len() - joint_count]),
                });
            }
        }
        Clip::new(clip.name.clone(), Arc::clone(&self.skeleton), clip.frame_time_secs(), rotations, root_positions)
    }
}

/// Returns the character of a rig, and the rig's joint for each joint of the character, [character joints]. `None` for
/// an unknown character.
pub(super) fn map_joints(clip: &Clip, rig: &Rig) -> Option<(&'static Character, Vec<Option<usize>>)> {
    match rig.kind {
        RigKind::Biped => Some((biped(), rig.joints.to_vec())),
        RigKind::Quadruped | RigKind::Other => Some((dog(), crate::motion::rig::dog::find_joints(clip.skeleton())?)),
    }
}

/// Computes the canonical world rotation of each joint of the character. A joint that the rig lacks has the rotation of
/// its parent.
fn world_body_rotations(character: &Character, joints: &[Option<usize>], axes: &Axes, pose: &Pose) -> Vec<Quat> {
    let mut rotations: Vec<Quat> = Vec::with_capacity(character.len());
    for (index, joint) in character.joints.iter().enumerate() {
        rotations.push(match joints[index] {
            Some(rig_joint) => axes.body_rotation(pose, rig_joint).normalize(),
            None => joint.parent.map_or(Quat::IDENTITY, |parent| rotations[parent]),
        });
    }
    rotations
}

/// Length of the shortest End Site that counts as a toe or paw, metres at the canonical size.
const MIN_TIP_LENGTH: f32 = 0.05;

/// World reference pose of a rig, in which bone offsets are measured.
struct ReferencePose<'a> {
    pose: Pose,
    axes: &'a Axes,
    joints: &'a [Option<usize>],
}

impl ReferencePose<'_> {
    /// Measures the offsets from parent to joint in the parent's body axes, [character joints], metres at the canonical
    /// size.
    fn offsets(&self, character: &Character, skeleton: &Skeleton, scale: f32) -> Vec<Vec3> {
        let rotations = world_body_rotations(character, self.joints, self.axes, &self.pose);
        let mut positions: Vec<Vec3> = Vec::with_capacity(character.len());
        for (index, joint) in character.joints.iter().enumerate() {
            positions.push(match (self.joints[index], joint.parent) {
                (Some(rig_joint), _) => self.pose.world_positions[rig_joint] * scale,
                (None, None) => Vec3::ZERO,
                (None, Some(parent)) => {
                    let has_contact = character.contacts.iter().any(|contact| contact.joint == index);
                    let site = self.joints[parent]
                        .filter(|_| has_contact)
                        .and_then(|rig_joint| self.longest_site(skeleton, rig_joint));
                    let site = site.map(|site| site * scale).filter(|site| site.length() > MIN_TIP_LENGTH);
                    positions[parent] + site.unwrap_or_else(|| rotations[parent] * joint.default_offset)
                }
            });
        }
        // A missing joint of the trunk is placed on the line between its neighbours, not at its default offset.
        let trunk = &character.trunk;
        for (i, &joint) in trunk.iter().enumerate().skip(1) {
            let missing_after = trunk[i + 1..].iter().position(|&joint| self.joints[joint].is_some());
            if let (None, Some(missing)) = (self.joints[joint], missing_after) {
                let next = positions[trunk[i + 1 + missing]];
                positions[joint] = positions[trunk[i - 1]].lerp(next, 1.0 / (missing as f32 + 2.0));
            }
        }
        let offset = |(index, joint): (usize, &CharacterJoint)| match joint.parent {
            Some(parent) => rotations[parent].inverse() * (positions[index] - positions[parent]),
            None => Vec3::ZERO,
        };
        character.joints.iter().enumerate().map(offset).collect()
    }

    /// Returns the offset from a joint to its longest End Site; world axes, metres.
    fn longest_site(&self, skeleton: &Skeleton, joint: usize) -> Option<Vec3> {
        Some(self.pose.world_rotations[joint] * skeleton.joints()[joint].longest_site()?)
    }
}
