//! Rig: assigns the joints of a skeleton to the roles of the canonical 22-joint body.

pub mod axes;
mod correct;
pub mod dog;
pub mod leg;
mod limbs;
mod name;
mod partner;
pub mod quadruped;
mod shape;
pub(crate) mod trunk;

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use limbs::{ARM_WEIGHTS, LEG_WEIGHTS, Limb};
use name::{Hint, Side};
pub(crate) use partner::{find_partners, root_chain};
use quadruped::Quadruped;
use serde::{Deserialize, Serialize};

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

    /// The role with this name.
    ///
    /// # Errors
    /// [`Error::Option`] with a list of all names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|role| format!("{role:?}") == name).ok_or_else(|| {
            let roles = Self::ALL.map(|role| format!("{role:?}")).join(", ");
            Error::Option { option: "rig", message: format!("{} is no role; the roles are {roles}", quoted(name)) }
        })
    }

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

/// Kind of body, which decides the possible operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RigKind {
    /// Hips and both legs are mapped: foot contacts, inverse kinematics and retargeting work.
    Biped,
    /// A body on four legs ([`quadruped`]), which can be retargeted to others of its kind. In builds without the
    /// search for legs ([`quadruped::IS_AVAILABLE`]) names or proportions decide.
    Quadruped,
    /// Anything else (props, unknown): it can be loaded, played, and stitched with its own kind.
    Other,
}

/// The roles of a skeleton. A role may be absent (no toes, one spine joint).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rig {
    /// Joint of each role, indexed by `Role as usize`.
    pub joints: [Option<usize>; 22],
    /// Kind of body.
    pub kind: RigKind,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

impl Rig {
    /// The joint with a role.
    pub fn joint(&self, role: Role) -> Option<usize> {
        self.joints[role as usize]
    }

    /// A rig without roles.
    pub fn empty() -> Self {
        Self { joints: [None; 22], kind: RigKind::Other, warnings: Vec::new() }
    }

