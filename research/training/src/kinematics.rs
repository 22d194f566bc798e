//! Forward kinematics on tensors. The vectors of joints are stored as three planes: x, y and z, [rows, 22] each, joints
//! in the order of [`Role::ALL`].

use burn::tensor::{Device, Int, Tensor, TensorData};
use glam::Vec3;
use kinestitch::body::poses::{ROLES, parent_index};
use kinestitch::motion::rig::Role;

/// Vectors of joints as planes of x, y and z.
pub type Planes = [Tensor<2>; 3];

/// Creates a tensor of indices, `[indices]`.
pub fn index_tensor(indices: impl IntoIterator<Item = usize>, device: &Device) -> Tensor<1, Int> {
    let indices: Vec<i64> = indices.into_iter().map(|index| index as i64).collect();
    let count = indices.len();
    Tensor::from_data(TensorData::new(indices, [count]), device)
}

/// Creates planes, [rows, N] each, from rows of N vectors.
pub fn planes<'a, const N: usize>(rows: impl IntoIterator<Item = &'a [Vec3; N]>, device: &Device) -> Planes {
    let rows: Vec<&[Vec3; N]> = rows.into_iter().collect();
    [0, 1, 2].map(|axis| {
        let values: Vec<f32> = rows.iter().flat_map(|row| row.iter().map(|vector| vector[axis])).collect();
        Tensor::from_data(TensorData::new(values, [rows.len(), N]), device)
    })
}

/// World transforms of all joints, stored by levels of the hierarchy: hips, children of the hips, their children, ….
pub struct World {
    /// Positions: x, y and z, one tensor [rows, joints of the level] per level.
    positions: [Vec<Tensor<2>>; 3],
    /// First two columns of the rotation matrices, stored like the positions.
    columns: [[Vec<Tensor<2>>; 3]; 2],
    /// Index of each role in the concatenated levels.
    role_indices: Tensor<1, Int>,
}

impl World {
    /// Computes world transforms level by level. `hips`: positions, [rows, 1]. `local`: first two columns of the local
    /// rotation matrices. `offsets`: joint offsets of each row's skeleton.
    pub fn new(hips: Planes, local: [Planes; 2], offsets: &Planes) -> Self {
        let device = hips[0].device();
        let mut order: Vec<usize> = vec![0];
        let mut level: Vec<usize> = vec![0];
        let hips_of = |plane: &Tensor<2>| plane.clone().narrow(1, 0, 1);
        let mut world = local.each_ref().map(|column| column.each_ref().map(hips_of));
        let mut position = hips;
        let mut positions = position.clone().map(|plane| vec![plane]);
        let mut columns = world.clone().map(|column| column.map(|plane| vec![plane]));
        loop {
            let roles = Role::ALL[1..].iter().filter(|role| level.contains(&parent_index(**role)));
            let next: Vec<usize> = roles.map(|role| *role as usize).collect();
            if next.is_empty() {
                break;
            }
            let parent_in_level =
                |role: &usize| level.iter().position(|id| *id == parent_index(Role::ALL[*role])).unwrap_or(0);
            let parents = index_tensor(next.iter().map(parent_in_level), &device);
            let roles = index_tensor(next.clone(), &device);
            let select_parents = |plane: &Tensor<2>| plane.clone().select(1, parents.clone());
            let select_level = |plane: &Tensor<2>| plane.clone().select(1, roles.clone());
            let [x, y] = world.each_ref().map(|column| column.each_ref().map(select_parents));
            let parent_axes = [x.clone(), y.clone(), cross(&x, &y)];
            let rotate_by_parent = |vector: Planes| -> Planes {
                [0, 1, 2].map(|axis| {
                    let [x, y, z] = vector.clone();
                    let [axis_x, axis_y, axis_z] = parent_axes.each_ref().map(|parent| parent[axis].clone());
                    axis_x * x + axis_y * y + axis_z * z
                })
            };
            let shift = rotate_by_parent(offsets.each_ref().map(select_level));
            let parent_position = position.each_ref().map(select_parents);
            position = [0, 1, 2].map(|axis| parent_position[axis].clone() + shift[axis].clone());
            positions.iter_mut().zip(&position).for_each(|(levels, plane)| levels.push(plane.clone()));
            world = local.each_ref().map(|column| rotate_by_parent(column.each_ref().map(select_level)));
            for (planes, column) in columns.iter_mut().zip(&world) {
                planes.iter_mut().zip(column).for_each(|(levels, plane)| levels.push(plane.clone()));
            }
            order.extend(&next);
            level = next;
        }
        let index_in_levels = |role: usize| order.iter().position(|id| *id == role).unwrap_or(0);
        let role_indices = index_tensor((0..ROLES).map(index_in_levels), &device);
        Self { positions, columns, role_indices }
    }

    /// Returns the positions of all joints.
    pub fn positions(&self) -> Planes {
        self.positions.clone().map(|levels| self.sort_by_role(levels))
    }

    /// Returns the first two columns of all joints' rotation matrices.
    pub fn columns(&self) -> [Planes; 2] {
        self.columns.clone().map(|column| column.map(|levels| self.sort_by_role(levels)))
    }

    /// Concatenates the levels, and sorts their joints by role.
    fn sort_by_role(&self, levels: Vec<Tensor<2>>) -> Tensor<2> {
        Tensor::cat(levels, 1).select(1, self.role_indices.clone())
    }
}

/// Computes the cross products of vectors.
pub fn cross(a: &Planes, b: &Planes) -> Planes {
    let minor = |i: usize, j: usize| a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone();
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// Orthonormalises the first two columns of rotation matrices (Gram-Schmidt).
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
    let projection = dot(&x, &b);
    let perpendicular = [0, 1, 2].map(|axis| b[axis].clone() - x[axis].clone() * projection.clone());
    [x, unit(perpendicular)]
}
