//! Faults as sentences, with what to try.

use super::{Fault, FaultKind};

impl Fault {
    /// Describes the fault, without a full stop.
    pub fn text(&self) -> String {
        let value = self.value;
        match self.kind {
            FaultKind::Stall => format!("the body slows down to {:.0} % of its speed", 100.0 * value),
            FaultKind::Slide => format!("standing feet slide {value:.1} times as fast as in the clips"),
            FaultKind::Sink => format!("a foot sinks {:.0} cm below its floor", 100.0 * value),
            FaultKind::Pop => format!("a joint accelerates {value:.1} times as much as in the clips"),
            FaultKind::Turn => format!("the way turns by {value:.0}°, although both clips go straight"),
            FaultKind::Dwell => format!("the inserted motion takes {value:.1} s longer than the poses need"),
        }
    }
}

impl FaultKind {
    /// Returns what to try, as a sentence.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Stall => "Insert fewer frames, or blend at a cut where the feet are in step.",
            Self::Slide => "Cut where the feet are in step, refine the seam, or let a network insert frames.",
            Self::Sink => "Turn foot lock on, or bring the clips to one floor.",
            Self::Pop => "Blend longer, or insert frames.",
            Self::Turn => {
                "Choose the rule of the heading: the direction of travel, the facing direction, or as in the file."
            }
            Self::Dwell => "Insert fewer frames.",
        }
    }
}
