//! Loss of the sampler's roll-outs (eq. 12 to 14): rotations, positions of the lower points, positions of all joints by
//! forward kinematics, the changes of each between frames, and the slide of planted feet.
//!
//! Weights are those of the delta in-betweener ([`crate::delta::loss`]), chosen by L2P. A window's weight is the
//! inverse of the typical interpolation error at its length.

use burn::tensor::{Device, Int, Tensor, TensorData};
use glam::Vec3;
use kinestitch::body::poses::{ROLES, parent};
use kinestitch::feature::manifold::POINTS;
use kinestitch::motion::rig::Role;

const ROTATION: f32 = 1.0;
const POSITION: f32 = 6.0;
const LEG: f32 = 6.0;
/// Heights vary less than the ground axes, and L2P divides by the standard deviation.
const HEIGHT: f32 = 1.7;
const CHANGE: f32 = 10.0;
/// Weight of the agreement between predicted points and rotations.
const AGREE: f32 = 2.0;

/// Offsets of the lanes' skeletons as planes of x, y and z, [lanes × 22] each.
pub fn planes(offsets: &[[Vec3; ROLES]], device: &Device) -> [Tensor<2>; 3] {
    [0, 1, 2].map(|axis| {
        let values: Vec<f32> = offsets.iter().flatten().map(|offset| offset[axis]).collect();
        Tensor::from_data(TensorData::new(values, [offsets.len(), ROLES]), device)
    })
}

/// World positions of all joints by forward kinematics: planes x, y, z, [rows, 22], in the order of [`Role::ALL`].
/// `offsets`: planes of the rows' skeletons, [rows, 22].
pub fn places(rows: &Tensor<2>, offsets: &[Tensor<2>; 3]) -> [Tensor<2>; 3] {
    let device = rows.device();
    let ids = |ids: Vec<usize>| {
        let ids: Vec<i64> = ids.into_iter().map(|id| id as i64).collect();
        let count = ids.len();
        Tensor::<1, Int>::from_data(TensorData::new(ids, [count]), &device)
    };
    let local: [Tensor<2>; 6] = [0, 1, 2, 3, 4, 5].map(|plane| rows.clone().narrow(1, 21 + ROLES * plane, ROLES));
    let mut order: Vec<usize> = vec![0];
    let mut level: Vec<usize> = vec![0];
    // World matrices of the level's joints, [x, y, z][column], and their positions.
    let first = |plane: usize| local[plane].clone().narrow(1, 0, 1);
    let mut world = third([0, 1, 2].map(first), [3, 4, 5].map(first));
    let mut at = [0, 1, 2].map(|axis| rows.clone().narrow(1, 7 * axis, 1));
    let mut all: [Vec<Tensor<2>>; 3] = at.clone().map(|plane| vec![plane]);
    loop {
        let roles = Role::ALL[1..].iter().filter(|role| level.contains(&parent(**role)));
        let next: Vec<usize> = roles.map(|role| *role as usize).collect();
        if next.is_empty() {
            break;
        }
        let place = |role: &usize| level.iter().position(|id| *id == parent(Role::ALL[*role])).unwrap_or(0);
        let (parents, own) = (ids(next.iter().map(place).collect()), ids(next.clone()));
        let of_parent = |plane: &Tensor<2>| plane.clone().select(1, parents.clone());
        let of_own = |plane: &Tensor<2>| plane.clone().select(1, own.clone());
        let above = world.each_ref().map(|column| column.each_ref().map(of_parent));
        let turned = |v: [Tensor<2>; 3]| -> [Tensor<2>; 3] {
            [0, 1, 2].map(|axis| {
                let [x, y, z] = v.clone();
                above[0][axis].clone() * x + above[1][axis].clone() * y + above[2][axis].clone() * z
            })
        };
        let shift = turned(offsets.each_ref().map(of_own));
        let before = at.each_ref().map(of_parent);
        at = [0, 1, 2].map(|axis| before[axis].clone() + shift[axis].clone());
        all.iter_mut().zip(&at).for_each(|(all, plane)| all.push(plane.clone()));
        let column = |from: usize| turned([0, 1, 2].map(|axis| of_own(&local[from + axis])));
        world = third(column(0), column(3));
        order.extend(&next);
        level = next;
    }
    let back = |role: usize| order.iter().position(|id| *id == role).unwrap_or(0);
    let back = ids((0..ROLES).map(back).collect());
    all.map(|planes| Tensor::cat(planes, 1).select(1, back.clone()))
}

