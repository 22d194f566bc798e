//! Loss on the feet: their positions on the character's skeleton, and the slide of planted feet.
//!
//! The network predicts positions and rotations for every joint, but only the rotations are displayed. So the positions
//! of the feet are computed by forward kinematics on fixed bones, as in [`kinestitch::control`], and the gradient flows
//! back to the rotation axes. Tried with weights .03 and .01 over 2,500 more steps of the biped (open) and the dog: the
//! feet clear the ground better (slide .69 → .47 m/s and .72 → .62 without the lifting of feet in
//! [`kinestitch::control`]), but held-out joints and the path are less accurate. [`kinestitch::control`] lifts swinging
//! feet anyway, so the shipped weights were trained without this loss.

use glam::{Mat3, Vec3};
use kinestitch::body::Character;
use kinestitch::feature::controller::{JOINT, Layout};
use std::ops::Range;

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
    /// For each contact, the bones from the root: index of the joint that rotates the bone, and the bone in that
    /// joint's frame, metres.
    chains: Vec<Vec<(usize, Vec3)>>,
}

/// Raw rows of a frame.
pub struct Frame<'a> {
    /// Input row.
    pub given: &'a [f32],
    /// Predicted row.
    pub prediction: &'a [f32],
    /// True row.
    pub truth: &'a [f32],
}

impl Feet {
    /// Chains of a character with these offsets, [joints], metres.
    pub fn of(character: &Character, offsets: &[Vec3]) -> Self {
        let chain = |joint: usize| {
            let up = std::iter::successors(Some(joint), |&joint| character.joints[joint].parent);
            let mut bones: Vec<(usize, Vec3)> =
                up.filter_map(|joint| Some((character.joints[joint].parent?, offsets[joint]))).collect();
            bones.reverse();
            bones
        };
        Self { chains: character.contacts.iter().map(|contact| chain(contact.joint)).collect() }
    }

    /// Loss of one frame. Adds `share` times its gradient with respect to the raw prediction to `by`. `planted`: for
    /// each contact, whether it touches the ground in the previous and in this frame.
    pub fn loss(
        &self,
        layout: &Layout,
        frame: &Frame,
        planted: impl Fn(usize) -> bool,
        weights: Weights,
        (share, by): (f32, &mut [f32]),
    ) -> f32 {
        let each = 1.0 / self.chains.len().max(1) as f32;
        let (before, after) = (layout.state(), layout.out_state());
        let [x, z, turn] = [0, 1, 2].map(|column| frame.prediction[layout.out_root()][column]);
        let rotation = Mat3::from_rotation_y(turn);
        let mut loss = 0.0;
        for (contact, chain) in self.chains.iter().enumerate() {
            let place = reach(chain, &frame.prediction[after.clone()]);
            let off = (place - reach(chain, &frame.truth[after.clone()])) / PLACE;
            let weight = each * weights.place;
            let (value, by_off) = distance(off * Vec3::new(1.0, HEIGHT, 1.0));
            loss += weight * value;
            let mut by_place = weight / PLACE * by_off * Vec3::new(1.0, HEIGHT, 1.0);
            if planted(contact) {
                let moved = rotation * place + Vec3::new(x, 0.0, z) - reach(chain, &frame.given[before.clone()]);
                let weight = each * weights.slide;
                let (value, by_moved) = distance(moved / SLIDE);
                loss += weight * value;
                let by_moved = weight / SLIDE * by_moved;
                by_place += rotation.transpose() * by_moved;
                let by_root = &mut by[layout.out_root()];
                by_root[0] += share * by_moved.x;
                by_root[1] += share * by_moved.z;
                // The derivative of a rotation about y is the rotation by a further quarter turn.
                by_root[2] += share * by_moved.dot(Vec3::Y.cross(rotation * place));
            }
            pull(chain, &frame.prediction[after.clone()], share * by_place, &mut by[after.clone()]);
        }
        loss
    }
}

