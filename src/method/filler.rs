//! Gap fillers: one trait for all methods that make the frames between two keys.
//!
//! A filler works on the user's own skeleton, or on the canonical biped at [`FPS`]; its [`Motion`] says which. It is
//! registered in [`crate::method::FILLERS`]; no other code names it.

use crate::body::poses::{FPS, Poses, ROLES};
use crate::error::{Error, Result};
use crate::method::frame::Frame;
use crate::motion::hinge::Hinge;
use crate::motion::quat::log;
use glam::Vec3;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use std::slice::Iter;

/// Number of frames that a gap may have, at the result's rate.
pub const GAP_FRAMES: RangeInclusive<usize> = 1..=480;
/// Longest gap on the canonical biped, frames at [`FPS`].
pub const LONGEST: usize = 240;

/// Largest coordinate of the hips, metres: beyond it velocities and squared distances overflow.
pub const FARTHEST_HIPS: f32 = 1e12;
/// Longest gap of methods that work frame by frame, frames at [`FPS`]: 480 frames at 24 a second.
pub const LONGEST_STEPWISE: usize = 600;

/// Options of a filler by name, as in its own options struct; omitted options have the defaults of that struct.
pub type Options = Map<String, Value>;

/// Options of a method that has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct NoOptions {}

/// A method of filling gaps, with its options.
pub trait Filler: Send + Sync {
    /// Its name in the registry.
    fn name(&self) -> &'static str;

    /// The same filler with other options.
    ///
    /// # Errors
    /// [`Error::Option`] for unknown options, and for values out of range.
    fn with(&self, options: &Options) -> Result<Box<dyn Filler>>;

    /// Makes the frames of a gap.
    ///
    /// # Errors
    /// Those of [`Gap::body`] and of the method.
    fn fill(&self, gap: &Gap) -> Result<Motion>;

    /// Checks that its options suit a motion with this number of keys.
    ///
    /// # Errors
    /// [`Error::Option`] that names the option.
    fn check(&self, _keys: usize) -> Result<()> {
        Ok(())
    }

    /// Network inputs of a gap that can be evaluated on a GPU; empty where the method runs on the CPU only.
    ///
    /// # Errors
    /// Those of [`Filler::fill`].
    fn questions(&self, _gap: &Gap) -> Result<Vec<Vec<f32>>> {
        Ok(Vec::new())
    }

    /// As [`Filler::fill`], with the network's outputs already computed; takes its own from `answers`.
    ///
    /// # Errors
    /// Those of [`Filler::fill`]; [`Error::Device`] where an answer is missing or has another length.
    fn answered(&self, gap: &Gap, _answers: &mut Iter<'_, Vec<f32>>) -> Result<Motion> {
        self.fill(gap)
    }

    /// Postprocessing of its motion.
    fn finish(&self) -> Finish {
        Finish::default()
    }

    /// Largest step that its options require in a gap of this many frames, metres per frame.
    fn requested_step(&self, _frames: usize) -> f32 {
        0.0
    }

    /// Names of its styles.
    fn styles(&self) -> &[String] {
        &[]
    }

    /// First and third quartile of the speeds in recordings of a style, metres of the canonical body a second.
    fn speeds(&self, _style: &str) -> Option<[f32; 2]> {
        None
    }
}

/// Postprocessing of a filler's motion. "auto" would choose as natural motion without it and without rejecting motion
/// that is too fast; both are for calls that name a filler, whose motion no judge compares with another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finish {
    /// Frames with more than this multiple of the jerk of keys and interpolation are smoothed.
    ///
    /// With a factor of 1 for all methods, none of 84 gaps in LAFAN1 changes, and in our own transitions from walking
    /// to running the legs change places equally fast with 3 to 18 % less jerk; but in gaps of two or three frames
    /// everything that a network adds is smoothed away.
    pub rough: f32,
    /// How feet in contact are held.
    pub grip: Grip,
}

impl Default for Finish {
    fn default() -> Self {
        Self { rough: 1.5, grip: Grip::Firm }
    }
}

/// How feet are held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Grip {
    /// Always.
    #[default]
    Firm,
    /// Only where holding them causes no more jerk than the motion and its keys have, which excludes legs that a
    /// network bends strangely.
    UnlessRough,
}

/// A pose at one end of a gap, on the user's own skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The pose, with the root's path in world space.
    pub pose: Frame,
    /// Its velocity; `None` where unknown, in which case the mean velocity of the interpolation is used.
    pub speed: Option<Speed>,
}

impl End {
    /// The same end for frames that last `step` times as long.
    #[must_use]
    pub fn paced(mut self, step: f32) -> Self {
        if let Some(Speed { turns, shifts }) = &mut self.speed {
            turns.iter_mut().chain(shifts).for_each(|speed| *speed *= step);
        }
        self
    }
}

/// Velocity of a pose, per frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// Rotation vectors, radians, [joints]; each in its parent's frame.
    pub turns: Vec<Vec3>,
    /// Metres, [translated joints].
    pub shifts: Vec<Vec3>,
}

