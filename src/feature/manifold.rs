//! Rows of the manifold in-betweener: Tang et al. 2022, *Real-time Controllable Motion Transition for Characters*,
//! section 4.1.
//!
//! A row is one frame: positions of hips, knees, ankles and toes, and the local rotations of all roles (the world
//! rotation for the hips) as the first two columns of their matrices. It is stored by planes (all x, all y, all z),
//! so that a rotation about y is six operations on columns. Networks read it relative to the hips, in their heading.
//! All functions are generic over [`Columns`], so that training and inference share them.
//!
//! Changes from the paper: networks see each frame in its own heading, not in that of the window's start (so a walk
//! need not be learned for every direction); inputs are z-scored; the sampler also reads the next step of an
//! interpolation ([`inputs`]).

pub mod columns;
pub mod mirror;

use crate::body::interpolate::usual_difference;

use crate::body::poses::{ROLES, joints};

use crate::body::rotation6d::orthonormal;
use crate::motion::quat::near;
use crate::motion::rig::Role;
use columns::{Columns, Row};
use glam::{Mat3, Quat, Vec3};

/// Frame rate of rows, frames per second.
pub const FPS: f64 = 30.0;
/// Increased whenever the meaning of a column changes.
pub const VERSION: u32 = 2;
/// Roles with a position of their own in a row; positions of other roles follow from rotations.
pub const POINTS: [Role; 7] =
    [Role::Hips, Role::LeftLeg, Role::LeftFoot, Role::LeftToe, Role::RightLeg, Role::RightFoot, Role::RightToe];
const PLACES: usize = POINTS.len();
/// Number of points without the hips.
pub const LOW: usize = PLACES - 1;
/// Number of roles of both legs, which follow the hips in [`Role::ALL`].
pub const LEGS: usize = 8;
/// Number of roles above the hips.
pub const UPPER: usize = ROLES - LEGS - 1;
/// Number of columns of a row: planes x, y, z of the points, then six planes of rotations.
pub const ROW: usize = 3 * PLACES + 6 * ROLES;
/// Number of columns of the manifold's condition: lower body and hips, with their velocities.
pub const CONDITION: usize = 3 * (LOW + PLACES + 2) + 1 + 6 * LEGS;
/// The hips' next step: x, y, z in the heading.
pub const STEP: usize = 3;
/// Number of columns of the manifold's output: steps of the lower points and changes of the hips' rotation (x, y, z),
/// changes of the legs' rotations.
pub const MOVES: usize = 3 * (LOW + 2) + 6 * LEGS;
/// Contacts: left heel, left toe, right heel, right toe.
pub const CONTACTS: usize = 4;
/// Number of rotation columns of the upper body.
pub const TOP: usize = 6 * UPPER;
/// Number of columns of the state encoder's input.
pub const STATE: usize = CONDITION - 6 * LEGS + 2 * TOP;
/// Number of columns of the target encoder's input.
pub const TARGET: usize = 3 * (LOW + 2) + 1 + TOP;
/// Number of columns of the offset encoder's input.
pub const OFFSET: usize = 3 * (2 * PLACES + 2) + 2 * TOP;
/// Number of columns of the change of a whole row: [`STEP`], [`MOVES`], [`TOP`].
pub const CHANGE: usize = STEP + MOVES + TOP;

/// Typical error of a joint position, relative to that of the hips.
const POINT: f32 = 1.5;

fn point<C: Columns>(row: &C, axis: usize, from: usize, count: usize) -> C {
    row.narrow(PLACES * axis + from, count)
}

fn turn<C: Columns>(row: &C, plane: usize, from: usize, count: usize) -> C {
    row.narrow(3 * PLACES + ROLES * plane + from, count)
}

/// All six rotation planes of some roles.
fn turns<C: Columns>(row: &C, from: usize, count: usize) -> Vec<C> {
    (0..6).map(|plane| turn(row, plane, from, count)).collect()
}

/// Rotations of the upper body, [[`TOP`]].
pub fn top<C: Columns>(row: &C) -> C {
    C::cat(turns(row, LEGS + 1, UPPER))
}

/// Sine and cosine of the hips' heading, one column each.
pub fn heading<C: Columns>(row: &C) -> [C; 2] {
    let at = |plane| turn(row, plane, 0, 1);
    let [ax, ay, az, bx, by, bz] = [at(0), at(1), at(2), at(3), at(4), at(5)];
    let (x, z) = (ay.times(&bz).minus(&az.times(&by)), ax.times(&by).minus(&ay.times(&bx)));
    let by = x.times(&x).plus(&z.times(&z)).inverse_root();
    [x.times(&by), z.times(&by)]
}

