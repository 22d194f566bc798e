//! Gap fillers: one trait for all methods that generate the frames between two keys.
//!
//! A filler works on the user's skeleton, or on the canonical biped at [`FPS`]; the variant of its [`Motion`] tells
//! which. Fillers are listed in [`crate::method::FILLERS`]; no other code names them.

/// Options of a filler, by name. Omitted options have the defaults of the filler's options struct.
pub use crate::contract::FillerOptions as OptionMap;
/// Allowed number of frames in a gap, at the result's frame rate.
pub use crate::contract::INSERTED_FRAMES as GAP_FRAMES;

use crate::body::poses::{FPS, Poses, ROLES};
use crate::error::{Error, Result};
use crate::method::frame::Frame;
use crate::motion::hinge::Hinge;
use crate::motion::quat::log;
use glam::Vec3;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::slice::Iter;

/// Longest gap of networks that are not trained for longer ones, frames at [`FPS`].
pub const MAX_GAP: usize = 240;
/// Longest gap of networks that follow a path, frames at [`FPS`]: as long as the longest gap of [`GAP_FRAMES`] at 24
/// frames per second.
pub const MAX_STEPWISE_GAP: usize = 600;

/// Largest coordinate of the hips in a filler's motion, metres. Velocities and squared distances then cannot overflow.
pub const MAX_HIPS_COORDINATE: f32 = 1e12;

/// Options of a method without options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoOptions {}

/// A method that fills gaps, with its options.
pub trait Filler: Send + Sync {
    /// Returns the name in the registry.
    fn name(&self) -> &'static str;

    /// Returns this filler with other options.
    ///
    /// # Errors
    /// [`Error::Option`] for unknown options, and for values out of range.
    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>>;

    /// Generates the frames of a gap.
    ///
    /// # Errors
    /// The errors of [`Gap::body`] and of the method.
    fn fill(&self, gap: &Gap) -> Result<Motion>;

    /// Checks that the options are valid for a motion with this number of keys.
    ///
    /// # Errors
    /// [`Error::Option`] with the name of the option.
    fn check(&self, _key_count: usize) -> Result<()> {
        Ok(())
    }

    /// Returns the network inputs of a gap, to be evaluated on a GPU; empty if the method runs only on the CPU.
    ///
    /// # Errors
    /// The errors of [`Filler::fill`].
    fn network_inputs(&self, _gap: &Gap) -> Result<Vec<Vec<f32>>> {
        Ok(Vec::new())
    }

    /// Generates the frames of a gap from network outputs that were computed before, for example on a GPU. Takes one
    /// output for each of the [`Filler::network_inputs`] from `outputs`.
    ///
    /// # Errors
    /// The errors of [`Filler::fill`]; [`Error::Device`] if an output is missing or has the wrong length.
    fn fill_from_outputs(&self, gap: &Gap, _outputs: &mut Iter<'_, Vec<f32>>) -> Result<Motion> {
        self.fill(gap)
    }

    /// Returns the postprocessing of the filler's motion.
    fn postprocessing(&self) -> Postprocessing {
        Postprocessing::default()
    }

    /// Returns the longest displacement of the body per frame that the options require in a gap of this many frames,
    /// metres of the user's skeleton. It raises the speed above which a motion is rejected.
    fn requested_step(&self, _frames: usize) -> f32 {
        0.0
    }

    /// Returns the names of the styles.
    fn styles(&self) -> &[String] {
        &[]
    }

    /// Returns the first and third quartile of the speeds in recordings of a style, in metres per second of the
    /// canonical body; `None` for an unknown style.
    fn speeds(&self, _style: &str) -> Option<[f32; 2]> {
        None
    }
}

/// Postprocessing of a filler's motion. It improves the results of calls that name one filler. The results of the
/// automatic choice would be equally natural without it, because the judge would choose other motions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Postprocessing {
    /// Frames whose jerk exceeds this multiple of the largest jerk of the keys and of the interpolation are smoothed.
    ///
    /// A ratio of 1 for all methods was measured. It changes none of 84 gaps in LAFAN1. In our own transitions from
    /// walking to running, it reduces jerk by 3 to 18 %, and the legs change sides as fast as before. But in gaps of
    /// two or three frames, a ratio of 1 removes everything that a network adds; so the default is higher.
    pub max_jerk_ratio: f32,
    /// Hold of feet in contact.
    pub foot_hold: FootHold,
}

impl Default for Postprocessing {
    fn default() -> Self {
        Self { max_jerk_ratio: 1.5, foot_hold: FootHold::Always }
    }
}

