//! Knees and elbows: joints that bend about one axis in one direction. Axis and smallest bend are learned from the
//! motion.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::root::wrap;
use glam::{Quat, Vec3};
use std::f32::consts::PI;

/// Largest extension past the straightest learned bend that [`Hinge::limit_extension`] allows, radians.
pub const SOFT_STOP: f32 = 0.1;
/// Fraction of the allowed extension that a blend may use without damping.
pub const FREE_FRACTION: f32 = 0.6;
/// Time over which blends fade [`Hinge::limit_extension`] in and out, seconds.
pub const GUARD_SECS: f32 = 4.0 / 30.0;
/// The bend is less reliable if the limb is folded flat to within this angle, radians.
const FOLDED_ANGLE: f32 = 0.4;
/// The bend is less reliable if at most this fraction of it lies in the plane of the hinge.
const MIN_IN_PLANE: f32 = 0.5;

/// A limb whose bones change by more than this fraction of their length during the clips has no hinge.
const MAX_STRETCH: f32 = 0.1;

/// A joint that also bends backwards by more than this angle is not a hinge, radians.
const MAX_BACKWARDS: f32 = 1.0;

/// Limbs: upper bone, hinge joint, end of the lower bone.
pub const LIMBS: [[Role; 3]; 4] = [
    [Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot],
    [Role::RightUpLeg, Role::RightLeg, Role::RightFoot],
    [Role::LeftArm, Role::LeftForeArm, Role::LeftHand],
    [Role::RightArm, Role::RightForeArm, Role::RightHand],
];

/// One hinge of a skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Hinge {
    /// Joints below the upper bone's joint, down to the end of the limb, including twist joints.
    chain: Vec<usize>,
    /// Index of the hinge joint in `chain`.
    hinge_index: usize,
    /// Translation of each joint of `chain`, metres.
    offsets: Vec<Vec3>,
    /// Unit axis, in the axes of the upper bone's joint; folding is positive.
    axis: Vec3,
    /// Smallest bend in the clips it was learned from, radians.
    pub min_bend: f32,
}

impl Hinge {
    /// Learns knees and elbows of a biped from clips on one skeleton. Leaves out joints that never bend, and joints
    /// that bend in both directions. Empty for rigs other than bipeds.
    pub fn detect_all(clips: &[&Clip], rig: &Rig) -> Vec<Hinge> {
        if rig.kind != RigKind::Biped {
            return Vec::new();
        }
        let joints = |limb: [Role; 3]| Some([rig.joint(limb[0])?, rig.joint(limb[1])?, rig.joint(limb[2])?]);
        let hinges = LIMBS.into_iter().filter_map(|limb| Hinge::detect(clips, joints(limb)?));
        hinges.filter(|hinge| hinge.min_bend > -MAX_BACKWARDS).collect()
    }

    /// Learns the hinge at joint `limb[1]` between `limb[0]` and `limb[2]`. `None` if the limb never bends, or if its
    /// bones are animated by translations: their directions then change without any rotation.
    pub fn detect(clips: &[&Clip], limb: [usize; 3]) -> Option<Hinge> {
        let clip = clips.iter().find(|clip| clip.frames() > 0)?;
        let mut chain = Vec::new();
        let mut joint = limb[2];
        while joint != limb[0] {
            chain.push(joint);
            joint = clip.skeleton().joints()[joint].parent?;
        }
        chain.reverse();
        let hinge_index = chain.iter().position(|&joint| joint == limb[1])?;
        let offsets: Vec<Vec3> = chain.iter().map(|&joint| clip.local_translation(0, joint)).collect();
        if clips.iter().any(|clip| stretches(clip, &chain, &offsets)) {
            return None;
        }
        let mut hinge = Hinge { chain, hinge_index, offsets, axis: Vec3::ZERO, min_bend: f32::MAX };
        let frames = || clips.iter().flat_map(|clip| (0..clip.frames()).map(|frame| clip.frame_rotations(frame)));
        // The mean axis, each frame weighted by how much it bends.
        let sum: Vec3 = frames().map(|rotations| hinge.bones(rotations)).map(|(a, b)| a.cross(b)).sum();
        hinge.axis = sum.try_normalize()?;
        hinge.min_bend = frames().map(|rotations| hinge.bend(rotations)).fold(f32::MAX, f32::min);
        Some(hinge)
    }