/// Rotates world x and z into a heading.
fn seen<C: Columns>([x, z]: [&C; 2], [sine, cosine]: &[C; 2]) -> [C; 2] {
    [x.times(cosine).minus(&z.times(sine)), x.times(sine).plus(&z.times(cosine))]
}

/// Inverse of [`seen`].
fn unseen<C: Columns>([x, z]: [&C; 2], [sine, cosine]: &[C; 2]) -> [C; 2] {
    [x.times(cosine).plus(&z.times(sine)), z.times(cosine).minus(&x.times(sine))]
}

/// Positions of the lower points relative to the hips, along one axis.
fn from_hips<C: Columns>(row: &C, axis: usize) -> C {
    point(row, axis, 1, LOW).minus(&point(row, axis, 0, 1))
}

/// Coordinates of the hips' two matrix columns along one axis.
fn hips<C: Columns>(row: &C, axis: usize) -> [C; 2] {
    [turn(row, axis, 0, 1), turn(row, 3 + axis, 0, 1)]
}

/// The condition of the manifold, [[`CONDITION`]]; `rate`: change of the row since the frame before.
pub fn condition<C: Columns>(row: &C, rate: &C, heading: &[C; 2]) -> C {
    let level = |axis| {
        let [a, b] = hips(row, axis);
        C::cat(vec![from_hips(row, axis), point(rate, axis, 0, PLACES), a, b])
    };
    let [x, z] = seen([&level(0), &level(2)], heading);
    let [a, b] = hips(row, 1);
    let mut parts = vec![x, z, point(row, 1, 0, PLACES), point(rate, 1, 0, PLACES), a, b];
    parts.extend(turns(row, 1, LEGS));
    C::cat(parts)
}

/// Splits the change of a row into the hips' step, [[`STEP`]], and the manifold's moves, [[`MOVES`]].
pub fn moves<C: Columns>(change: &C, heading: &[C; 2]) -> [C; 2] {
    let axis = |axis| {
        let [a, b] = hips(change, axis);
        C::cat(vec![point(change, axis, 0, PLACES), a, b])
    };
    let ([x, z], y) = (seen([&axis(0), &axis(2)], heading), axis(1));
    let step = C::cat([&x, &y, &z].map(|axis| axis.narrow(0, 1)).into());
    let mut parts: Vec<C> = [&x, &y, &z].map(|axis| axis.narrow(1, LOW + 2)).into();
    parts.extend(turns(change, 1, LEGS));
    [step, C::cat(parts)]
}

/// Moves with held feet: the fraction `hold`, [[`CONTACTS`]], of the horizontal steps of heels and toes is removed.
pub fn held<C: Columns>(moves: &C, hold: &C) -> C {
    let axis = |axis: usize| {
        let at = |point: usize, count: usize| moves.narrow(axis * (LOW + 2) + point, count);
        let foot = |side: usize| {
            let steps = at(3 * side + 1, 2);
            steps.minus(&steps.times(&hold.narrow(2 * side, 2)))
        };
        match axis {
            1 => at(0, LOW + 2),
            _ => C::cat(vec![at(0, 1), foot(0), at(3, 1), foot(1), at(LOW, 2)]),
        }
    };
    C::cat(vec![axis(0), axis(1), axis(2), moves.narrow(3 * (LOW + 2), 6 * LEGS)])
}

/// The next row after a step of the hips, moves, and changes of the upper body's rotations, [[`TOP`]].
pub fn moved<C: Columns>(row: &C, heading: &[C; 2], step: &C, moves: &C, top: &C) -> C {
    let axis = |axis| C::cat(vec![step.narrow(axis, 1), moves.narrow(axis * (LOW + 2), LOW + 2)]);
    let [x, z] = unseen([&axis(0), &axis(2)], heading);
    let axes = [x, axis(1), z];
    let mut parts: Vec<C> =
        axes.iter().enumerate().map(|(axis, by)| point(row, axis, 0, PLACES).plus(&by.narrow(0, PLACES))).collect();
    let plane = |plane: usize| {
        let hips = axes[plane % 3].narrow(PLACES + plane / 3, 1);
        let legs = moves.narrow(3 * (LOW + 2) + LEGS * plane, LEGS);
        turn(row, plane, 0, ROLES).plus(&C::cat(vec![hips, legs, top.narrow(UPPER * plane, UPPER)]))
    };
    parts.extend(orthonormalised(std::array::from_fn(plane)));
    C::cat(parts)
}

