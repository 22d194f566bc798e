//! Refines rows around seams, one window after the other.

use super::PackedRmr;
use super::window::{WindowOptions, merge, windows};
use crate::error::{Error, Result};
use crate::feature::layout::RefinerRow;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// State of a refinement. Each window reads the rows that earlier windows have refined; only root displacements are
/// always read from the input, as in training. Rows outside all windows stay bit-identical.
#[derive(Debug, Clone)]
pub struct Refinement {
    rows: Vec<f32>,
    refined: Vec<f32>,
    windows: Vec<Range<usize>>,
    /// Number of refined windows.
    refined_windows: usize,
    options: WindowOptions,
}

impl Refinement {
    /// Starts a refinement of raw rows, [frames × 161]. `seams`: first frame of each clip after the first.
    ///
    /// # Errors
    /// [`Error::Option`] for rows that are empty, incomplete or not finite, and for seams outside the rows.
    pub fn new(rows: Vec<f32>, seams: &[usize], options: WindowOptions) -> Result<Self> {
        let fail = |option, message| Err(Error::Option { option, message });
        let frames = rows.len() / RefinerRow::WIDTH;
        if rows.is_empty() || !rows.len().is_multiple_of(RefinerRow::WIDTH) {
            return fail("rows", format!("a positive multiple of {} numbers, not {}", RefinerRow::WIDTH, rows.len()));
        }
        if let Some(index) = rows.iter().position(|value| !value.is_finite()) {
            let (frame, column) = (index / RefinerRow::WIDTH, index % RefinerRow::WIDTH);
            return fail("rows", format!("frame {frame} is not finite in column {column}"));
        }
        if let Some(seam) = seams.iter().find(|&&seam| seam >= frames) {
            return fail("seams", format!("seam {seam} is outside the {frames} frames"));
        }
        let windows = windows(frames, seams, options);
        Ok(Self { refined: rows.clone(), rows, windows, refined_windows: 0, options })
    }

    /// Returns the rows of the next window, the input of the network; `None` after the last window.
    pub fn input(&self) -> Option<Vec<f32>> {
        let range = number_range(self.windows.get(self.refined_windows)?);
        let mut input = self.refined[range.clone()].to_vec();
        let originals = self.rows[range].chunks_exact(RefinerRow::WIDTH);
        for (row, original) in input.chunks_exact_mut(RefinerRow::WIDTH).zip(originals) {
            row[RefinerRow::ROOT.range()].copy_from_slice(&original[RefinerRow::ROOT.range()]);
        }
        Some(input)
    }

    /// Merges the network's output for [`Refinement::input`] into the rows; contacts are probabilities.
    ///
    /// # Errors
    /// [`Error::Device`] for a wrong number of rows, or rows that are not finite.
    pub fn merge_output(&mut self, output: &[f32]) -> Result<()> {
        let Some(window) = self.windows.get(self.refined_windows) else { return Ok(()) };
        if output.len() != window.len() * RefinerRow::WIDTH || !output.iter().all(|value| value.is_finite()) {
            return Err(Error::Device {
                message: "the output of the network has the wrong length or is not finite".to_owned(),
            });
        }
        merge(&mut self.refined, window.clone(), output, self.options.blend, self.options.fade);
        self.refined_windows += 1;
        Ok(())
    }

    /// Returns the completed fraction, 0 to 1.
    pub fn progress(&self) -> f32 {
        if self.windows.is_empty() { 1.0 } else { self.refined_windows as f32 / self.windows.len() as f32 }
    }

    /// Returns the rows in their current state.
    pub fn refined(&self) -> &[f32] {
        &self.refined
    }
}

/// Returns the range of a window's numbers in the rows.
fn number_range(window: &Range<usize>) -> Range<usize> {
    window.start * RefinerRow::WIDTH..window.end * RefinerRow::WIDTH
}

impl PackedRmr {
    /// Refines raw rows, [frames × 161], around seams ([`super::window`]). In windows, contacts of the result are
    /// probabilities, and root displacements are predicted. `progress` receives the completed fraction after each
    /// window, and may abort.
    ///
    /// # Errors
    /// The errors of [`Refinement::new`] and [`Refinement::merge_output`]; [`Error::Aborted`] if `progress` aborts.
    pub fn refine(
        &self,
        rows: &[f32],
        seams: &[usize],
        options: WindowOptions,
        progress: &mut Progress,
    ) -> Result<Vec<f32>> {
        let mut refinement = Refinement::new(rows.to_vec(), seams, options)?;
        while let Some(input) = refinement.input() {
            refinement.merge_output(&self.forward(&input))?;
            progress.at(Stage::Refine, refinement.progress())?;
        }
        Ok(refinement.refined)
    }
}
