//! Gap fillers: one trait for everything that makes the frames between two keys.
//!
//! A filler works on the user's own skeleton, or on the canonical biped at [`FPS`]; which of the two its [`Motion`] says. It
//! stands in the list [`crate::method::FILLERS`]; nothing else names it.

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

/// Frames a gap may have, at the result's rate.
pub const GAP_FRAMES: RangeInclusive<usize> = 1..=480;
/// Longest gap on the canonical biped, frames at [`FPS`].
pub const LONGEST: usize = 240;

/// Hips farther than this, metres, in any axis are no motion: beyond it speeds and squares of distances overflow.
pub const FARTHEST_HIPS: f32 = 1e12;
/// Longest gap of methods that go frame by frame, frames at [`FPS`]: 480 frames at 24 a second.
pub const LONGEST_STEPWISE: usize = 600;

/// Options of a filler by name, as of its own options struct; those left out have that struct's defaults.
pub type Options = Map<String, Value>;

/// Of a method that has no options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct NoOptions {}

/// A method of filling gaps, with its options.
pub trait Filler: Send + Sync {
    /// Its name in the list.
    fn name(&self) -> &'static str;

    /// The same with other options.
    ///
    /// # Errors
    /// [`Error::Option`] for options that it has not, or that are out of range.
    fn with(&self, options: &Options) -> Result<Box<dyn Filler>>;

    /// The frames of a gap.
    ///
    /// # Errors
    /// Those of [`Gap::body`] and of the method.
    fn fill(&self, gap: &Gap) -> Result<Motion>;

    /// Whether its options suit a motion of so many keys.
    ///
    /// # Errors
    /// [`Error::Option`] that names the option.
    fn check(&self, _keys: usize) -> Result<()> {
        Ok(())
    }

    /// Input rows of a gap that a GPU may answer; none where the method runs on the CPU alone.
    ///
    /// # Errors
    /// As of [`Filler::fill`].
    fn questions(&self, _gap: &Gap) -> Result<Vec<Vec<f32>>> {
        Ok(Vec::new())
    }

    /// As [`Filler::fill`], by answers to its questions, of which it takes its own.
    ///
    /// # Errors
    /// As of [`Filler::fill`]; [`Error::Device`] where an answer is missing or of another length.
    fn answered(&self, gap: &Gap, _answers: &mut Iter<'_, Vec<f32>>) -> Result<Motion> {
        self.fill(gap)
    }

    /// How its motion is finished.
    fn finish(&self) -> Finish {
        Finish::default()
    }

    /// Largest step that its options ask for in a gap of so many frames, metres a frame.
    fn asked_step(&self, _frames: usize) -> f32 {
        0.0
    }

    /// Names of the styles it can be told to move in.
    fn styles(&self) -> &[String] {
        &[]
    }

    /// The slower and the faster speed between which half of a style's recordings lie, metres of the canonical body a second.
    fn speeds(&self, _style: &str) -> Option<[f32; 2]> {
        None
    }
}

/// How a filler's motion is finished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finish {
    /// Frames that jerk more than this many times as much as keys and interpolation are smoothed.
    ///
    /// A factor of 1 was tried for all: of 84 gaps in LAFAN1 not one changes, in our own walks to runs the legs are as quick to
    /// change places at 3 to 18 % less jerk, and in gaps of two or three frames all is smoothed away that a network says.
    pub rough: f32,
    /// How feet are held that touch the ground.
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
    /// Where that jerks more than the motion and its keys do, they are let go: legs that a network bends strangely.
    UnlessRough,
}

/// A pose at one end of a gap, on the user's own skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The pose; the root's path in world space.
    pub pose: Frame,
    /// How it moves; `None` where nobody knows, which leaves the interpolation's own speed.
    pub speed: Option<Speed>,
}

