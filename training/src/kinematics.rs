//! Forward kinematics on tensors. Vectors are planes of x, y and z, [rows, 22] each, in the order of [`Role::ALL`].

use burn::tensor::{Device, Int, Tensor, TensorData};
use glam::Vec3;
use kinestitch::body::poses::{ROLES, parent};
use kinestitch::motion::rig::Role;

/// Vectors of joints.
pub type Planes = [Tensor<2>; 3];

/// Indices as a tensor.
pub fn ids(ids: impl IntoIterator<Item = usize>, device: &Device) -> Tensor<1, Int> {
    let ids: Vec<i64> = ids.into_iter().map(|id| id as i64).collect();
    let count = ids.len();
    Tensor::from_data(TensorData::new(ids, [count]), device)
}

/// Vectors of some joints per row as planes, [rows × joints] each.
pub fn planes<'a, const N: usize>(rows: impl IntoIterator<Item = &'a [Vec3; N]>, device: &Device) -> Planes {
    let rows: Vec<&[Vec3; N]> = rows.into_iter().collect();
    [0, 1, 2].map(|axis| {
        let values: Vec<f32> = rows.iter().flat_map(|row| row.iter().map(|vector| vector[axis])).collect();
        Tensor::from_data(TensorData::new(values, [rows.len(), N]), device)
    })
}

/// World transforms of all joints, by levels of the hierarchy.
pub struct World {
    places: [Vec<Tensor<2>>; 3],
    /// First two columns of the rotation matrices.
    columns: [[Vec<Tensor<2>>; 3]; 2],
    /// Place of each role in the order of the levels.
    back: Tensor<1, Int>,
}

impl World {
    /// `hips`: positions, [rows, 1]; `local`: first two columns of the local rotation matrices; `offsets`: those of the
    /// rows' skeletons.
    pub fn new(hips: Planes, local: [Planes; 2], offsets: &Planes) -> Self {
        let device = hips[0].device();
        let mut order: Vec<usize> = vec![0];
        let mut level: Vec<usize> = vec![0];
        let first = |plane: &Tensor<2>| plane.clone().narrow(1, 0, 1);
        let mut world = local.each_ref().map(|column| column.each_ref().map(first));
        let mut at = hips;
        let mut places = at.clone().map(|plane| vec![plane]);
        let mut columns = world.clone().map(|column| column.map(|plane| vec![plane]));
        loop {
            let roles = Role::ALL[1..].iter().filter(|role| level.contains(&parent(**role)));
            let next: Vec<usize> = roles.map(|role| *role as usize).collect();
            if next.is_empty() {
                break;
            }
            let place = |role: &usize| level.iter().position(|id| *id == parent(Role::ALL[*role])).unwrap_or(0);
            let (parents, own) = (ids(next.iter().map(place), &device), ids(next.clone(), &device));
            let of_parent = |plane: &Tensor<2>| plane.clone().select(1, parents.clone());
            let of_own = |plane: &Tensor<2>| plane.clone().select(1, own.clone());
            let [x, y] = world.each_ref().map(|column| column.each_ref().map(of_parent));
            let above = [x.clone(), y.clone(), cross(&x, &y)];
            let turned = |v: Planes| -> Planes {
                [0, 1, 2].map(|axis| {
                    let [x, y, z] = v.clone();
                    above[0][axis].clone() * x + above[1][axis].clone() * y + above[2][axis].clone() * z
                })
            };
            let shift = turned(offsets.each_ref().map(of_own));
            let before = at.each_ref().map(of_parent);
            at = [0, 1, 2].map(|axis| before[axis].clone() + shift[axis].clone());
            places.iter_mut().zip(&at).for_each(|(all, plane)| all.push(plane.clone()));
            world = local.each_ref().map(|column| turned(column.each_ref().map(of_own)));
            for (all, column) in columns.iter_mut().zip(&world) {
                all.iter_mut().zip(column).for_each(|(all, plane)| all.push(plane.clone()));
            }
            order.extend(&next);
            level = next;
        }
        let back = |role: usize| order.iter().position(|id| *id == role).unwrap_or(0);
        Self { places, columns, back: ids((0..ROLES).map(back), &device) }
    }

    /// Positions.
    pub fn places(&self) -> Planes {
        self.places.clone().map(|planes| self.ordered(planes))
    }

    /// First two columns of the rotation matrices.
    pub fn columns(&self) -> [Planes; 2] {
        self.columns.clone().map(|column| column.map(|planes| self.ordered(planes)))
    }

    fn ordered(&self, planes: Vec<Tensor<2>>) -> Tensor<2> {
        Tensor::cat(planes, 1).select(1, self.back.clone())
    }
}

/// Cross products.
pub fn cross(a: &Planes, b: &Planes) -> Planes {
    let minor = |i: usize, j: usize| a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone();
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// First two columns of rotation matrices from columns that are not orthonormal (Gram-Schmidt).
pub fn orthonormal([a, b]: [Planes; 2]) -> [Planes; 2] {
    let dot = |a: &Planes, b: &Planes| {
        let [x, y, z] = [0, 1, 2].map(|axis| a[axis].clone() * b[axis].clone());
        x + y + z
    };
    let unit = |v: Planes| {
        let length = (dot(&v, &v) + 1e-12).sqrt();
        v.map(|plane| plane / length.clone())
    };
    let x = unit(a);
    let along = dot(&x, &b);
    let rest = [0, 1, 2].map(|axis| b[axis].clone() - x[axis].clone() * along.clone());
    [x, unit(rest)]
}
