//! Loss of a predicted gap, and its gradient with respect to the output rows. Written by hand: forward kinematics of 22
//! roles is cheaper than the overhead of tensor operations.
//!
//! Mean absolute differences (Oreshkin et al. 2022, section 3.4) of local rotations, world rotations, world positions
//! and their changes between frames; slide of planted feet; cross entropy of contacts. A window's weight is the inverse
//! of the typical interpolation error at its length, so that short and long gaps count alike.

use kinestitch::body::interpolate::usual_difference;

use kinestitch::body::poses::{CONTACTS, Poses, ROLES, parent};

use kinestitch::body::rotation6d::six;

use crate::takes::FEET;
use glam::{Mat3, Vec3};
use kinestitch::feature::delta::{CONTACT, OUTPUT};
use kinestitch::motion::rig::Role;

/// Weights of the terms. All but the last two are means over frames and columns.
const LOCAL: f32 = 1.0;
const WORLD: f32 = 1.0;
const POSITION: f32 = 6.0;
/// Heights vary less than the ground axes, and L2P divides by the standard deviation.
const HEIGHT: f32 = 1.7;
const CHANGE: f32 = 10.0;
const SLIDE: f32 = 2.0;
const TOUCH: f32 = 0.01;

/// Ground truth of a gap.
pub struct Truth<'a> {
    /// Recorded motion, [gap], in the query's local frame.
    pub poses: &'a Poses,
    /// The interpolation, [gap].
    pub base: &'a Poses,
    /// World positions of the frames before and after the gap, [22] each.
    pub ends: [[Vec3; ROLES]; 2],
    /// The skeleton's offsets.
    pub offsets: &'a [Vec3; ROLES],
    /// Contacts, [gap × 4], 0 or 1.
    pub contacts: &'a [f32],
}

/// Parts of the loss: rotations, positions, changes, slide, contacts.
pub type Parts = [f32; 5];

struct Frame {
    local: [Mat3; ROLES],
    world: [Mat3; ROLES],
    places: [Vec3; ROLES],
}

impl Frame {
    fn new(hips: Vec3, local: [Mat3; ROLES], offsets: &[Vec3; ROLES]) -> Self {
        let (mut world, mut places) = (local, [hips; ROLES]);
        for role in &Role::ALL[1..] {
            let (index, parent) = (*role as usize, parent(*role));
            places[index] = places[parent] + world[parent] * offsets[index];
            world[index] = world[parent] * local[index];
        }
        Self { local, world, places }
    }
}

/// First two columns of a raw rotation matrix, with intermediate values of the orthonormalisation for the backward
/// pass.
#[derive(Clone, Copy)]
struct Six {
    first: Vec3,
    second: Vec3,
}

impl Six {
    fn matrix(self) -> Mat3 {
        let x = self.first / self.first.length().max(1e-6);
        let y = self.second - x * x.dot(self.second);
        let y = y / y.length().max(1e-6);
        Mat3::from_cols(x, y, x.cross(y))
    }

    /// Gradient with respect to the raw columns, from the gradient with respect to the matrix.
    fn back(self, by: Mat3) -> [Vec3; 2] {
        let length = self.first.length().max(1e-6);
        let x = self.first / length;
        let along = x.dot(self.second);
        let rest = self.second - x * along;
        let rest_length = rest.length().max(1e-6);
        let y = rest / rest_length;
        // z = x × y
        let by_y = by.y_axis + by.z_axis.cross(x);
        let mut by_x = by.x_axis + y.cross(by.z_axis);
        let by_rest = (by_y - y * y.dot(by_y)) / rest_length;
        // rest = second − x (x · second)
        let by_second = by_rest - x * x.dot(by_rest);
        by_x -= self.second * x.dot(by_rest) + by_rest * along;
        [(by_x - x * x.dot(by_x)) / length, by_second]
    }
}

fn sign(v: Vec3) -> Vec3 {
    let one = |x: f32| {
        if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            0.0
        }
    };
    Vec3::new(one(v.x), one(v.y), one(v.z))
}