/// √(1 + d²) − 1 and its gradient: quadratic for small distances, linear for large ones, so that one misplaced foot
/// does not outweigh many that slide a little.
fn distance(off: Vec3) -> (f32, Vec3) {
    let value = (1.0 + off.length_squared()).sqrt();
    (value - 1.0, off / value)
}

fn axes(row: &[f32], joint: usize) -> (Range<usize>, Vec3, Vec3) {
    let at = joint * JOINT;
    (at..at + JOINT, Vec3::from_slice(&row[at + 3..]), Vec3::from_slice(&row[at + 6..]))
}

/// End of a chain in the root's frame. Axes are read as in [`kinestitch::feature::controller::read_joint`].
fn reach(chain: &[(usize, Vec3)], state: &[f32]) -> Vec3 {
    chain.iter().fold(Vec3::from_slice(state), |place, &(joint, bone)| {
        let (_, forward, up) = axes(state, joint);
        let z = forward.normalize_or(Vec3::Z);
        let y = (up - z * z.dot(up)).normalize_or(Vec3::Y);
        place + Mat3::from_cols(y.cross(z), y, z) * bone
    })
}

/// Backward pass from the end of a chain to the axes and the root's position.
fn pull(chain: &[(usize, Vec3)], state: &[f32], by_end: Vec3, by: &mut [f32]) {
    let add = |by: &mut [f32], more: Vec3| by.iter_mut().zip(more.to_array()).for_each(|(by, more)| *by += more);
    add(&mut by[..3], by_end);
    for &(joint, bone) in chain {
        let (at, forward, up) = axes(state, joint);
        let (length, z) = (forward.length().max(1e-6), forward.normalize_or(Vec3::Z));
        let across = up - z * z.dot(up);
        let (height, y) = (across.length().max(1e-6), across.normalize_or(Vec3::Y));
        // place = (y × z) bone.x + y bone.y + z bone.z
        let by_x = by_end * bone.x;
        let by_y = by_end * bone.y + z.cross(by_x);
        let mut by_z = by_end * bone.z + by_x.cross(y);
        let by_across = (by_y - y * y.dot(by_y)) / height;
        let by_up = by_across - z * z.dot(by_across);
        by_z -= by_across * z.dot(up) + up * z.dot(by_across);
        let by_forward = (by_z - z * z.dot(by_z)) / length;
        let by = &mut by[at];
        add(&mut by[3..6], by_forward);
        add(&mut by[6..9], by_up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinestitch::body::biped;

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let layout = Layout::of(biped(), 2, 1);
        let offsets: Vec<Vec3> = (0..biped().len()).map(|joint| Vec3::new(0.02, -0.3, 0.01 * joint as f32)).collect();
        let feet = Feet::of(biped(), &offsets);
        let mut random = crate::controller::learn::random(5);
        let mut row = |width: usize| -> Vec<f32> { (0..width).map(|_| 2.0 * random() - 1.0).collect() };
        let (given, mut prediction, truth) = (row(layout.input()), row(layout.output()), row(layout.output()));
        let weights = Weights { place: 0.7, slide: 0.1 };
        let of = |prediction: &[f32], by: &mut [f32]| {
            let frame = Frame { given: &given, prediction, truth: &truth };
            feet.loss(&layout, &frame, |contact| contact != 1, weights, (1.0, by))
        };
        let mut by = vec![0.0; layout.output()];
        let loss = of(&prediction, &mut by);
        assert!(loss > 0.0 && by.iter().filter(|by| **by != 0.0).count() > 40);
        let mut unused = by.clone();
        for column in 0..by.len() {
            let was = prediction[column];
            let mut at = |value: f32| {
                prediction[column] = value;
                f64::from(of(&prediction, &mut unused))
            };
            let slope = (at(was + 1e-2) - at(was - 1e-2)) / 2e-2;
            prediction[column] = was;
            let off = (slope - f64::from(by[column])).abs();
            assert!(off < 0.02 * slope.abs() + 2e-4 * f64::from(loss), "{column}: {slope} and {}", by[column]);
        }
    }
}
