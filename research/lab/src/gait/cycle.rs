//! A gait over time: the path, the footprints along it, and the body above them.

use crate::curve::{cosine, smooth};
use crate::foot::{Footprint, foot};
use crate::gaits::{BipedGait, REFERENCE_LEG};
use crate::pose::{Arm, Targets, yaw_pitch_roll};
use crate::rig::Character;
use glam::{Quat, Vec3};

/// Gravitational acceleration, m/s².
const GRAVITY: f32 = 9.81;
/// Integration steps of the path per frame.
const SUBSTEPS: usize = 8;

/// A gait of a character, evaluated at any frame.
pub struct Walker<'a> {
    character: &'a Character,
    gait: &'a BipedGait,
    /// Leg length of the character relative to [`REFERENCE_LEG`].
    scale: f32,
    /// Path points from one cycle before the first frame to two cycles after the last, `SUBSTEPS` per frame, metres.
    path: Vec<Vec3>,
}

impl<'a> Walker<'a> {
    pub fn new(character: &'a Character, gait: &'a BipedGait) -> Self {
        let scale = character.leg_lengths().iter().sum::<f32>() / REFERENCE_LEG;
        let mut walker = Self { character, gait, scale, path: vec![Vec3::ZERO] };
        let samples = (gait.cycles + 3) * gait.step.cycle_frames * SUBSTEPS;
        let step = gait.step.speed * scale / (30.0 * SUBSTEPS as f32);
        let mut point = Vec3::ZERO;
        for i in 0..samples {
            let middle_frame = (i as f32 + 0.5) / SUBSTEPS as f32 - gait.step.cycle_frames as f32;
            point += Quat::from_rotation_y(walker.heading(middle_frame)) * Vec3::Z * step;
            walker.path.push(point);
        }
        let origin = walker.point(0.0);
        walker.path.iter_mut().for_each(|point| *point -= origin);
        walker
    }

    /// Returns the number of frames of the clip: whole cycles, with the first pose repeated at the end.
    pub fn frames(&self) -> usize {
        self.gait.cycles * self.gait.step.cycle_frames + 1
    }

    /// Returns the heading at a frame, radians about +Y.
    fn heading(&self, frame: f32) -> f32 {
        let last = (self.gait.cycles * self.gait.step.cycle_frames) as f32;
        // The first and last steps are straight.
        let u = (frame / last - 0.12) / 0.76;
        self.character.heading + self.gait.turn.to_radians() * smooth(u)
    }

    /// Returns the path point on the ground at a frame.
    fn point(&self, frame: f32) -> Vec3 {
        let sample =
            ((frame + self.gait.step.cycle_frames as f32) * SUBSTEPS as f32).clamp(0.0, (self.path.len() - 2) as f32);
        self.path[sample as usize].lerp(self.path[sample as usize + 1], sample.fract())
    }

    /// Returns the turn rate at a frame, radians per second, positive to the left.
    fn turn_rate(&self, frame: f32) -> f32 {
        (self.heading(frame + 1.0) - self.heading(frame - 1.0)) * 15.0
    }

    /// Returns the footprint of the contact that starts at a frame.
    fn footprint(&self, contact_frame: f32, side: usize) -> Footprint {
        let gait = self.gait;
        // In this frame, the pelvis is above the ankle.
        let frame = contact_frame + gait.step.above * gait.step.stance * gait.step.cycle_frames as f32;
        let outwards = if side == 0 { 1.0 } else { -1.0 };
        let heading = self.heading(frame);
        let sideways = Quat::from_rotation_y(heading) * Vec3::X * (0.5 * gait.step_width * self.scale * outwards);
        Footprint { ground: self.point(frame) + sideways, heading: heading + outwards * gait.toes_out.to_radians() }
    }

    /// Returns the targets of the whole body at a frame.
    pub fn targets(&self, frame: f32) -> Targets {
        let (gait, scale, character) = (self.gait, self.scale, self.character);
        let length = gait.step.cycle_frames as f32;
        let phase = frame / length;
        let deg = f32::to_radians;
        let (heading, turn_rate) = (self.heading(frame), self.turn_rate(frame));
        let bank = (gait.step.speed * turn_rate / GRAVITY).atan();
        let facing = Quat::from_rotation_y(heading);

        let shape = character.foot_shape();
        let feet = [0, 1].map(|side| {
            let leg_phase = phase + 0.5 * side as f32;
            let contact = (leg_phase.floor() - 0.5 * side as f32) * length;
            let (current, next) = (self.footprint(contact, side), self.footprint(contact + length, side));
            foot(shape, &gait.step, scale, current, next, leg_phase.rem_euclid(1.0))
        });

        // The left heel strikes at phase 0, the right heel at phase 0.5.
        let left_midstance = 0.5 * gait.step.stance;
        let (bob, lowest_phase) = gait.bob;
        let standing = character.rest[character.pelvis].y;
        let ground = self.point(frame);
        let sway = gait.sway * scale * cosine(phase - left_midstance) + bank * 0.35 * standing;
        let surge = gait.surge * scale * cosine(2.0 * (phase - lowest_phase) - 0.25);
        let height = standing - scale * (gait.drop + bob * cosine(2.0 * (phase - lowest_phase)));
        let pelvis = ground + facing * Vec3::new(sway, height, surge);

        let nod = deg(gait.nod) * cosine(2.0 * (phase - lowest_phase - 0.06));
        let pelvis_yaw = -deg(gait.pelvis_yaw) * cosine(phase + 0.02);
        let pelvis_list = deg(gait.pelvis_list) * cosine(phase - 0.55 * left_midstance) - bank * 0.4;
        let pelvis_rotation = yaw_pitch_roll(heading + pelvis_yaw, deg(gait.pelvis_tilt) + 0.5 * nod, pelvis_list);
        let chest_yaw = deg(gait.chest_yaw) * cosine(phase - 0.03) + 0.12 * turn_rate;
        let chest_list = -deg(gait.chest_list) * cosine(phase - 0.55 * left_midstance - 0.05) - bank * 0.9;
        let chest_rotation = yaw_pitch_roll(heading + chest_yaw, deg(gait.lean) + nod, chest_list);
        // The head stays level and looks into the turn.
        let look = 0.1 * chest_yaw + 0.38 * turn_rate;
        let head_rotation = yaw_pitch_roll(heading + look, 0.22 * deg(gait.lean) - 0.3 * nod + deg(2.0), -bank * 0.25);

        let arms = [0, 1].map(|side| {
            // Each arm swings with the opposite leg; the elbow lags slightly.
            let arm_phase = phase + 0.5 * side as f32;
            let swing = -cosine(arm_phase - 0.04);
            let lagged_swing = 0.5 - 0.5 * cosine(arm_phase - 0.10);
            let [mean, amplitude, abduction, inward] = gait.arm;
            Arm {
                flexion: deg(mean + amplitude * swing + 0.12 * amplitude * cosine(2.0 * arm_phase)),
                abduction: deg(abduction + 0.1 * amplitude * (1.0 - lagged_swing)),
                inward: deg(inward * (0.4 + 0.9 * lagged_swing)),
                elbow: deg(gait.elbow[0] + (gait.elbow[1] - gait.elbow[0]) * lagged_swing),
                wrist: deg(6.0 - 5.0 * cosine(arm_phase - 0.2)),
                shrug: deg(gait.shrug + 1.2 * swing),
            }
        });
        Targets { ground: (ground, heading), pelvis, pelvis_rotation, chest_rotation, head_rotation, feet, arms }
    }
}
