//! What the score measures of a motion: joint positions seen from the body, in leg lengths.

use crate::error::{Error, Result};
use glam::Vec3;

/// Positions of the joints to compare, [frames × joints].
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// Name of the clip, for messages.
    pub name: String,
    joints: usize,
    values: Vec<Vec3>,
}

impl Features {
    /// `values`: [frames × joints], any unit.
    ///
    /// # Errors
    /// [`Error::Clip`] where the length does not fit or a value is not finite.
    pub fn new(name: impl Into<String>, joints: usize, values: Vec<Vec3>) -> Result<Self> {
        let name = name.into();
        if joints == 0 || !values.len().is_multiple_of(joints) {
            let message = format!("{} positions do not fit {joints} joints", values.len());
            return Err(Error::Clip { clip: name, message });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let message = format!("frame {} holds a position that is not a finite number", at / joints);
            return Err(Error::Clip { clip: name, message });
        }
        Ok(Self { name, joints, values })
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.values.len() / self.joints
    }

    /// Number of joints.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Position of a joint in a frame.
    pub fn at(&self, frame: usize, joint: usize) -> Vec3 {
        self.values[frame * self.joints + joint]
    }

    /// Positions of all joints in a frame.
    pub fn frame(&self, frame: usize) -> &[Vec3] {
        &self.values[frame * self.joints..][..self.joints]
    }
}

/// The usual windowed distance between two frames (Wang and Bodenheimer 2003; the paper's Figure 1): the Euclidean
/// distances of all joints together, summed over a window of `window` frames centred on the two. Frames a clip does not
/// have are left out and the sum scaled up to the whole window.
pub fn euclidean(a: &Features, b: &Features, takeoff: usize, landing: usize, window: usize) -> f32 {
    let before = (window / 2).min(takeoff).min(landing);
    let after = ((window - 1) / 2).min(a.frames() - 1 - takeoff).min(b.frames() - 1 - landing);
    let distance = |i: usize| {
        let (a, b) = (a.frame(takeoff + i - before), b.frame(landing + i - before));
        a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f32>().sqrt()
    };
    let sum: f32 = (0..=before + after).map(distance).sum();
    sum * window as f32 / (before + after + 1) as f32
}
