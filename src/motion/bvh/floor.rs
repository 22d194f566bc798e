//! The floor of a motion: how low a body reaches along an axis, and how often the joints at the bottom stand still.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use glam::Vec3;

/// Largest height above the floor of a joint that touches it, relative to the size of the body.
const TOUCH_HEIGHT: f32 = 0.05;
/// Largest speed of a joint that stands still, sizes of the body per second.
const STILL_SPEED: f32 = 0.15;
/// Smallest way of a body that moves through the world, relative to its size.
const MIN_TRAVEL: f32 = 0.05;

/// World positions of a few frames, and the speeds of the joints there.
pub(super) struct Samples {
    /// [frames × joints], metres.
    positions: Vec<Vec<Vec3>>,
    /// Metres per second, [frames × joints].
    speeds: Vec<Vec<f32>>,
    /// Joints that move at any time.
    moving: Vec<bool>,
    /// Largest extent of the body along any axis, metres: the median.
    pub size: f32,
    /// Joint from which the body branches: the hips.
    trunk: usize,
}

/// The floor along one axis.
pub(super) struct Floor {
    /// Height, metres: 5 % of the frames have a lower joint.
    pub height: f32,
    /// Part of the frames in which a joint at the floor stands still, 0 to 1.
    pub contacts: f32,
}

impl Samples {
    /// Measures pairs of frames: a frame of the motion, and the one that follows it after the clip's frame time.
    pub(super) fn new(clip: &Clip) -> Self {
        let frames: Vec<Vec<Vec3>> =
            (0..clip.frames()).map(|frame| Pose::from_clip(clip, frame).world_positions).collect();
        let secs = clip.frame_time_secs() as f32;
        let speed = |pair: &[Vec<Vec3>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| a.distance(*b) / secs).collect();
        let (pairs, _) = frames.as_chunks::<2>();
        let speeds = pairs.iter().map(|pair| speed(pair)).collect();
        let positions: Vec<Vec<Vec3>> = pairs.iter().map(|[now, _]| now.clone()).collect();
        let is_moving = |joint: usize| frames.iter().any(|frame| frames[0][joint].distance(frame[joint]) > 1e-4);
        let moving = (0..clip.joints()).map(is_moving).collect();
        let extent = |frame: &Vec<Vec3>| {
            let low = frame.iter().fold(Vec3::INFINITY, |low, &p| low.min(p));
            let high = frame.iter().fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
            (high - low).max_element()
        };
        let mut sizes: Vec<f32> = positions.iter().map(extent).collect();
        sizes.sort_unstable_by(f32::total_cmp);
        let size = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
        let branches = |&joint: &usize| clip.skeleton().children(joint).count() > 1;
        let trunk = (0..clip.joints()).find(branches).unwrap_or(0);
        Self { positions, speeds, moving, size, trunk }
    }

    /// Returns whether the body moves through the world; a hand that is fixed in space touches no floor.
    pub(super) fn travels(&self) -> bool {
        let places = || self.positions.iter().map(|frame| frame[self.trunk]);
        let low = places().fold(Vec3::INFINITY, Vec3::min);
        let high = places().fold(Vec3::NEG_INFINITY, Vec3::max);
        (high - low).max_element() > MIN_TRAVEL * self.size
    }

    /// Measures the floor along axis 1 (y) or 2 (z). `None` if nothing moves.
    pub(super) fn floor(&self, axis: usize) -> Option<Floor> {
        let is_counted = |joint: &usize| self.moving[*joint];
        let joints = || (0..self.moving.len()).filter(is_counted);
        let lowest = |frame: &Vec<Vec3>| joints().map(|joint| frame[joint][axis]).reduce(f32::min);
        let mut heights: Vec<f32> = self.positions.iter().filter_map(lowest).collect();
        heights.sort_unstable_by(f32::total_cmp);
        let &height = heights.get(heights.len() / 20)?;
        let touches = |frame: usize, joint: usize| {
            self.positions[frame][joint][axis] < height + TOUCH_HEIGHT * self.size
                && self.speeds[frame][joint] < STILL_SPEED * self.size
        };
        let frames = (0..self.positions.len()).filter(|&frame| joints().any(|joint| touches(frame, joint))).count();
        Some(Floor { height, contacts: frames as f32 / self.positions.len() as f32 })
    }
}
