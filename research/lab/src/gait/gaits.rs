//! Parameters of the gaits. Angles in degrees, lengths in metres for a leg of 0.86 m, phases in cycles from heel
//! strike.
//!
//! Timing, foot roll and pelvis follow textbook figures for adults (Perry, *Gait Analysis*; Novacheck,
//! *The biomechanics of running*, 1998). Arms and torso are set by eye.

use crate::curve::Curve;

/// Leg length for which the parameters hold, metres. Lengths are scaled by the character's leg length divided by this
/// one.
pub const REFERENCE_LEG: f32 = 0.86;

/// Motion of the feet, for two or four legs.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Frames of one cycle (two steps), at 30 fps.
    pub cycle_frames: usize,
    /// Speed, metres per second.
    pub speed: f32,
    /// Fraction of the cycle with the foot on the ground.
    pub stance: f32,
    /// Fraction of the stance after which the pelvis is above the ankle; for a dog, after which the ankle is where
    /// it is in the rest pose, relative to the body.
    pub above: f32,
    /// Pitch of the foot over the cycle; positive with the toes down.
    pub foot_pitch: Curve,
    /// Velocity of the foot at landing: forward as a fraction of the body's speed, downward in metres per second.
    pub landing: [f32; 2],
    /// Extra height of the ankle in swing, and the fraction of the swing after which it is highest.
    pub lift: (f32, f32),
}

/// A biped gait.
#[derive(Debug, Clone, Copy)]
pub struct BipedGait {
    pub name: &'static str,
    pub cycles: usize,
    pub step: Step,
    /// Distance between the lines of the left and right footprints.
    pub step_width: f32,
    pub toes_out: f32,
    /// Height of the pelvis while standing minus its mean height in the gait.
    pub drop: f32,
    /// Vertical amplitude of the pelvis, and the phase of its lowest point.
    pub bob: (f32, f32),
    /// Sideways amplitude of the pelvis, towards the standing leg.
    pub sway: f32,
    /// Fore-and-aft amplitude of the pelvis.
    pub surge: f32,
    /// Yaw amplitude of the pelvis.
    pub pelvis_yaw: f32,
    /// Roll amplitude of the pelvis.
    pub pelvis_list: f32,
    /// Forward pitch of the pelvis.
    pub pelvis_tilt: f32,
    /// Forward pitch of the chest.
    pub lean: f32,
    /// Pitch amplitude of the chest; the pelvis pitches by half of it.
    pub nod: f32,
    /// Yaw amplitude of the shoulders, opposite to the pelvis.
    pub chest_yaw: f32,
    /// Roll amplitude of the chest, opposite to the pelvis.
    pub chest_list: f32,
    /// Upper arm: mean flexion, swing amplitude, abduction, inward rotation.
    pub arm: [f32; 4],
    /// Elbow bend with the arm at the back, and at the front.
    pub elbow: [f32; 2],
    pub shrug: f32,
    /// Total turn of the path over the clip, positive to the left.
    pub turn: f32,
}

const WALK: BipedGait = BipedGait {
    name: "walk",
    cycles: 4,
    step: Step {
        cycle_frames: 32,
        speed: 1.25,
        stance: 0.62,
        above: 0.375,
        foot_pitch: Curve(&[
            (0.0, -19.0),
            (0.085, 0.0),
            (0.35, 0.0),
            (0.50, 13.0),
            (0.62, 58.0),
            (0.67, 66.0),
            (0.80, 16.0),
            (0.88, -6.0),
            (0.95, -19.0),
        ]),
        landing: [0.3, 0.25],
        lift: (0.035, 0.30),
    },
    step_width: 0.11,
    toes_out: 6.0,
    drop: 0.027,
    bob: (0.013, 0.015),
    sway: 0.024,
    surge: 0.010,
    pelvis_yaw: 6.0,
    pelvis_list: 3.5,
    pelvis_tilt: 4.0,
    lean: 3.0,
    nod: 1.0,
    chest_yaw: 7.0,
    chest_list: 1.5,
    arm: [1.0, 18.0, 8.0, 14.0],
    elbow: [12.0, 30.0],
    shrug: 0.0,
    turn: 0.0,
};

const JOG: BipedGait = BipedGait {
    name: "jog",
    cycles: 5,
    step: Step {
        cycle_frames: 22,
        speed: 2.55,
        stance: 0.35,
        above: 0.35,
        foot_pitch: Curve(&[
            (0.0, -13.0),
            (0.06, 0.0),
            (0.16, 0.0),
            (0.26, 20.0),
            (0.36, 58.0),
            (0.47, 78.0),
            (0.62, 58.0),
            (0.76, 14.0),
            (0.88, -8.0),
            (0.95, -14.0),
        ]),
        landing: [0.5, 0.7],
        lift: (0.10, 0.32),
    },
    step_width: 0.07,
    toes_out: 5.0,
    drop: 0.046,
    bob: (0.036, 0.16),
    sway: 0.012,
    surge: 0.012,
    pelvis_yaw: 6.0,
    pelvis_list: 4.0,
    pelvis_tilt: 9.0,
    lean: 7.0,
    nod: 1.5,
    chest_yaw: 11.0,
    chest_list: 2.0,
    arm: [-8.0, 26.0, 14.0, 17.0],
    elbow: [74.0, 88.0],
    shrug: 3.0,
    turn: 0.0,
};

const RUN: BipedGait = BipedGait {
    name: "run",
    cycles: 5,
    step: Step {
        cycle_frames: 20,
        speed: 4.1,
        stance: 0.28,
        above: 0.375,
        foot_pitch: Curve(&[
            (0.0, -7.0),
            (0.04, 0.0),
            (0.12, 0.0),
            (0.19, 22.0),
            (0.28, 60.0),
            (0.41, 100.0),
            (0.56, 88.0),
            (0.72, 22.0),
            (0.86, -4.0),
            (0.94, -10.0),
        ]),
        landing: [0.6, 1.1],
        lift: (0.22, 0.34),
    },
    step_width: 0.04,
    toes_out: 4.0,
    drop: 0.06,
    bob: (0.040, 0.13),
    sway: 0.010,
    surge: 0.014,
    pelvis_yaw: 9.0,
    pelvis_list: 4.5,
    pelvis_tilt: 13.0,
    lean: 12.0,
    nod: 2.0,
    chest_yaw: 15.0,
    chest_list: 2.5,
    arm: [-10.0, 40.0, 16.0, 17.0],
    elbow: [78.0, 98.0],
    shrug: 4.0,
    turn: 0.0,
};

const TURN: BipedGait =
    BipedGait { name: "turn", step: Step { cycle_frames: 33, speed: 1.15, ..WALK.step }, turn: 120.0, ..WALK };

/// Walk, jog, run and a walking turn.
pub const GAITS: [BipedGait; 4] = [WALK, JOG, RUN, TURN];
