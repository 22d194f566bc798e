//! Rows of the refiner → canonical body.

use crate::feature::body::{Body, ROLES, Root};
use crate::feature::encode::LOWER;
use crate::feature::layout::Refiner;
use crate::feature::legs::{FootTargets, reach};
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Roots of rows, [frames]: displacements accumulated from the root of the first frame.
pub fn roots(rows: &[f32], first: Root) -> Vec<Root> {
    let mut root = first;
    rows.chunks_exact(Refiner::WIDTH)
        .enumerate()
        .map(|(frame, row)| {
            if frame > 0 {
                let r = &row[Refiner::ROOT.range()];
                root = Root { position: root.world_point(Vec3::new(r[0], 0.0, r[2])), heading: root.heading + r[1] };
            }
            root
        })
        .collect()
}

/// Body of rows, [frames × 161], on given roots (decoded ones, or the input's own), its feet where the position columns
/// say. `like` gives offsets, rate and scale; `ground` is the height that `encode::rows` took away.
pub fn body(rows: &[f32], roots: &[Root], like: &Body, ground: f32) -> Body {
    let mut hips = Vec::with_capacity(roots.len());
    let mut rotations = Vec::with_capacity(roots.len() * ROLES);
    for (row, root) in rows.chunks_exact(Refiner::WIDTH).zip(roots) {
        let position = |role: Role| lower_body(row, role) + Vec3::Y * ground;
        hips.push(root.world_point(Vec3::Y * position(Role::Hips).y));
        for (i, q) in row[Refiner::ROTATION.range()].chunks_exact(4).enumerate() {
            let local = Quat::from_xyzw(q[0], q[1], q[2], q[3]);
            let local = if local.length_squared() > 1e-8 { local.normalize() } else { Quat::IDENTITY };
            rotations.push(if i == 0 { root.rotation() * local } else { local });
        }
        let foot = |ankle, toe| (root.world_point(position(ankle)), root.world_point(position(toe)));
        let feet: FootTargets = [foot(Role::LeftFoot, Role::LeftToe), foot(Role::RightFoot, Role::RightToe)];
        let first = rotations.len() - ROLES;
        reach(hips[hips.len() - 1], &mut rotations[first..], &like.offsets, &feet);
    }
    Body { fps: like.fps, scale: like.scale, offsets: like.offsets, hips, rotations }
}

/// Position of a lower-body role in the root, metres over the ground; the origin for other roles.
fn lower_body(row: &[f32], role: Role) -> Vec3 {
    let column = LOWER.iter().position(|&lower| lower == role).map(|i| Refiner::POSITION.start + 3 * i);
    column.map_or(Vec3::ZERO, |column| Vec3::from_slice(&row[column..column + 3]))
}
