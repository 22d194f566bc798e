//! Knees and elbows: joints that bend about one axis, one way. The axis and the straightest bend are learned from the motion.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::root::wrap;
use glam::{Quat, Vec3};
use std::f32::consts::PI;

/// How far [`Hinge::guard`] gives way past the straightest bend at most, radians.
pub const SOFT_STOP: f32 = 0.1;
/// Part of the room to the straightest bend that a blend may take freely.
pub const FREE_ROOM: f32 = 0.6;
/// A limb this near to folded flat is trusted less, radians.
const FLAT: f32 = 0.4;
/// Likewise one of whose bend this part or less lies in the hinge's plane.
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
    /// Place of the hinge joint in `chain`.
    at: usize,
    /// Translations of `chain`, metres.
    offsets: Vec<Vec3>,
    /// Unit axis in the upper bone's frame, positive folding.
    axis: Vec3,
    /// Smallest bend in the clips it was learned from, radians.
    pub straightest: f32,
}

impl Hinge {
    /// The knees and elbows of a biped, learned from clips on one skeleton; without those that never bend.
    pub fn all(clips: &[&Clip], rig: &Rig) -> Vec<Hinge> {
        if rig.kind != RigKind::Biped {
            return Vec::new();
        }
        let joints = |limb: [Role; 3]| Some([rig.joint(limb[0])?, rig.joint(limb[1])?, rig.joint(limb[2])?]);
        LIMBS.into_iter().filter_map(|limb| Hinge::of(clips, joints(limb)?)).collect()
    }

    /// Learns the hinge `limb[1]` between `limb[0]` and `limb[2]`.
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

    /// The axis in the upper bone's frame, positive folding.
    pub fn axis(&self) -> Vec3 {
        self.axis
    }

    /// Bend about the axis, radians: 0 straight, positive folded. `rotations`: local, [joints].
    pub fn bend(&self, rotations: &[Quat]) -> f32 {
        let (upper, lower) = self.bones(rotations);
        self.axis.dot(upper.cross(lower)).atan2(upper.dot(lower))
    }

    /// How far the bend means anything, 0 to 1: less where the limb is bent across its hinge or folded flat, where the bend
    /// turns over from one frame to the next. 1 for any knee and elbow that bends as such. `rotations`: local, [joints].
    pub fn trust(&self, rotations: &[Quat]) -> f32 {
        let (upper, lower) = self.bones(rotations);
        let (sine, cosine) = (self.axis.dot(upper.cross(lower)), upper.dot(lower));
        let flat = (PI - sine.atan2(cosine).abs()) / FLAT;
        smoothstep(flat.clamp(0.0, 1.0)) * smoothstep((sine.hypot(cosine) / ACROSS).min(1.0))
    }

    /// Keeps the hinge of a blended frame from bending past the straightest its clips do: what the blend takes from the
    /// `recorded` bend is led softly into the room that one leaves. `part` of the change is made.
    pub fn guard(&self, rotations: &mut [Quat], recorded: f32, part: f32) {
        let bend = self.bend(rotations);
        let room = (recorded - self.straightest).max(0.0) + SOFT_STOP;
        // Wrapped: what folds past half a turn has not been straightened by a whole one.
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

    /// Directions of both bones in the upper bone's frame, unit.
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
