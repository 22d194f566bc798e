//! Decodes rows of the refiner ([`RefinerRow`]) to the canonical body.

use crate::body::{GroundPose, biped};
use crate::error::Result;
use crate::feature::encode::LOWER_BODY_ROLES;
use crate::feature::layout::RefinerRow;
use crate::feature::legs::{FootTargets, reach};
use crate::motion::clip::Clip;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Returns the ground poses of rows, `[frames]`: `first`, then each one moved by the root motion of its row.
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

/// Decodes rows, [frames × 161], to a canonical clip whose feet have the positions in the rows. `path`: ground pose of
/// each frame, from [`path`] or from the input motion. `template`: clip with the skeleton, frame rate and name of the
/// result. `ground`: height of the ground that `encode::rows` subtracted, metres.
///
/// # Errors
/// [`crate::Error::Clip`] if a row is not finite.
pub fn clip(rows: &[f32], path: &[GroundPose], template: &Clip, ground: f32) -> Result<Clip> {
    let mut hips = Vec::with_capacity(path.len());
    let mut rotations = Vec::with_capacity(path.len() * biped().len());
    let mut targets: Vec<FootTargets> = Vec::with_capacity(path.len());
    for (row, root) in rows.chunks_exact(RefinerRow::WIDTH).zip(path) {
        let position = |role: Role| lower_body(row, role) + Vec3::Y * ground;
        hips.push(root.world_point(Vec3::Y * position(Role::Hips).y));
        for (i, q) in row[RefinerRow::ROTATION.range()].chunks_exact(4).enumerate() {
            let local = Quat::from_xyzw(q[0], q[1], q[2], q[3]);
            let local = if local.length_squared() > 1e-8 { local.normalize() } else { Quat::IDENTITY };
            rotations.push(if i == 0 { root.rotation() * local } else { local });
        }
        let foot = |ankle, toe| (root.world_point(position(ankle)), root.world_point(position(toe)));
        targets.push([foot(Role::LeftFoot, Role::LeftToe), foot(Role::RightFoot, Role::RightToe)]);
    }
    let skeleton = Arc::clone(template.skeleton());
    let mut clip = Clip::new(template.name.clone(), skeleton, template.frame_time_secs(), rotations, hips)?;
    reach(&mut clip, &targets);
    Ok(clip)
}

/// Returns the position of a lower-body role in root space, metres; the origin for other roles.
fn lower_body(row: &[f32], role: Role) -> Vec3 {
    let column = LOWER_BODY_ROLES.iter().position(|&lower| lower == role).map(|i| RefinerRow::POSITION.start + 3 * i);
    column.map_or(Vec3::ZERO, |column| Vec3::from_slice(&row[column..column + 3]))
}
