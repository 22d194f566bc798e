//! One way of joining two clips: where they are cut, what stands between them, and whether a network refines it.

use super::{Insert, SeamChoice};
use crate::method::registry::needs_weights;
use crate::method::{DEFAULT, Join};

/// How one seam is joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// Which frames of the two clips meet.
    pub cut: SeamChoice,
    /// How the clips are joined where no frames are inserted.
    pub join: Join,
    /// Length of the blend, seconds; shortened, with a warning, where a clip is too short for it.
    pub blend_secs: f64,
    /// Frames put between the clips; with any, `join` and `blend_secs` do not count.
    pub insert: Insert,
    /// Name of the gap filler that makes the inserted frames ([`crate::method::FILLERS`]).
    pub filler: &'static str,
    /// Whether the refiner adjusts the steps around the seam, see [`super::Draft`].
    pub refine: bool,
}

impl Way {
    /// The gap filler of inserted frames unless another one is named. It needs no network.
    pub const FILLER: &'static str = DEFAULT.name;

    /// Whether it can be carried out without any network.
    pub fn is_plain(&self) -> bool {
        !self.refine && (self.insert == Insert::None || !needs_weights(self.filler))
    }
}
