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
    /// Returns the joint with a role.
    pub fn joint(&self, role: Role) -> Option<usize> {
        self.joints[role as usize]
    }

    /// Returns a rig without roles.
    pub fn empty() -> Self {
        Self { joints: [None; 22], kind: RigKind::Other, warnings: Vec::new() }
    }

    /// Returns the mapped roles with the names of their joints.
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

/// Maps a clip's joints to roles: by name where names suffice, else by topology and by geometry in a few frames of the
/// clip. Never fails: roles that could not be mapped are absent, and warnings name the required ones.
pub fn infer(clip: &Clip) -> Rig {
    let skeleton = clip.skeleton();
    let hints: Vec<Hint> = skeleton.joints().iter().map(|joint| name::read_hint(&joint.name)).collect();
    let limb_by_name = |side, weights, scores: fn(&Hint) -> [f32; 4]| {
        Some(limbs::find_limb(skeleton, &hints, side, weights, scores)).filter(|limb| limbs::is_complete(limb, weights))
    };
    let both_sides =
        |weights, scores| limb_by_name(Side::Left, weights, scores).zip(limb_by_name(Side::Right, weights, scores));
    let mut legs = both_sides(LEG_WEIGHTS, |hint| hint.leg).map(|(left, right)| [left, right]);
    let mut arms = both_sides(ARM_WEIGHTS, |hint| hint.arm).map(|(left, right)| [left, right]);

    let poses = shape::sample_poses(clip, shape::SAMPLES);
    let mut rig = Rig::empty();
    if legs.is_none() || arms.is_none() {
        // The names do not give all limbs: the shape may add the missing ones, unless it contradicts the names.
        if let Some(body) = shape::detect_body(skeleton, &poses) {
            if legs.is_none() && arms.is_none() {
                if !body.has_known_sides {
                    let message = "front and back could not be told apart, so left and right may be swapped";
                    rig.warnings.push(message.into());
                }
                rig.warnings.push("joints were mapped by the skeleton's shape, not by their names; check them".into());
                (legs, arms) = (Some(body.legs), body.arms);
            } else if body.arms.is_some() && legs.is_some_and(|legs| legs[0][0] == body.legs[0][0]) {
                rig.warnings.push("arms were mapped by the skeleton's shape, not by their names; check them".into());
                arms = body.arms;
            } else if legs.is_none()
                && arms.zip(body.arms).is_some_and(|(by_name, by_shape)| by_name[0][1] == by_shape[0][1])
            {
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
    let no_limbs: [Limb; 2] = [[None; 4]; 2];
    trunk::map_trunk(&mut rig, skeleton, &hints, legs.unwrap_or(no_limbs), arms.unwrap_or(no_limbs));
    let hips = &mut rig.joints[Role::Hips as usize];
    *hips = hips.or_else(|| hints.iter().position(|hint| hint.hips));
    set_kind(&mut rig, clip, &hints, &poses);
    if rig.kind == RigKind::Biped
        && axes::Axes::detect(clip, &rig).is_some_and(|axes| axes.source == axes::Source::Motion)
    {
        rig.warnings.push(
            "the rest pose shows no standing body and the rig is not a known one, so the directions of its joints' \
             axes were estimated from this motion"
                .into(),
        );
    }
    rig
}

/// Roles that a [`RigKind::Biped`] must have.
const REQUIRED_ROLES: [Role; 7] =
    [Role::Hips, Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::RightUpLeg, Role::RightLeg, Role::RightFoot];

/// Start of the warning about missing required roles.
const MISSING_ROLES: &str = "no joint found for";
/// Start of the warnings about four-legged bodies.
const FOUR_LEGGED: &str = "looks like a four-legged animal";
/// Warning about bipeds without arms.
const NO_ARMS: &str = "no arms found, so arm motion of other clips cannot be transferred to it";
/// Warning about legs that seem to be exchanged.
const SWAPPED_SIDES: &str = "feet or knees point backwards, so left and right may be swapped";

/// Returns the warning about missing required roles; `None` if all are mapped.
fn missing_roles_warning(rig: &Rig) -> Option<String> {
    let missing: Vec<String> =
        REQUIRED_ROLES.into_iter().filter(|&role| rig.joint(role).is_none()).map(|role| format!("{role:?}")).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "{MISSING_ROLES} {}, so the clip stitches only with clips of the same skeleton, unless you map these roles",
            missing.join(", ")
        )
    })
}

/// Whether an upper arm is not mapped.
fn lacks_arms(rig: &Rig) -> bool {
    rig.joint(Role::LeftArm).is_none() || rig.joint(Role::RightArm).is_none()
}

/// Sets `rig.kind`, and adds warnings about missing or doubtful roles.
fn set_kind(rig: &mut Rig, clip: &Clip, hints: &[Hint], poses: &[Pose]) {
    let skeleton = clip.skeleton();
    let missing = missing_roles_warning(rig);
    let is_dog = dog::find_joints(skeleton).is_some() || hints.iter().any(|hint| hint.quadruped);
    // Limbs that were mapped by shape may belong to an animal, because people and animals share this shape.
    let by_shape = !rig.warnings.is_empty();
    let looks_quadruped = is_dog || shape::is_quadruped(rig, poses);
    let body = match looks_quadruped || missing.is_some() {
        true => Quadruped::detect(clip).ok(),
        false if by_shape => Quadruped::detect_at_rest(clip).ok(),
        false => None,
    };
    if let Some(body) = body {
        rig.kind = RigKind::Quadruped;
        rig.joints[Role::Hips as usize] = body.trunk.first().copied();
        rig.warnings = vec![format!("{FOUR_LEGGED}, so it stitches only with other four-legged animals")];
        return;
    }
    if let Some(warning) = missing {
        rig.warnings.push(warning);
        return;
    }
    if looks_quadruped {
        rig.warnings.push(format!("{FOUR_LEGGED}, so it stitches only with clips of the same skeleton"));
        return;
    }
    rig.kind = RigKind::Biped;
    if lacks_arms(rig) {
        rig.warnings.push(NO_ARMS.into());
    }
    if shape::are_sides_swapped(rig, skeleton, poses) {
        rig.warnings.push(SWAPPED_SIDES.into());
    }
}

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
