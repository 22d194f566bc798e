//! Adapts a pose on level ground to uneven ground: heights of body and feet, and the pitch of feet.
//!
//! The network was trained on level ground and keeps walking there. Only the displayed pose follows the ground: the
//! body rises with the lowest foot, so that both legs reach the ground, feet stand on the ground below them, and
//! swinging feet rise before an edge.

use super::height_field::HeightField;
use crate::feature::controller::FPS;
use glam::{Quat, Vec2, Vec3};

/// Time in which the distance between the body and the height of its lowest foot falls to 60 %, from rest, seconds.
const BODY_SECS: f32 = 0.12;
/// Time by which the landing point of a swinging foot is predicted, seconds: a quarter of a step.
const LANDING_SECS: f32 = 0.15;
/// Distance over which a swinging foot rises before an edge, leg lengths.
const EDGE_DISTANCE: f32 = 0.5;
/// Slope of this rise, metres per metre.
const EDGE_SLOPE: f32 = 0.8;
/// Number of points at which the ground before a swinging foot is sampled.
const EDGE_SAMPLES: usize = 10;
/// Steepest slope that a foot follows, metres per metre; anything steeper between heel and toe is an edge.
const MAX_FOOT_SLOPE: f32 = 0.7;

/// The ground under a character, in metres of the canonical body.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// `None`: level ground at height 0.
    pub field: Option<&'a HeightField>,
    /// Length of a leg, metres.
    pub leg_length: f32,
}

impl Ground<'_> {
    /// Returns the height below a point, metres.
    pub fn below(&self, point: Vec3) -> f32 {
        self.field.map_or(0.0, |field| field.height(point.x, point.z))
    }

    /// Returns the height that a foot needs at a point while it moves in a direction (unit length or zero), metres: the
    /// ground below, or the rise before a higher edge ahead.
    pub fn needed_height(&self, point: Vec3, direction: Vec3) -> f32 {
        let Some(field) = self.field else { return 0.0 };
        let spacing = EDGE_DISTANCE * self.leg_length / EDGE_SAMPLES as f32;
        let heights = (0..=EDGE_SAMPLES).map(|sample| {
            let distance = sample as f32 * spacing;
            let sample_point = point + direction * distance;
            field.height(sample_point.x, sample_point.z) - EDGE_SLOPE * distance
        });
        heights.fold(f32::NEG_INFINITY, f32::max)
    }

    /// Returns the height of the ground on which a foot at a point with a velocity stands next, metres.
    pub fn landing(&self, point: Vec3, velocity: Vec3) -> f32 {
        self.below(point + velocity * LANDING_SECS)
    }

    /// Returns the pitch of the ground from heel to toe, radians, positive uphill; 0 at an edge.
    pub fn pitch(&self, heel: Vec3, toe: Vec3) -> f32 {
        let length = Vec2::new(toe.x - heel.x, toe.z - heel.z).length();
        let rise = self.below(toe) - self.below(heel);
        if rise.abs() > MAX_FOOT_SLOPE * length { 0.0 } else { rise.atan2(length) }
    }
}

/// The ground that a body stands on.
#[derive(Debug, Clone, Copy)]
pub struct Support {
    /// Heights under hind and front legs, metres; the same for a body on two legs.
    pub heights: [f32; 2],
    /// Distance from the hind to the front legs, metres; 0 for a body on two legs.
    pub length: f32,
    /// Middle of the hind feet on the ground.
    pub hind: Vec3,
    /// Unit vector to the front, horizontal.
    pub forward: Vec3,
}

/// Displacement of a body from level ground to its support: a height, and for a body on four legs a pitch.
#[derive(Debug, Clone, Copy, Default)]
pub struct BodyPlacement {
    /// Heights under hind and front legs, smoothed; `None` before the first frame.
    heights: Option<[Spring; 2]>,
    /// World rotation of the body about `pivot`.
    pub rotation: Quat,
    /// Position of the hips on level ground, world metres; zero for a body on two legs, which does not rotate.
    pivot: Vec3,
    /// Displacement upwards, metres.
    height: f32,
}

impl BodyPlacement {
    /// Returns the position of a point of the body, world metres.
    pub fn place(&self, point: Vec3) -> Vec3 {
        self.pivot + self.rotation * (point - self.pivot) + Vec3::Y * self.height
    }

    /// Returns whether a frame has been placed.
    pub fn is_placed(&self) -> bool {
        self.heights.is_some()
    }

    /// Advances by a frame: the placement follows the support. `root`: position of the hips on level ground.
    pub fn advance(&mut self, support: &Support, root: Vec3) {
        let springs = self.heights.get_or_insert(support.heights.map(|height| Spring { height, rate: 0.0 }));
        springs.iter_mut().zip(support.heights).for_each(|(spring, goal)| spring.advance(goal));
        let [hind, front] = springs.map(|spring| spring.height);
        if support.length < 1e-3 {
            self.height = hind;
            return;
        }
        let slope = (front - hind) / support.length;
        self.pivot = root;
        self.height = hind + slope * (root - support.hind).dot(support.forward);
        self.rotation = Quat::from_axis_angle(support.forward.cross(Vec3::Y), slope.atan());
    }
}

/// A height that follows another as a critically damped spring.
#[derive(Debug, Clone, Copy)]
struct Spring {
    /// Metres.
    height: f32,
    /// Metres per second.
    rate: f32,
}

impl Spring {
    /// Advances by a frame: the exact solution.
    fn advance(&mut self, goal: f32) {
        let (decay, time) = (2.0 * std::f32::consts::LN_2 / BODY_SECS, 1.0 / FPS as f32);
        let offset = self.height - goal;
        let drift = self.rate + offset * decay;
        let fade = (-decay * time).exp();
        *self = Self { height: fade * (offset + drift * time) + goal, rate: fade * (self.rate - drift * decay * time) };
    }
}
