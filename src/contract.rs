//! The contract: options and reports of every task, said once.
//!
//! Each option is a field of a serde struct here, with its documentation, range, unit and default. TypeScript types,
//! checks before a call, flags and help of the command line, tool schemas and the ranges of the page's controls are
//! generated from these structs (`pkg/generate`). A gap filler's own options stay in its folder; the
//! contract knows fillers by name ([`FillerChoice`]).
//!
//! In JSON every choice is an object with `kind`, such as `{ "kind": "blend", "seconds": 0.5 }`. Attributes:
//! `range(min, max)`; `x-unit`: unit of a number; `x-words`: short forms of a value, by word (a word may be followed by
//! parameters, `inertialize:0.5`; `x-parameters` names their fields).

mod filler;
mod frames;
mod ground;
mod heading;
mod join;
mod seam;
mod stitch;

pub use filler::{DEFAULT_FILLER, FillerChoice, FillerOptions};
pub use frames::FrameRange;
pub use ground::Ground;
pub use heading::Heading;
pub use join::{
    BLEND_SECS, BlendKind, Cut, INSERTED_FRAMES, InsertedFrames, Join, JoinChoice, MAX_BLEND_SECS, MAX_CUT_SECS,
    MAX_INJECT, MAX_WINDOW, PartialJoin, REFINED_SECS, Transition,
};
pub use seam::{Measures, Refinement, Rejection, ScoredCut, SeamReport, Trial};
pub use stitch::StitchOptions;
