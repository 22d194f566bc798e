//! The canonical body: any biped's motion as 22 roles whose T-pose rotations are identity.
//!
//! A joint's own frame means nothing across rigs (LAFAN1's and Bandai-Namco's rest poses are sticks along x),
//! so each role gets a constant calibration K with world canonical rotation G = R·K. Limbs take their axes from
//! the bone and the hinge it bends about; trunk, feet and head take the mean upright pose as identity.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::skeleton::{FileSpace, Joint, PositionMode, Skeleton};
use glam::{Mat3, Quat, Vec3};
use std::sync::Arc;

/// Number of roles.
pub const ROLES: usize = Role::ALL.len();
/// Leg length (hip to ankle along the bones) that every body is scaled to, metres.
pub const LEG_LENGTH: f32 = 0.86;

/// A motion of the canonical body. Y up, metres at the canonical leg length.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Frames a second.
    pub fps: f64,
    /// Canonical metres in one metre of the source: canonical leg length / leg length.
    pub scale: f32,
    /// Translation of each role from its parent role in the T-pose, metres; the hips' is unused.
    pub offsets: [Vec3; ROLES],
    /// World positions of the hips, [frames], metres.
    pub hips: Vec<Vec3>,
    /// Local rotations, [frames × 22]; the hips' is its world rotation.
    pub rotations: Vec<Quat>,
}

/// Position on the ground and heading of a frame: the projection of the hips, and their forward direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// Ground position, y = 0, metres.
    pub position: Vec3,
    /// Heading about y, radians; 0 looks along +z, positive turns towards +x.
    pub heading: f32,
}

impl Root {
    /// Rotation about y that turns +z to the heading.
    pub fn rotation(self) -> Quat {
        Quat::from_rotation_y(self.heading)
    }

    /// A world point in the root's frame.
    pub fn local_point(self, world: Vec3) -> Vec3 {
        self.rotation().inverse() * (world - self.position)
    }

    /// A point of the root's frame in the world.
    pub fn world_point(self, local: Vec3) -> Vec3 {
        self.position + self.rotation() * local
    }
}

impl Body {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.hips.len()
    }

    /// Local rotations of one frame, [22].
    pub fn frame(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * ROLES..][..ROLES]
    }

    /// World positions of one frame, [22].
    pub fn positions(&self, frame: usize) -> [Vec3; ROLES] {
        self.world(frame).0
    }

    /// World positions and rotations of one frame, [22] each.
    pub fn world(&self, frame: usize) -> ([Vec3; ROLES], [Quat; ROLES]) {
        forward_kinematics(self.hips[frame], self.frame(frame), &self.offsets)
    }

    /// The body as a clip on a skeleton of 22 joints named after their roles.
    ///
    /// # Errors
    /// [`Error::Clip`] where a number is not finite.
    pub fn to_clip(&self, name: &str) -> Result<Clip> {
        let joint = |role: &Role| Joint {
            name: format!("{role:?}"),
            parent: role.parent().map(|parent| parent as usize),
            offset: self.offsets[*role as usize],
            channels: Vec::new(),
            position_mode: PositionMode::Replace,
            end_sites: Vec::new(),
        };
        let skeleton = Skeleton::new(Role::ALL.iter().map(joint).collect(), FileSpace::default())?;
        Clip::new(name, Arc::new(skeleton), 1.0 / self.fps, self.rotations.clone(), self.hips.clone())
    }

    /// Root of a frame.
    pub fn root(&self, frame: usize) -> Root {
        root_of(self.hips[frame], self.rotations[frame * ROLES])
    }
}

/// Root of hips at a world position and canonical world rotation.
pub fn root_of(hips: Vec3, rotation: Quat) -> Root {
    let forward = rotation * Vec3::Z;
    Root { position: Vec3::new(hips.x, 0.0, hips.z), heading: forward.x.atan2(forward.z) }
}

/// World positions and rotations, [22] each, of local rotations on given offsets.
pub fn forward_kinematics(hips: Vec3, rotations: &[Quat], offsets: &[Vec3; ROLES]) -> ([Vec3; ROLES], [Quat; ROLES]) {
    let mut positions = [hips; ROLES];
    let mut world = [rotations[0]; ROLES];
    for role in &Role::ALL[1..] {
        let index = *role as usize;
        let parent = role.parent().map_or(0, |parent| parent as usize);
        positions[index] = positions[parent] + world[parent] * offsets[index];
        world[index] = world[parent] * rotations[index];
    }
    (positions, world)
}

