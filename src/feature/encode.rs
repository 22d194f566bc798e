//! Canonical body → rows of the refiner.

use crate::feature::body::{Body, ROLES, Root};
use crate::feature::layout::{LOWER_BODY, Refiner};
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Lower-body roles of a row, in column order: 11 as in the paper's Figure 4b.
pub const LOWER: [Role; LOWER_BODY] = [
    Role::Hips,
    Role::LeftUpLeg,
    Role::LeftLeg,
    Role::LeftFoot,
    Role::LeftToe,
    Role::RightUpLeg,
    Role::RightLeg,
    Role::RightFoot,
    Role::RightToe,
    Role::Spine,
    Role::Spine1,
];

/// Roles of the contact columns, in order, with the height over the lowest rest height that counts as contact,
/// metres (RMR, section 4).
///
/// Not [`crate::motion::contact`]: its hysteresis and its shortest contact look far along the clip, and a row must say
/// the same whether its window or its whole clip is encoded. Weights are trained on this meaning.
pub const CONTACTS: [(Role, f32); 4] =
    [(Role::LeftFoot, 0.025), (Role::LeftToe, 0.016), (Role::RightFoot, 0.025), (Role::RightToe, 0.016)];

/// Slowest speed at which a low foot no longer counts as planted, metres a second. The paper tests height alone;
/// without a speed test the toes of a sliding swing foot count too.
pub const CONTACT_SPEED: f32 = 0.5;

/// Rows of a body, [frames × 161], frame-major. Displacement and velocity of frame 0 repeat frame 1's.
/// `ground` is the ground height in the body's metres and `rest` the height of each contact role over it at rest.
pub fn rows(body: &Body, ground: f32, rest: [f32; 4]) -> Vec<f32> {
    let positions: Vec<[Vec3; ROLES]> = (0..body.frames()).map(|frame| body.positions(frame)).collect();
    let roots: Vec<Root> = (0..body.frames()).map(|frame| body.root(frame)).collect();
    let mut rows = vec![0.0; body.frames() * Refiner::WIDTH];
    for (frame, row) in rows.chunks_exact_mut(Refiner::WIDTH).enumerate() {
        let (now, before) = match body.frames() {
            1 => (0, 0),
            _ => (frame.max(1), frame.max(1) - 1),
        };
        let moved = roots[before].local_point(roots[now].position);
        let turned = wrap(roots[now].heading - roots[before].heading);
        row[Refiner::ROOT.range()].copy_from_slice(&[moved.x, turned, moved.z]);
        let back = roots[before].rotation().inverse();
        for (i, role) in LOWER.iter().enumerate() {
            let mut position = roots[frame].local_point(positions[frame][*role as usize]);
            position.y -= ground;
            let velocity = back * (positions[now][*role as usize] - positions[before][*role as usize]);
            row[Refiner::POSITION.start + 3 * i..][..3].copy_from_slice(&position.to_array());
            row[Refiner::VELOCITY.start + 3 * i..][..3].copy_from_slice(&velocity.to_array());
        }
        for (i, rotation) in body.frame(frame).iter().enumerate() {
            let local = if i == 0 { roots[frame].rotation().inverse() * *rotation } else { *rotation };
            row[Refiner::ROTATION.start + 4 * i..][..4].copy_from_slice(&positive(local).to_array());
        }
        for (i, (role, height)) in CONTACTS.iter().enumerate() {
            let index = *role as usize;
            let speed = (positions[now][index] - positions[before][index]).length() * body.fps as f32;
            let low = positions[frame][index].y - ground - rest[i] < *height;
            row[Refiner::CONTACT.start + i] = f32::from(u8::from(low && speed < CONTACT_SPEED));
        }
    }
    rows
}

/// The same rotation with w ≥ 0. Canonical rotations are far from a half turn, so this keeps signs continuous.
pub fn positive(rotation: Quat) -> Quat {
    if rotation.w < 0.0 { -rotation } else { rotation }
}

/// An angle in −π..π.
pub fn wrap(angle: f32) -> f32 {
    angle - std::f32::consts::TAU * (angle / std::f32::consts::TAU).round()
}

/// Ground height and rest heights of the contact roles over it, metres: low percentiles over the whole motion,
/// so that a jump or a stumble does not move them.
pub fn ground(body: &Body) -> (f32, [f32; 4]) {
    let mut heights: [Vec<f32>; 4] = Default::default();
    for frame in 0..body.frames() {
        let positions = body.positions(frame);
        for (list, (role, _)) in heights.iter_mut().zip(&CONTACTS) {
            list.push(positions[*role as usize].y);
        }
    }
    let low = heights.map(|mut list| {
        list.sort_by(f32::total_cmp);
        list.get(list.len() / 20).copied().unwrap_or(0.0)
    });
    let ground = low[1].min(low[3]);
    (ground, low.map(|height| height - ground))
}