    /// The mapping as (role, joint name), mapped roles only.
    pub fn mapped_names<'a>(&'a self, skeleton: &'a Skeleton) -> impl Iterator<Item = (Role, &'a str)> {
        Role::ALL.into_iter().filter_map(|role| Some((role, skeleton.joints()[self.joint(role)?].name.as_str())))
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

/// Maps a clip's joints to roles: by name where names suffice, else by topology and geometry over a few frames of the
/// clip. Never fails: roles that could not be mapped are absent, and `warnings` names them.
pub fn infer(clip: &Clip) -> Rig {
    let skeleton = clip.skeleton();
    let hints: Vec<Hint> = skeleton.joints().iter().map(|joint| name::hint(&joint.name)).collect();
    let named = |side, weights, scores: fn(&Hint) -> [f32; 4]| {
        Some(limbs::by_names(skeleton, &hints, side, weights, scores)).filter(|limb| limbs::is_complete(limb, weights))
    };
    let both = |weights, scores| named(Side::Left, weights, scores).zip(named(Side::Right, weights, scores));
    let mut legs = both(LEG_WEIGHTS, |hint| hint.leg).map(|(left, right)| [left, right]);
    let mut arms = both(ARM_WEIGHTS, |hint| hint.arm).map(|(left, right)| [left, right]);

    let poses = shape::sample_poses(clip, shape::SAMPLES);
    let mut rig = Rig::empty();
    if legs.is_none() || arms.is_none() {
        // Names left a gap: shape may fill it unless it contradicts the names.
        if let Some(body) = shape::detect_body(skeleton, &poses, &mut rig.warnings) {
            if legs.is_none() && arms.is_none() {
                rig.warnings.push("joints were mapped by the skeleton's shape, not by their names; check them".into());
                (legs, arms) = (Some(body.legs), body.arms);
            } else if arms.is_none() && legs.is_some_and(|legs| legs[0][0] == body.legs[0][0]) {
                rig.warnings.push("arms were mapped by the skeleton's shape, not by their names; check them".into());
                arms = body.arms;
            } else if legs.is_none() && arms.zip(body.arms).is_some_and(|(named, seen)| named[0][1] == seen[0][1]) {
                rig.warnings.push("legs were mapped by the skeleton's shape, not by their names; check them".into());
                legs = Some(body.legs);
            }
        }
    }
    for (roles, limbs) in [(LEGS, legs), (ARMS, arms)] {
        for (role, joint) in roles.iter().flatten().zip(limbs.iter().flatten().flatten()) {
            rig.joints[*role as usize] = *joint;
        }
    }
    let none: [Limb; 2] = [[None; 4]; 2];
    trunk::fill(&mut rig, skeleton, &hints, legs.unwrap_or(none), arms.unwrap_or(none));
    let hips = &mut rig.joints[Role::Hips as usize];
    *hips = hips.or_else(|| hints.iter().position(|hint| hint.hips));
    set_kind(&mut rig, clip, &hints, &poses);
    if rig.kind == RigKind::Biped
        && axes::Axes::detect(clip, &rig).is_some_and(|axes| axes.source == axes::Source::Motion)
    {
        rig.warnings.push(
            "the rest pose shows no standing body and the rig is not a known one: how its joints' axes lie was estimated \
             from this motion"
                .into(),
        );
    }
    rig
}

/// Roles that a [`RigKind::Biped`] must have.
const REQUIRED_ROLES: [Role; 7] =
    [Role::Hips, Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::RightUpLeg, Role::RightLeg, Role::RightFoot];

/// Sets `rig.kind`, and adds warnings about missing or doubtful roles.
fn set_kind(rig: &mut Rig, clip: &Clip, hints: &[Hint], poses: &[Pose]) {
    let skeleton = clip.skeleton();
    let missing: Vec<String> =
        REQUIRED_ROLES.into_iter().filter(|&role| rig.joint(role).is_none()).map(|role| format!("{role:?}")).collect();
    let dog = dog::find_joints(skeleton).is_some() || hints.iter().any(|hint| hint.quadruped);
    // Roles mapped by shape may be features that people and animals share.
    let by_shape = !rig.warnings.is_empty();
    let is_like_one = dog || shape::is_quadruped(rig, poses);
    let body = match is_like_one || !missing.is_empty() {
        true => Quadruped::detect(clip).ok(),
        false if by_shape && quadruped::IS_AVAILABLE => Quadruped::detect_at_rest(clip).ok(),
        false => None,
    };
    if let Some(body) = body {
        rig.kind = RigKind::Quadruped;
        rig.joints[Role::Hips as usize] = body.trunk.first().copied();
        rig.warnings = vec!["looks like a four-legged animal: stitches with four-legged animals only".into()];
        return;
    }
    if is_like_one && !quadruped::IS_AVAILABLE {
        rig.kind = RigKind::Quadruped;
    }
    if !missing.is_empty() {
        rig.warnings.push(format!(
            "no joint found for {}: stitches with clips of the same skeleton only, unless mapped by hand",
            missing.join(", ")
        ));
        return;
    }
    if is_like_one {
        rig.warnings.push("looks like a four-legged animal: stitches with clips of the same skeleton only".into());
        return;
    }
    rig.kind = RigKind::Biped;
    if rig.joint(Role::LeftArm).is_none() || rig.joint(Role::RightArm).is_none() {
        rig.warnings.push("no arms found: arm motion of other clips cannot be transferred to it".into());
    }
    if shape::is_mirrored(rig, skeleton, poses) {
        rig.warnings.push("feet or knees point backwards: left and right may be exchanged".into());
    }
}

/// Facing direction of a pose: unit, on the ground plane (y = 0). From the lines across hips and shoulders; where
/// these are upright (lying on a side), from the front of the trunk. Rigs without legs and arms face from their root
/// towards the mean of their joints, which is consistent over all clips of a skeleton.
pub fn facing(pose: &Pose, rig: &Rig) -> Vec3 {
    let at = |role| rig.joint(role).and_then(|joint| pose.world_positions.get(joint)).copied();
    let pair = |left, right| at(left).zip(at(right)).map(|(left, right)| left - right);
    let hips = pair(Role::LeftUpLeg, Role::RightUpLeg);
    let shoulders = pair(Role::LeftArm, Role::RightArm).or_else(|| pair(Role::LeftShoulder, Role::RightShoulder));
    let flat = |v: Vec3| (v.with_y(0.0), v.length());
    // A vector whose projection on the ground is shorter than this fraction of its length gives no direction.
    const SHADOW: f32 = 0.2;
    if hips.is_some() || shoulders.is_some() {
        let across = hips.unwrap_or_default() + shoulders.unwrap_or_default();
        let (shadow, length) = flat(across);
        if shadow.length() > SHADOW * length {
            return shadow.cross(Vec3::Y).normalize_or(Vec3::Z);
        }
        let top = at(Role::Neck).or_else(|| at(Role::Head)).or_else(|| at(Role::LeftArm));
        if let Some((hips, top)) = at(Role::Hips).zip(top) {
            let (shadow, length) = flat(across.cross(top - hips));
            if shadow.length() > SHADOW * length {
                return shadow.normalize_or(Vec3::Z);
            }
        }
    }
    let root = rig.joint(Role::Hips).unwrap_or(0);
    let middle = pose.world_positions.iter().sum::<Vec3>() / pose.world_positions.len().max(1) as f32;
    let forwards = pose.world_positions.get(root).map_or(Vec3::ZERO, |&root| (middle - root).with_y(0.0));
    forwards.normalize_or(Vec3::Z)
}

/// World pose of a skeleton at rest: all rotations zero, roots at their offsets.
pub(crate) fn rest_pose(skeleton: &Skeleton) -> Pose {
    let mut pose = Pose::default();
    for joint in skeleton.joints() {
        let above = joint.parent.map_or(Vec3::ZERO, |parent| pose.world_positions[parent]);
        pose.world_positions.push(above + joint.offset);
        pose.world_rotations.push(Quat::IDENTITY);
    }
    pose
}
