//! The heading of a gait, which is steadier than that of the pelvis: hips and shoulders sway in every stride.
//!
//! The heading is the mean over one stride: of the direction of travel, if the body travels and this direction agrees
//! with the facing direction within 45°, else of the facing direction (steps to the side or backwards, standing). In a
//! clip made in place, the direction of travel is opposite to that in which standing feet slide. A stride is the time
//! after which the legs have the same pose again; 1 s if there is none.

pub use crate::contract::Heading;
use crate::motion::clip::Clip;
use crate::motion::fk::{Pose, with_ancestors};
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::root::{Root, RootPose, wrap};
use glam::{Quat, Vec3};
use std::f32::consts::FRAC_PI_4;
use std::ops::Range;

/// Duration that is averaged if there is no stride, seconds.
const PLAIN_SECS: f64 = 1.0;
/// Duration of a stride, seconds.
const STRIDE_SECS: [f64; 2] = [0.35, 1.6];
/// Duration of motion that is compared with the motion one stride away, seconds.
const COMPARED_SECS: f64 = 0.15;
/// Largest difference of poses one stride apart, relative to the largest difference in the stride.
const MAX_DIFFERENCE: f32 = 0.15;
/// Smallest largest difference of poses in a stride (squared angle, rad²): a standing body has no stride.
const MIN_MOVEMENT: f32 = 0.01;
/// Lowest speed of travel that has a direction, metres per second.
const MIN_SPEED: f32 = 0.5;
/// Depth of the lowest foot within which feet count as standing in a clip made in place, metres.
const STANDING: f32 = 0.03;
/// A body without a stride that turns further from its mean facing direction does not sway, it turns; radians.
const MAX_SWAY: f32 = 0.15;
/// A turn of less than this number of frames of the fastest sway is that of the sway.
const SWAY_FRAMES: f32 = 1.5;

impl Heading {
    /// All rules.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Travel, Self::Facing, Self::AsInFile];

    /// Returns the name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Travel => "travel",
            Self::Facing => "facing",
            Self::AsInFile => "asInFile",
        }
    }
}

/// Heading and pace of a body near a frame of a clip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gait {
    /// Heading at the frame, radians about +Y, 0 along +z.
    pub heading: f32,
    /// Turning rate, radians per frame.
    pub turn_rate: f32,
    /// Mean velocity, metres per frame, in axes whose z is the heading.
    pub velocity: Vec3,
    /// Whether `heading` is the direction of travel.
    pub travels: bool,
}

impl Gait {
    /// Measures the gait in the motion that leads to a frame.
    pub fn before(clip: &Clip, root: &Root, frame: usize) -> Self {
        Self::measure(clip, root, frame, true)
    }

    /// Measures the gait in the motion that begins at a frame.
    pub fn after(clip: &Clip, root: &Root, frame: usize) -> Self {
        Self::measure(clip, root, frame, false)
    }

    /// Measures the gaits at the end of one clip and at the start of another.
    pub fn ends(a: &Clip, b: &Clip, root: &Root) -> [Self; 2] {
        [Self::before(a, root, a.frames() - 1), Self::after(b, root, 0)]
    }

    /// Returns the gait in a clip that was rotated by `yaw`, radians.
    #[must_use]
    pub fn rotated(self, yaw: f32) -> Self {
        Self { heading: self.heading + yaw, ..self }
    }

    /// Returns the gait at a frame `frames` later.
    #[must_use]
    pub fn later(self, frames: f32) -> Self {
        Self { heading: self.heading + self.turn_rate * frames, ..self }
    }

    /// Returns the angle about +Y, radians, by which a clip is rotated so that its gait has the heading of the gait
    /// before it. Two bodies that lie are aligned by their poses ([`RootPose::alignment_to`]).
    pub fn alignment([before, after]: [Self; 2], last: &RootPose, first: &RootPose, root: &Root) -> f32 {
        if last.lies() && first.lies() && root.heading_rule() != Heading::AsInFile {
            return first.alignment_to(last);
        }
        wrap(before.heading - after.heading)
    }

    fn measure(clip: &Clip, root: &Root, frame: usize, is_before: bool) -> Self {
        let window = window(clip, root, frame, is_before);
        let is_cycle = window.is_cycle;
        let walk = Walk::new(clip, root, window.frames.clone());
        let steps = (walk.facings.len() - 1).max(1) as f32;
        let turn = walk.turn(is_cycle);
        let middle = (window.frames.start + window.frames.end - 1) as f32 / 2.0;
        let displacement = walk.displacement();
        let travel = walk.travel(clip.fps() as f32);
        let mut gait = Self { heading: 0.0, turn_rate: turn / steps, velocity: Vec3::ZERO, travels: false };
        let mean = walk.mean_facing();
        let agrees = |direction: f32| root.has_facing() && wrap(direction - mean).abs() <= FRAC_PI_4;
        let direction = match (root.heading_rule(), travel) {
            (Heading::AsInFile, _) => 0.0,
            (Heading::Auto, Some(direction)) if agrees(direction) => direction,
            (Heading::Travel, Some(direction)) => direction,
            _ => mean,
        };
        gait.travels = travel == Some(direction);
        // Over half a stride forwards, which follows changes of speed; sideways the body sways.
        let to_heading = Quat::from_rotation_y(-direction);
        let (half, half_steps) = walk.half_displacement(is_before);
        gait.velocity = (to_heading * displacement / steps).with_z((to_heading * half).z / half_steps);
        if root.heading_rule() == Heading::AsInFile {
            gait.turn_rate = 0.0;
            return gait;
        }
        gait.heading = match is_cycle || gait.travels || (turn == 0.0 && walk.largest_deviation(mean) < MAX_SWAY) {
            true => direction + gait.turn_rate * (frame as f32 - middle),
            // Other turns are not even: the facing direction near the frame counts.
            false => walk.end_facing(is_before),
        };
        gait
    }
}

