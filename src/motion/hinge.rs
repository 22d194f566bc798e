//! Knees and elbows: joints that bend about one axis in one direction. Axis and smallest bend are learned from the
//! motion.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::root::wrap;
use glam::{Quat, Vec3};
use std::f32::consts::PI;

/// Largest bend beyond the straightest learned bend that [`Hinge::guard`] allows, radians.
pub const SOFT_STOP: f32 = 0.1;
/// Fraction of the remaining range to the straightest bend that a blend may use without damping.
pub const FREE_ROOM: f32 = 0.6;
/// Limbs that are folded flat to within this angle are trusted less, radians.
const FLAT: f32 = 0.4;
/// Limbs are trusted less where this fraction of their bend, or less, lies in the plane of the hinge.
const ACROSS: f32 = 0.5;

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
    /// Joints below the upper bone's, down to the end; twist joints may lie between.
    chain: Vec<usize>,
    /// Index of the hinge joint in `chain`.
    at: usize,
    /// Translations of `chain`, metres.
    offsets: Vec<Vec3>,
    /// Unit axis in the upper bone's frame; folding is positive.
    axis: Vec3,
    /// Smallest bend in the clips it was learned from, radians.
    pub straightest: f32,
}

impl Hinge {
    /// Knees and elbows of a biped, learned from clips on one skeleton. Joints that never bend are left out.
    pub fn all(clips: &[&Clip], rig: &Rig) -> Vec<Hinge> {
        if rig.kind != RigKind::Biped {
            return Vec::new();
        }
        let joints = |limb: [Role; 3]| Some([rig.joint(limb[0])?, rig.joint(limb[1])?, rig.joint(limb[2])?]);
        LIMBS.into_iter().filter_map(|limb| Hinge::of(clips, joints(limb)?)).collect()
    }

    /// Learns the hinge at joint `limb[1]` between `limb[0]` and `limb[2]`.
    pub fn of(clips: &[&Clip], limb: [usize; 3]) -> Option<Hinge> {
        let clip = clips.iter().find(|clip| clip.frames() > 0)?;
        let mut chain = Vec::new();
        let mut joint = limb[2];
        while joint != limb[0] {
            chain.push(joint);
            joint = clip.skeleton().joints()[joint].parent?;
        }
        chain.reverse();
        let at = chain.iter().position(|&joint| joint == limb[1])?;
        let offsets = chain.iter().map(|&joint| clip.local_translation(0, joint)).collect();
        let mut hinge = Hinge { chain, at, offsets, axis: Vec3::ZERO, straightest: f32::MAX };
        let frames = || clips.iter().flat_map(|clip| (0..clip.frames()).map(|frame| clip.frame_rotations(frame)));
        // The mean axis, each frame weighted by how much it bends.
        let sum: Vec3 = frames().map(|rotations| hinge.bones(rotations)).map(|(a, b)| a.cross(b)).sum();
        hinge.axis = sum.try_normalize()?;
        hinge.straightest = frames().map(|rotations| hinge.bend(rotations)).fold(f32::MAX, f32::min);
        Some(hinge)
    }

    /// Axis in the upper bone's frame; folding is positive.
    pub fn axis(&self) -> Vec3 {
        self.axis
    }

    /// Bend about the axis, radians: 0 straight, positive folded. `rotations`: local, [joints].
    pub fn bend(&self, rotations: &[Quat]) -> f32 {
        let (upper, lower) = self.bones(rotations);
        self.axis.dot(upper.cross(lower)).atan2(upper.dot(lower))
    }

    /// Reliability of the bend, 0 to 1: lower where the limb is bent across its hinge or folded flat, because there
    /// the bend jumps between frames. 1 for ordinary bends of knees and elbows. `rotations`: local, [joints].
    pub fn trust(&self, rotations: &[Quat]) -> f32 {
        let (upper, lower) = self.bones(rotations);
        let (sine, cosine) = (self.axis.dot(upper.cross(lower)), upper.dot(lower));
        let flat = (PI - sine.atan2(cosine).abs()) / FLAT;
        smoothstep(flat.clamp(0.0, 1.0)) * smoothstep((sine.hypot(cosine) / ACROSS).min(1.0))
    }

    /// Keeps the hinge of a blended frame from bending past the straightest bend of its clips: the change that the
    /// blend made to the `recorded` bend is softly limited to the remaining range. `part`: fraction of the limitation
    /// that is applied, 0 to 1.
    pub fn guard(&self, rotations: &mut [Quat], recorded: f32, part: f32) {
        let bend = self.bend(rotations);
        let room = (recorded - self.straightest).max(0.0) + SOFT_STOP;
        // Wrapped: a bend beyond half a turn is folding, not straightening.
        let (free, soft, taken) = (FREE_ROOM * room, (1.0 - FREE_ROOM) * room, wrap(recorded - bend));
        if taken <= free {
            return;
        }
        let stopped = recorded - free - soft * (1.0 - (-(taken - free) / soft).exp());
        let above = self.chain[..self.at].iter().fold(Quat::IDENTITY, |sum, &joint| sum * rotations[joint]);
        let part = smoothstep(part) * self.trust(rotations);
        let turn = Quat::from_axis_angle(above.conjugate() * self.axis, (stopped - bend) * part);
        let joint = self.chain[self.at];
        rotations[joint] = (turn * rotations[joint]).normalize();
    }

    /// Unit directions of both bones in the upper bone's frame.
    fn bones(&self, rotations: &[Quat]) -> (Vec3, Vec3) {
        let (mut rotation, mut position, mut middle) = (Quat::IDENTITY, Vec3::ZERO, Vec3::ZERO);
        for (index, (&joint, &offset)) in self.chain.iter().zip(&self.offsets).enumerate() {
            position += rotation * offset;
            rotation *= rotations[joint];
            if index == self.at {
                middle = position;
            }
        }
        (middle.normalize_or_zero(), (position - middle).normalize_or_zero())
    }
}
