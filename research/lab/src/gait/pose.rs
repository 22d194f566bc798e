//! Computes the joint rotations of a character from the targets of its body: two-bone inverse kinematics for the legs,
//! and a correction for the rest pose.

use crate::rig::Character;
use glam::{Mat3, Quat, Vec3};
use kinestitch::Skeleton;

/// Angles of one arm, radians. All zeros: the arm hangs beside the body, palm inwards.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arm {
    /// Angle of the upper arm forwards.
    pub flexion: f32,
    /// Angle of the upper arm away from the body.
    pub abduction: f32,
    /// Rotation of the upper arm about its length; positive moves a bent forearm across the body.
    pub inward: f32,
    /// Elbow bend.
    pub elbow: f32,
    /// Wrist bend, palm towards the forearm.
    pub wrist: f32,
    /// Angle of the collar bone upwards.
    pub shrug: f32,
}

/// World targets of one foot.
#[derive(Debug, Clone, Copy)]
pub struct Foot {
    /// Position of the ankle, metres.
    pub world_ankle: Vec3,
    /// Rotation of the foot; identity: flat on the ground, facing +Z.
    pub world_rotation: Quat,
    /// Rotation of the toes; identity: flat on the ground, facing +Z.
    pub world_toes: Quat,
}

/// Targets of one frame. Rotations are in world space, and identity in the rest pose facing +Z.
#[derive(Debug, Clone, Copy)]
pub struct Targets {
    /// Path point on the ground, metres, and heading, radians about +Y.
    pub ground: (Vec3, f32),
    /// Position of the pelvis joint, metres.
    pub pelvis: Vec3,
    pub pelvis_rotation: Quat,
    pub chest_rotation: Quat,
    pub head_rotation: Quat,
    pub feet: [Foot; 2],
    pub arms: [Arm; 2],
}

/// Returns the rotation by roll (about +Z), then pitch (about +X), then yaw (about +Y).
pub fn yaw_pitch_roll(yaw: f32, pitch: f32, roll: f32) -> Quat {
    Quat::from_rotation_y(yaw) * Quat::from_rotation_x(pitch) * Quat::from_rotation_z(roll)
}

/// Two-bone inverse kinematics: returns the world rotations of thigh and shin (bone along −Y, knee hinge along +X) that
/// place the ankle.
///
/// The knee bends towards `forward` if `bend` is 1, and away from it if `bend` is −1 (an elbow). The reach is limited
/// to 99.9 % of the leg's length, which keeps the knee from snapping straight.
pub fn solve_leg(hip: Vec3, ankle: Vec3, [thigh, shin]: [f32; 2], forward: Vec3, bend: f32) -> [Quat; 2] {
    let reach = ankle - hip;
    let length = reach.length().clamp((thigh - shin).abs() + 1e-3, (thigh + shin) * 0.999);
    let along = reach.normalize();
    let bend_direction = (forward - along * forward.dot(along)).normalize();
    let cosine = (thigh * thigh + length * length - shin * shin) / (2.0 * thigh * length);
    let to_knee = along * cosine + bend_direction * bend * (1.0 - cosine * cosine).max(0.0).sqrt();
    let to_ankle = (along * length - to_knee * thigh).normalize();
    let hinge = bend_direction.cross(along).normalize();
    [to_knee, to_ankle].map(|bone| Quat::from_mat3(&Mat3::from_cols(hinge, -bone, hinge.cross(-bone))))
}

