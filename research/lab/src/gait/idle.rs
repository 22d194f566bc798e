//! Idle: the weight shifts between the legs, the chest breathes, the head looks around. The loop closes exactly.

use crate::curve::cosine;
use crate::foot::{Footprint, planted};
use crate::gaits::REFERENCE_LEG;
use crate::pose::{Arm, Foot, Targets, yaw_pitch_roll};
use crate::rig::Character;
use glam::{Quat, Vec3};

/// Frames of one loop at 30 fps. The clip repeats the first pose at the end.
pub const LOOP_FRAMES: usize = 144;
/// Breaths per loop.
const BREATHS: f32 = 1.0;

/// Returns the targets of the whole body at a frame.
pub fn targets(character: &Character, frame: f32) -> Targets {
    let deg = f32::to_radians;
    let phase = frame / LOOP_FRAMES as f32;
    let scale = character.leg_lengths().iter().sum::<f32>() / REFERENCE_LEG;
    let facing = Quat::from_rotation_y(character.heading);

    // +1: the weight is on the left leg, −1: on the right leg. `tanh` flattens the peaks of the cosine, so that the
    // weight stays longer on each leg.
    let weight = (1.4 * cosine(phase - 0.08)).tanh() / 1.4_f32.tanh();
    // The inner cosine makes breathing out a little quicker than breathing in.
    let breath = cosine(BREATHS * phase - 0.3 + 0.04 * cosine(BREATHS * phase));
    let drift = 0.6 * cosine(phase + 0.2) + 0.4 * cosine(2.0 * phase + 0.55);

    let feet = [(0.105, 0.015, 11.0), (-0.10, -0.02, -14.0)].map(|(x, z, yaw)| {
        let heading = character.heading + deg(yaw);
        let footprint = Footprint { ground: facing * Vec3::new(x, 0.0, z) * scale, heading };
        let world_rotation = yaw_pitch_roll(heading, 0.0, 0.0);
        Foot {
            world_ankle: planted(character.foot_shape(), footprint, 0.0),
            world_rotation,
            world_toes: world_rotation,
        }
    });

    let standing = character.rest[character.pelvis].y;
    let height = standing - scale * (0.0105 - 0.004 * weight * weight - 0.0015 * breath);
    let pelvis = facing * Vec3::new(0.042 * weight * scale, height, (0.004 + 0.006 * drift) * scale);
    let pelvis_rotation = yaw_pitch_roll(character.heading - deg(3.0) * weight, deg(3.0), deg(2.8) * weight);
    let chest_list = -deg(1.8) * weight;
    let chest_pitch = deg(2.5) - deg(1.3) * breath + deg(0.5) * drift;
    let chest_rotation = yaw_pitch_roll(character.heading + deg(2.0) * weight, chest_pitch, chest_list);
    let look = deg(9.0) * drift;
    let head_rotation =
        yaw_pitch_roll(character.heading + look, deg(4.0) + deg(1.5) * cosine(2.0 * phase + 0.1), -0.3 * chest_list);

    let arms = [0.0, 0.35].map(|lag| Arm {
        flexion: deg(2.0) + deg(1.6) * cosine(phase - lag) - 0.6 * chest_pitch,
        abduction: deg(9.0) + deg(0.8) * breath,
        inward: deg(16.0),
        elbow: deg(17.0) + deg(2.0) * cosine(phase - lag - 0.1) + deg(1.0) * breath,
        wrist: deg(6.0),
        shrug: deg(1.3) * breath,
    });
    Targets {
        ground: (Vec3::ZERO, character.heading),
        pelvis,
        pelvis_rotation,
        chest_rotation,
        head_rotation,
        feet,
        arms,
    }
}
