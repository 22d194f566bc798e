//! Loss on the feet: their positions on the character's skeleton, and the slide of planted feet.
//!
//! The network predicts positions and rotations for every joint, but only the rotations are displayed. So the positions
//! of the feet are computed by forward kinematics on fixed bones, as in [`kinestitch::control`], and the gradient flows
//! back to the rotation axes. Tried with weights .03 and .01 over 2,500 more steps of the biped (open) and the dog: the
//! feet clear the ground better (slide .69 → .47 m/s and .72 → .62 without the lifting of feet in
//! [`kinestitch::control`]), but held-out joints and the path are less accurate. [`kinestitch::control`] lifts swinging
//! feet anyway, so the shipped weights were trained without this loss.

use crate::experts::matrix;
use crate::kinematics::{Planes, cross, ids, orthonormal};
use burn::tensor::{Int, Tensor};
use glam::Vec3;
use kinestitch::body::Character;
use kinestitch::feature::controller::{JOINT, Layout};

/// Distances above which the loss becomes linear, metres: of positions, and of a planted foot's movement per frame.
/// Heights count twice.
const PLACE: f32 = 0.02;
const SLIDE: f32 = 0.005;
const HEIGHT: f32 = 2.0;

/// Weights of the foot losses, relative to the mean square of all columns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weights {
    /// Weight of positions.
    pub place: f32,
    /// Weight of the slide of planted feet.
    pub slide: f32,
}

/// Chains of bones from the root to the contact joints.
#[derive(Debug, Clone, Default)]
pub struct Feet {
    /// Joints that rotate bones of the chains.
    joints: Vec<usize>,
    /// Bones in the frames of these joints, metres: for each axis [joints × contacts].
    bones: [Vec<f32>; 3],
    contacts: usize,
}

/// Raw rows of frames.
pub struct Frames {
    /// Input rows.
    pub given: Tensor<2>,
    /// Predicted rows.
    pub prediction: Tensor<2>,
    /// True rows.
    pub truth: Tensor<2>,
    /// Contacts that touch the ground in the previous and in this frame, [rows, contacts], 0 or 1.
    pub planted: Tensor<2>,
}

impl Feet {
    /// Chains of a character with these offsets, [joints], metres.
    pub fn of(character: &Character, offsets: &[Vec3]) -> Self {
        let contacts = character.contacts.len();
        let parent = |joint: usize| character.joints[joint].parent;
        let chain = |joint: usize| std::iter::successors(Some(joint), move |joint| parent(*joint));
        let mut feet = Self { contacts, ..Self::default() };
        for (contact, bones) in character.contacts.iter().map(|contact| chain(contact.joint)).enumerate() {
            for (bone, above) in bones.filter_map(|bone| Some((bone, parent(bone)?))) {
                let known = feet.joints.iter().position(|joint| *joint == above);
                let row = known.unwrap_or_else(|| {
                    feet.joints.push(above);
                    feet.bones.iter_mut().for_each(|axis| axis.resize(feet.joints.len() * contacts, 0.0));
                    feet.joints.len() - 1
                });
                for (axis, value) in feet.bones.iter_mut().zip(offsets[bone].to_array()) {
                    axis[row * contacts + contact] += value;
                }
            }
        }
        feet
    }

    /// Mean loss of frames.
    pub fn loss(&self, layout: &Layout, frames: &Frames, weights: Weights) -> Tensor<1> {
        let state = |rows: &Tensor<2>, columns: std::ops::Range<usize>| {
            self.reach(rows.clone().narrow(1, columns.start, columns.len()))
        };
        let place = state(&frames.prediction, layout.out_state());
        let truth = state(&frames.truth, layout.out_state());
        let before = state(&frames.given, layout.state());
        let apart = |a: &Planes, b: &Planes| [0, 1, 2].map(|axis| a[axis].clone() - b[axis].clone());
        let [x, y, z] = apart(&place, &truth);
        let off = distance([x, y * HEIGHT, z], PLACE).sum() * weights.place;

        let root = |column: usize| frames.prediction.clone().narrow(1, layout.out_root().start + column, 1);
        let (cos, sin) = (root(2).cos(), root(2).sin());
        let [x, y, z] = place;
        let turned = [x.clone() * cos.clone() + z.clone() * sin.clone() + root(0), y, z * cos - x * sin + root(1)];
        let moved = distance(apart(&turned, &before), SLIDE) * frames.planted.clone();
        let [count, _] = frames.planted.dims();
        (off + moved.sum() * weights.slide) / (count * self.contacts).max(1) as f32
    }

    /// Ends of the chains in the root's frame from joint states, [rows, joints × 12] → [rows, contacts]. Axes are read
    /// as in [`kinestitch::feature::controller::read_joint`].
    fn reach(&self, state: Tensor<2>) -> Planes {
        let device = state.device();
        let columns = |from: usize| -> Planes {
            [0, 1, 2].map(|axis| {
                let at: Tensor<1, Int> = ids(self.joints.iter().map(|joint| joint * JOINT + from + axis), &device);
                state.clone().select(1, at)
            })
        };
        let [z, y] = orthonormal([columns(3), columns(6)]);
        let axes = [cross(&y, &z), y, z];
        let bones = self.bones.each_ref().map(|bones| matrix(bones.clone(), self.contacts, &device));
        [0, 1, 2].map(|axis| {
            let hips = state.clone().narrow(1, axis, 1);
            let turned = axes.iter().zip(&bones).map(|(own, bones)| own[axis].clone().matmul(bones.clone()));
            turned.fold(hips, |sum, part| sum + part)
        })
    }
}

/// √(1 + d²) − 1 of distances in a unit: quadratic for small distances, linear for large ones, so that one misplaced
/// foot does not outweigh many that slide a little.
fn distance(off: Planes, unit: f32) -> Tensor<2> {
    let [x, y, z] = off.map(|axis| (axis / unit).square());
    (x + y + z + 1.0).sqrt() - 1.0
}
