//! Measures of a cleaned clip against its recording.

use glam::Vec3;
use kinestitch::Clip;
use kinestitch::metrics::{foot_skate, soles};
use kinestitch::motion::contact::detect_contacts;
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::rig::{Rig, Role};

/// Half of the time in which a peak of the speed may move, seconds.
const PEAK_REACH_SECS: f64 = 0.1;
/// A peak counts from this speed on, metres per second.
const MIN_PEAK: f32 = 1.0;

/// A recording with the values that others are compared with.
pub struct Truth {
    pub clip: Clip,
    pub rig: Rig,
    joints: Vec<usize>,
    ends: Vec<usize>,
    positions: Vec<Vec3>,
    resting_heights: [f32; 2],
}

/// Sums over clips.
#[derive(Debug, Clone, Default)]
pub struct Sums {
    distance: f64,
    count: f64,
    distances: Vec<f32>,
    kept: f64,
    peaks: f64,
    slide: f64,
    slide_of_truth: f64,
}

impl Truth {
    pub fn new(clip: Clip, rig: Rig) -> Self {
        let joint = |role: &Role| rig.joint(*role);
        let ends = [Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot];
        Self {
            joints: Role::ALL.iter().filter_map(joint).collect(),
            ends: ends.iter().filter_map(joint).collect(),
            positions: world_positions(&clip),
            resting_heights: detect_contacts(&clip, &rig).world_ground,
            clip,
            rig,
        }
    }

    /// Adds a clip to the sums.
    pub fn compare(&self, clip: &Clip, sums: &mut Sums) {
        let positions = world_positions(clip);
        let joints = clip.joints();
        for frame in 0..clip.frames() {
            for joint in &self.joints {
                let index = frame * joints + joint;
                let distance = positions[index].distance(self.positions[index]);
                sums.distance += f64::from(distance);
                sums.count += 1.0;
                sums.distances.push(distance);
            }
        }
        self.compare_peaks(&positions, sums);
        let feet = soles(&self.rig, self.resting_heights);
        sums.slide_of_truth += f64::from(foot_skate(&self.clip, &feet, 1..clip.frames()).slide);
        let feet = soles(&self.rig, detect_contacts(clip, &self.rig).world_ground);
        sums.slide += f64::from(foot_skate(clip, &feet, 1..clip.frames()).slide);
    }

    /// Compares the peaks of the speeds of hands and feet.
    fn compare_peaks(&self, positions: &[Vec3], sums: &mut Sums) {
        let (joints, fps) = (self.clip.joints(), self.clip.fps() as f32);
        let reach = (PEAK_REACH_SECS * self.clip.fps()).round() as usize;
        for end in &self.ends {
            let speeds = |positions: &[Vec3]| -> Vec<f32> {
                let position = |frame: usize| positions[frame * joints + end];
                (1..self.clip.frames()).map(|frame| position(frame).distance(position(frame - 1)) * fps).collect()
            };
            let (truth, found) = (speeds(&self.positions), speeds(positions));
            for frame in reach..truth.len().saturating_sub(reach) {
                let window = frame - reach..frame + reach + 1;
                let highest = |speeds: &[f32]| speeds.iter().copied().fold(0.0, f32::max);
                if truth[frame] > MIN_PEAK && truth[frame] == highest(&truth[window.clone()]) {
                    sums.kept += f64::from((highest(&found[window]) / truth[frame]).min(1.0));
                    sums.peaks += 1.0;
                }
            }
        }
    }
}

impl Sums {
    /// Mean distance of the joints from the recording, centimetres.
    pub fn mean_cm(&self) -> f64 {
        100.0 * self.distance / self.count
    }

    /// Distance within which 99 % of the joints are, centimetres.
    pub fn most_cm(&self) -> f64 {
        let mut distances = self.distances.clone();
        if distances.is_empty() {
            return 0.0;
        }
        let index = (distances.len() - 1) * 99 / 100;
        100.0 * f64::from(*distances.select_nth_unstable_by(index, f32::total_cmp).1)
    }

    /// Fraction of the peak speeds of hands and feet that is kept.
    pub fn kept(&self) -> f64 {
        self.kept / self.peaks
    }

    /// Foot slide relative to that of the recordings.
    pub fn slide(&self) -> f64 {
        self.slide / self.slide_of_truth
    }
}
