//! Refines rows, window after window.

use super::PackedRmr;
use super::window::{WindowOptions, put_back, windows};
use crate::error::{Error, Result};
use crate::feature::layout::RefinerRow;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// State of a refinement. Later windows read the results of earlier ones, except root displacements, which remain
/// those of the input, as in training. Rows outside every window stay bit-equal.
#[derive(Debug, Clone)]
pub struct Refinement {
    rows: Vec<f32>,
    refined: Vec<f32>,
    windows: Vec<Range<usize>>,
    done: usize,
    options: WindowOptions,
}

impl Refinement {
    /// Raw rows, [frames × 161], with the first frame of each incoming clip in `seams`.
    ///
    /// # Errors
    /// [`Error::Option`] for rows that are empty, incomplete or not finite, and for seams outside of them.
    pub fn new(rows: Vec<f32>, seams: &[usize], options: WindowOptions) -> Result<Self> {
        let wrong = |option, message| Err(Error::Option { option, message });
        let frames = rows.len() / RefinerRow::WIDTH;
        if rows.is_empty() || !rows.len().is_multiple_of(RefinerRow::WIDTH) {
            return wrong(
                "rows",
                format!("{} numbers where a multiple of {} is needed", rows.len(), RefinerRow::WIDTH),
            );
        }
        if let Some(at) = rows.iter().position(|value| !value.is_finite()) {
            let (frame, column) = (at / RefinerRow::WIDTH, at % RefinerRow::WIDTH);
            return wrong("rows", format!("frame {frame} is not finite in column {column}"));
        }
        if let Some(seam) = seams.iter().find(|&&seam| seam >= frames) {
            return wrong("seams", format!("{seam} is outside of the {frames} frames"));
        }
        let windows = windows(frames, seams, options);
        Ok(Self { refined: rows.clone(), rows, windows, done: 0, options })
    }

    /// Rows of the next window, as input of the network; `None` after the last one.
    pub fn input(&self) -> Option<Vec<f32>> {
        let range = columns(self.windows.get(self.done)?);
        let mut input = self.refined[range.clone()].to_vec();
        let own = self.rows[range].chunks_exact(RefinerRow::WIDTH);
        for (row, own) in input.chunks_exact_mut(RefinerRow::WIDTH).zip(own) {
            row[RefinerRow::ROOT.range()].copy_from_slice(&own[RefinerRow::ROOT.range()]);
        }
        Some(input)
    }

    /// Writes the network's output for [`Refinement::input`] back, with contacts as probabilities.
    ///
    /// # Errors
    /// [`Error::Device`] for another number of rows, or rows that are not finite.
    pub fn put(&mut self, output: &[f32]) -> Result<()> {
        let Some(window) = self.windows.get(self.done) else { return Ok(()) };
        if output.len() != window.len() * RefinerRow::WIDTH || !output.iter().all(|value| value.is_finite()) {
            return Err(Error::Device { message: "its output is not finite".to_owned() });
        }
        put_back(&mut self.refined, window.clone(), output, self.options.blend, self.options.fade);
        self.done += 1;
        Ok(())
    }

    /// Completed fraction, 0 to 1.
    pub fn done(&self) -> f32 {
        if self.windows.is_empty() { 1.0 } else { self.done as f32 / self.windows.len() as f32 }
    }

    /// The rows in their current state.
    pub fn refined(&self) -> &[f32] {
        &self.refined
    }
}

/// Range of the numbers of a window's rows.
fn columns(window: &Range<usize>) -> Range<usize> {
    window.start * RefinerRow::WIDTH..window.end * RefinerRow::WIDTH
}

impl PackedRmr {
    /// Refines raw rows, [frames × 161], around their seams ([`super::window`]). In windows, contacts become
    /// probabilities and root displacements are predicted. `progress` gets the completed fraction after each window,
    /// and may abort.
    ///
    /// # Errors
    /// Those of [`Refinement::new`] and [`Refinement::put`]; [`Error::Aborted`] where `progress` aborts.
    pub fn refine(
        &self,
        rows: &[f32],
        seams: &[usize],
        options: WindowOptions,
        progress: &mut Progress,
    ) -> Result<Vec<f32>> {
        let mut refinement = Refinement::new(rows.to_vec(), seams, options)?;
        while let Some(input) = refinement.input() {
            refinement.put(&self.forward(&input))?;
            progress.at(Stage::Refine, refinement.done())?;
        }
        Ok(refinement.refined)
    }
}
