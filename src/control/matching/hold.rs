//! Holds limbs where they touch the ground; a limb that is left too far behind takes a step.

use super::super::height_field::HeightField;
use crate::method::matching::Database;
use crate::motion::ease::smoothstep;
use crate::motion::fk::Pose;
use crate::motion::ground_limbs::GroundLimb;
use crate::motion::ik::TwoBone;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use std::f32::consts::PI;

/// Largest distance of a held tip from its place in the take, limb lengths; beyond it the limb takes a step.
const MAX_DISTANCE: f32 = 0.22;
/// Half-life of the offset of a limb that is not held, seconds.
const RELEASE_SECS: f32 = 0.07;
/// Duration of a step, seconds.
const STEP_SECS: f32 = 0.28;
/// Height of a step, limb lengths, for a step over [`MAX_DISTANCE`].
const STEP_HEIGHT: f32 = 0.09;
/// Half-life of changes of height, seconds.
const HEIGHT_SECS: f32 = 0.05;

/// State of a limb.
#[derive(Debug, Clone, Copy, Default)]
struct Limb {
    /// Place of the held tip on the ground, world metres.
    held: Option<Vec3>,
    /// Displacement from the take's place of the tip, world metres.
    offset: Vec3,
    /// Time left of a step, seconds, and the offset at its start.
    step: f32,
    step_start: Vec3,
    /// Vertical displacement to the ground.
    lift: f32,
}

/// Holds the limbs of a body.
#[derive(Debug, Clone)]
pub struct LimbHold {
    limbs: Vec<Limb>,
    /// Hinge axes in the axes of the upper joints.
    hinges: Vec<Vec3>,
}

/// A pose in the world: local rotations and translations, and its joints.
pub struct Figure<'a> {
    pub skeleton: &'a Skeleton,
    pub rotations: &'a mut [Quat],
    pub translations: &'a mut [Vec3],
    pub pose: &'a mut Pose,
}

impl LimbHold {
    /// Creates the state with no limb held.
    pub fn new(database: &Database) -> Self {
        let hinges = database.limbs.iter().map(|limb| hinge(database, limb)).collect();
        Self { limbs: vec![Limb::default(); database.limbs.len()], hinges }
    }

    /// Releases all limbs.
    pub fn release(&mut self) {
        self.limbs.fill(Limb::default());
    }

    /// Moves the limbs of a figure. `contacts`: of the take, `[limbs]`.
    pub fn apply(
        &mut self,
        database: &Database,
        contacts: &[bool],
        ground: Option<&HeightField>,
        figure: &mut Figure,
        seconds: f32,
    ) {
        for (index, limb) in database.limbs.iter().enumerate() {
            let (joint, point) = limb.tip;
            let tip = figure.pose.world_positions[joint] + figure.pose.world_rotations[joint] * point;
            let below = |point: Vec3| ground.map_or(0.0, |field| field.height(point.x, point.z));
            let state = &mut self.limbs[index];
            state.update(tip, contacts[index], limb.length, seconds);
            let mut target = tip + state.offset;
            let lift = below(target) + state.sink(target, database.rest_heights[index], contacts[index]);
            state.lift += (lift - state.lift) * (1.0 - 0.5_f32.powf(seconds / HEIGHT_SECS));
            target.y += state.lift;
            reach(figure, limb, self.hinges[index], target - tip);
        }
    }
}

impl Limb {
    /// Chooses the displacement of this frame. `tip`: the take's place of the tip.
    fn update(&mut self, tip: Vec3, touches: bool, length: f32, seconds: f32) {
        let flat = |v: Vec3| v.with_y(0.0);
        if !touches {
            self.held = None;
        }
        if let Some(place) = self.held {
            let offset = flat(place - tip);
            if offset.length() <= MAX_DISTANCE * length {
                self.offset = offset;
                return;
            }
            // Too far behind: a step brings the limb to its place in the take.
            (self.held, self.step, self.step_start) = (None, STEP_SECS, self.offset);
        }
        if self.step > 0.0 {
            self.step = (self.step - seconds).max(0.0);
            let fraction = 1.0 - self.step / STEP_SECS;
            let height = STEP_HEIGHT * length * (self.step_start.length() / (MAX_DISTANCE * length)).min(1.0);
            self.offset = self.step_start * (1.0 - smoothstep(fraction));
            self.offset.y = if touches { height * (PI * fraction).sin() } else { 0.0 };
            if self.step > 0.0 {
                return;
            }
            self.offset = Vec3::ZERO;
        }
        if touches {
            self.held = Some(flat(tip + self.offset));
            self.offset = flat(self.offset);
        } else {
            self.offset *= 0.5_f32.powf(seconds / RELEASE_SECS);
        }
    }

    /// Returns the height that keeps a tip out of the ground: up to the resting height.
    fn sink(&self, target: Vec3, rest_height: f32, touches: bool) -> f32 {
        let depth = rest_height - target.y;
        if touches && self.step == 0.0 { depth.clamp(-0.03, 0.05) } else { depth.clamp(0.0, 0.05) }
    }
}

/// Bends a limb so that its end moves by `delta`, world metres; the end keeps its world rotation.
fn reach(figure: &mut Figure, limb: &GroundLimb, hinge: Vec3, delta: Vec3) {
    if delta.length_squared() < 1e-10 {
        return;
    }
    let [upper, middle, end] = limb.chain;
    let Figure { skeleton, rotations, translations, pose } = figure;
    let position = |joint: usize| pose.world_positions[joint];
    let bones = TwoBone {
        root: position(upper),
        middle: position(middle),
        end: position(end),
        hinge: pose.world_rotations[upper] * hinge,
    };
    let turn = bones.reach(position(end) + delta);
    let parent = |joint: usize| skeleton.joints()[joint].parent;
    let parent_rotation = |joint: usize| parent(joint).map_or(Quat::IDENTITY, |parent| pose.world_rotations[parent]);
    let below = |joint: usize, top: usize| is_below(skeleton, joint, top);
    rotations[upper] = (parent_rotation(upper).inverse() * turn.upper * pose.world_rotations[upper]).normalize();
    let carried = turn.upper * parent_rotation(middle);
    rotations[middle] = (carried.inverse() * (turn.upper * turn.lower) * pose.world_rotations[middle]).normalize();
    if below(end, middle) {
        let carried = turn.upper * turn.lower * parent_rotation(end);
        rotations[end] = (carried.inverse() * pose.world_rotations[end]).normalize();
    } else if let Some(slot) = skeleton.translation_slot(end) {
        // A foot that hangs at the root is placed by itself.
        translations[slot] += parent_rotation(end).inverse() * delta;
    }
}

/// Returns whether a joint hangs below another.
fn is_below(skeleton: &Skeleton, joint: usize, top: usize) -> bool {
    std::iter::successors(skeleton.joints()[joint].parent, |&next| skeleton.joints()[next].parent)
        .any(|ancestor| ancestor == top)
}

/// Returns the mean axis about which a limb folds, in the axes of its upper joint.
fn hinge(database: &Database, limb: &GroundLimb) -> Vec3 {
    let [upper, middle, end] = limb.chain;
    let clip = &database.clip;
    let stride = (clip.frames() / 30).max(1);
    let fold = |frame: usize| {
        let pose = Pose::from_clip(clip, frame);
        let position = |joint: usize| pose.world_positions[joint];
        let axis = (position(middle) - position(upper)).cross(position(end) - position(middle));
        pose.world_rotations[upper].inverse() * axis
    };
    (0..clip.frames()).step_by(stride).map(fold).sum::<Vec3>().normalize_or(Vec3::X)
}
