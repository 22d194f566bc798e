//! "Cleo": a dog, 0.56 m at the withers, walking and trotting. Its rig cannot be mapped to a human body.

use crate::curve::{Curve, cosine};
use crate::foot::{Footprint, Shape, foot};
use crate::gaits::Step;
use crate::pose::{from_rest, solve_leg, to_local, yaw_pitch_roll};
use crate::rig::{Limb, SkeletonBuilder, on_side};
use glam::{Quat, Vec3};
use kinestitch::motion::skeleton::{Channel, FileSpace, UpAxis};
use kinestitch::{Result, Skeleton};
use std::sync::Arc;

/// Skeleton whose zero rotations are a standing pose facing +Z.
pub struct Dog {
    pub skeleton: Arc<Skeleton>,
    rest: Vec<Vec3>,
    /// Joints from pelvis to chest.
    trunk: [usize; 4],
    neck: [usize; 2],
    tail: [usize; 3],
    /// Hind left, hind right, fore left, fore right; each: upper leg, lower leg, ankle, paw.
    legs: [Limb; 4],
    scapulas: [usize; 2],
}

/// A quadruped gait. Angles in degrees.
pub struct Gait {
    pub name: &'static str,
    pub cycles: usize,
    /// Hind legs, then fore legs.
    pub steps: [Step; 2],
    /// Phase at which the paw of each leg touches the ground, in the order of [`Dog::legs`].
    pub contacts: [f32; 4],
    /// Vertical amplitude of the body, metres, and the phase of its lowest point.
    bob: (f32, f32),
    /// Height of the pelvis while standing minus its mean height in the gait, metres.
    drop: f32,
    /// Sideways amplitude of the pelvis, metres.
    sway: f32,
    /// Amplitude of the sideways bend of the back.
    bend: f32,
    /// Pitch amplitude of the pelvis; the chest pitches by 0.3 of it.
    rock: f32,
    /// Amplitude of the list (roll) of pelvis and chest.
    list: f32,
    /// Upward pitch of the neck, which [`Dog::pose`] multiplies by 0.4, and amplitude of the nod.
    head: [f32; 2],
    /// Pitch of the tail, and amplitude of its wag.
    tail: [f32; 2],
}

const WALK: Step = Step {
    cycle_frames: 25,
    speed: 0.98,
    stance: 0.62,
    above: 0.46,
    foot_pitch: Curve(&[
        (0.0, -14.0),
        (0.3, 2.0),
        (0.5, 20.0),
        (0.62, 46.0),
        (0.70, 58.0),
        (0.84, 22.0),
        (0.94, -12.0),
    ]),
    landing: [0.25, 0.2],
    lift: (0.03, 0.4),
};

const TROT: Step = Step {
    cycle_frames: 15,
    speed: 2.1,
    stance: 0.40,
    above: 0.44,
    foot_pitch: Curve(&[
        (0.0, -12.0),
        (0.18, 2.0),
        (0.3, 22.0),
        (0.40, 48.0),
        (0.52, 72.0),
        (0.74, 34.0),
        (0.92, -12.0),
    ]),
    landing: [0.4, 0.4],
    lift: (0.06, 0.4),
};

/// Walk (four beats, lateral sequence) and trot (diagonal pairs).
pub const GAITS: [Gait; 2] = [
    Gait {
        name: "walk",
        cycles: 4,
        steps: [
            WALK,
            Step {
                foot_pitch: Curve(&[
                    (0.0, -16.0),
                    (0.3, 0.0),
                    (0.5, 18.0),
                    (0.62, 50.0),
                    (0.73, 92.0),
                    (0.85, 36.0),
                    (0.95, -14.0),
                ]),
                ..WALK
            },
        ],
        contacts: [0.0, 0.5, 0.25, 0.75],
        bob: (0.006, 0.06),
        drop: 0.012,
        sway: 0.012,
        bend: 6.0,
        rock: 1.5,
        list: 3.0,
        head: [4.0, 4.0],
        tail: [18.0, 14.0],
    },
    Gait {
        name: "trot",
        cycles: 5,
        steps: [
            TROT,
            Step {
                foot_pitch: Curve(&[
                    (0.0, -14.0),
                    (0.18, 0.0),
                    (0.3, 20.0),
                    (0.40, 52.0),
                    (0.54, 104.0),
                    (0.74, 46.0),
                    (0.93, -14.0),
                ]),
                ..TROT
            },
        ],
        contacts: [0.0, 0.5, 0.5, 0.0],
        bob: (0.016, 0.2),
        drop: 0.02,
        sway: 0.004,
        bend: 3.0,
        rock: 2.0,
        list: 2.0,
        head: [10.0, 2.0],
        tail: [38.0, 8.0],
    },
];