/// A row with its rotations made orthonormal.
pub fn upright<C: Columns>(row: &C) -> C {
    let mut parts = vec![row.narrow(0, 3 * PLACES)];
    parts.extend(orthonormalised(std::array::from_fn(|plane| turn(row, plane, 0, ROLES))));
    C::cat(parts)
}

/// Two matrix columns, as planes, made unit and perpendicular to each other.
fn orthonormalised<C: Columns>([ax, ay, az, bx, by, bz]: [C; 6]) -> [C; 6] {
    let dot = |a: [&C; 3], b: [&C; 3]| a[0].times(b[0]).plus(&a[1].times(b[1])).plus(&a[2].times(b[2]));
    let length = dot([&ax, &ay, &az], [&ax, &ay, &az]).inverse_root();
    let a = [ax, ay, az].map(|plane| plane.times(&length));
    let along = dot([&a[0], &a[1], &a[2]], [&bx, &by, &bz]);
    let rest = [(&bx, &a[0]), (&by, &a[1]), (&bz, &a[2])].map(|(b, a)| b.minus(&a.times(&along)));
    let length = dot([&rest[0], &rest[1], &rest[2]], [&rest[0], &rest[1], &rest[2]]).inverse_root();
    let [x, y, z] = rest.map(|plane| plane.times(&length));
    let [ax, ay, az] = a;
    [ax, ay, az, x, y, z]
}

/// Typical size of the difference between a frame and the interpolation, [[`CHANGE`]], for frame 1..=gap of a gap,
/// see [`usual_difference`].
pub fn usual(frame: usize, gap: usize) -> Vec<f32> {
    let [rotation, place] = usual_difference(frame, gap);
    let mut sizes = vec![rotation; CHANGE];
    sizes[..STEP].fill(place);
    (0..3).for_each(|axis| sizes[STEP + axis * (LOW + 2)..][..LOW].fill(POINT * place));
    sizes
}

/// Inputs of the three encoders for a row: [[`STATE`]], [[`TARGET`]], [[`OFFSET`]]. `guess`: change of the row that
/// leads to the next frame of the interpolation.
pub fn inputs<C: Columns>(row: &C, rate: &C, target: &C, guess: &C, condition: &C, heading: &[C; 2]) -> [C; 3] {
    let state = C::cat(vec![condition.narrow(0, CONDITION - 6 * LEGS), top(row), top(rate)]);
    let level = |axis| {
        let [a, b] = hips(target, axis);
        C::cat(vec![from_hips(target, axis), a, b])
    };
    let [x, z] = seen([&level(0), &level(2)], heading);
    let [a, b] = hips(target, 1);
    let goal = C::cat(vec![x, z, point(target, 1, 0, PLACES), a, b, top(target)]);
    let off = target.minus(row);
    let axis = |axis| {
        let [a, b] = hips(&off, axis);
        C::cat(vec![point(&off, axis, 0, PLACES), point(guess, axis, 0, PLACES), a, b])
    };
    let [x, z] = seen([&axis(0), &axis(2)], heading);
    [state, goal, C::cat(vec![x, axis(1), z, top(&off), top(guess)])]
}

/// The row of a pose. `origin`: point on the ground that positions are relative to.
pub fn row(hips: Vec3, rotations: &[Quat], offsets: &[Vec3; ROLES], origin: Vec3) -> Row {
    let places = joints(hips - origin, rotations, offsets);
    let mut row = vec![0.0; ROW];
    for (index, role) in POINTS.iter().enumerate() {
        for axis in 0..3 {
            row[PLACES * axis + index] = places[*role as usize][axis];
        }
    }
    for (role, rotation) in rotations.iter().enumerate() {
        let matrix = Mat3::from_quat(*rotation);
        for axis in 0..3 {
            row[3 * PLACES + ROLES * axis + role] = matrix.x_axis[axis];
            row[3 * PLACES + ROLES * (3 + axis) + role] = matrix.y_axis[axis];
        }
    }
    Row(row)
}

/// Position of a point of a row, by its index in [`POINTS`].
pub fn place(row: &[f32], index: usize) -> Vec3 {
    Vec3::new(row[index], row[PLACES + index], row[2 * PLACES + index])
}

/// Rotations of a row, [22], with signs nearer to those of `like`.
pub fn rotations(row: &[f32], like: &[Quat]) -> Vec<Quat> {
    let column = |role: usize, from: usize| {
        let at = |axis: usize| row[3 * PLACES + ROLES * (from + axis) + role];
        Vec3::new(at(0), at(1), at(2))
    };
    let one =
        |role: usize| near(Quat::from_mat3(&orthonormal(column(role, 0), column(role, 3))).normalize(), like[role]);
    (0..ROLES).map(one).collect()
}