/// Condition under which feet in contact are held in position.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum FootHold {
    /// Feet in contact are always held.
    #[default]
    Always,
    /// Feet are released where their hold causes clearly more jerk than the motion and its keys have. This happens if
    /// a network bends legs in an unnatural manner.
    UnlessJerky,
}

/// A pose at one end of a gap, on the user's skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The pose; joints from the top joint to the hips are in world space.
    pub pose: Frame,
    /// Velocity of the pose. `None` if unknown: fillers then use the mean velocity of the gap.
    pub velocity: Option<Velocity>,
}

impl End {
    /// Converts the velocity to a frame duration that is `factor` times as long.
    #[must_use]
    pub fn with_scaled_frame_time(mut self, factor: f32) -> Self {
        if let Some(Velocity { angular, linear }) = &mut self.velocity {
            angular.iter_mut().chain(linear).for_each(|velocity| *velocity *= factor);
        }
        self
    }
}

/// Velocity of a pose, per frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Velocity {
    /// Angular velocities as rotation vectors, radians per frame, `[joints]`, each in the space of the parent joint.
    pub angular: Vec<Vec3>,
    /// Linear velocities, metres per frame, [translated joints].
    pub linear: Vec<Vec3>,
}

impl Velocity {
    /// Computes the mean velocity from a pose to a pose `frames` later.
    pub fn between(from: &Frame, to: &Frame, frames: f32) -> Self {
        let rotations = from.rotations.iter().zip(&to.rotations);
        let translations = from.translations.iter().zip(&to.translations);
        Self {
            angular: rotations.map(|(a, b)| log(*b * a.conjugate()) / frames).collect(),
            linear: translations.map(|(a, b)| (*b - *a) / frames).collect(),
        }
    }
}

/// A gap to fill.
pub struct Gap<'a> {
    /// Both ends on the user's skeleton, at the result's frame rate.
    pub ends: [&'a End; 2],
    /// Number of frames in the gap.
    pub frames: usize,
    /// Frame rate of the result, frames per second.
    pub fps: f64,
    /// Joints that must not straighten further than in their clips.
    pub hinges: &'a [Hinge],
    /// Index of the gap in the motion.
    pub index: usize,
    /// Returns this gap on the canonical biped, computed on demand.
    pub body_gap: &'a dyn Fn() -> Result<&'a BodyGap>,
}

impl<'a> Gap<'a> {
    /// Returns this gap on the canonical biped.
    ///
    /// # Errors
    /// [`Error::Rig`] if the rig is not a biped.
    pub fn body(&self) -> Result<&'a BodyGap> {
        (self.body_gap)()
    }
}

/// A gap on the canonical biped, at [`FPS`] or the nearest frame rate that gives a whole number of frames.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyGap {
    /// Poses before the gap, at least one.
    pub past: Poses,
    /// Poses after the gap, at least one.
    pub target: Poses,
    /// Number of frames in the gap.
    pub frames: usize,
    /// Bone offsets of the skeleton, `[22]`, metres at the canonical size.
    pub offsets: [Vec3; ROLES],
    /// Height of the ground, metres.
    pub ground: f32,
    /// Scale: canonical metres per metre of the user's skeleton.
    pub scale: f32,
}

impl BodyGap {
    /// Returns the keys.
    pub fn keys(&self) -> BodyKeys<'_> {
        BodyKeys { past: &self.past, target: &self.target, offsets: &self.offsets, ground: self.ground }
    }
}

/// Both keys of a gap on the canonical biped, at [`FPS`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyKeys<'a> {
    /// Poses before the gap. One is enough; more give the velocity.
    pub past: &'a Poses,
    /// Poses after the gap, at least one.
    pub target: &'a Poses,
    /// Bone offsets of the skeleton, `[22]`, metres.
    pub offsets: &'a [Vec3; ROLES],
    /// Height of the ground, metres.
    pub ground: f32,
}

/// Motion that a filler generated.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// On the user's skeleton, [frames of the gap].
    Skeleton(Vec<Frame>),
    /// On the canonical biped. Its difference from the interpolation is transferred to the user's skeleton.
    Body(BodyMotion),
}

/// Motion of a gap on the canonical biped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyMotion {
    /// Frames of the gap.
    pub poses: Poses,
    /// Contact probabilities of left heel, left toe, right heel, right toe, [gap × 4].
    pub contacts: Vec<f32>,
    /// Contact probabilities of left and right hand, [gap × 2]; empty if the method does not predict them.
    pub hand_contacts: Vec<f32>,
}