/// Returns the pose of one frame: local rotations, `[joints]`, and root translations, `[translated joints]`.
pub fn assemble(character: &Character, targets: &Targets) -> (Vec<Quat>, Vec<Vec3>) {
    let skeleton = &character.skeleton;
    let mut world: Vec<Option<Quat>> = vec![None; skeleton.len()];
    let (ground, heading) = targets.ground;
    if let Some(joint) = character.ground {
        world[joint] = Some(Quat::from_rotation_y(heading));
    }
    world[character.pelvis] = Some(targets.pelvis_rotation);
    for (i, &joint) in character.spine.iter().enumerate() {
        let weight = (i + 1) as f32 / character.spine.len() as f32;
        world[joint] = Some(targets.pelvis_rotation.slerp(targets.chest_rotation, weight));
    }
    world[character.neck] = Some(targets.chest_rotation.slerp(targets.head_rotation, 0.5));
    world[character.head] = Some(targets.head_rotation);

    for (side, foot) in targets.feet.iter().enumerate() {
        let [thigh, shin, ankle, toe] = character.legs[side];
        let hip = targets.pelvis + targets.pelvis_rotation * (character.rest[thigh] - character.rest[character.pelvis]);
        // The knee points halfway between the pelvis's and the foot's forward direction.
        let forward = (targets.pelvis_rotation * Vec3::Z + foot.world_rotation * Vec3::new(0.0, 0.4, 1.0)).normalize();
        let rotations = solve_leg(hip, foot.world_ankle, character.leg_lengths(), forward, 1.0);
        for (joint, child, rotation) in [(thigh, shin, rotations[0]), (shin, ankle, rotations[1])] {
            world[joint] = Some(rotation * from_rest(&character.rest, joint, child));
        }
        world[ankle] = Some(foot.world_rotation);
        world[toe] = Some(foot.world_toes);
    }
    for (side, arm) in targets.arms.iter().enumerate() {
        let outwards = if side == 0 { 1.0 } else { -1.0 };
        let [collar, upper, fore, hand] = character.arms[side];
        let chest = targets.chest_rotation;
        world[collar] = Some(chest * Quat::from_rotation_z(outwards * arm.shrug));
        // Arms follow the chest's heading fully, and half of its lean.
        let forward = chest * Vec3::Z;
        let heading = Quat::from_rotation_y(forward.x.atan2(forward.z));
        let upper_rotation = heading.slerp(chest, 0.5)
            * Quat::from_rotation_z(outwards * arm.abduction)
            * Quat::from_rotation_x(-arm.flexion)
            * Quat::from_rotation_y(-outwards * arm.inward);
        let fore_rotation = upper_rotation * Quat::from_rotation_x(-arm.elbow);
        let hand_rotation = fore_rotation * Quat::from_rotation_z(-outwards * arm.wrist);
        world[upper] = Some(upper_rotation * from_rest(&character.rest, upper, fore));
        let fore_rest = from_rest(&character.rest, fore, hand);
        world[fore] = Some(fore_rotation * fore_rest);
        world[hand] = Some(hand_rotation * fore_rest);
    }

    let locals = to_local(skeleton, &world);
    let translations = match character.ground {
        Some(_) => vec![ground, Quat::from_rotation_y(-heading) * (targets.pelvis - ground)],
        None => vec![targets.pelvis],
    };
    (locals, translations)
}

/// Returns the local rotations, `[joints]`. Joints without a world rotation (twist joints) get that of their parent.
pub fn to_local(skeleton: &Skeleton, world: &[Option<Quat>]) -> Vec<Quat> {
    let mut filled: Vec<Quat> = Vec::with_capacity(skeleton.len());
    let mut locals = Vec::with_capacity(skeleton.len());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let parent = joint.parent.map_or(Quat::IDENTITY, |parent| filled[parent]);
        let rotation = world[index].unwrap_or(parent).normalize();
        filled.push(rotation);
        locals.push((parent.inverse() * rotation).normalize());
    }
    locals
}

/// Returns the rotation from a bone's rest direction to −Y, the bone axis of [`solve_leg`].
pub fn from_rest(rest: &[Vec3], joint: usize, child: usize) -> Quat {
    let bone = (rest[child] - rest[joint]).normalize();
    Quat::from_rotation_arc(bone, Vec3::NEG_Y)
}