    /// Returns the unit axis, in the axes of the upper bone's joint; folding is positive.
    pub fn axis(&self) -> Vec3 {
        self.axis
    }

    /// Returns the bend about the axis, radians: 0 if the limb is straight, positive if folded. `rotations`: local,
    /// `[joints]`.
    pub fn bend(&self, rotations: &[Quat]) -> f32 {
        let (upper, lower) = self.bones(rotations);
        self.axis.dot(upper.cross(lower)).atan2(upper.dot(lower))
    }

    /// Returns the reliability of the bend, 0 to 1: below 1 if the limb is bent across its hinge or folded flat,
    /// because the bend then jumps between frames; 1 for ordinary bends of knees and elbows. `rotations`: local,
    /// `[joints]`.
    pub fn reliability(&self, rotations: &[Quat]) -> f32 {
        let (upper, lower) = self.bones(rotations);
        let (sine, cosine) = (self.axis.dot(upper.cross(lower)), upper.dot(lower));
        let openness = (PI - sine.atan2(cosine).abs()) / FOLDED_ANGLE;
        smoothstep(openness.clamp(0.0, 1.0)) * smoothstep((sine.hypot(cosine) / MIN_IN_PLANE).min(1.0))
    }

    /// Keeps the hinge of a blended frame from straightening far past the straightest bend of its clips. The blend may
    /// extend it from the `recorded` bend, radians, by the range that remains to the straightest bend, plus
    /// [`SOFT_STOP`]; the limit is soft. `weight`: fraction of the limitation that is applied, 0 to 1.
    pub fn limit_extension(&self, rotations: &mut [Quat], recorded: f32, weight: f32) {
        let bend = self.bend(rotations);
        let room = (recorded - self.min_bend).max(0.0) + SOFT_STOP;
        let (free, soft) = (FREE_FRACTION * room, (1.0 - FREE_FRACTION) * room);
        // Wrapped to ±π: a difference beyond half a turn is folding, not straightening.
        let extension = wrap(recorded - bend);
        if extension <= free {
            return;
        }
        let limited = recorded - free - soft * (1.0 - (-(extension - free) / soft).exp());
        let parent_rotation =
            self.chain[..self.hinge_index].iter().fold(Quat::IDENTITY, |product, &joint| product * rotations[joint]);
        let weight = smoothstep(weight) * self.reliability(rotations);
        let turn = Quat::from_axis_angle(parent_rotation.conjugate() * self.axis, (limited - bend) * weight);
        let joint = self.chain[self.hinge_index];
        rotations[joint] = (turn * rotations[joint]).normalize();
    }

    /// Returns the unit directions of both bones, in the axes of the upper bone's joint.
    fn bones(&self, rotations: &[Quat]) -> (Vec3, Vec3) {
        let (mut rotation, mut position, mut middle) = (Quat::IDENTITY, Vec3::ZERO, Vec3::ZERO);
        for (index, (&joint, &offset)) in self.chain.iter().zip(&self.offsets).enumerate() {
            position += rotation * offset;
            rotation *= rotations[joint];
            if index == self.hinge_index {
                middle = position;
            }
        }
        (middle.normalize_or_zero(), (position - middle).normalize_or_zero())
    }
}

/// Returns whether the translation of a joint of `chain` deviates from its offset by more than [`MAX_STRETCH`] of the
/// offset's length in some frame.
fn stretches(clip: &Clip, chain: &[usize], offsets: &[Vec3]) -> bool {
    let animated = clip.skeleton().translated();
    chain.iter().zip(offsets).filter(|(joint, _)| animated.contains(joint)).any(|(&joint, offset)| {
        let tolerance = MAX_STRETCH * offset.length();
        (0..clip.frames()).any(|frame| clip.local_translation(frame, joint).distance(*offset) > tolerance)
    })
}