/// Builds the skeleton: centimetres, position channels on the pelvis only, and a channel order that differs from the
/// people's.
pub fn cleo() -> Result<Dog> {
    use Channel::*;
    let mut b = SkeletonBuilder::default();
    let six = [Xposition, Yposition, Zposition, Yrotation, Xrotation, Zrotation];
    let three = &six[3..];
    let pelvis = b.add_joint("Pelvis", None, Vec3::new(0.0, 0.53, -0.27), &six);
    let loin = b.add_joint("Loin", Some(pelvis), Vec3::new(0.0, 0.55, -0.15), three);
    let back = b.add_joint("Back", Some(loin), Vec3::new(0.0, 0.545, 0.0), three);
    let chest = b.add_joint("Chest", Some(back), Vec3::new(0.0, 0.52, 0.15), three);
    let neck = b.add_joint("NeckBase", Some(chest), Vec3::new(0.0, 0.555, 0.27), three);
    let head = b.add_joint("Skull", Some(neck), Vec3::new(0.0, 0.70, 0.38), three);
    b.add_end_site(head, Vec3::new(0.0, -0.05, 0.19));
    let tail = [("TailA", 0.525, -0.36), ("TailB", 0.47, -0.45), ("TailC", 0.40, -0.52)];
    let mut parent = pelvis;
    let tail = tail.map(|(name, y, z)| {
        parent = b.add_joint(name, Some(parent), Vec3::new(0.0, y, z), three);
        parent
    });
    b.add_end_site(tail[2], Vec3::new(0.0, -0.09, -0.05));
    let (mut legs, mut scapulas) = ([[0; 4]; 4], [0; 2]);
    for (side, s) in ["L", "R"].into_iter().enumerate() {
        let at = |x, y, z| on_side(Vec3::new(x, y, z), side);
        let femur = b.add_joint(&format!("Femur{s}"), Some(pelvis), at(0.065, 0.50, -0.29), three);
        let tibia = b.add_joint(&format!("Tibia{s}"), Some(femur), at(0.075, 0.335, -0.205), three);
        let hock = b.add_joint(&format!("Hock{s}"), Some(tibia), at(0.075, 0.17, -0.37), three);
        let paw = b.add_joint(&format!("HindPaw{s}"), Some(hock), at(0.075, 0.025, -0.325), three);
        b.add_end_site(paw, Vec3::new(0.0, -0.012, 0.055));
        legs[side] = [femur, tibia, hock, paw];
        let scapula = b.add_joint(&format!("Scapula{s}"), Some(chest), at(0.04, 0.555, 0.15), three);
        let humerus = b.add_joint(&format!("Humerus{s}"), Some(scapula), at(0.075, 0.43, 0.235), three);
        let radius = b.add_joint(&format!("Radius{s}"), Some(humerus), at(0.078, 0.31, 0.15), three);
        let wrist = b.add_joint(&format!("Wrist{s}"), Some(radius), at(0.075, 0.115, 0.17), three);
        let paw = b.add_joint(&format!("ForePaw{s}"), Some(wrist), at(0.075, 0.025, 0.19), three);
        b.add_end_site(paw, Vec3::new(0.0, -0.012, 0.055));
        legs[2 + side] = [humerus, radius, wrist, paw];
        scapulas[side] = scapula;
    }
    let space = FileSpace { metres_per_unit: 0.01, up: UpAxis::Y };
    let skeleton = Arc::new(Skeleton::new(b.joints, space)?);
    Ok(Dog { skeleton, rest: b.rest, trunk: [pelvis, loin, back, chest], neck: [neck, head], tail, legs, scapulas })
}

impl Dog {
    /// Returns the rest shape of a leg's foot. Dogs walk on their toes, so there is no heel.
    fn shape(&self, leg: usize) -> Shape {
        let [_, _, ankle, paw] = self.legs[leg];
        let to_ball = self.rest[paw] - self.rest[ankle];
        Shape { ankle_height: self.rest[ankle].y, to_ball, toe_length: 0.055, heel: None }
    }

