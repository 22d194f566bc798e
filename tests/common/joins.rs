//! Joins of two clips, for tests.

use kinestitch::stitch::{Cut, Join, StitchOptions, Transition};

/// Returns a transition of each kind without inserted frames; blends have this length, seconds.
pub fn transitions(seconds: f64) -> [Transition; 3] {
    [Transition::crossfade(seconds), Transition::inertialize(seconds), Transition::lscore()]
}

/// Returns options of an inertialization of the default length.
pub fn inertialized() -> StitchOptions {
    Join::default().into()
}

/// Returns options of an inertialization of the default length at a cut.
pub fn cut_by(cut: Cut) -> StitchOptions {
    Join { cut, ..Join::default() }.into()
}
