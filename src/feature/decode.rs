//! Rows of the refiner → canonical body.

use crate::body::{GroundPose, biped};
use crate::error::Result;
use crate::feature::encode::LOWER_BODY_ROLES;
use crate::feature::layout::RefinerRow;
use crate::feature::legs::{FootTargets, reach};
use crate::motion::clip::Clip;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Ground poses of rows, [frames]: displacements accumulated from that of the first frame.
pub fn path(rows: &[f32], first: GroundPose) -> Vec<GroundPose> {
    let mut root = first;
    rows.chunks_exact(RefinerRow::WIDTH)
        .enumerate()
        .map(|(frame, row)| {
            if frame > 0 {
                let r = &row[RefinerRow::ROOT.range()];
                let position = root.world_point(Vec3::new(r[0], 0.0, r[2]));
                root = GroundPose { position, heading: root.heading + r[1] };
            }
            root
        })
        .collect()
}

/// Canonical clip of rows, [frames × 161], on given ground poses (decoded ones, or those of the input), with the feet
/// at the positions in the rows. `like` gives skeleton, rate and name; `ground` is the height that `encode::rows`
/// subtracted.
///
/// # Errors
/// [`crate::Error::Clip`] for rows that are not finite.
pub fn clip(rows: &[f32], path: &[GroundPose], like: &Clip, ground: f32) -> Result<Clip> {
    let mut places = Vec::with_capacity(path.len());
    let mut rotations = Vec::with_capacity(path.len() * biped().len());
    let mut targets: Vec<FootTargets> = Vec::with_capacity(path.len());
    for (row, root) in rows.chunks_exact(RefinerRow::WIDTH).zip(path) {
        let position = |role: Role| lower_body(row, role) + Vec3::Y * ground;
        places.push(root.world_point(Vec3::Y * position(Role::Hips).y));
        for (i, q) in row[RefinerRow::ROTATION.range()].chunks_exact(4).enumerate() {
            let local = Quat::from_xyzw(q[0], q[1], q[2], q[3]);
            let local = if local.length_squared() > 1e-8 { local.normalize() } else { Quat::IDENTITY };
            rotations.push(if i == 0 { root.rotation() * local } else { local });
        }
        let foot = |ankle, toe| (root.world_point(position(ankle)), root.world_point(position(toe)));
        targets.push([foot(Role::LeftFoot, Role::LeftToe), foot(Role::RightFoot, Role::RightToe)]);
    }
    let skeleton = Arc::clone(like.skeleton());
    let mut clip = Clip::new(like.name.clone(), skeleton, like.frame_time_secs(), rotations, places)?;
    reach(&mut clip, &targets);
    Ok(clip)
}

/// Position of a lower-body role in the frame of the root, metres over the ground; the origin for other roles.
fn lower_body(row: &[f32], role: Role) -> Vec3 {
    let column = LOWER_BODY_ROLES.iter().position(|&lower| lower == role).map(|i| RefinerRow::POSITION.start + 3 * i);
    column.map_or(Vec3::ZERO, |column| Vec3::from_slice(&row[column..column + 3]))
}