impl Speed {
    /// Velocity from a pose to one `frames` later.
    pub fn between(before: &Frame, after: &Frame, frames: f32) -> Self {
        let turns = before.rotations.iter().zip(&after.rotations);
        let shifts = before.translations.iter().zip(&after.translations);
        Self {
            turns: turns.map(|(a, b)| log(*b * a.conjugate()) / frames).collect(),
            shifts: shifts.map(|(a, b)| (*b - *a) / frames).collect(),
        }
    }
}

/// A gap to fill.
pub struct Gap<'a> {
    /// Both ends on the user's own skeleton, at the result's rate.
    pub ends: [&'a End; 2],
    /// Number of frames of the result.
    pub frames: usize,
    /// Frame rate of the result, frames per second.
    pub fps: f64,
    /// Joints that must not bend past the straightest bend of their clips.
    pub hinges: &'a [Hinge],
    /// Index among the gaps of the motion.
    pub index: usize,
    /// The same gap on the canonical biped, computed on demand.
    pub on_body: &'a dyn Fn() -> Result<&'a BodyGap>,
}

impl<'a> Gap<'a> {
    /// The gap on the canonical biped.
    ///
    /// # Errors
    /// [`Error::Rig`] for rigs other than bipeds.
    pub fn body(&self) -> Result<&'a BodyGap> {
        (self.on_body)()
    }
}

/// A gap on the canonical biped, at [`FPS`] or the nearest rate with a whole number of frames.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyGap {
    /// Poses up to the gap, at least one.
    pub past: Poses,
    /// Poses from the gap on, at least one.
    pub target: Poses,
    /// Number of frames between.
    pub frames: usize,
    /// Offsets of the skeleton, [22], metres at the canonical size.
    pub offsets: [Vec3; ROLES],
    /// Height of the ground, metres.
    pub ground: f32,
    /// Scale: canonical metres per metre of the user's skeleton.
    pub scale: f32,
}

/// Frames made by a filler.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// On the user's own skeleton, [frames of the gap].
    Own(Vec<Frame>),
    /// On the canonical biped; its difference from interpolation is transferred to the user's skeleton.
    Body(Filled),
}

/// A gap filled on the canonical biped.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// Frames of the gap.
    pub poses: Poses,
    /// Contact probabilities of left heel, left toe, right heel, right toe, [gap × 4].
    pub contacts: Vec<f32>,
}

impl Filled {
    /// Checks and normalises the frames: rotations made from nearly parallel axes are slightly off unit length.
    ///
    /// # Errors
    /// [`Error::Weights`] where a number is not finite, or the hips are farther than [`FARTHEST_HIPS`].
    pub fn finite(mut self) -> Result<Self> {
        let bent = self.poses.rotations.iter_mut().filter(|rotation| !rotation.is_normalized());
        bent.for_each(|rotation| *rotation = rotation.normalize());
        let Self { poses, contacts } = &self;
        let is_finite = poses.hips.iter().all(|hips| hips.abs().max_element() <= FARTHEST_HIPS)
            && poses.rotations.iter().all(|rotation| rotation.is_finite())
            && contacts.iter().all(|contact| contact.is_finite());
        if !is_finite {
            let message = "the network's output is not finite; use other weights".to_owned();
            return Err(Error::Weights { message });
        }
        Ok(self)
    }
}

/// Checks that a gap on the canonical biped can be filled.
///
/// # Errors
/// [`Error::Option`] for a gap of no or more than [`LONGEST`] frames, and for keys without frames or with numbers
/// that are not finite.
pub fn check(past: &Poses, target: &Poses, gap: usize, offsets: &[Vec3; ROLES], ground: f32) -> Result<()> {
    let fail = |option: &'static str, message: String| Err(Error::Option { option, message });
    if gap == 0 || gap > LONGEST {
        return fail("frames", format!("a gap has 1 to {LONGEST} frames at {FPS} a second, not {gap}"));
    }
    if past.is_empty() || target.is_empty() {
        return fail("keys", "a key needs at least one frame".to_owned());
    }
    let finite = |poses: &Poses| {
        poses.rotations.len() == poses.len() * ROLES
            && poses.hips.iter().all(|hips| hips.is_finite())
            && poses.rotations.iter().all(|rotation| rotation.is_finite())
    };
    if !finite(past) || !finite(target) || !ground.is_finite() || !offsets.iter().all(|offset| offset.is_finite()) {
        return fail("keys", "a key holds numbers that are not finite".to_owned());
    }
    Ok(())
}

/// Reads the options struct of a filler; null means omitted.
///
/// # Errors
/// [`Error::Option`] for unknown options, and for values of another type.
pub fn read_options<T: DeserializeOwned>(name: &str, options: &Options) -> Result<T> {
    let set = options.iter().filter(|(_, value)| !value.is_null());
    let set: Options = set.map(|(name, value)| (name.clone(), value.clone())).collect();
    serde_json::from_value(Value::Object(set)).map_err(|error| {
        let message = format!("options of the method \"{name}\": {error}");
        Error::Option { option: "method", message }
    })
}
