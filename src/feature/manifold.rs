//! Rows of the manifold in-betweener: Tang et al. 2022, *Real-time Controllable Motion Transition for Characters*,
//! section 4.1.
//!
//! A row is one frame: positions of hips, knees, ankles and toes, and the local rotations of all roles (the world
//! rotation for the hips) as the first two columns of their matrices. A row is stored by planes (all x, all y, all z),
//! so that a rotation about y takes six operations on columns. Networks read positions relative to the hips, in heading
//! space: rotated about y so that the hips face +Z. Rows have the frame rate of the canonical body,
//! [`crate::body::poses::FPS`]. Training and inference share all functions, which are generic over [`Columns`].
//!
//! Changes from the paper: networks read each frame in the heading of that frame instead of the window's first frame,
//! so they need not learn a walk for every direction; inputs are z-scored; the sampler also reads the next change of an
//! interpolation ([`encoder_inputs`]).

pub mod columns;
pub mod mirror;

use crate::body::interpolate::typical_correction;
pub use crate::body::poses::CONTACTS;
use crate::body::poses::{ROLES, joint_positions};
use crate::body::rotation6d::orthonormalize;
use crate::motion::quat::with_nearest_sign;
use crate::motion::rig::Role;
use columns::{Columns, Row};
use glam::{Mat3, Quat, Vec3};

/// Version of this layout, stored in weight files; increased whenever the meaning of a column changes.
pub const VERSION: u32 = 2;
/// Roles whose positions are in a row; positions of other roles follow from rotations.
pub const POINTS: [Role; 7] =
    [Role::Hips, Role::LeftLeg, Role::LeftFoot, Role::LeftToe, Role::RightLeg, Role::RightFoot, Role::RightToe];
/// Number of points in a row.
const POINT_COUNT: usize = POINTS.len();
/// Number of points without the hips.
pub const LOWER_POINTS: usize = POINT_COUNT - 1;
/// Number of roles of both legs, which follow the hips in [`Role::ALL`].
pub const LEG_ROLES: usize = 8;
/// Number of roles of the upper body: all except hips and legs.
pub const UPPER_ROLES: usize = ROLES - LEG_ROLES - 1;
/// Number of columns of a row: planes x, y, z of the points, then six planes of rotations.
pub const ROW: usize = 3 * POINT_COUNT + 6 * ROLES;
/// Number of columns of the manifold's condition: lower body and hips with their velocities, see [`condition`].
pub const CONDITION: usize = 3 * (LOWER_POINTS + POINT_COUNT + 2) + 1 + 6 * LEG_ROLES;
/// Number of columns of the hips' step to the next frame: x, y, z in heading space.
pub const STEP: usize = 3;
/// Number of columns of the manifold's output: steps of the lower points, changes of the hips' rotation (x, y, z each),
/// changes of the legs' rotations.
pub const MOVES: usize = 3 * (LOWER_POINTS + 2) + 6 * LEG_ROLES;
/// Number of rotation columns of the upper body.
pub const UPPER_COLUMNS: usize = 6 * UPPER_ROLES;
/// Number of columns of the state encoder's input.
pub const STATE: usize = CONDITION - 6 * LEG_ROLES + 2 * UPPER_COLUMNS;
/// Number of columns of the target encoder's input.
pub const TARGET: usize = 3 * (LOWER_POINTS + 2) + 1 + UPPER_COLUMNS;
/// Number of columns of the offset encoder's input.
pub const OFFSET: usize = 3 * (2 * POINT_COUNT + 2) + 2 * UPPER_COLUMNS;
/// Number of columns of the change of a whole row: [`STEP`], [`MOVES`], [`UPPER_COLUMNS`].
pub const CHANGE: usize = STEP + MOVES + UPPER_COLUMNS;

/// Typical difference of a point from the interpolation, relative to that of the hips.
const POINT_SCALE: f32 = 1.5;

/// Returns `count` points from index `from` on, along one axis.
fn points<C: Columns>(row: &C, axis: usize, from: usize, count: usize) -> C {
    row.narrow(POINT_COUNT * axis + from, count)
}

