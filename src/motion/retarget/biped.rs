//! Transfers poses from one biped to another.

use super::leg::LegTransfer;
use super::plan::{self, Mix};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::floor::ankle_over_sole;
use crate::motion::rig::axes::Axes;
use crate::motion::rig::leg::parents_first;
use crate::motion::rig::{Rig, RigKind, Role};
use glam::{Quat, Vec3};

/// Transfer of poses between two bipeds: values that depend on the rigs, and buffers.
#[derive(Debug, Clone)]
pub struct BipedTransfer {
    source_axes: Axes,
    target_axes: Axes,
    bones: Bones,
    /// Source parts that each target joint follows, [target joints].
    mixes: Vec<Option<Mix>>,
    legs: LegTransfer,
    /// Joints of each role: source, target.
    roles: [Rig; 2],
    /// World body rotations of the target, [target joints]; `None` for joints that follow their parent.
    part_rotations: Vec<Option<Quat>>,
}

impl BipedTransfer {
    /// Prepares transfers from the rig `from` of `clip`, with the axes `source_axes`, to the rig `to` of `target`.
    ///
    /// # Errors
    /// [`Error::Rig`] if the target is not a biped, or its axes cannot be determined.
    pub fn new(clip: &Clip, from: &Rig, source_axes: Axes, target: &Clip, to: &Rig) -> Result<Self> {
        let target_axes = body_axes(target, to)?;
        let mixes = plan::plan_mixes(
            (clip.skeleton(), from, &source_axes.reference_pose),
            (target.skeleton(), to, &target_axes.reference_pose),
        );
        let legs = LegTransfer::new(clip, from, target, to, &target_axes);
        let part_rotations = Vec::with_capacity(mixes.len());
        let bones = Bones::new(target, to, &target_axes);
        Ok(Self { source_axes, target_axes, bones, mixes, legs, roles: [from.clone(), to.clone()], part_rotations })
    }

    /// Keeps the height of the source over 0, scaled, instead of its height over the floor of its clip.
    pub fn keep_height(&mut self, clip: &Clip, target: &Clip) {
        let [from, to] = &self.roles;
        let heights =
            ankle_over_sole(clip, from, &self.source_axes).zip(ankle_over_sole(target, to, &self.target_axes));
        if let Some((source, target)) = heights {
            self.legs.set_ankle_heights([source, target]);
        }
    }

    /// Returns the leg length of the target divided by the leg length of the source.
    pub fn scale(&self) -> f32 {
        self.legs.scale()
    }

    /// Returns the target's joint with the same role as a joint of the source.
    pub fn counterpart(&self, joint: usize) -> Option<usize> {
        let [from, to] = &self.roles;
        let body = Role::ALL.into_iter().find(|&role| from.joint(role) == Some(joint)).and_then(|role| to.joint(role));
        let detail =
            || from.details.iter().find(|(_, other)| **other == joint).and_then(|(role, _)| to.details.get(role));
        body.or_else(|| detail().copied())
    }

    /// Sets `target_pose` to the target's pose for one pose of the source.
    pub fn set(&mut self, pose: &Pose, target_pose: &mut Pose) {
        let Self { source_axes, target_axes, bones, mixes, legs, part_rotations, .. } = self;
        part_rotations.clear();
        part_rotations.extend(
            mixes.iter().map(|mix| mix.map(|mix| mix.rotation(|joint| source_axes.body_rotation(pose, joint)))),
        );
        bones.assemble(target_pose, target_axes, part_rotations);
        let shift = legs.hips_shift(pose, target_pose);
        legs.carrier.shift(target_pose, shift);
        legs.bend_legs(pose, target_pose, part_rotations);
        bones.assemble(target_pose, target_axes, part_rotations);
        legs.carrier.shift(target_pose, shift);
    }
}

/// Bones of the target's body.
#[derive(Debug, Clone)]
struct Bones {
    /// Parent of each joint in the body, [joints]; feet hang at their shins, see [`Rig::body_parents`].
    parents: Vec<Option<usize>>,
    /// Joints, parents first.
    order: Vec<usize>,
    /// Rotation and translation of each joint in the reference pose, relative to its parent in the body, [joints].
    reference_pose: Vec<(Quat, Vec3)>,
}

impl Bones {
    fn new(target: &Clip, rig: &Rig, axes: &Axes) -> Self {
        let skeleton = target.skeleton();
        let parents = rig.body_parents(skeleton);
        let mut reference_pose = axes.reference_pose.clone();
        // Roots that do not carry the body stay at their height in the target's clip: OFFSET may be that of another pose.
        let roots = (0..parents.len()).filter(|&joint| parents[joint].is_none() && target.frames() > 0);
        for root in roots {
            reference_pose[root].1.y = target.local_translation(0, root).y;
        }
        let world = axes.world_reference_pose(skeleton);
        for (foot, shin) in rig.placed_feet(skeleton) {
            let to_shin = world.world_rotations[shin].inverse();
            let offset = to_shin * (world.world_positions[foot] - world.world_positions[shin]);
            reference_pose[foot] = (to_shin * world.world_rotations[foot], offset);
        }
        Self { order: parents_first(&parents), parents, reference_pose }
    }

    /// Sets the world pose of the target from the rotations of its body parts. Joints without one keep the local
    /// rotation of the reference pose, and all bones have the lengths of the reference pose.
    fn assemble(&self, pose: &mut Pose, axes: &Axes, part_rotations: &[Option<Quat>]) {
        pose.world_positions.resize(self.parents.len(), Vec3::ZERO);
        pose.world_rotations.resize(self.parents.len(), Quat::IDENTITY);
        for &index in &self.order {
            let (reference_rotation, bone) = self.reference_pose[index];
            let parent = self.parents[index].map(|parent| (pose.world_positions[parent], pose.world_rotations[parent]));
            let (parent_position, parent_rotation) = parent.unwrap_or_default();
            let rotation = part_rotations[index].map(|rotation| rotation * axes.joint_from_body[index].inverse());
            pose.world_positions[index] = parent_position + parent_rotation * bone;
            pose.world_rotations[index] = rotation.unwrap_or(parent_rotation * reference_rotation);
        }
    }
}

/// Determines the body axes of a biped.
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
