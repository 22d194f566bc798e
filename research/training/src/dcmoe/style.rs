//! Styles of recordings, in one-second windows: labels, and the input of a small classifier.

pub mod classifier;
pub mod confident;

use super::Recipe;
use crate::data::{Recording, Split};
use crate::takes::{Cut, Take};
use classifier::{Row, features};

/// Length of a window, frames: one second.
pub const WINDOW: usize = 30;

/// Prepares the recordings of a split that a recipe uses and that have one of its styles, each with the index of the
/// style.
pub fn takes(recordings: &[Recording], recipe: &Recipe, split: Split) -> Vec<(usize, Take)> {
    let is_used = |recording: &&Recording| recording.split == split && recipe.weight(recording).is_some();
    let labelled = |recording: &Recording| Some((recipe.style(recording)?, Take::from_recording(recording)));
    recordings.iter().filter(is_used).filter_map(labelled).collect()
}

/// Cuts a take into windows whose starts are `every` frames apart.
pub fn windows(take: &Take, every: usize) -> impl Iterator<Item = Cut<'_>> {
    (0..(take.poses.len() + 1).saturating_sub(WINDOW)).step_by(every).map(|start| Cut::unchanged(take, start))
}

/// Computes the classifier's rows of windows of takes. `every`: frames between the starts of windows.
pub fn rows(takes: &[(usize, Take)], every: usize) -> Vec<Row> {
    let row = |cut: Cut| features(&cut.poses(0, WINDOW), &cut.offsets(), cut.ground());
    let rows_of_take =
        |(style, take): &(usize, Take)| windows(take, every).map(|cut| (*style, row(cut))).collect::<Vec<_>>();
    takes.iter().flat_map(rows_of_take).collect()
}
