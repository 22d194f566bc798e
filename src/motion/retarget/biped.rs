//! Transfers poses from one biped to another.

use super::leg::Ground;
use super::plan::{self, Mix};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::skeleton::Skeleton;
use glam::Quat;

/// Values that depend on the two rigs, and buffers.
#[derive(Debug, Clone)]
pub struct Biped {
    source: Axes,
    axes: Axes,
    mixes: Vec<Option<Mix>>,
    ground: Ground,
    /// Joints of each role: source, target.
    roles: [Rig; 2],
    parts: Vec<Option<Quat>>,
}

impl Biped {
    /// `source`: axes of `from`.
    ///
    /// # Errors
    /// [`Error::Rig`] about the target.
    pub fn new(clip: &Clip, from: &Rig, source: Axes, target: &Clip, to: &Rig) -> Result<Self> {
        let axes = body_axes(target, to)?;
        let mixes = plan::plan_mixes(
            (clip.skeleton(), from, &source.reference_pose),
            (target.skeleton(), to, &axes.reference_pose),
        );
        let ground = Ground::new(clip, from, target, to);
        let parts = Vec::with_capacity(mixes.len());
        Ok(Self { source, axes, mixes, ground, roles: [from.clone(), to.clone()], parts })
    }

    /// Leg length of the target divided by leg length of the source.
    pub fn scale(&self) -> f32 {
        self.ground.scale()
    }

    /// The target's joint with the same role as a joint of the source.
    pub fn counterpart(&self, joint: usize) -> Option<usize> {
        let [from, to] = &self.roles;
        Role::ALL.into_iter().find(|&role| from.joint(role) == Some(joint)).and_then(|role| to.joint(role))
    }

    /// Sets `made` to the target's pose for one pose of the source.
    pub fn set(&mut self, skeleton: &Skeleton, pose: &Pose, made: &mut Pose) {
        let Self { source, axes, mixes, ground, parts, .. } = self;
        parts.clear();
        parts.extend(mixes.iter().map(|mix| mix.map(|mix| mix.rotation(|joint| source.body_rotation(pose, joint)))));
        assemble(made, skeleton, axes, parts);
        let shift = ground.hips_shift(pose, made);
        ground.carrier.shift(made, shift);
        ground.bend_legs(pose, made, parts);
        assemble(made, skeleton, axes, parts);
        ground.carrier.shift(made, shift);
    }
}

/// World pose of the target: the given part rotations, the still pose for joints without one, and the bones of the
/// still pose.
fn assemble(made: &mut Pose, skeleton: &Skeleton, axes: &Axes, parts: &[Option<Quat>]) {
    made.world_positions.clear();
    made.world_rotations.clear();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let (still, bone) = axes.reference_pose[index];
        let above = joint.parent.map(|parent| (made.world_positions[parent], made.world_rotations[parent]));
        let (position, rotation) = above.unwrap_or_default();
        let part = parts[index].map(|part| part * axes.joint_from_body[index].inverse());
        made.world_positions.push(position + rotation * bone);
        made.world_rotations.push(part.unwrap_or(rotation * still));
    }
}

/// The axes of a biped.
///
/// # Errors
/// [`Error::Rig`] if the rig is not a biped, or its axes cannot be determined.
pub fn body_axes(clip: &Clip, rig: &Rig) -> Result<Axes> {
    let fail = |message: &str| Err(Error::Rig { clip: clip.name.clone(), message: message.to_owned() });
    if rig.kind != RigKind::Biped {
        return fail(
            "its motion cannot be transferred to or from another skeleton without hips and both legs; map them, or \
                     stitch it with clips of its own skeleton",
        );
    }
    match Axes::detect(clip, rig) {
        Some(axes) => Ok(axes),
        None => fail("it has no frames, and its rest pose is not a standing body; use a clip with frames"),
    }
}
