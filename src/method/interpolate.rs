//! Frames between two poses without a network: the baselines for every learned in-betweener.
//!
//! [`linear`] is the baseline of the papers (Harvey et al. 2020, *Robust Motion In-betweening*, section 6): slerp for
//! every joint, straight lines for translations. Velocity jumps at both ends.
//!
//! [`carried`] adds the velocity of each end beyond the mean velocity, decaying into the gap ([`turn_carried`],
//! [`shift_carried`]), backwards in time at the far end. So velocity is continuous at both ends.
//!
//! Other variants with figures: docs/notes/delta.md.

use crate::body::interpolate::{shift_carried, turn_carried};
use crate::error::Result;
use crate::method::filler::{End, Filler, Gap, Motion, NoOptions, Options, Speed, read_options};
use crate::method::frame::Frame;
use crate::method::registry::{Registered, Source};
use crate::method::transition::Transition;
use crate::motion::clip::Clip;
use crate::motion::hinge::Hinge;
use crate::motion::lead::led;
use crate::motion::quat::exp;
use crate::motion::resample::slerp;
use crate::motion::root::Root;
use glam::Vec3;

pub use crate::method::filler::GAP_FRAMES;

/// Time in which the angular velocity of a joint decays to 1/e, seconds.
pub const TURN_DECAY_SECS: f64 = 8.0 / 30.0;
/// Time in which the velocity of translations, such as the root's, decays to 1/e, seconds.
pub const SHIFT_DECAY_SECS: f64 = 32.0 / 30.0;

/// The method "linear".
pub const LINEAR: Registered = Registered::of::<NoOptions>("linear", Source::Plain(|| Box::new(Linear)))
    .shown("Interpolation", "Each joint rotates at constant speed from key to key. The speed jumps at the keys.");
/// The method "inertialize".
pub const INERTIALIZE: Registered = Registered::of::<NoOptions>("inertialize", Source::Plain(|| Box::new(Inertialize)))
    .shown("Momentum", "Interpolation that continues with the speeds of the keys, which fade out.");

struct Linear;

impl Filler for Linear {
    fn name(&self) -> &'static str {
        LINEAR.name
    }

    fn with(&self, options: &Options) -> Result<Box<dyn Filler>> {
        read_options::<NoOptions>(self.name(), options).map(|_| Box::new(Self) as Box<dyn Filler>)
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let [from, to] = gap.ends;
        Ok(Motion::Own(linear(from, to, gap.frames).collect()))
    }
}

struct Inertialize;

impl Filler for Inertialize {
    fn name(&self) -> &'static str {
        INERTIALIZE.name
    }

    fn with(&self, options: &Options) -> Result<Box<dyn Filler>> {
        read_options::<NoOptions>(self.name(), options).map(|_| Box::new(Self) as Box<dyn Filler>)
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let [from, to] = gap.ends;
        Ok(Motion::Own(carried(from, to, gap.frames, gap.fps, gap.hinges).collect()))
    }
}

/// `frames` poses between two, all joints at constant velocity.
pub fn linear<'a>(from: &'a End, to: &'a End, frames: usize) -> impl Iterator<Item = Frame> + 'a {
    let length = frames as f32 + 1.0;
    (1..=frames).map(move |frame| {
        let part = frame as f32 / length;
        let (a, b) = (&from.pose, &to.pose);
        Frame {
            rotations: a.rotations.iter().zip(&b.rotations).map(|(a, b)| slerp(*a, *b, part)).collect(),
            translations: a.translations.iter().zip(&b.translations).map(|(a, b)| *a + (*b - *a) * part).collect(),
        }
    })
}

/// [`linear`], with the velocity of each end. `hinges` do not bend past the straightest bend of their clips.
pub fn carried<'a>(
    from: &'a End,
    to: &'a End,
    frames: usize,
    fps: f64,
    hinges: &'a [Hinge],
) -> impl Iterator<Item = Frame> + 'a {
    let length = frames as f32 + 1.0;
    let way = Speed::between(&from.pose, &to.pose, length);
    let excess = |end: &End| {
        let speed = end.speed.as_ref().unwrap_or(&way);
        let beyond = |(end, way): (&Vec3, &Vec3)| *end - *way;
        let turns: Vec<Vec3> = speed.turns.iter().zip(&way.turns).map(beyond).collect();
        let shifts: Vec<Vec3> = speed.shifts.iter().zip(&way.shifts).map(beyond).collect();
        (turns, shifts)
    };
    let mut ends = [excess(from), excess(to)];
    let (turn_decay, shift_decay) = ((TURN_DECAY_SECS * fps) as f32, (SHIFT_DECAY_SECS * fps) as f32);
    // Each end adds the velocity that the other leaves there.
    let left = (-length / turn_decay).exp();
    let [(starts, _), (stops, _)] = &mut ends;
    for (start, stop) in starts.iter_mut().zip(stops) {
        let (a, b) = (*start, *stop);
        (*start, *stop) = ((a + b * left) / (1.0 - left * left), (b + a * left) / (1.0 - left * left));
    }
    linear(from, to, frames).enumerate().map(move |(index, mut frame)| {
        let since = index as f32 + 1.0;
        let own = |hinge: &Hinge| (hinge.bend(&frame.rotations), hinge.trust(&frame.rotations));
        let bends: Vec<(f32, f32)> = hinges.iter().map(own).collect();
        // Forwards in time from the first end, backwards from the other.
        for ((turns, shifts), (time, sign)) in ends.iter().zip([(since, 1.0), (length - since, -1.0)]) {
            let (turned, shifted) = (turn_carried(time, length, turn_decay), shift_carried(time, length, shift_decay));
            for (rotation, turn) in frame.rotations.iter_mut().zip(turns) {
                *rotation = (exp(*turn * (sign * turned)) * *rotation).normalize();
            }
            for (translation, shift) in frame.translations.iter_mut().zip(shifts) {
                *translation += *shift * (sign * shifted);
            }
        }
        let inside = (since.min(length - since) / 4.0).min(1.0);
        for (hinge, (bend, trust)) in hinges.iter().zip(bends) {
            hinge.guard(&mut frame.rotations, bend, inside * trust);
        }
        frame
    })
}

/// Places `b` at the position that the motion of `a` reaches after `frames` frames, which are filled by [`carried`].
/// All frames of both clips are kept. Both need at least 2 frames.
pub fn inserted(a: &Clip, b: Clip, root: &Root, hinges: &[Hinge], frames: usize) -> Transition {
    let last = a.frames() - 1;
    let mut placed = b;
    let placement = led(a, last, &placed, 0, root, frames);
    root.place(&mut placed, &placement);
    let end = |clip: &Clip, at: usize, before: usize| {
        let [pose, first, second] = [at, before, before + 1].map(|frame| Frame::of(clip, root, frame));
        End { pose, speed: Some(Speed::between(&first, &second, 1.0)) }
    };
    let (from, to) = (end(a, last, last - 1), end(&placed, 0, 0));
    let mut joined = Transition::empty(placed, 0, 0);
    carried(&from, &to, frames, a.fps(), hinges).for_each(|frame| joined.push(frame, root));
    joined
}
