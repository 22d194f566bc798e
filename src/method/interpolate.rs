//! Interpolates between two poses without a network: the baselines for every learned in-betweener.
//!
//! [`linear`] is the baseline of the papers (Harvey et al. 2020, *Robust Motion In-betweening*, section 6): slerp for
//! every joint, straight lines for translations. Velocity jumps at both ends.
//!
//! [`inertialize`] adds to this, at each end, the excess of the key's velocity over the mean velocity of the gap. The
//! excess decays into the gap ([`rotation_from_velocity`], [`translation_from_velocity`]), at the second end backwards
//! in time. So velocity is continuous at both ends.
//!
//! Other variants and their scores: research/notes/delta.md.

use crate::body::interpolate::{rotation_from_velocity, translation_from_velocity};
use crate::error::Result;
use crate::method::filler::{End, Filler, Gap, Motion, NoOptions, OptionMap, Velocity, read_options};
use crate::method::frame::Frame;
use crate::method::registry::{Constructor, RegistryEntry};
use crate::method::transition::Transition;
use crate::motion::clip::Clip;
use crate::motion::extrapolate::placement_between;
use crate::motion::gait::Gait;
use crate::motion::hinge::{GUARD_SECS, Hinge};
use crate::motion::quat::exp;
use crate::motion::resample::slerp;
use crate::motion::root::Root;
use glam::Vec3;

pub use crate::method::filler::GAP_FRAMES;

/// Time in which the angular velocity of a joint decays to 1/e, seconds.
pub const ROTATION_DECAY_SECS: f64 = 8.0 / 30.0;
/// Time in which the velocity of translations, such as the translation of the root, decays to 1/e, seconds.
pub const TRANSLATION_DECAY_SECS: f64 = 32.0 / 30.0;

/// Entry of "linear" in the registry.
pub const LINEAR: RegistryEntry = RegistryEntry::new::<NoOptions>(
    "linear",
    Constructor::WithoutWeights(|| Box::new(Linear)),
)
.with_label("Interpolation", "Each joint rotates at constant speed from key to key. The speed jumps at the keys.");
/// Entry of "inertialize" in the registry.
pub const INERTIALIZE: RegistryEntry =
    RegistryEntry::new::<NoOptions>("inertialize", Constructor::WithoutWeights(|| Box::new(Inertialize)))
        .with_label("Inertialization", "Interpolation that starts and ends with the speeds of the keys.");

struct Linear;

impl Filler for Linear {
    fn name(&self) -> &'static str {
        LINEAR.name
    }

    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>> {
        read_options::<NoOptions>(self.name(), options).map(|_| Box::new(Self) as Box<dyn Filler>)
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let [from, to] = gap.ends;
        Ok(Motion::Skeleton(linear(from, to, gap.frames).collect()))
    }
}

struct Inertialize;

impl Filler for Inertialize {
    fn name(&self) -> &'static str {
        INERTIALIZE.name
    }

    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>> {
        read_options::<NoOptions>(self.name(), options).map(|_| Box::new(Self) as Box<dyn Filler>)
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let [from, to] = gap.ends;
        Ok(Motion::Skeleton(inertialize(from, to, gap.frames, gap.fps, gap.hinges).collect()))
    }
}

/// Generates `frames` poses between two ends, all joints at constant velocity.
pub fn linear<'a>(from: &'a End, to: &'a End, frames: usize) -> impl Iterator<Item = Frame> + 'a {
    let length = frames as f32 + 1.0;
    (1..=frames).map(move |frame| {
        let fraction = frame as f32 / length;
        let (a, b) = (&from.pose, &to.pose);
        Frame {
            rotations: a.rotations.iter().zip(&b.rotations).map(|(a, b)| slerp(*a, *b, fraction)).collect(),
            translations: a.translations.iter().zip(&b.translations).map(|(a, b)| *a + (*b - *a) * fraction).collect(),
        }
    })
}

