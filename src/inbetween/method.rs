//! What is each network's own: how it is asked for a gap, and how what it makes is finished.

use super::feet::Grip;
use crate::body::poses::{Poses, ROLES};
use crate::error::Result;
use crate::method::dcmoe::{self, Wish};
use crate::method::delta::{self, Answers, Filled};
use crate::method::manifold::{self, Manifold};
use glam::{Vec2, Vec3};

/// A gap on the canonical body, as [`delta::fill`] has it.
pub(super) struct Ask<'a> {
    pub past: &'a Poses,
    pub target: &'a Poses,
    /// Frames.
    pub gap: usize,
    pub offsets: &'a [Vec3; ROLES],
    /// Height that feet stand on, metres.
    pub ground: f32,
    /// Metres of the canonical body in one of the user's.
    pub scale: f32,
}

/// How a network's motion is finished.
pub(super) struct Finish {
    /// Frames that jerk more than this many times what keys and interpolation do are smoothed.
    pub rough: f32,
    /// How feet are held that touch the ground.
    pub grip: Grip,
}

/// A network with what it is told beside the keys.
pub(super) trait Method {
    /// The frames of a gap.
    fn fill(&self, ask: &Ask) -> Result<Filled>;

    /// How what it makes is finished. A factor of 1 was tried: of 84 gaps in LAFAN1 not one changes, in our own walks to runs the
    /// legs are as quick to change places (the network took half a step too few) at 3 to 18 % less jerk, and in gaps of two or three
    /// frames all is smoothed away that the network says.
    fn finish(&self) -> Finish {
        Finish { rough: 1.5, grip: Grip::Firm }
    }
}

impl Method for (&Manifold, manifold::Wish<'_>) {
    fn fill(&self, ask: &Ask) -> Result<Filled> {
        self.0.fill(ask.past, ask.target, ask.gap, ask.offsets, ask.ground, &self.1)
    }
}

impl Method for &dyn Answers {
    fn fill(&self, ask: &Ask) -> Result<Filled> {
        delta::fill(*self, ask.past, ask.target, ask.gap, ask.offsets, ask.ground)
    }
}

/// The path is in the clip's metres.
impl Method for (&dcmoe::Network, Wish<'_>) {
    fn fill(&self, ask: &Ask) -> Result<Filled> {
        let (network, wish) = *self;
        let path: Option<Vec<Vec2>> = wish.path.map(|path| path.iter().map(|point| *point * ask.scale).collect());
        let wish = Wish { path: path.as_deref(), ..wish };
        network.fill(ask.past, ask.target, ask.gap, ask.offsets, ask.ground, &wish)
    }

    /// Along a way it takes its own time, so its last step seldom falls in with the target's: of 280 candidates in LAFAN1 (`bench
    /// diverse`) 25 jerked more than twice as much as the recording at a factor of 1.5, 3 at 1.2 and one at 1.
    fn finish(&self) -> Finish {
        Finish { rough: 1.0, grip: Grip::UnlessRough }
    }
}