/// A rig's constant rotations K from joint frames to canonical frames; `None` for absent roles.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// K of each role: canonical world rotation = joint world rotation · K.
    pub rotations: [Option<Quat>; ROLES],
}

/// The canonical body of a clip.
///
/// # Errors
/// [`Error::Rig`] where the rig is not a biped, [`Error::TooShort`] for a clip without frames.
pub fn body_of(clip: &Clip, rig: &Rig) -> Result<(Body, Calibration)> {
    if rig.kind != RigKind::Biped {
        let message = "networks need a biped; map hips, legs and feet in the bone mapping".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    if clip.frames() == 0 {
        return Err(Error::TooShort { clip: clip.name.clone(), frames: 0, needed: 1 });
    }
    let poses: Vec<Pose> = (0..clip.frames()).map(|frame| Pose::of(clip, frame)).collect();
    let calibration = calibrate(&poses, rig);
    let leg = leg_length(&poses[0], rig);
    let scale = if leg > 0.0 { LEG_LENGTH / leg } else { 1.0 };

    let mut world_positions = Vec::with_capacity(poses.len());
    let mut world_rotations = Vec::with_capacity(poses.len());
    for pose in &poses {
        let rotations = canonical_rotations(pose, rig, &calibration);
        world_positions.push(canonical_positions(pose, rig, &rotations, scale));
        world_rotations.push(rotations);
    }
    let mut offsets = [Vec3::ZERO; ROLES];
    let count = poses.len() as f32;
    for (positions, rotations) in world_positions.iter().zip(&world_rotations) {
        for role in &Role::ALL[1..] {
            let (child, parent) = (*role as usize, role.parent().map_or(0, |parent| parent as usize));
            offsets[child] += rotations[parent].inverse() * (positions[child] - positions[parent]) / count;
        }
    }
    let mut rotations = Vec::with_capacity(poses.len() * ROLES);
    for world in &world_rotations {
        rotations.extend(Role::ALL.iter().map(|role| match role.parent() {
            Some(parent) => (world[parent as usize].inverse() * world[*role as usize]).normalize(),
            None => world[0],
        }));
    }
    let hips = world_positions.iter().map(|positions| positions[0]).collect();
    Ok((Body { fps: clip.fps(), scale, offsets, hips, rotations }, calibration))
}

/// Canonical world rotations of a pose; an absent role turns with its parent.
pub fn canonical_rotations(pose: &Pose, rig: &Rig, calibration: &Calibration) -> [Quat; ROLES] {
    let mut rotations = [Quat::IDENTITY; ROLES];
    for role in Role::ALL {
        let index = role as usize;
        rotations[index] = match (rig.joint(role), calibration.rotations[index]) {
            (Some(joint), Some(k)) => (pose.world_rotations[joint] * k).normalize(),
            _ => role.parent().map_or(Quat::IDENTITY, |parent| rotations[parent as usize]),
        };
    }
    rotations
}

/// Where an absent role sits in its parent's canonical frame, metres at the canonical size.
fn usual_offset(role: Role) -> Vec3 {
    use Role::*;
    match role {
        LeftToe | RightToe => Vec3::new(0.0, -0.05, 0.14),
        Spine | Spine1 | Spine2 => Vec3::new(0.0, 0.1, 0.0),
        Neck => Vec3::new(0.0, 0.25, 0.0),
        Head => Vec3::new(0.0, 0.11, 0.0),
        LeftShoulder => Vec3::new(0.06, 0.19, 0.0),
        RightShoulder => Vec3::new(-0.06, 0.19, 0.0),
        LeftArm => Vec3::new(0.11, 0.0, 0.0),
        RightArm => Vec3::new(-0.11, 0.0, 0.0),
        LeftForeArm => Vec3::new(0.3, 0.0, 0.0),
        RightForeArm => Vec3::new(-0.3, 0.0, 0.0),
        LeftHand => Vec3::new(0.25, 0.0, 0.0),
        RightHand => Vec3::new(-0.25, 0.0, 0.0),
        Hips | LeftUpLeg | LeftLeg | LeftFoot | RightUpLeg | RightLeg | RightFoot => Vec3::ZERO,
    }
}

fn canonical_positions(pose: &Pose, rig: &Rig, rotations: &[Quat; ROLES], scale: f32) -> [Vec3; ROLES] {
    let mut positions = [Vec3::ZERO; ROLES];
    for role in Role::ALL {
        positions[role as usize] = match rig.joint(role) {
            Some(joint) => pose.world_positions[joint] * scale,
            None => {
                let parent = role.parent().map_or(0, |parent| parent as usize);
                positions[parent] + rotations[parent] * usual_offset(role)
            }
        };
    }
    // An absent spine joint between two present ones lies on the line between them, not at its usual place.
    let chain = [Role::Hips, Role::Spine, Role::Spine1, Role::Spine2, Role::Neck];
    for (i, &role) in chain.iter().enumerate().skip(1) {
        let above = chain[i + 1..].iter().position(|&role| rig.joint(role).is_some());
        if let (None, Some(steps)) = (rig.joint(role), above) {
            let (below, above) = (positions[chain[i - 1] as usize], positions[chain[i + 1 + steps] as usize]);
            positions[role as usize] = below.lerp(above, 1.0 / (steps as f32 + 2.0));
        }
    }
    positions
}

fn leg_length(pose: &Pose, rig: &Rig) -> f32 {
    let length = |from, to| match (rig.joint(from), rig.joint(to)) {
        (Some(from), Some(to)) => pose.world_positions[from].distance(pose.world_positions[to]),
        _ => 0.0,
    };
    let left = length(Role::LeftUpLeg, Role::LeftLeg) + length(Role::LeftLeg, Role::LeftFoot);
    let right = length(Role::RightUpLeg, Role::RightLeg) + length(Role::RightLeg, Role::RightFoot);
    0.5 * (left + right)
}

fn calibrate(poses: &[Pose], rig: &Rig) -> Calibration {
    let at = |pose: &Pose, role: Role| rig.joint(role).map(|joint| pose.world_positions[joint]);
    let heading = |pose: &Pose| -> Quat {
        let across = at(pose, Role::LeftUpLeg).unwrap_or(Vec3::X) - at(pose, Role::RightUpLeg).unwrap_or(Vec3::ZERO);
        Quat::from_rotation_y((-across.z).atan2(across.x))
    };
    let height = |pose: &Pose, role: Role| at(pose, role).map(|p| p.y);
    let leg = leg_length(&poses[0], rig);
    let upright = |pose: &&Pose| {
        let top = height(pose, Role::Head).or(height(pose, Role::Neck)).unwrap_or(f32::MAX);
        let hips = height(pose, Role::Hips).unwrap_or(0.0);
        let feet =
            height(pose, Role::LeftFoot).into_iter().chain(height(pose, Role::RightFoot)).fold(f32::MAX, f32::min);
        top - hips > 0.4 * leg && hips - feet > 0.7 * leg
    };
    let mut frames: Vec<&Pose> = poses.iter().filter(upright).collect();
    if frames.is_empty() {
        frames = poses.iter().collect();
    }
    let headings: Vec<Quat> = frames.iter().map(|pose| heading(pose)).collect();
    let local = |pose: &Pose, joint: usize, world: Vec3| pose.world_rotations[joint].inverse() * world;

    let mut rotations = [None; ROLES];
    for role in Role::ALL {
        let Some(joint) = rig.joint(role) else { continue };
        let bone = limb_child(role).and_then(|child| rig.joint(child));
        rotations[role as usize] = Some(match (limb_axes(role), bone) {
            (Some((down, hinge)), Some(child)) => {
                let along: Vec3 = frames
                    .iter()
                    .map(|pose| local(pose, joint, pose.world_positions[child] - pose.world_positions[joint]))
                    .sum();
                let about = hinge_axis(&frames, rig, role, joint).unwrap_or_else(|| {
                    frames.iter().zip(&headings).map(|(pose, heading)| local(pose, joint, *heading * hinge)).sum()
                });
                frame_between(along, about, down, hinge)
            }
            _ => mean_rotation(
                frames
                    .iter()
                    .zip(&headings)
                    .filter(|(pose, _)| planted(pose, rig, role))
                    .map(|(pose, heading)| pose.world_rotations[joint].inverse() * *heading),
            ),
        });
    }
    // Hands and whatever else ends a limb turn with the bone above in the mean.
    for (hand, forearm) in [(Role::LeftHand, Role::LeftForeArm), (Role::RightHand, Role::RightForeArm)] {
        if let (Some(joint), Some(above), Some(k)) = (rig.joint(hand), rig.joint(forearm), rotations[forearm as usize])
        {
            let relative =
                frames.iter().map(|pose| pose.world_rotations[joint].inverse() * pose.world_rotations[above] * k);
            rotations[hand as usize] = Some(mean_rotation(relative));
        }
    }
    Calibration { rotations }
}

/// Feet are calibrated on the frames where they are low; every other role on all frames.
fn planted(pose: &Pose, rig: &Rig, role: Role) -> bool {
    let (side, other) = match role {
        Role::LeftFoot | Role::LeftToe => (Role::LeftFoot, Role::RightFoot),
        Role::RightFoot | Role::RightToe => (Role::RightFoot, Role::LeftFoot),
        _ => return true,
    };
    match (rig.joint(side), rig.joint(other)) {
        (Some(side), Some(other)) => pose.world_positions[side].y <= pose.world_positions[other].y,
        _ => true,
    }
}

fn limb_child(role: Role) -> Option<Role> {
    use Role::*;
    Some(match role {
        LeftUpLeg => LeftLeg,
        LeftLeg => LeftFoot,
        RightUpLeg => RightLeg,
        RightLeg => RightFoot,
        LeftArm => LeftForeArm,
        LeftForeArm => LeftHand,
        RightArm => RightForeArm,
        RightForeArm => RightHand,
        _ => return None,
    })
}

/// T-pose direction of a limb bone, and of the axis its middle joint (knee, elbow) bends about.
fn limb_axes(role: Role) -> Option<(Vec3, Vec3)> {
    use Role::*;
    Some(match role {
        LeftUpLeg | LeftLeg | RightUpLeg | RightLeg => (Vec3::NEG_Y, Vec3::X),
        LeftArm | LeftForeArm => (Vec3::X, Vec3::NEG_Y),
        RightArm | RightForeArm => (Vec3::NEG_X, Vec3::Y),
        _ => return None,
    })
}

/// Mean bending axis of the limb that a role belongs to, in the joint's frame; `None` where it never bends.
fn hinge_axis(frames: &[&Pose], rig: &Rig, role: Role, joint: usize) -> Option<Vec3> {
    use Role::*;
    let [top, middle, end] = match role {
        LeftUpLeg | LeftLeg => [LeftUpLeg, LeftLeg, LeftFoot],
        RightUpLeg | RightLeg => [RightUpLeg, RightLeg, RightFoot],
        LeftArm | LeftForeArm => [LeftArm, LeftForeArm, LeftHand],
        RightArm | RightForeArm => [RightArm, RightForeArm, RightHand],
        _ => return None,
    };
    let (top, middle, end) = (rig.joint(top)?, rig.joint(middle)?, rig.joint(end)?);
    let axis: Vec3 = frames
        .iter()
        .map(|pose| {
            let upper = (pose.world_positions[middle] - pose.world_positions[top]).normalize_or_zero();
            let lower = (pose.world_positions[end] - pose.world_positions[middle]).normalize_or_zero();
            pose.world_rotations[joint].inverse() * upper.cross(lower)
        })
        .sum();
    (axis.length() > 0.05 * frames.len() as f32).then_some(axis)
}

/// K with K·canonical = local for the first axis exactly, for the second as near as it can.
fn frame_between(local_first: Vec3, local_second: Vec3, canonical_first: Vec3, canonical_second: Vec3) -> Quat {
    let basis = |first: Vec3, second: Vec3| {
        let x = first.normalize_or(Vec3::X);
        let y = (second - x * x.dot(second)).normalize_or(x.any_orthonormal_vector());
        Mat3::from_cols(x, y, x.cross(y))
    };
    Quat::from_mat3(&(basis(local_first, local_second) * basis(canonical_first, canonical_second).transpose()))
}

fn mean_rotation(rotations: impl Iterator<Item = Quat>) -> Quat {
    let mut reference: Option<Quat> = None;
    let mut sum = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for rotation in rotations {
        let reference = *reference.get_or_insert(rotation);
        sum += if rotation.dot(reference) < 0.0 { -rotation } else { rotation };
    }
    if sum.length() > 1e-6 { sum.normalize() } else { reference.unwrap_or(Quat::IDENTITY) }
}