/// Frames that are averaged.
struct Window {
    frames: Range<usize>,
    /// Whether they are one stride: the last pose equals the first.
    is_cycle: bool,
}

/// Returns the stride that ends or begins at a frame; near the other end of a clip, the stride nearest to the frame.
fn window(clip: &Clip, root: &Root, frame: usize, is_before: bool) -> Window {
    let seconds = |seconds: f64| ((seconds * clip.fps()).round() as usize).max(1);
    let (count, longest) = (clip.frames(), seconds(STRIDE_SECS[1]));
    let near = |length: usize| {
        let length = length.min(count - 1);
        let start = if is_before { frame.saturating_sub(length) } else { frame.min(count - 1 - length) };
        start..start + length + 1
    };
    let reach = near(longest + seconds(COMPARED_SECS));
    let legs = root.swinging_joints(clip);
    let difference = |a: usize, b: usize| {
        let (a, b) = (clip.frame_rotations(a), clip.frame_rotations(b));
        let square = |&joint: &usize| 8.0 * (1.0 - a[joint].dot(b[joint]).abs());
        legs.iter().map(square).sum::<f32>() / legs.len().max(1) as f32
    };
    let lags = 1..reach.len().min(longest + 1);
    let differences: Vec<f32> = lags
        .map(|lag| {
            let compared = seconds(COMPARED_SECS).min(reach.len() - lag);
            let pair = |offset: usize| match is_before {
                true => difference(reach.end - 1 - offset, reach.end - 1 - offset - lag),
                false => difference(reach.start + offset, reach.start + offset + lag),
            };
            (0..compared).map(pair).sum::<f32>() / compared as f32
        })
        .collect();
    match stride(&differences, seconds(STRIDE_SECS[0])) {
        Some(length) => Window { frames: near(length), is_cycle: true },
        None => Window { frames: near(seconds(PLAIN_SECS)), is_cycle: false },
    }
}

/// Returns the number of frames of a stride: the first local minimum of the difference to the pose `index + 1` frames
/// away.
fn stride(differences: &[f32], shortest: usize) -> Option<usize> {
    let largest = differences.iter().copied().fold(0.0, f32::max);
    if largest < MIN_MOVEMENT {
        return None;
    }
    let is_minimum = |index: usize| {
        let neighbours = &differences[index - 1..(index + 2).min(differences.len())];
        neighbours.iter().all(|&other| differences[index] <= other)
    };
    let strides = (shortest.max(2) - 1)..differences.len();
    strides.into_iter().find(|&index| differences[index] < MAX_DIFFERENCE * largest && is_minimum(index)).map(|i| i + 1)
}

/// Positions and facing directions of a body in some frames.
struct Walk {
    poses: Vec<RootPose>,
    /// Headings without jumps of full turns, radians.
    facings: Vec<f32>,
    /// World positions of ankles and toes, `[frames][joints]`.
    feet: Vec<Vec<Vec3>>,
}

impl Walk {
    fn new(clip: &Clip, root: &Root, frames: Range<usize>) -> Self {
        let feet = root.feet();
        let needed = with_ancestors(clip.skeleton(), root.measured_joints().chain(feet.iter().copied()));
        let mut pose = Pose::default();
        let mut walk = Self { poses: Vec::new(), facings: Vec::new(), feet: Vec::new() };
        for frame in frames {
            pose.set_joints(clip, frame, &needed);
            let root_pose = root.pose_of(&pose);
            let facing = match (walk.poses.last(), walk.facings.last()) {
                (Some(previous), Some(facing)) => facing + previous.turn_to(&root_pose),
                _ => root_pose.heading(),
            };
            walk.facings.push(facing);
            walk.poses.push(root_pose);
            walk.feet.push(feet.iter().map(|&joint| pose.world_positions[joint]).collect());
        }
        walk
    }

    /// Returns the mean facing direction; both ends of a stride count half, because they are the same pose.
    fn mean_facing(&self) -> f32 {
        let count = self.facings.len();
        let weight = |index: usize| if count > 1 && (index == 0 || index + 1 == count) { 0.5 } else { 1.0 };
        let (sum, total) =
            self.facings.iter().enumerate().fold((0.0, 0.0), |(sum, total), (index, facing)| {
                (sum + weight(index) * facing, total + weight(index))
            });
        sum / total
    }

