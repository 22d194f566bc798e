//! The elastic transition: converts the smoothed trajectory p̂′ of the chosen k to poses ("a good transition
//! trajectory for free", Li et al. 2008, section 2.3).
//!
//! The score smooths positions, but poses must keep their bone lengths. So the same matrix S_k is applied to all local
//! quaternions (four numbers, with continuous signs, normalised afterwards) and to all translations; the translation of
//! the root is in world space. This is possible because S_k is linear. In both windows, the smoothed poses are blended
//! with the recorded ones towards the outer end, so that all other frames keep their values.

use super::LscoreOptions;
use super::smoother::Smoother;
use crate::method::frame::Frame;
use crate::method::transition::{Transition, ground_displacement};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::gait::Gait;
use crate::motion::quat::with_nearest_sign;
use crate::motion::resample::slerp;
use crate::motion::root::{GroundTransform, Root, wrap};
use glam::{Quat, Vec3};

/// Joins the end of `a` to the beginning of `b` with `injected_frames` = k new frames. The last w frames of `a` and the
/// first w frames of `b` are smoothed together with them. Both clips need at least w frames and the same skeleton; the
/// options must be valid ([`LscoreOptions::check`]). `gaits`: those at the end of `a` and at the start of `b`.
pub fn join_elastic(
    a: &Clip,
    b: Clip,
    root: &Root,
    gaits: [Gait; 2],
    injected_frames: usize,
    options: &LscoreOptions,
) -> Transition {
    let window = options.window;
    let placed = place(a, b, root, gaits, injected_frames);
    let recorded_frames: Vec<Frame> = (a.frames() - window..a.frames())
        .map(|frame| Frame::from_clip(a, root, frame))
        .chain((0..window).map(|frame| Frame::from_clip(&placed, root, frame)))
        .collect();
    let weights = Weights::new(options, injected_frames);

    let mut frames: Vec<Frame> =
        (0..weights.frames()).map(|index| recorded_frames[weights.nearest_recorded(index)].clone()).collect();
    for joint in 0..a.joints() {
        let mut track: Vec<Quat> = recorded_frames.iter().map(|frame| frame.rotations[joint]).collect();
        for i in 1..track.len() {
            track[i] = with_nearest_sign(track[i], track[i - 1]);
        }
        for (index, frame) in frames.iter_mut().enumerate() {
            let sum = weights
                .row(index)
                .iter()
                .zip(&track)
                .fold(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, (&s, &q)| sum + q * s);
            // Opposite rotations may cancel. Then the nearest recorded rotation is used.
            let recorded = track[weights.nearest_recorded(index)];
            let smoothed = if sum.length_squared() > 1e-4 { sum.normalize() } else { recorded };
            frame.rotations[joint] = slerp(recorded, smoothed, weights.smooth_weight(index));
        }
    }
    for slot in 0..a.skeleton().translated().len() {
        let track: Vec<Vec3> = recorded_frames.iter().map(|frame| frame.translations[slot]).collect();
        // Far from the origin, f32 loses small differences, so a constant is subtracted before smoothing.
        let origin = track[window];
        for (index, frame) in frames.iter_mut().enumerate() {
            let smoothed =
                weights.row(index).iter().zip(&track).map(|(&s, &y)| s * (y - origin)).sum::<Vec3>() + origin;
            frame.translations[slot] =
                track[weights.nearest_recorded(index)].lerp(smoothed, weights.smooth_weight(index));
        }
    }
    let mut transition = Transition::empty(placed, window, frames.len());
    transition.replaced = window;
    for frame in frames {
        transition.push(frame, root);
    }
    transition
}

/// Places `b` where `a` arrives after k + 1 frames with the mean of both velocities and turning rates.
fn place(a: &Clip, b: Clip, root: &Root, gaits: [Gait; 2], injected_frames: usize) -> Clip {
    let steps = (injected_frames + 1) as f32;
    let end = a.frames() - 1;
    let [a_previous, a_last] = [end - 1, end].map(|frame| root.pose(a, frame));
    let [b_first, b_second] = [0, 1].map(|frame| root.pose(&b, frame));
    let heading_change = steps * (gaits[0].turn_rate + gaits[1].turn_rate) / 2.0;
    let yaw = wrap(Gait::alignment(gaits, &a_last, &b_first, root) + heading_change);
    // The displacements per frame of both clips, at the mean heading of the transition.
    let a_step = ground_displacement(&a_previous, &a_last, heading_change / 2.0);
    let b_step = ground_displacement(&b_first, &b_second, yaw - heading_change / 2.0);
    let target = a_last.world_position + steps * (a_step + b_step) / 2.0;
    let mut placed = b;
    root.place(&mut placed, &GroundTransform::from_points(b_first.world_position, target, yaw));
    placed
}

/// Position coefficients of S_k in f32, and the weights of the smoothed poses.
struct Weights {
    window: usize,
    injected_frames: usize,
    rows: Vec<Vec<f32>>,
}

impl Weights {
    fn new(options: &LscoreOptions, injected_frames: usize) -> Self {
        let smoother = Smoother::new(options, injected_frames);
        let rows =
            (0..smoother.frames()).map(|index| smoother.row(index).iter().map(|s| s.x as f32).collect()).collect();
        Self { window: options.window, injected_frames, rows }
    }

    fn frames(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, frame: usize) -> &[f32] {
        &self.rows[frame]
    }

    /// Returns the index of the recorded frame nearest to a smoothed frame; for frames of the windows, the frame
    /// itself.
    fn nearest_recorded(&self, frame: usize) -> usize {
        if frame < self.window + self.injected_frames / 2 {
            frame.min(self.window - 1)
        } else {
            frame.max(self.window + self.injected_frames) - self.injected_frames
        }
    }

    /// Returns the weight of the smoothed pose: 1 in injected frames, falling to 0 just outside both windows.
    fn smooth_weight(&self, frame: usize) -> f32 {
        let distance_to_edge = (frame + 1).min(self.frames() - frame);
        smoothstep((distance_to_edge as f32 / (self.window + 1) as f32).min(1.0))
    }
}