/// Generates `frames` poses between two ends that continue the velocities of both. `hinges` straighten at most a little
/// further than in their clips ([`Hinge::limit_extension`]). `fps`: frame rate, frames per second.
pub fn inertialize<'a>(
    from: &'a End,
    to: &'a End,
    frames: usize,
    fps: f64,
    hinges: &'a [Hinge],
) -> impl Iterator<Item = Frame> + 'a {
    let length = frames as f32 + 1.0;
    let mean_velocity = Velocity::between(&from.pose, &to.pose, length);
    let excess = |end: &End| {
        let velocity = end.velocity.as_ref().unwrap_or(&mean_velocity);
        let difference = |(end, mean): (&Vec3, &Vec3)| *end - *mean;
        let angular: Vec<Vec3> = velocity.angular.iter().zip(&mean_velocity.angular).map(difference).collect();
        let linear: Vec<Vec3> = velocity.linear.iter().zip(&mean_velocity.linear).map(difference).collect();
        (angular, linear)
    };
    let mut excesses = [excess(from), excess(to)];
    let (rotation_decay, translation_decay) =
        ((ROTATION_DECAY_SECS * fps) as f32, (TRANSLATION_DECAY_SECS * fps) as f32);
    // The rotation that begins at one end has a small velocity left at the other end. Both excesses are changed so that
    // the sum has the velocity of the key at each end.
    let residual = (-length / rotation_decay).exp();
    let [(first_angular, _), (second_angular, _)] = &mut excesses;
    for (first, second) in first_angular.iter_mut().zip(second_angular) {
        let (a, b) = (*first, *second);
        let divisor = 1.0 - residual * residual;
        (*first, *second) = ((a + b * residual) / divisor, (b + a * residual) / divisor);
    }
    let guard_frames = GUARD_SECS * fps as f32;
    linear(from, to, frames).enumerate().map(move |(index, mut frame)| {
        let elapsed = index as f32 + 1.0;
        let bend_and_reliability = |hinge: &Hinge| (hinge.bend(&frame.rotations), hinge.reliability(&frame.rotations));
        let bends: Vec<(f32, f32)> = hinges.iter().map(bend_and_reliability).collect();
        // Forwards in time from the first end, backwards from the second.
        for ((angular, linear), (time, sign)) in excesses.iter().zip([(elapsed, 1.0), (length - elapsed, -1.0)]) {
            let rotation_time = sign * rotation_from_velocity(time, length, rotation_decay);
            let translation_time = sign * translation_from_velocity(time, length, translation_decay);
            for (rotation, velocity) in frame.rotations.iter_mut().zip(angular) {
                *rotation = (exp(*velocity * rotation_time) * *rotation).normalize();
            }
            for (translation, velocity) in frame.translations.iter_mut().zip(linear) {
                *translation += *velocity * translation_time;
            }
        }
        let guard_weight = (elapsed.min(length - elapsed) / guard_frames).min(1.0);
        for (hinge, (bend, reliability)) in hinges.iter().zip(bends) {
            hinge.limit_extension(&mut frame.rotations, bend, guard_weight * reliability);
        }
        frame
    })
}

/// Inserts `frames` frames between `a` and `b`: places `b` where the motion of `a`, continued over these frames,
/// arrives, and generates the frames by [`inertialize`]. Keeps all frames of both clips. Both need at least 2 frames.
/// `gaits`: those at the end of `a` and at the start of `b`.
pub fn insert(a: &Clip, b: Clip, root: &Root, gaits: [Gait; 2], hinges: &[Hinge], frames: usize) -> Transition {
    let last = a.frames() - 1;
    let mut placed = b;
    let placement = placement_between([root.pose(a, last), root.pose(&placed, 0)], gaits, root, frames, a.fps());
    root.place(&mut placed, &placement);
    // The velocity is measured from `velocity_frame` to the next frame.
    let end = |clip: &Clip, frame: usize, velocity_frame: usize| {
        let frames = [frame, velocity_frame, velocity_frame + 1];
        let [pose, from, to] = frames.map(|frame| Frame::from_clip(clip, root, frame));
        End { pose, velocity: Some(Velocity::between(&from, &to, 1.0)) }
    };
    let (from, to) = (end(a, last, last - 1), end(&placed, 0, 0));
    let mut transition = Transition::empty(placed, 0, 0);
    inertialize(&from, &to, frames, a.fps(), hinges).for_each(|frame| transition.push(frame, root));
    transition
}