    /// Returns the pose of a gait at a frame: local rotations, `[joints]`, and one translation, that of the pelvis.
    pub fn pose(&self, gait: &Gait, frame: f32) -> (Vec<Quat>, Vec<Vec3>) {
        let deg = f32::to_radians;
        let length = gait.steps[0].cycle_frames as f32;
        let phase = frame / length;
        let distance_at = |frame: f32| gait.steps[0].speed * frame / 30.0;
        let (bob, lowest_phase) = gait.bob;
        let rise = -gait.drop - bob * cosine(2.0 * (phase - lowest_phase));
        let pelvis = self.rest[self.trunk[0]] + Vec3::new(gait.sway * cosine(phase - 0.3), rise, distance_at(frame));

        let mut world = vec![None; self.skeleton.len()];
        let bend = deg(gait.bend) * cosine(phase);
        let rock = deg(gait.rock) * cosine(2.0 * (phase - lowest_phase - 0.1));
        let hind = yaw_pitch_roll(-bend, rock, deg(gait.list) * cosine(phase - 0.2));
        let fore = yaw_pitch_roll(bend, 0.3 * rock, deg(gait.list) * cosine(phase - gait.contacts[2] - 0.2));
        for (i, &joint) in self.trunk.iter().enumerate() {
            world[joint] = Some(hind.slerp(fore, i as f32 / 3.0));
        }
        let nod = deg(gait.head[1]) * cosine(2.0 * (phase - lowest_phase));
        world[self.neck[0]] = Some(yaw_pitch_roll(0.4 * bend, nod - 0.4 * deg(gait.head[0]), 0.0));
        world[self.neck[1]] = Some(yaw_pitch_roll(0.0, 0.3 * nod + deg(8.0), 0.0));
        for (i, &joint) in self.tail.iter().enumerate() {
            let lag = 0.12 * (i + 1) as f32;
            let wag = deg(gait.tail[1]) * cosine(phase - lag) * (1.0 + 0.3 * i as f32);
            world[joint] = Some(yaw_pitch_roll(wag, deg(gait.tail[0]) * (1.0 + 0.25 * i as f32) - rock, 0.0));
        }
        for (leg, &[upper, lower, ankle, paw]) in self.legs.iter().enumerate() {
            let step = &gait.steps[leg / 2];
            let leg_phase = phase - gait.contacts[leg];
            let contact = (leg_phase.floor() + gait.contacts[leg]) * length;
            let footprint = |contact: f32| {
                let distance = distance_at(contact + step.above * step.stance * length);
                Footprint { ground: self.rest[ankle].with_y(0.0) + Vec3::Z * distance, heading: 0.0 }
            };
            let foot = foot(
                self.shape(leg),
                step,
                1.0,
                footprint(contact),
                footprint(contact + length),
                leg_phase.rem_euclid(1.0),
            );
            if leg >= 2 {
                // The shoulder blade swings with the leg.
                let swing = (foot.world_ankle.z - self.rest[ankle].z - distance_at(frame)) * 0.7;
                world[self.scapulas[leg - 2]] = Some(fore * Quat::from_rotation_x(-swing));
            }
            let hip = self.world_position(upper, pelvis, &world);
            let bone = |a: usize, b: usize| self.rest[a].distance(self.rest[b]);
            let knee_side = if leg < 2 { 1.0 } else { -1.0 };
            let rotations =
                solve_leg(hip, foot.world_ankle, [bone(upper, lower), bone(lower, ankle)], Vec3::Z, knee_side);
            world[upper] = Some(rotations[0] * from_rest(&self.rest, upper, lower));
            world[lower] = Some(rotations[1] * from_rest(&self.rest, lower, ankle));
            world[ankle] = Some(foot.world_rotation);
            world[paw] = Some(foot.world_toes);
        }
        (to_local(&self.skeleton, &world), vec![pelvis])
    }

    /// Returns the world position of a joint whose ancestors already have their rotations.
    fn world_position(&self, joint: usize, pelvis: Vec3, world: &[Option<Quat>]) -> Vec3 {
        match self.skeleton.joints()[joint].parent {
            Some(parent) => {
                let rotation = world[parent].unwrap_or_default();
                self.world_position(parent, pelvis, world) + rotation * (self.rest[joint] - self.rest[parent])
            }
            None => pelvis,
        }
    }
}
