//! Rig: assigns the joints of a skeleton to the roles of the canonical 22-joint body.

pub mod axes;
mod correct;
pub mod detail;
pub mod dog;
mod infer;
pub mod leg;
mod limbs;
mod name;
mod partner;
mod place;
pub mod quadruped;
mod shape;
pub(crate) mod trunk;

use crate::error::{Error, Result, quoted};
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
pub use detail::{AnyRole, DetailRole};
use glam::{Quat, Vec3};
pub use infer::infer;
pub(crate) use name::is_helper;
pub(crate) use partner::{find_partners, root_chain};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Roles of the canonical body, in LAFAN1's order (the column order of every network).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum Role {
    Hips,
    LeftUpLeg,
    LeftLeg,
    LeftFoot,
    LeftToe,
    RightUpLeg,
    RightLeg,
    RightFoot,
    RightToe,
    Spine,
    Spine1,
    Spine2,
    Neck,
    Head,
    LeftShoulder,
    LeftArm,
    LeftForeArm,
    LeftHand,
    RightShoulder,
    RightArm,
    RightForeArm,
    RightHand,
}

impl Role {
    /// All 22 roles, in order.
    pub const ALL: [Role; 22] = [
        Role::Hips,
        Role::LeftUpLeg,
        Role::LeftLeg,
        Role::LeftFoot,
        Role::LeftToe,
        Role::RightUpLeg,
        Role::RightLeg,
        Role::RightFoot,
        Role::RightToe,
        Role::Spine,
        Role::Spine1,
        Role::Spine2,
        Role::Neck,
        Role::Head,
        Role::LeftShoulder,
        Role::LeftArm,
        Role::LeftForeArm,
        Role::LeftHand,
        Role::RightShoulder,
        Role::RightArm,
        Role::RightForeArm,
        Role::RightHand,
    ];

    /// Returns the role with this name.
    ///
    /// # Errors
    /// [`Error::Option`] with a list of all names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|role| format!("{role:?}") == name).ok_or_else(|| {
            let roles = Self::ALL.map(|role| format!("{role:?}")).join(", ");
            Error::Option { option: "rig", message: format!("{} is not a role; the roles are {roles}", quoted(name)) }
        })
    }

    /// Returns the parent role in the canonical body; `None` for the hips.
    pub fn parent(self) -> Option<Role> {
        use Role::*;
        Some(match self {
            Hips => return None,
            LeftUpLeg | RightUpLeg | Spine => Hips,
            Spine1 => Spine,
            Spine2 => Spine1,
            Neck | LeftShoulder | RightShoulder => Spine2,
            Head => Neck,
            LeftLeg => LeftUpLeg,
            LeftFoot => LeftLeg,
            LeftToe => LeftFoot,
            RightLeg => RightUpLeg,
            RightFoot => RightLeg,
            RightToe => RightFoot,
            LeftArm => LeftShoulder,
            LeftForeArm => LeftArm,
            LeftHand => LeftForeArm,
            RightArm => RightShoulder,
            RightForeArm => RightArm,
            RightHand => RightForeArm,
        })
    }
}

/// Kind of body, which decides the possible operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RigKind {
    /// Hips and both legs are mapped: foot contacts, inverse kinematics and retargeting work.
    Biped,
    /// A body on four legs ([`quadruped`]), which can be retargeted to other four-legged bodies.
    Quadruped,
    /// Anything else (props, unknown bodies): it can be loaded, played, and stitched with clips of the same skeleton.
    Other,
}

/// The roles of a skeleton. A role may be absent (no toes, no hands, one spine joint).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rig {
    /// Joint of each role, indexed by `Role as usize`.
    pub joints: [Option<usize>; 22],
    /// Joints of fingers, eyes and jaw, as far as the skeleton has and names them.
    pub details: BTreeMap<DetailRole, usize>,
    /// Kind of body.
    pub kind: RigKind,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

