//! Options of the join at one seam: cut, transition, and refinement by a network.

use super::{Insert, SeamChoice};
use crate::method::registry::needs_weights;
use crate::method::{DEFAULT, Join};

/// Options of the join at one seam, complete.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinOptions {
    /// Rule that chooses the frames where the two clips meet.
    pub cut: SeamChoice,
    /// How the clips are joined if no frames are inserted.
    pub join: Join,
    /// Length of the blend, seconds; shortened, with a warning, if a clip is too short.
    pub blend_secs: f64,
    /// Frames inserted between the clips; if there are any, `join` and `blend_secs` are ignored.
    pub insert: Insert,
    /// Name of the gap filler that makes the inserted frames ([`crate::method::FILLERS`]).
    pub filler: &'static str,
    /// Whether the refiner adjusts the motion around the seam, see [`super::Draft`].
    pub refine: bool,
}

impl JoinOptions {
    /// The default filler of inserted frames. It needs no network.
    pub const FILLER: &'static str = DEFAULT.name;

    /// Returns whether this join needs no network.
    pub fn is_plain(&self) -> bool {
        !self.refine && (self.insert == Insert::None || !needs_weights(self.filler))
    }
}