/// Returns one rotation plane of `count` roles from index `from` on.
fn rotation_plane<C: Columns>(row: &C, plane: usize, from: usize, count: usize) -> C {
    row.narrow(3 * POINT_COUNT + ROLES * plane + from, count)
}

/// Returns all six rotation planes of `count` roles from index `from` on.
fn rotation_planes<C: Columns>(row: &C, from: usize, count: usize) -> Vec<C> {
    (0..6).map(|plane| rotation_plane(row, plane, from, count)).collect()
}

/// Returns the rotations of the upper body, [[`UPPER_COLUMNS`]].
pub fn upper_rotations<C: Columns>(row: &C) -> C {
    C::cat(rotation_planes(row, LEG_ROLES + 1, UPPER_ROLES))
}

/// Returns sine and cosine of the hips' heading, one column each.
pub fn heading<C: Columns>(row: &C) -> [C; 2] {
    let column = |plane| rotation_plane(row, plane, 0, 1);
    // a and b are the x and y axes of the hips; x and z of their cross product is the forward direction.
    let [ax, ay, az, bx, by, bz] = [column(0), column(1), column(2), column(3), column(4), column(5)];
    let (x, z) = (ay.times(&bz).minus(&az.times(&by)), ax.times(&by).minus(&ay.times(&bx)));
    let inverse_length = x.times(&x).plus(&z.times(&z)).inverse_sqrt();
    [x.times(&inverse_length), z.times(&inverse_length)]
}

/// Rotates x and z from world space to heading space.
fn to_heading<C: Columns>([x, z]: [&C; 2], [sine, cosine]: &[C; 2]) -> [C; 2] {
    [x.times(cosine).minus(&z.times(sine)), x.times(sine).plus(&z.times(cosine))]
}

/// Rotates x and z from heading space to world space, the inverse of [`to_heading`].
fn from_heading<C: Columns>([x, z]: [&C; 2], [sine, cosine]: &[C; 2]) -> [C; 2] {
    [x.times(cosine).plus(&z.times(sine)), z.times(cosine).minus(&x.times(sine))]
}

/// Returns the positions of the lower points relative to the hips, along one axis.
fn relative_points<C: Columns>(row: &C, axis: usize) -> C {
    points(row, axis, 1, LOWER_POINTS).minus(&points(row, axis, 0, 1))
}

/// Returns one coordinate of the hips' two matrix columns.
fn hips_rotation<C: Columns>(row: &C, axis: usize) -> [C; 2] {
    [rotation_plane(row, axis, 0, 1), rotation_plane(row, 3 + axis, 0, 1)]
}

/// Returns the condition of the manifold, [[`CONDITION`]]. `rate`: change of the row from the previous frame.
pub fn condition<C: Columns>(row: &C, rate: &C, heading: &[C; 2]) -> C {
    let horizontal = |axis| {
        let [a, b] = hips_rotation(row, axis);
        C::cat(vec![relative_points(row, axis), points(rate, axis, 0, POINT_COUNT), a, b])
    };
    let [x, z] = to_heading([&horizontal(0), &horizontal(2)], heading);
    let [a, b] = hips_rotation(row, 1);
    let mut parts = vec![x, z, points(row, 1, 0, POINT_COUNT), points(rate, 1, 0, POINT_COUNT), a, b];
    parts.extend(rotation_planes(row, 1, LEG_ROLES));
    C::cat(parts)
}

/// Splits the change of a row into the hips' step, [[`STEP`]], and the manifold's moves, [[`MOVES`]], in heading space.
pub fn split_change<C: Columns>(change: &C, heading: &[C; 2]) -> [C; 2] {
    let axis = |axis| {
        let [a, b] = hips_rotation(change, axis);
        C::cat(vec![points(change, axis, 0, POINT_COUNT), a, b])
    };
    let ([x, z], y) = (to_heading([&axis(0), &axis(2)], heading), axis(1));
    let step = C::cat([&x, &y, &z].map(|axis| axis.narrow(0, 1)).into());
    let mut parts: Vec<C> = [&x, &y, &z].map(|axis| axis.narrow(1, LOWER_POINTS + 2)).into();
    parts.extend(rotation_planes(change, 1, LEG_ROLES));
    [step, C::cat(parts)]
}

