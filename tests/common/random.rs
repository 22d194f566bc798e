//! Bodies and noise for properties that must hold for all inputs.

use glam::Vec3;
use kinestitch::motion::rig::{Rig, RigKind, Role};
use kinestitch::motion::skeleton::{FileSpace, Joint, PositionMode};
use kinestitch::{Channel, Skeleton};
use std::sync::Arc;

/// Position channels, then rotation channels.
pub const CHANNELS: [Channel; 6] = [
    Channel::Xposition,
    Channel::Yposition,
    Channel::Zposition,
    Channel::Zrotation,
    Channel::Xrotation,
    Channel::Yrotation,
];

/// Creates a skeleton of hips and two legs, with its rig. `offsets`: of the nine joints; any values, also zero. If bit
/// k of `flags` is set, joint k has position channels. If bit 9 is set, the kind of the rig is `Other` instead of
/// `Biped`.
pub fn skeleton_with_legs(offsets: &[Vec3], flags: u16) -> (Arc<Skeleton>, Rig) {
    let joints = Role::ALL[..9].iter().enumerate().map(|(index, role)| Joint {
        name: format!("{role:?}"),
        parent: role.parent().map(|parent| parent as usize),
        offset: offsets[index],
        channels: CHANNELS[if flags >> index & 1 == 1 { 0 } else { 3 }..].to_vec(),
        position_mode: PositionMode::Replace,
        end_sites: vec![],
    });
    let mut rig = Rig::empty();
    rig.joints[..9].iter_mut().enumerate().for_each(|(index, joint)| *joint = Some(index));
    rig.kind = if flags & 512 == 0 { RigKind::Biped } else { RigKind::Other };
    (Arc::new(Skeleton::new(joints.collect(), FileSpace::default()).unwrap()), rig)
}

/// Returns a generator of vectors with components from −1 to 1, determined by the seed.
pub fn noise(seed: u64) -> impl FnMut() -> Vec3 {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    move || Vec3::new(next(), next(), next())
}
