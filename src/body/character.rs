//! Characters: the joints of a kind of body, their mirror pairs, and the points that touch the ground.
//!
//! A character stands for all rigs of its kind. Its canonical skeleton has the character's joints, whatever the names
//! and axes of the joints in the rig. In the stance (for people: upright, facing +z, left is +x, arms out, feet flat)
//! all rotations are the identity. The proportions are those of the rig, scaled to the character's leg length.

use crate::error::{Error, Result};
use crate::motion::rig::Role;
use crate::motion::rig::dog::DogRole;
use crate::motion::skeleton::{Channel, FileSpace, Joint, PositionMode, Skeleton};
use glam::Vec3;
use std::sync::{Arc, LazyLock};

/// A joint of a character.
#[derive(Debug, Clone, PartialEq)]
pub struct CharacterJoint {
    /// Name in canonical clips.
    pub name: String,
    /// Index of the parent, smaller than the index of the joint; `None` for the root.
    pub parent: Option<usize>,
    /// Index of the same joint on the other side of the body; the joint itself on the midline.
    pub opposite: usize,
    /// Offset from the parent, for rigs that lack this joint: in the parent's body axes, metres at the canonical size.
    pub default_offset: Vec3,
}

/// A point that touches the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// The joint.
    pub joint: usize,
    /// Height over its resting height up to which the point counts as touching the ground, metres.
    pub height: f32,
}

/// A limb that touches the ground, with its contact points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limb {
    /// Joint of its first contact point.
    pub joint: usize,
    /// Indices into [`Character::contacts`].
    pub contacts: Vec<usize>,
}

/// A kind of body.
#[derive(Debug, Clone, PartialEq)]
pub struct Character {
    /// `biped` or `dog`.
    pub name: &'static str,
    /// Joints, parents first; the first one is the root.
    pub joints: Vec<CharacterJoint>,
    /// Contact points. If a rig lacks one of their joints, the End Site of the parent joint is used.
    pub contacts: Vec<Contact>,
    /// Chains of joints from hip to foot; their mean length is the measure of the body's size.
    pub legs: Vec<Vec<usize>>,
    /// Length to which legs are scaled, metres.
    pub leg_length: f32,
    /// Chain of joints along the trunk, from the root up. A joint that a rig lacks is placed between its neighbours.
    pub trunk: Vec<usize>,
}

impl Character {
    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns false: every character has a root.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the limbs that touch the ground. Heel and toe of a foot belong to one limb.
    pub fn limbs(&self) -> Vec<Limb> {
        let mut limbs: Vec<Limb> = Vec::new();
        for (index, contact) in self.contacts.iter().enumerate() {
            let parent = self.joints[contact.joint].parent;
            match limbs.iter_mut().find(|limb| Some(limb.joint) == parent) {
                Some(limb) => limb.contacts.push(index),
                None => limbs.push(Limb { joint: contact.joint, contacts: vec![index] }),
            }
        }
        limbs
    }

    /// Creates the canonical skeleton with these offsets from parent to joint in the stance, `[joints]`, metres. The
    /// root has all six channels and the other joints rotation channels, so canonical clips can be moved over the
    /// ground and written to files without changes.
    ///
    /// # Errors
    /// [`Error::Skeleton`] if the number of offsets differs from the number of joints, or if an offset is not finite.
    pub fn skeleton(&self, offsets: &[Vec3]) -> Result<Arc<Skeleton>> {
        if offsets.len() != self.len() {
            let message = format!("{} offsets for the {} joints of a {}", offsets.len(), self.len(), self.name);
            return Err(Error::Skeleton { joint: 0, name: self.joints[0].name.clone(), message });
        }
        use Channel::*;
        let joint = |(joint, &offset): (&CharacterJoint, &Vec3)| Joint {
            name: joint.name.clone(),
            parent: joint.parent,
            offset,
            channels: match joint.parent {
                None => vec![Xposition, Yposition, Zposition, Zrotation, Yrotation, Xrotation],
                Some(_) => vec![Zrotation, Yrotation, Xrotation],
            },
            position_mode: PositionMode::Replace,
            end_sites: Vec::new(),
        };
        Ok(Arc::new(Skeleton::new(self.joints.iter().zip(offsets).map(joint).collect(), FileSpace::default())?))
    }
}

/// Returns the character with this name.
pub fn from_name(name: &str) -> Option<&'static Character> {
    [biped(), dog()].into_iter().find(|character| character.name == name)
}

/// Returns the character of people and other bipeds; its joints are the 22 roles of [`Role`], in order.
pub fn biped() -> &'static Character {
    static BIPED: LazyLock<Character> = LazyLock::new(|| {
        let joint = |role: Role| CharacterJoint {
            name: format!("{role:?}"),
            parent: role.parent().map(|parent| parent as usize),
            opposite: role.opposite() as usize,
            default_offset: default_offset(role),
        };
        // Heights of contacts from RMR, section 4. Heels are the ankle joints, toes the joints at the base of the toes.
        use Role::*;
        let heights = [(LeftFoot, 0.025), (LeftToe, 0.016), (RightFoot, 0.025), (RightToe, 0.016)];
        Character {
            name: "biped",
            joints: Role::ALL.into_iter().map(joint).collect(),
            contacts: heights.map(|(role, height)| Contact { joint: role as usize, height }).to_vec(),
            legs: [[LeftUpLeg, LeftLeg, LeftFoot], [RightUpLeg, RightLeg, RightFoot]]
                .map(|leg| leg.map(|role| role as usize).to_vec())
                .to_vec(),
            leg_length: 0.86,
            trunk: [Hips, Spine, Spine1, Spine2, Neck].map(|role| role as usize).to_vec(),
        }
    });
    &BIPED
}

/// Returns the character of dogs; its joints are the 25 roles of [`DogRole`], in order. The stance is a dog standing at
/// ease.
pub fn dog() -> &'static Character {
    static DOG: LazyLock<Character> = LazyLock::new(|| {
        use DogRole::*;
        let joint = |role: DogRole| CharacterJoint {
            name: format!("{role:?}"),
            parent: role.parent().map(|parent| parent as usize),
            opposite: role.opposite() as usize,
            default_offset: if role.parent().is_some() { Vec3::new(0.0, -0.05, 0.03) } else { Vec3::ZERO },
        };
        Character {
            name: "dog",
            joints: DogRole::ALL.into_iter().map(joint).collect(),
            contacts: [LeftForePaw, RightForePaw, LeftPaw, RightPaw]
                .map(|role| Contact { joint: role as usize, height: 0.03 })
                .to_vec(),
            legs: [[LeftUpLeg, LeftLeg, LeftFoot], [RightUpLeg, RightLeg, RightFoot]]
                .map(|leg| leg.map(|role| role as usize).to_vec())
                .to_vec(),
            leg_length: 0.34,
            trunk: vec![Hips as usize, Spine as usize, Chest as usize],
        }
    });
    &DOG
}

fn default_offset(role: Role) -> Vec3 {
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