    /// Returns the largest angle between a facing direction and their mean, radians.
    fn largest_deviation(&self, mean: f32) -> f32 {
        self.facings.iter().map(|facing| (facing - mean).abs()).fold(0.0, f32::max)
    }

    /// Returns the facing direction at an end: that of the line through the last or first third.
    fn end_facing(&self, is_before: bool) -> f32 {
        let (count, third) = (self.facings.len(), (self.facings.len() / 3).max(2).min(self.facings.len()));
        let frames = if is_before { count - third..count } else { 0..third };
        let end = if is_before { count - 1 } else { 0 } as f32;
        let near = &self.facings[frames.clone()];
        let middle = (frames.start + frames.end - 1) as f32 / 2.0;
        let mean = near.iter().sum::<f32>() / third as f32;
        let (mut product, mut square) = (0.0, 0.0);
        for (frame, facing) in frames.zip(near) {
            let time = frame as f32 - middle;
            (product, square) = (product + time * (facing - mean), square + time * time);
        }
        mean + if square > 0.0 { product / square * (end - middle) } else { 0.0 }
    }

    /// Returns the turn in all frames, radians; 0 if it is not larger than the sway.
    fn turn(&self, is_cycle: bool) -> f32 {
        let count = self.facings.len();
        let sway = self.facings.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        let (turn, limit) = match is_cycle {
            true => (self.facings[count - 1] - self.facings[0], SWAY_FRAMES * sway),
            false => {
                let mean = |facings: &[f32]| facings.iter().sum::<f32>() / facings.len().max(1) as f32;
                (2.0 * (mean(&self.facings[count / 2..]) - mean(&self.facings[..count / 2])), FRAC_PI_4 / 2.0)
            }
        };
        if turn.abs() > limit && count > 2 { turn } else { 0.0 }
    }

    /// Returns the displacement in the half that is nearer to the frame of the gait, and its number of steps.
    fn half_displacement(&self, is_before: bool) -> (Vec3, f32) {
        let (last, half) = (self.poses.len() - 1, self.poses.len() / 2);
        let (from, to) = if is_before { (half.min(last), last) } else { (0, last - half.min(last)) };
        let way = (self.poses[to].world_position - self.poses[from].world_position).with_y(0.0);
        (way, (to - from).max(1) as f32)
    }

    fn displacement(&self) -> Vec3 {
        let [first, .., last] = &self.poses[..] else { return Vec3::ZERO };
        (last.world_position - first.world_position).with_y(0.0)
    }

    /// Returns the direction of travel, radians; `None` if the body stays where it is.
    fn travel(&self, fps: f32) -> Option<f32> {
        let steps = (self.poses.len() - 1) as f32;
        let way = self.displacement();
        let shortest = MIN_SPEED * steps / fps;
        let way = if way.length() < shortest { self.way_of_feet() } else { way };
        (way.length() >= shortest && steps > 0.0).then(|| way.x.atan2(way.z))
    }

    /// Returns the way that standing feet give, metres: in each step of time, opposite to the movement of the lowest
    /// joint of the feet.
    fn way_of_feet(&self) -> Vec3 {
        let step = |pair: &[Vec<Vec3>]| {
            let movements = pair[0].iter().zip(&pair[1]);
            let lowest = movements.min_by(|a, b| (a.0.y + a.1.y).total_cmp(&(b.0.y + b.1.y)));
            lowest.map(|(from, to)| ((from.y + to.y) / 2.0, (*from - *to).with_y(0.0)))
        };
        let steps: Vec<(f32, Vec3)> = self.feet.windows(2).filter_map(step).collect();
        let floor = steps.iter().map(|(height, _)| *height).fold(f32::INFINITY, f32::min);
        steps.iter().filter(|(height, _)| *height < floor + STANDING).map(|(_, step)| *step).sum()
    }
}

impl Root {
    /// Returns the joints whose local rotations show a stride: thighs and shins, else all joints.
    fn swinging_joints(&self, clip: &Clip) -> Vec<usize> {
        let roles = [Role::LeftUpLeg, Role::LeftLeg, Role::RightUpLeg, Role::RightLeg];
        let legs: Vec<usize> = match self.rig() {
            Some(rig) => roles.into_iter().filter_map(|role| rig.joint(role)).collect(),
            None => Vec::new(),
        };
        let is_limb = |joint: &usize| !self.path().contains(joint);
        if legs.len() == roles.len() { legs } else { (0..clip.joints()).filter(is_limb).collect() }
    }

    /// Returns ankles and toes of a biped.
    fn feet(&self) -> Vec<usize> {
        let roles = [Role::LeftFoot, Role::LeftToe, Role::RightFoot, Role::RightToe];
        self.rig().map_or_else(Vec::new, |rig| roles.into_iter().filter_map(|role| rig.joint(role)).collect())
    }

    fn has_facing(&self) -> bool {
        self.rig().is_some_and(|rig: &Rig| rig.kind == RigKind::Biped)
    }
}