fn absolute(v: Vec3) -> f32 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// Loss of output rows, [gap, [`OUTPUT`]]. Writes its gradient times `share` to `by_rows`.
pub fn loss(rows: &[f32], truth: &Truth<'_>, share: f32, by_rows: &mut [f32]) -> Parts {
    let gap = truth.poses.len();
    let weight = window_weight(gap);
    let share = share * weight / gap as f32;
    let mut raw: Vec<[Six; ROLES]> = Vec::with_capacity(gap);
    let (mut ours, mut theirs): (Vec<Frame>, Vec<Frame>) = (Vec::new(), Vec::new());
    for (at, row) in rows.chunks_exact(OUTPUT).enumerate() {
        let [by_rotation, by_root] = usual_difference(at + 1, gap);
        let base = six(truth.base.pose(at));
        let column = |index: usize| Vec3::from_slice(&base[index..]) + by_rotation * Vec3::from_slice(&row[index..]);
        let sixes: [Six; ROLES] =
            std::array::from_fn(|role| Six { first: column(6 * role), second: column(6 * role + 3) });
        let hips = truth.base.hips[at] + by_root * Vec3::from_slice(&row[6 * ROLES..]);
        ours.push(Frame::new(hips, sixes.map(Six::matrix), truth.offsets));
        let pose = truth.poses.pose(at);
        let local = std::array::from_fn(|role| Mat3::from_quat(pose[role]));
        theirs.push(Frame::new(truth.poses.hips[at], local, truth.offsets));
        raw.push(sixes);
    }

    let mut parts = [0.0; 5];
    let axes = Vec3::new(1.0, HEIGHT, 1.0);
    let per_joint = 1.0 / (3 * ROLES) as f32;
    let per_matrix = 1.0 / (6 * ROLES) as f32;
    let mut by_place = vec![[Vec3::ZERO; ROLES]; gap];
    // Changes of position, including the steps from the first key and to the second.
    for step in 0..=gap {
        let places = |frames: &[Frame], at: usize| match at {
            0 => truth.ends[0],
            at if at > gap => truth.ends[1],
            at => frames[at - 1].places,
        };
        let [a, b] = [places(&ours, step), places(&ours, step + 1)];
        let [c, d] = [places(&theirs, step), places(&theirs, step + 1)];
        for joint in 0..ROLES {
            let wrong = (b[joint] - a[joint]) - (d[joint] - c[joint]);
            parts[2] += CHANGE * per_joint * absolute(wrong * axes);
            let mut by = sign(wrong) * axes * (CHANGE * per_joint);
            let foot = FEET.iter().position(|role| *role as usize == joint);
            let planted = |foot: usize| step < gap && truth.contacts[step * CONTACTS + foot] > 0.5;
            if foot.is_some_and(planted) {
                let slide = (b[joint] - a[joint]).with_y(0.0);
                parts[3] += SLIDE * absolute(slide) / CONTACTS as f32;
                by += sign(slide) * (SLIDE / CONTACTS as f32);
            }
            if step < gap {
                by_place[step][joint] += by;
            }
            if step > 0 {
                by_place[step - 1][joint] -= by;
            }
        }
    }

    for at in 0..gap {
        let (own, true_) = (&ours[at], &theirs[at]);
        let [by_rotation, by_root] = usual_difference(at + 1, gap);
        let row = &rows[at * OUTPUT..][..OUTPUT];
        let out = &mut by_rows[at * OUTPUT..][..OUTPUT];
        let mut by_world = [Mat3::ZERO; ROLES];
        let places = &mut by_place[at];
        for joint in 0..ROLES {
            let wrong = (own.places[joint] - true_.places[joint]) * axes;
            parts[1] += POSITION * per_joint * absolute(wrong);
            places[joint] += sign(wrong) * axes * (POSITION * per_joint);
            let wrong = own.world[joint] - true_.world[joint];
            parts[0] += WORLD * per_matrix * (absolute(wrong.x_axis) + absolute(wrong.y_axis));
            let by = |wrong: Vec3| sign(wrong) * (WORLD * per_matrix);
            by_world[joint] = Mat3::from_cols(by(wrong.x_axis), by(wrong.y_axis), Vec3::ZERO);
        }
        let mut by_local = [Mat3::ZERO; ROLES];
        for role in Role::ALL[1..].iter().rev() {
            let (index, parent) = (*role as usize, parent(*role));
            let place = places[index];
            places[parent] += place;
            let offset = truth.offsets[index];
            by_world[parent] += Mat3::from_cols(place * offset.x, place * offset.y, place * offset.z);
            by_world[parent] += by_world[index] * own.local[index].transpose();
            by_local[index] = own.world[parent].transpose() * by_world[index];
        }
        by_local[0] = by_world[0];
        for role in 0..ROLES {
            let [mut first, mut second] = raw[at][role].back(by_local[role]);
            let matrix = true_.local[role];
            let [a, b] = [raw[at][role].first - matrix.x_axis, raw[at][role].second - matrix.y_axis];
            parts[0] += LOCAL * per_matrix * (absolute(a) + absolute(b));
            first += sign(a) * (LOCAL * per_matrix);
            second += sign(b) * (LOCAL * per_matrix);
            (first * (by_rotation * share)).write_to_slice(&mut out[6 * role..]);
            (second * (by_rotation * share)).write_to_slice(&mut out[6 * role + 3..]);
        }
        (places[0] * (by_root * share)).write_to_slice(&mut out[6 * ROLES..]);
        for contact in 0..CONTACTS {
            let (logit, wanted) = (row[CONTACT + contact], truth.contacts[at * CONTACTS + contact]);
            parts[4] += TOUCH * (logit.max(0.0) - logit * wanted + (-logit.abs()).exp().ln_1p());
            out[CONTACT + contact] = share * TOUCH * (1.0 / (1.0 + (-logit).exp()) - wanted);
        }
    }
    parts.map(|part| part * weight / gap as f32)
}

/// Inverse of the typical interpolation error of a gap, relative to a gap of six steps.
fn window_weight(gap: usize) -> f32 {
    (6.0 / (gap + 1) as f32).powf(0.85)
}
