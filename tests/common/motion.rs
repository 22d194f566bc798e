//! A smooth motion of the canonical body along a curve.

use glam::{Quat, Vec3};
use kinestitch::body::poses::{Poses, ROLES};

/// Returns joint offsets, metres, of 20 to 26 cm, no two equal: those of hips and legs (the first nine roles) point
/// downwards, all others upwards.
pub fn offsets() -> [Vec3; ROLES] {
    std::array::from_fn(|role| {
        let phase = role as f32;
        Vec3::new(0.05 * (phase * 1.3).sin(), if role < 9 { -0.25 } else { 0.2 }, 0.06 * (phase * 0.7).cos())
    })
}

/// Creates a smooth motion along a curve, in which each joint swings about x at its own frequency.
pub fn motion(frames: usize) -> Poses {
    let mut poses = Poses::default();
    for frame in 0..frames {
        let time = frame as f32 / 30.0;
        let hips = Vec3::new((time * 0.8).sin(), 0.9 + 0.03 * (time * 9.0).sin(), 1.2 * time);
        let swing = |role: usize| {
            let angular_speed = 2.0 + 0.4 * role as f32;
            // Of the swing about y; any value that differs between joints.
            let phase = angular_speed;
            let heading = if role == 0 { Quat::from_rotation_y(0.6 * time) } else { Quat::IDENTITY };
            heading
                * Quat::from_euler(
                    glam::EulerRot::XYZ,
                    0.4 * (angular_speed * time).sin(),
                    0.1 * (time + phase).cos(),
                    0.05,
                )
        };
        poses.push(hips, (0..ROLES).map(swing));
    }
    poses
}