/// Rotation matrix from two columns; the third is their cross product.
fn third(a: [Tensor<2>; 3], b: [Tensor<2>; 3]) -> [[Tensor<2>; 3]; 3] {
    let cross = |i: usize, j: usize| a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone();
    let c = [cross(1, 2), cross(2, 0), cross(0, 1)];
    [a, b, c]
}

/// Total loss, then its parts: rotations, positions, changes, slide, agreement. `made`: predicted rows, [gap × lanes,
/// columns]; `truth`: recorded rows including the frames before and after the gap, [lanes, columns] each; `touching`:
/// contacts of the gap, [gap × lanes, 4]; `sliding`: weight of the slide.
pub fn loss(
    made: Tensor<2>,
    truth: &[Tensor<2>],
    touching: Tensor<2>,
    offsets: &[Tensor<2>; 3],
    sliding: f32,
) -> Vec<Tensor<1>> {
    let (gap, lanes) = (truth.len() - 2, truth[0].dims()[0]);
    let rows = Tensor::cat(vec![truth[0].clone(), made, truth[gap + 1].clone()], 0); // [(gap + 2) × lanes, columns]
    let truth = Tensor::cat(truth.to_vec(), 0);
    let whole = (gap + 2) as f32 / gap as f32;
    let offsets = offsets.clone().map(|plane| plane.repeat_dim(0, gap + 2));
    let (own, wanted) = (places(&rows, &offsets), places(&truth, &offsets));
    let points = |rows: &Tensor<2>, axis: usize| rows.clone().narrow(1, 7 * axis, 7);
    let later = |plane: &Tensor<2>| {
        let steps = gap + 1;
        plane.clone().narrow(0, lanes, steps * lanes) - plane.clone().narrow(0, 0, steps * lanes)
    };
    let rotation =
        (rows.clone().narrow(1, 21, 6 * ROLES) - truth.clone().narrow(1, 21, 6 * ROLES)).abs().mean() * whole;
    let zero = || Tensor::zeros([1], &rows.device());
    let (mut position, mut change, mut slide, mut agree) = (zero(), zero(), zero(), zero());
    let feet = ids_of([3, 4, 7, 8], &rows.device());
    let low = ids_of(POINTS.map(|role| role as usize), &rows.device());
    for axis in 0..3 {
        let share = if axis == 1 { HEIGHT } else { 1.0 } / 3.0;
        let off = own[axis].clone() - wanted[axis].clone();
        position = position + off.clone().abs().mean() * (POSITION * share * whole);
        change = change + later(&off).abs().mean() * (CHANGE * share);
        let off = points(&rows, axis) - points(&truth, axis);
        position = position + off.clone().abs().mean() * (LEG * share * whole);
        change = change + later(&off).abs().mean() * (CHANGE * share);
        let apart = own[axis].clone().select(1, low.clone()) - points(&rows, axis);
        agree = agree + apart.abs().mean() * (AGREE * whole / 3.0);
        if axis != 1 {
            let gap_steps = |plane: Tensor<2>| later(&plane).narrow(0, 0, gap * lanes).abs();
            let joints = gap_steps(own[axis].clone().select(1, feet.clone()));
            let points = points(&rows, axis);
            let points = Tensor::cat(vec![points.clone().narrow(1, 2, 2), points.narrow(1, 5, 2)], 1);
            slide = slide + ((joints + gap_steps(points)) * touching.clone()).mean() * sliding;
        }
    }
    let weight = (6.0 / (gap + 1) as f32).powf(0.85);
    let parts = [rotation * ROTATION, position, change, slide, agree].map(|part| part * weight);
    let [a, b, c, d, e] = parts.clone();
    std::iter::once(a + b + c + d + e).chain(parts).collect()
}

fn ids_of<const N: usize>(ids: [usize; N], device: &Device) -> Tensor<1, Int> {
    Tensor::from_data(TensorData::new(ids.map(|id| id as i64).to_vec(), [N]), device)
}
