//! Rig: which joint of a skeleton plays which role of the canonical 22-joint body.

use crate::motion::skeleton::Skeleton;

/// Roles of the canonical body, in LAFAN1's order (the column order of every network).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// All 22, in order.
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

    /// Parent role in the canonical body; `None` for the hips.
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

/// How sure a mapping is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RigKind {
    /// Hips and both legs are mapped: foot contacts, IK and retargeting work.
    Biped,
    /// Anything else (quadrupeds, props, unknown): loads, plays, stitches with its own kind.
    Other,
}

/// A skeleton's roles. A role may be absent (no toes, one spine joint).
#[derive(Debug, Clone, PartialEq)]
pub struct Rig {
    /// Joint of each role, indexed by `Role as usize`.
    pub joints: [Option<usize>; 22],
    /// What can be done with it.
    pub kind: RigKind,
    /// Doubts, for people.
    pub warnings: Vec<String>,
}

impl Rig {
    /// Joint that plays a role.
    pub fn joint(&self, role: Role) -> Option<usize> {
        self.joints[role as usize]
    }

    /// A rig with no roles.
    pub fn none() -> Self {
        Self { joints: [None; 22], kind: RigKind::Other, warnings: Vec::new() }
    }

    /// Names a mapping as people see it: (role, joint name), mapped roles only.
    pub fn named<'a>(&'a self, skeleton: &'a Skeleton) -> impl Iterator<Item = (Role, &'a str)> {
        Role::ALL.into_iter().filter_map(|role| Some((role, skeleton.joints()[self.joint(role)?].name.as_str())))
    }
}