/// Holds feet in contact: removes the fraction `hold`, [[`CONTACTS`]], of the horizontal steps of heels and toes from
/// the moves.
pub fn hold_feet<C: Columns>(moves: &C, hold: &C) -> C {
    let axis = |axis: usize| {
        let columns = |point: usize, count: usize| moves.narrow(axis * (LOWER_POINTS + 2) + point, count);
        let foot = |side: usize| {
            let steps = columns(3 * side + 1, 2);
            steps.minus(&steps.times(&hold.narrow(2 * side, 2)))
        };
        match axis {
            // The y axis: vertical steps remain.
            1 => columns(0, LOWER_POINTS + 2),
            _ => C::cat(vec![columns(0, 1), foot(0), columns(3, 1), foot(1), columns(LOWER_POINTS, 2)]),
        }
    };
    C::cat(vec![axis(0), axis(1), axis(2), moves.narrow(3 * (LOWER_POINTS + 2), 6 * LEG_ROLES)])
}

/// Returns the next row: `row` after a step of the hips, [[`STEP`]], moves, [[`MOVES`]], and changes of the upper
/// body's rotations, [[`UPPER_COLUMNS`]].
pub fn advance<C: Columns>(row: &C, heading: &[C; 2], step: &C, moves: &C, upper: &C) -> C {
    let axis = |axis| C::cat(vec![step.narrow(axis, 1), moves.narrow(axis * (LOWER_POINTS + 2), LOWER_POINTS + 2)]);
    let [x, z] = from_heading([&axis(0), &axis(2)], heading);
    let axes = [x, axis(1), z];
    let mut parts: Vec<C> = axes
        .iter()
        .enumerate()
        .map(|(axis, change)| points(row, axis, 0, POINT_COUNT).plus(&change.narrow(0, POINT_COUNT)))
        .collect();
    let plane = |plane: usize| {
        let hips = axes[plane % 3].narrow(POINT_COUNT + plane / 3, 1);
        let legs = moves.narrow(3 * (LOWER_POINTS + 2) + LEG_ROLES * plane, LEG_ROLES);
        rotation_plane(row, plane, 0, ROLES).plus(&C::cat(vec![
            hips,
            legs,
            upper.narrow(UPPER_ROLES * plane, UPPER_ROLES),
        ]))
    };
    parts.extend(orthonormalize_planes(std::array::from_fn(plane)));
    C::cat(parts)
}

/// Returns the row with orthonormal rotations.
pub fn orthonormal_rotations<C: Columns>(row: &C) -> C {
    let mut parts = vec![row.narrow(0, 3 * POINT_COUNT)];
    parts.extend(orthonormalize_planes(std::array::from_fn(|plane| rotation_plane(row, plane, 0, ROLES))));
    C::cat(parts)
}

/// Makes two matrix columns orthonormal, given as planes; the first keeps its direction.
fn orthonormalize_planes<C: Columns>([ax, ay, az, bx, by, bz]: [C; 6]) -> [C; 6] {
    let dot = |a: [&C; 3], b: [&C; 3]| a[0].times(b[0]).plus(&a[1].times(b[1])).plus(&a[2].times(b[2]));
    let inverse_length = dot([&ax, &ay, &az], [&ax, &ay, &az]).inverse_sqrt();
    let a = [ax, ay, az].map(|plane| plane.times(&inverse_length));
    let projection = dot([&a[0], &a[1], &a[2]], [&bx, &by, &bz]);
    let b = [(&bx, &a[0]), (&by, &a[1]), (&bz, &a[2])].map(|(b, a)| b.minus(&a.times(&projection)));
    let inverse_length = dot([&b[0], &b[1], &b[2]], [&b[0], &b[1], &b[2]]).inverse_sqrt();
    let [x, y, z] = b.map(|plane| plane.times(&inverse_length));
    let [ax, ay, az] = a;
    [ax, ay, az, x, y, z]
}

