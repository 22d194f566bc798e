//! Skeleton: joints in parents-first order, in metres and Y up, and the properties of its file that are needed to write
//! an equal file.

use crate::error::{Error, Result};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// One BVH channel: the meaning of one number in the line of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Channel {
    Xposition,
    Yposition,
    Zposition,
    Xrotation,
    Yrotation,
    Zrotation,
}

impl Channel {
    /// Returns whether the channel is a translation.
    pub fn is_position(self) -> bool {
        matches!(self, Channel::Xposition | Channel::Yposition | Channel::Zposition)
    }

    /// Axis index: 0 for x, 1 for y, 2 for z.
    pub fn axis(self) -> usize {
        match self {
            Channel::Xposition | Channel::Xrotation => 0,
            Channel::Yposition | Channel::Yrotation => 1,
            Channel::Zposition | Channel::Zrotation => 2,
        }
    }
}

/// Relation of a joint's position channels to its `OFFSET` in a BVH file; programs differ in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PositionMode {
    /// The channels are the whole local translation (LAFAN1, Bandai-Namco, most exporters).
    #[default]
    Replace,
    /// The channels are added to `OFFSET`.
    Add,
}

/// One joint. Lengths in metres, axes Y up (see [`FileSpace`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Name as the file spells it, e.g. `mixamorig:Hips`.
    pub name: String,
    /// Parent index, always smaller than the joint's own; `None` for a root.
    pub parent: Option<usize>,
    /// Rest translation from the parent, metres.
    pub offset: Vec3,
    /// BVH channels, in file order; empty if the joint has none.
    pub channels: Vec<Channel>,
    /// Meaning of the position channels.
    pub position_mode: PositionMode,
    /// BVH End Sites, which mark ends of bones: positions relative to the joint, metres. Usually none or one.
    pub end_sites: Vec<Vec3>,
}

impl Joint {
    /// Returns the farthest End Site, in the joint's own axes, metres; `None` if there is none.
    pub fn longest_site(&self) -> Option<Vec3> {
        self.end_sites.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length()))
    }
}

/// Largest difference between the offsets of two skeletons that are the same body, as a fraction of the longest bone:
/// files round their numbers.
const MAX_ROUNDING: f32 = 1e-3;

/// Returns whether two names are equal, exactly or after the loaders of three.js have changed them: these drop `[`,
/// `]`, `.`, `:` and `/`, and replace spaces by `_` (`PropertyBinding.sanitizeNodeName`). So "Spine_2.001" in a file
/// becomes "Spine_2001" in three.js.
fn same_name(a: &str, b: &str) -> bool {
    fn sanitize(name: &str) -> impl Iterator<Item = char> + '_ {
        let letters = name.chars().filter(|letter| !"[].:/".contains(*letter));
        letters.map(|letter| if letter.is_whitespace() { '_' } else { letter })
    }
    a == b || sanitize(a).eq(sanitize(b))
}

/// Vertical axis of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum UpAxis {
    #[default]
    Y,
    Z,
}

/// Units and axes of the source file of a skeleton. In memory everything is in metres and Y up; the writer converts
/// back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FileSpace {
    /// Metres in one file unit: 0.01 for centimetres, 1 for metres, 0.0254 for inches.
    pub metres_per_unit: f64,
    /// Vertical axis of the file. Z-up files are rotated by −90° about x when read: a swizzle (x, y, z) → (x, z, −y),
    /// exact in both directions.
    pub up: UpAxis,
}

impl Default for FileSpace {
    fn default() -> Self {
        Self { metres_per_unit: 0.01, up: UpAxis::Y }
    }
}

/// A forest of joints, parents first. Immutable, and shared by clips as `Arc`.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    space: FileSpace,
    translated: Vec<usize>,
    translation_slots: Vec<Option<usize>>,
}

impl Skeleton {
    /// Creates a skeleton from joints in parents-first order. Roots, and joints with position channels, get a
    /// translation in each frame of a [`crate::Clip`].
    ///
    /// # Errors
    /// [`Error::Skeleton`] for an empty list, a parent at or after its child, a non-finite offset or End Site, or a
    /// joint with two equal channels.
    pub fn new(joints: Vec<Joint>, space: FileSpace) -> Result<Self> {
        let fail = |joint: usize, message: &str| {
            let name = joints.get(joint).map(|j: &Joint| j.name.clone()).unwrap_or_default();
            Err(Error::Skeleton { joint, name, message: message.to_owned() })
        };
        if joints.is_empty() {
            return fail(0, "a skeleton needs at least one joint");
        }
        let mut translated = Vec::new();
        let mut translation_slots = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            if joint.parent.is_some_and(|parent| parent >= index) {
                return fail(index, "its parent must come before it");
            }
            if !joint.offset.is_finite() || joint.end_sites.iter().any(|site| !site.is_finite()) {
                return fail(index, "its offsets must be finite numbers");
            }
            let is_repeated = |(i, channel): (usize, &Channel)| joint.channels[..i].contains(channel);
            if joint.channels.iter().enumerate().any(is_repeated) {
                return fail(index, "a channel is listed twice");
            }
            let has_translation = joint.parent.is_none() || joint.channels.iter().any(|c| c.is_position());
            translation_slots.push(has_translation.then_some(translated.len()));
            if has_translation {
                translated.push(index);
            }
        }
        Ok(Self { joints, space, translated, translation_slots })
    }

    /// Returns the joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns false: a skeleton has at least one joint.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Units and axes of the source file.
    pub fn space(&self) -> FileSpace {
        self.space
    }

    /// Returns the joints with a translation in each frame, in slot order: roots, and joints with position channels.
    pub fn translated(&self) -> &[usize] {
        &self.translated
    }

    /// Returns the slot of a joint: its index in [`Skeleton::translated`]. `None` if the joint always has its offset as
    /// translation.
    pub fn translation_slot(&self, joint: usize) -> Option<usize> {
        self.translation_slots[joint]
    }

    /// Returns the index of the first joint with exactly this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Indices of the children of a joint.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (joint + 1..self.len()).filter(move |&child| self.joints[child].parent == Some(joint))
    }

    /// Returns whether frames of a clip on one skeleton fit the other: same names, same parents, translations for the
    /// same joints. Offsets may differ (another subject on the same rig).
    pub fn same_topology(&self, other: &Self) -> bool {
        self.translated == other.translated && self.same_bones(other)
    }

    /// Returns whether two skeletons have the same names and parents. Which joints have translations does not matter.
    /// Names that the loaders of three.js have changed count as equal to the original ones.
    pub fn same_bones(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&Joint, &Joint)| same_name(&a.name, &b.name) && a.parent == b.parent;
        self.len() == other.len() && self.joints.iter().zip(&other.joints).all(is_same)
    }

    /// Returns whether two skeletons are the same body: the same names and parents, and offsets that differ by rounding
    /// at most. Offsets of roots are not compared.
    pub fn same_body(&self, other: &Self) -> bool {
        let bones = self.joints.iter().filter(|joint| joint.parent.is_some());
        let longest = bones.map(|joint| joint.offset.length()).fold(0.0, f32::max);
        let is_near =
            |(a, b): (&Joint, &Joint)| a.parent.is_none() || a.offset.distance(b.offset) <= MAX_ROUNDING * longest;
        self.same_bones(other) && self.joints.iter().zip(&other.joints).all(is_near)
    }
}
