//! Heights of the lowest joint of a body, which tell whether it sinks into the ground or floats above it.

use crate::motion::clip::Clip;
use crate::motion::fk::point_tracks;
use crate::motion::rig::{Rig, Role};
use glam::Vec3;

/// Depth below the lowest joint of the recordings that is not counted, metres.
const FREE_DEPTH: f32 = 0.03;
/// Height above it that is not counted, metres: heels that roll off are not measured exactly by joints.
const FREE_HEIGHT: f32 = 0.07;

/// Range of heights of the lowest joint in recordings of a body.
#[derive(Debug, Clone)]
pub(crate) struct Heights {
    joints: Vec<(usize, Vec3)>,
    /// Lowest and highest height of the lowest joint, metres.
    range: [f32; 2],
}

impl Heights {
    /// Measures clips on one skeleton. Joints without a role, such as props and a root at the origin, do not count.
    pub fn new(clips: &[&Clip], rig: &Rig) -> Self {
        let joints = Role::ALL.into_iter().filter_map(|role| rig.joint(role)).map(|joint| (joint, Vec3::ZERO));
        let joints: Vec<(usize, Vec3)> = joints.collect();
        let widen = |[low, high]: [f32; 2], height: f32| [low.min(height), high.max(height)];
        let lowest = clips.iter().flat_map(|clip| lowest(clip, &joints));
        let range = lowest.fold([f32::INFINITY, f32::NEG_INFINITY], widen);
        Self { joints, range }
    }

    /// Returns the largest distance by which the lowest joint of a motion leaves the range of the recordings, metres; 0
    /// without joints.
    pub fn excess(&self, clip: &Clip) -> f32 {
        let [low, high] = self.range;
        let excess = |height: f32| (low - FREE_DEPTH - height).max(height - high - FREE_HEIGHT);
        lowest(clip, &self.joints).into_iter().map(excess).fold(0.0, f32::max)
    }
}

/// Returns the height of the lowest of some joints in each frame, metres; nothing without joints.
fn lowest(clip: &Clip, joints: &[(usize, Vec3)]) -> Vec<f32> {
    let tracks = point_tracks(clip, joints);
    let lowest = |frame: usize| tracks.iter().map(|track| track[frame].y).reduce(f32::min);
    (0..clip.frames()).filter_map(lowest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::build::{Bone, build_clip};
    use glam::Quat;

    /// Hips at these heights, with a prop 9 m below.
    fn clip(heights: &[f32]) -> Clip {
        let bone = |name: &str, parent, offset| Bone { name: name.to_owned(), parent, offset, has_translation: false };
        let bones = vec![bone("Hips", None, Vec3::ZERO), bone("Prop", Some(0), Vec3::NEG_Y * 9.0)];
        let translations = heights.iter().map(|height| Vec3::Y * *height).collect();
        build_clip("body", bones, 30.0, vec![Quat::IDENTITY; 2 * heights.len()], translations).unwrap()
    }

    #[test]
    fn only_heights_outside_the_recordings_count() {
        let recordings = [clip(&[0.0, 0.1]), clip(&[0.3])];
        let mut rig = Rig::empty();
        assert_eq!(Heights::new(&recordings.each_ref(), &rig).excess(&clip(&[5.0])), 0.0, "no role has a joint");
        rig.joints[Role::Hips as usize] = Some(0);
        let heights = Heights::new(&recordings.each_ref(), &rig);
        assert!(heights.excess(&clip(&[0.0, 0.3, -FREE_DEPTH, 0.3 + FREE_HEIGHT])) < 1e-6);
        assert!((heights.excess(&clip(&[0.1, -0.2 - FREE_DEPTH])) - 0.2).abs() < 1e-6);
        assert!((heights.excess(&clip(&[0.1, 0.4 + FREE_HEIGHT])) - 0.1).abs() < 1e-6);
    }
}
