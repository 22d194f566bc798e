//! Progress reports and cancellation of long computations: [`Progress`].

use crate::error::{Error, Result};
use std::fmt;
use std::ops::{ControlFlow, Range};

/// A stage of a long computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Trimming, resampling and retargeting clips.
    Align,
    /// Searching for the best cuts, joins or gap fillers.
    Scan,
    /// Joining clips, or filling gaps.
    Blend,
    /// Refining seams by a network.
    Refine,
    /// Pinning feet.
    FootLock,
}

impl Stage {
    /// Returns the name of the stage for programs.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Align => "align",
            Stage::Scan => "scan",
            Stage::Blend => "blend",
            Stage::Refine => "refine",
            Stage::FootLock => "foot-lock",
        }
    }
}

/// Receiver of progress reports, which may abort the computation, and the clock of the computation.
pub struct Progress<'a> {
    /// Returns the time, milliseconds, from any origin.
    clock: fn() -> f64,
    report: Box<dyn FnMut(Stage, f32) -> ControlFlow<()> + 'a>,
}

impl<'a> Progress<'a> {
    /// Creates a receiver: `report` gets stage and completed fraction, see [`Progress::at`], and aborts by returning
    /// `Break`. Its clock stands still.
    pub fn new(report: impl FnMut(Stage, f32) -> ControlFlow<()> + 'a) -> Self {
        Self { clock: || 0.0, report: Box::new(report) }
    }

    /// Sets the clock: a function that returns the time, milliseconds, from any origin. The library has no clock of its
    /// own, because the standard library's panics in wasm.
    #[must_use]
    pub fn with_clock(self, clock: fn() -> f64) -> Self {
        Self { clock, ..self }
    }

    /// Returns the time of the clock, milliseconds.
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Creates a receiver that ignores reports and never aborts.
    pub fn silent() -> Self {
        Self::new(|_, _| ControlFlow::Continue(()))
    }

    /// Reports the completed fraction `done`, 0 to 1: of the stage, or, while clips are joined, of the whole
    /// computation. It may decrease when another stage begins.
    ///
    /// # Errors
    /// [`Error::Aborted`] if the receiver aborts.
    pub fn at(&mut self, stage: Stage, done: f32) -> Result<()> {
        match (self.report)(stage, done) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Aborted),
        }
    }

    /// Creates a receiver for one section of a computation: its fractions 0 and 1 are mapped to the ends of `section`.
    pub fn part(&mut self, section: Range<f32>) -> Progress<'_> {
        let (length, clock) = (section.end - section.start, self.clock);
        Progress::new(move |stage, done| (self.report)(stage, section.start + length * done)).with_clock(clock)
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("Progress")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_nested_parts_are_mapped_to_the_whole_stage() {
        let mut reports = Vec::new();
        let mut whole = Progress::new(|stage, done| {
            reports.push((stage, done));
            ControlFlow::Continue(())
        });
        whole.at(Stage::Align, 0.25).unwrap();
        whole.part(0.5..1.0).part(0.0..0.5).at(Stage::Scan, 1.0).unwrap();
        whole.part(0.5..1.0).at(Stage::Scan, 1.0).unwrap();
        drop(whole);
        assert_eq!(reports, [(Stage::Align, 0.25), (Stage::Scan, 0.75), (Stage::Scan, 1.0)]);
    }

    #[test]
    fn an_abort_passes_through_parts() {
        let mut progress =
            Progress::new(|_, done| if done < 0.5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
        assert_eq!(progress.at(Stage::Blend, 0.4), Ok(()));
        assert_eq!(progress.part(0.4..0.6).at(Stage::Blend, 0.4), Ok(()));
        assert_eq!(progress.part(0.4..0.6).at(Stage::Blend, 0.6), Err(Error::Aborted));
        assert_eq!(Progress::silent().at(Stage::Refine, 1.0), Ok(()));
    }
}
