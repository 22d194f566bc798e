//! Floor: height and tilt, from where the feet stand.
//!
//! A plane is fitted to the supports by least squares that ignore outliers (Tukey's weights), with a resting height of
//! its own for heels and for toes. Floors that stand within the tolerance of recordings are kept.

use super::supports::{Body, Support};
use crate::edit::{Edit, EditKind};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use glam::{Mat4, Quat, Vec3, Vec4};

/// Largest speed of a support that stands, leg lengths per second.
const MAX_SPEED: f32 = 0.35;
/// Least number of supports.
const MIN_SUPPORTS: usize = 20;
/// Residual at which Tukey's weight is zero, in the first and in the last round, leg lengths.
const TUKEY: [f32; 2] = [0.4, 0.05];
const ROUNDS: usize = 12;
/// Least tilt that is corrected, radians, and least difference of heights that it makes over the supports, leg lengths
/// (standard deviation).
const MIN_TILT: f32 = 0.017;
const MIN_TILT_HEIGHT: f32 = 0.015;
/// Fraction of the supports that must stand on the plane, and the residual within which they do, leg lengths.
const MIN_INLIERS: f32 = 0.7;
const INLIER: f32 = 0.04;
/// Resting height of the toe joint over the floor in recordings, and deviation from it that is kept, leg lengths.
const TOE_HEIGHT: f32 = 0.03;
const HEIGHT_TOLERANCE: f32 = 0.045;

/// A plane: heights of heels and of toes at `centre`, and slopes along x and z.
#[derive(Debug, Clone, Copy)]
struct Plane {
    centre: Vec3,
    heights: [f32; 2],
    slopes: [f32; 2],
}

impl Plane {
    fn row(&self, support: &Support) -> Vec4 {
        let offset = support.position - self.centre;
        Vec4::new(f32::from(support.part == 0), f32::from(support.part == 1), offset.x, offset.z)
    }

    fn residual(&self, support: &Support) -> f32 {
        let solution = Vec4::new(self.heights[0], self.heights[1], self.slopes[0], self.slopes[1]);
        support.position.y - solution.dot(self.row(support))
    }

    /// Fits a plane; a level one if `level`.
    fn fit(supports: &[Support], leg_length: f32, level: bool) -> Self {
        let centre = supports.iter().map(|support| support.position.with_y(0.0)).sum::<Vec3>() / supports.len() as f32;
        let median = |part: usize| {
            let mut heights: Vec<f32> =
                supports.iter().filter(|support| support.part == part).map(|support| support.position.y).collect();
            let middle = heights.len() / 2;
            if heights.is_empty() { 0.0 } else { *heights.select_nth_unstable_by(middle, f32::total_cmp).1 }
        };
        let mut plane = Self { centre, heights: [median(0), median(1)], slopes: [0.0; 2] };
        for round in 0..ROUNDS {
            let fraction = round as f32 / (ROUNDS - 1) as f32;
            let limit = leg_length * TUKEY[0] * (TUKEY[1] / TUKEY[0]).powf(fraction);
            let mut matrix = Mat4::from_diagonal(Vec4::new(1e-4, 1e-4, 1e-2, 1e-2));
            let mut target = Vec4::ZERO;
            for support in supports {
                let ratio = plane.residual(support) / limit;
                if ratio.abs() < 1.0 {
                    let weight = (1.0 - ratio * ratio).powi(2);
                    let mut row = plane.row(support);
                    if level {
                        (row.z, row.w) = (0.0, 0.0);
                    }
                    matrix += Mat4::from_cols(row * row.x, row * row.y, row * row.z, row * row.w) * weight;
                    target += row * (support.position.y * weight);
                }
            }
            let solution = matrix.inverse() * target;
            if !solution.is_finite() {
                break;
            }
            plane.heights = [solution.x, solution.y];
            plane.slopes = [solution.z, solution.w];
        }
        plane
    }

    fn inliers(&self, supports: &[Support], leg_length: f32) -> f32 {
        let near = supports.iter().filter(|support| self.residual(support).abs() < INLIER * leg_length);
        near.count() as f32 / supports.len() as f32
    }
}

/// Corrects the floor of a clip; `strength`: fraction of the correction.
pub(super) fn level(clip: &mut Clip, rig: &Rig, strength: f32) -> Vec<Edit> {
    let Some(body) = Body::new(clip, rig) else { return Vec::new() };
    let mut supports = body.supports(clip.fps());
    supports.retain(|support| support.velocity.length() < MAX_SPEED * body.leg_length);
    if supports.len() < MIN_SUPPORTS {
        return Vec::new();
    }
    let mut edits = Vec::new();
    let leg = body.leg_length;
    let (flat, tilted) = (Plane::fit(&supports, leg, true), Plane::fit(&supports, leg, false));
    let plane = if is_tilted(&tilted, &flat, &supports, leg) { tilted } else { flat };
    let root = Root::new(clip.skeleton(), &[clip], rig);
    let normal = Vec3::new(-plane.slopes[0], 1.0, -plane.slopes[1]).normalize();
    let turn = Quat::IDENTITY.slerp(Quat::from_rotation_arc(normal, Vec3::Y), strength);
    let pivot = plane.centre.with_y(plane.heights[1]);
    let tilt = normal.angle_between(Vec3::Y);
    if tilt > 0.0 {
        root.turn(clip, turn, pivot);
        let after = (1.0 - strength) * tilt.to_degrees();
        let text = format!("floor tilted by {:.1}° levelled", tilt.to_degrees());
        edits.push(edit(clip, text, [tilt.to_degrees(), after], "°"));
    }
    let height = plane.heights[1] - TOE_HEIGHT * leg;
    if height.abs() > HEIGHT_TOLERANCE * leg && plane.inliers(&supports, leg) > MIN_INLIERS {
        root.slide(clip, |_, _| Vec3::NEG_Y * height * strength);
        let side = if height > 0.0 { "above" } else { "below" };
        let text = format!("floor {:.0} cm {side} 0 moved to 0", 100.0 * height.abs());
        edits.push(edit(clip, text, [100.0 * height, 100.0 * height * (1.0 - strength)], "cm"));
    }
    edits
}

/// Returns whether the supports stand on a tilted plane, and clearly not on a level one.
fn is_tilted(tilted: &Plane, flat: &Plane, supports: &[Support], leg_length: f32) -> bool {
    let [x, z] = tilted.slopes;
    let rises = supports.iter().map(|support| {
        let offset = support.position - tilted.centre;
        (x * offset.x + z * offset.z).powi(2)
    });
    let spread = (rises.sum::<f32>() / supports.len() as f32).sqrt();
    let inliers = tilted.inliers(supports, leg_length);
    x.hypot(z) > MIN_TILT
        && spread > MIN_TILT_HEIGHT * leg_length
        && inliers > MIN_INLIERS
        && inliers > flat.inliers(supports, leg_length) + 0.05
}

fn edit(clip: &Clip, text: String, [before, after]: [f32; 2], unit: &'static str) -> Edit {
    Edit { kind: EditKind::Floor, frames: 0..clip.frames(), joints: Vec::new(), text, before, after, unit }
}