impl Rig {
    /// Returns the joint with a role.
    pub fn joint(&self, role: Role) -> Option<usize> {
        self.joints[role as usize]
    }

    /// Returns a rig without roles.
    pub fn empty() -> Self {
        Self { joints: [None; 22], details: BTreeMap::new(), kind: RigKind::Other, warnings: Vec::new() }
    }

    /// Returns the mapped roles with the names of their joints: those of the body, then the optional ones.
    pub fn mapped_names<'a>(&'a self, skeleton: &'a Skeleton) -> impl Iterator<Item = (AnyRole, &'a str)> {
        let body = Role::ALL.into_iter().filter_map(|role| Some((AnyRole::Body(role), self.joint(role)?)));
        let details = self.details.iter().map(|(&role, &joint)| (AnyRole::Detail(role), joint));
        body.chain(details).map(|(role, joint)| (role, skeleton.joints()[joint].name.as_str()))
    }
}

/// Roles of the left and right legs, from the hip down.
const LEGS: [[Role; 4]; 2] = [
    [Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::LeftToe],
    [Role::RightUpLeg, Role::RightLeg, Role::RightFoot, Role::RightToe],
];
const ARMS: [[Role; 4]; 2] = [
    [Role::LeftShoulder, Role::LeftArm, Role::LeftForeArm, Role::LeftHand],
    [Role::RightShoulder, Role::RightArm, Role::RightForeArm, Role::RightHand],
];

/// Computes the facing direction of a pose: a unit vector on the ground plane (y = 0). It is perpendicular to the lines
/// across hips and shoulders; where these are vertical (lying on a side), it is the direction of the front of the
/// trunk. Rigs without legs and arms face from their root towards the mean of their joints.
pub fn facing(pose: &Pose, rig: &Rig) -> Vec3 {
    let position_of = |role| rig.joint(role).and_then(|joint| pose.world_positions.get(joint)).copied();
    let pair = |left, right| position_of(left).zip(position_of(right)).map(|(left, right)| left - right);
    let hips = pair(Role::LeftUpLeg, Role::RightUpLeg);
    let shoulders = pair(Role::LeftArm, Role::RightArm).or_else(|| pair(Role::LeftShoulder, Role::RightShoulder));
    let project = |v: Vec3| (v.with_y(0.0), v.length());
    // Shortest projection on the ground that gives a direction, as a fraction of the vector's length.
    const MIN_PROJECTION: f32 = 0.2;
    if hips.is_some() || shoulders.is_some() {
        let across = hips.unwrap_or_default() + shoulders.unwrap_or_default();
        let (projection, length) = project(across);
        if projection.length() > MIN_PROJECTION * length {
            return projection.cross(Vec3::Y).normalize_or(Vec3::Z);
        }
        let top = position_of(Role::Neck).or_else(|| position_of(Role::Head)).or_else(|| position_of(Role::LeftArm));
        if let Some((hips, top)) = position_of(Role::Hips).zip(top) {
            let (projection, length) = project(across.cross(top - hips));
            if projection.length() > MIN_PROJECTION * length {
                return projection.normalize_or(Vec3::Z);
            }
        }
    }
    let root = rig.joint(Role::Hips).unwrap_or(0);
    let centre = pose.world_positions.iter().sum::<Vec3>() / pose.world_positions.len().max(1) as f32;
    let forward = pose.world_positions.get(root).map_or(Vec3::ZERO, |&root| (centre - root).with_y(0.0));
    forward.normalize_or(Vec3::Z)
}

/// Returns the world pose of a skeleton at rest: all rotations are the identity, roots are at their offsets.
pub(crate) fn rest_pose(skeleton: &Skeleton) -> Pose {
    let mut pose = Pose::default();
    for joint in skeleton.joints() {
        let parent_position = joint.parent.map_or(Vec3::ZERO, |parent| pose.world_positions[parent]);
        pose.world_positions.push(parent_position + joint.offset);
        pose.world_rotations.push(Quat::IDENTITY);
    }
    pose
}