impl BodyMotion {
    /// Normalises the rotations, because rotations from nearly parallel axes have not exactly unit length, and checks
    /// all numbers.
    ///
    /// # Errors
    /// [`Error::Weights`] if a number is not finite, or a coordinate of the hips exceeds [`MAX_HIPS_COORDINATE`].
    pub fn validate(mut self) -> Result<Self> {
        let not_normalised = self.poses.rotations.iter_mut().filter(|rotation| !rotation.is_normalized());
        not_normalised.for_each(|rotation| *rotation = rotation.normalize());
        let Self { poses, contacts, hand_contacts } = &self;
        // Compares every component, because `max_element` may ignore a NaN.
        let is_valid = poses.hips.iter().all(|hips| hips.abs().cmple(Vec3::splat(MAX_HIPS_COORDINATE)).all())
            && poses.rotations.iter().all(|rotation| rotation.is_finite())
            && contacts.iter().chain(hand_contacts).all(|contact| contact.is_finite());
        if !is_valid {
            let message = "the network's output is not finite or too large; use other weights".to_owned();
            return Err(Error::Weights { message });
        }
        Ok(self)
    }
}

/// Checks that a gap between two keys can be filled. `frames`: length of the gap at [`FPS`]; `max_frames`: the longest
/// gap of the method.
///
/// # Errors
/// [`Error::Option`] for a gap of no frames or of more than `max_frames`, and for keys without frames, with a wrong
/// number of rotations, or with numbers that are not finite.
pub fn check_gap(keys: &BodyKeys, frames: usize, max_frames: usize) -> Result<()> {
    let BodyKeys { past, target, offsets, ground } = keys;
    let fail = |option: &'static str, message: String| Err(Error::Option { option, message });
    if frames == 0 || frames > max_frames {
        let message = format!(
            "with this method a gap has 1 to {max_frames} frames at {FPS} frames per second, not {frames}: use \
             another number of frames or another method"
        );
        return fail("frames", message);
    }
    if past.is_empty() || target.is_empty() {
        return fail("keys", "a key needs at least one frame".to_owned());
    }
    if [past, target].iter().any(|poses| poses.rotations.len() != poses.len() * ROLES) {
        return fail("keys", format!("each frame of a key needs {ROLES} rotations"));
    }
    let is_finite = |poses: &Poses| {
        poses.hips.iter().all(|hips| hips.is_finite()) && poses.rotations.iter().all(|rotation| rotation.is_finite())
    };
    if !is_finite(past) || !is_finite(target) || !ground.is_finite() || !offsets.iter().all(|offset| offset.is_finite())
    {
        return fail("keys", "a key contains numbers that are not finite".to_owned());
    }
    Ok(())
}

/// Reads the options struct of a filler. An option that is null counts as omitted.
///
/// # Errors
/// [`Error::Option`] for unknown options, and for values of the wrong type.
pub fn read_options<T: DeserializeOwned>(name: &str, options: &OptionMap) -> Result<T> {
    let non_null = options.iter().filter(|(_, value)| !value.is_null());
    let non_null_map: OptionMap = non_null.map(|(name, value)| (name.clone(), value.clone())).collect();
    serde_json::from_value(Value::Object(non_null_map)).map_err(|error| {
        let message = format!("options of the method \"{name}\": {error}");
        Error::Option { option: "method", message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;

    #[test]
    fn motions_with_wrong_numbers_are_refused() {
        let validate = |hips: Vec3, rotation: Quat, contact: f32| {
            let mut poses = Poses::default();
            poses.push(hips, [rotation; ROLES]);
            BodyMotion { poses, contacts: vec![contact; 4], hand_contacts: Vec::new() }.validate()
        };
        assert!(validate(Vec3::Y, Quat::IDENTITY, 0.5).is_ok());
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for value in [f32::NAN, f32::INFINITY, -2.0 * MAX_HIPS_COORDINATE] {
                let hips = Vec3::select(axis.cmpgt(Vec3::ZERO), Vec3::splat(value), Vec3::Y);
                assert_eq!(validate(hips, Quat::IDENTITY, 0.5).unwrap_err().code(), "weights", "{hips}");
            }
        }
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert_eq!(validate(Vec3::Y, zero, 0.5).unwrap_err().code(), "weights");
        assert_eq!(validate(Vec3::Y, Quat::IDENTITY, f32::NAN).unwrap_err().code(), "weights");
    }
}