impl End {
    /// The same for frames that last `step` times as long.
    #[must_use]
    pub fn paced(mut self, step: f32) -> Self {
        if let Some(Speed { turns, shifts }) = &mut self.speed {
            turns.iter_mut().chain(shifts).for_each(|speed| *speed *= step);
        }
        self
    }
}

/// How a pose moves, a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// Rotation vectors, radians, [joints]; each in its parent's frame.
    pub turns: Vec<Vec3>,
    /// Metres, [translated joints].
    pub shifts: Vec<Vec3>,
}

impl Speed {
    /// From a pose to one `frames` later.
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
    /// Frames of the result.
    pub frames: usize,
    /// Frames a second of the result.
    pub fps: f64,
    /// Joints that are kept from bending past what their clips do.
    pub hinges: &'a [Hinge],
    /// Its number among the gaps of the motion.
    pub index: usize,
    /// The same gap on the canonical biped, found where a method asks for it.
    pub on_body: &'a dyn Fn() -> Result<&'a BodyGap>,
}

impl<'a> Gap<'a> {
    /// The gap on the canonical biped.
    ///
    /// # Errors
    /// [`Error::Rig`] for other than bipeds.
    pub fn body(&self) -> Result<&'a BodyGap> {
        (self.on_body)()
    }
}

/// A gap on the canonical biped, at [`FPS`] or as near as whole frames allow.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyGap {
    /// Poses up to the gap, at least one.
    pub past: Poses,
    /// Poses from the gap on, at least one.
    pub target: Poses,
    /// Frames between.
    pub frames: usize,
    /// The skeleton's, [22], metres at the canonical size.
    pub offsets: [Vec3; ROLES],
    /// Height that feet stand on, metres.
    pub ground: f32,
    /// Metres of the canonical body in one of the user's.
    pub scale: f32,
}

/// Frames made for a gap.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// On the user's own skeleton, [frames of the gap].
    Own(Vec<Frame>),
    /// On the canonical biped; its difference from interpolation travels onto the user's skeleton.
    Body(Filled),
}

/// A gap filled on the canonical biped.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The gap's frames.
    pub poses: Poses,
    /// Probability that left heel, left toe, right heel, right toe touch the ground, [gap × 4].
    pub contacts: Vec<f32>,
}

impl Filled {
    /// The frames, where they can be computed with. Axes that hardly differ make rotations that are a little off unit length; those
    /// are normalised.
    ///
    /// # Errors
    /// [`Error::Weights`] where a number is not finite, or hips are farther than [`FARTHEST_HIPS`].
    pub fn finite(mut self) -> Result<Self> {
        let bent = self.poses.rotations.iter_mut().filter(|rotation| !rotation.is_normalized());
        bent.for_each(|rotation| *rotation = rotation.normalize());
        let Self { poses, contacts } = &self;
        let is_finite = poses.hips.iter().all(|hips| hips.abs().max_element() <= FARTHEST_HIPS)
            && poses.rotations.iter().all(|rotation| rotation.is_finite())
            && contacts.iter().all(|contact| contact.is_finite());
        if !is_finite {
            let message = "the network made numbers that are not finite; use other weights".to_owned();
            return Err(Error::Weights { message });
        }
        Ok(self)
    }
}

/// Whether a gap on the canonical biped can be filled.
///
/// # Errors
/// [`Error::Option`] for a gap of no or of more than [`LONGEST`] frames, keys without a frame or with numbers that are not
/// finite.
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

/// The options struct of a filler; nulls count as left out.
///
/// # Errors
/// [`Error::Option`] for options that the struct has not, or of another kind.
pub fn read_options<T: DeserializeOwned>(name: &str, options: &Options) -> Result<T> {
    let given = options.iter().filter(|(_, value)| !value.is_null());
    let given: Options = given.map(|(name, value)| (name.clone(), value.clone())).collect();
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        let message = format!("options of the method \"{name}\": {error}");
        Error::Option { option: "method", message }
    })
}