/// Returns the typical difference between a frame and the interpolation, [[`CHANGE`]]. `frame`: 1 to `gap` + 1, which
/// is the target; see [`typical_correction`].
pub fn typical_difference(frame: usize, gap: usize) -> Vec<f32> {
    let [rotation, position] = typical_correction(frame, gap);
    let mut sizes = vec![rotation; CHANGE];
    sizes[..STEP].fill(position);
    (0..3).for_each(|axis| sizes[STEP + axis * (LOWER_POINTS + 2)..][..LOWER_POINTS].fill(POINT_SCALE * position));
    sizes
}

/// Returns the inputs of the three encoders for a row: [[`STATE`]], [[`TARGET`]], [[`OFFSET`]]. `rate`: change of the
/// row from the previous frame. `target`: row of the target. `reference_change`: difference from the row to the next
/// frame of the interpolation. `condition`, `heading`: those of the row, from [`condition`] and [`heading`].
pub fn encoder_inputs<C: Columns>(
    row: &C,
    rate: &C,
    target: &C,
    reference_change: &C,
    condition: &C,
    heading: &[C; 2],
) -> [C; 3] {
    let state =
        C::cat(vec![condition.narrow(0, CONDITION - 6 * LEG_ROLES), upper_rotations(row), upper_rotations(rate)]);
    let horizontal = |axis| {
        let [a, b] = hips_rotation(target, axis);
        C::cat(vec![relative_points(target, axis), a, b])
    };
    let [x, z] = to_heading([&horizontal(0), &horizontal(2)], heading);
    let [a, b] = hips_rotation(target, 1);
    let goal = C::cat(vec![x, z, points(target, 1, 0, POINT_COUNT), a, b, upper_rotations(target)]);
    let offset = target.minus(row);
    let axis = |axis| {
        let [a, b] = hips_rotation(&offset, axis);
        C::cat(vec![points(&offset, axis, 0, POINT_COUNT), points(reference_change, axis, 0, POINT_COUNT), a, b])
    };
    let [x, z] = to_heading([&axis(0), &axis(2)], heading);
    [state, goal, C::cat(vec![x, axis(1), z, upper_rotations(&offset), upper_rotations(reference_change)])]
}

/// Encodes a pose as a row. `offsets`: bone offsets, metres. `origin`: point on the ground that positions are relative
/// to.
pub fn encode(hips: Vec3, rotations: &[Quat], offsets: &[Vec3; ROLES], origin: Vec3) -> Row {
    let positions = joint_positions(hips - origin, rotations, offsets);
    let mut row = vec![0.0; ROW];
    for (index, role) in POINTS.iter().enumerate() {
        for axis in 0..3 {
            row[POINT_COUNT * axis + index] = positions[*role as usize][axis];
        }
    }
    for (role, rotation) in rotations.iter().enumerate() {
        let matrix = Mat3::from_quat(*rotation);
        for axis in 0..3 {
            row[3 * POINT_COUNT + ROLES * axis + role] = matrix.x_axis[axis];
            row[3 * POINT_COUNT + ROLES * (3 + axis) + role] = matrix.y_axis[axis];
        }
    }
    Row(row)
}

/// Returns the position of a point of a row, by its index in [`POINTS`].
pub fn point(row: &[f32], index: usize) -> Vec3 {
    Vec3::new(row[index], row[POINT_COUNT + index], row[2 * POINT_COUNT + index])
}

/// Returns the rotations of a row, `[22]`. Each has the sign that is nearer to the rotation in `reference`.
pub fn rotations(row: &[f32], reference: &[Quat]) -> Vec<Quat> {
    let column = |role: usize, first_plane: usize| {
        let coordinate = |axis: usize| row[3 * POINT_COUNT + ROLES * (first_plane + axis) + role];
        Vec3::new(coordinate(0), coordinate(1), coordinate(2))
    };
    let rotation = |role: usize| {
        with_nearest_sign(
            Quat::from_mat3(&orthonormalize(column(role, 0), column(role, 3))).normalize(),
            reference[role],
        )
    };
    (0..ROLES).map(rotation).collect()
}
