//! Rows of the refiner → canonical body.

use crate::feature::body::{Body, ROLES, Root};
use crate::feature::layout::Refiner;
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

/// Body of rows, [frames × 161], on given roots (decoded ones, or the input's own). `like` gives offsets, rate and
/// scale; `ground` is the height that `encode::rows` took away.
pub fn body(rows: &[f32], roots: &[Root], like: &Body, ground: f32) -> Body {
    let mut hips = Vec::with_capacity(roots.len());
    let mut rotations = Vec::with_capacity(roots.len() * ROLES);
    for (row, root) in rows.chunks_exact(Refiner::WIDTH).zip(roots) {
        let p = &row[Refiner::POSITION.range()];
        hips.push(root.world_point(Vec3::new(0.0, p[1] + ground, 0.0)));
        for (i, q) in row[Refiner::ROTATION.range()].chunks_exact(4).enumerate() {
            let local = Quat::from_xyzw(q[0], q[1], q[2], q[3]);
            let local = if local.length_squared() > 1e-8 { local.normalize() } else { Quat::IDENTITY };
            rotations.push(if i == 0 { root.rotation() * local } else { local });
        }
    }
    Body { fps: like.fps, scale: like.scale, offsets: like.offsets, hips, rotations }
}
