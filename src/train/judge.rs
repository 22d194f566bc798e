//! Training of the judge: recorded windows of some people, projected on the directions they vary in and thinned out.
//!
//! People are split into two halves, so that two judges know nothing of each other's recordings: what one chooses the other can
//! score. Each is calibrated on the other half's people.

pub mod people;
pub mod project;
pub mod thin;
pub mod windows;

use crate::body::poses::ROLES;
use crate::error::{Error, Result};
use crate::judge::neighbours::Neighbours;
use crate::judge::{LAYOUT, NAME, Sizes};
use crate::nn::weights::Meta;
use crate::nn::weights::write::{Named, Precision, to_bytes};
use crate::train::data::{Recording, Sets};
use glam::Vec3;
use people::Halves;
use project::Projection;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windows::Rows;

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the judge.
    pub name: String,
    /// Weight set that it belongs to: `open` or `research`.
    pub set: String,
    /// What it may be used for, in words.
    pub licence: String,
    /// Data sets whose recordings it is made of.
    pub sets: Vec<String>,
    /// Half of the people it is made of, 0 or 1; it is calibrated on the other.
    pub half: usize,
    /// Frames between recorded windows.
    pub stride: usize,
    /// How far the scales of a window's columns are levelled: 0 leaves them as they are, 1 makes all alike.
    pub level: f32,
    /// Columns of a projected window.
    pub columns: usize,
    /// Recorded windows kept at most.
    pub windows: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Recipe {
    /// Refuses recordings that may not be given away in a judge that may.
    ///
    /// # Errors
    /// [`Error::Option`] for a data set that is not known, or not open where the recipe says so, and for another half.
    pub fn check(&self, sets: &Sets) -> Result<()> {
        for name in &self.sets {
            if self.set == "open" && sets.set(name)?.weights != "open" {
                let message = format!("\"{name}\" is not open: a judge made of it cannot be");
                return Err(Error::Option { option: "sets", message });
            }
        }
        if self.half > 1 {
            let message = format!("people are split into halves 0 and 1, there is no {}", self.half);
            return Err(Error::Option { option: "half", message });
        }
        Ok(())
    }
}

/// The weight file of a judge made of some recordings, and a report of it for people.
///
/// # Errors
/// [`Error::Option`] where a half has no recordings, and those of [`to_bytes`].
pub fn train(recordings: &[Recording], recipe: &Recipe) -> Result<(Vec<u8>, String)> {
    let halves = Halves::new(recordings.iter().filter(|recording| recipe.sets.contains(&recording.set)));
    let own = halves.recordings(recordings, recipe.half);
    let others = halves.strangers(recordings, recipe.half);
    if own.is_empty() || others.is_empty() {
        let message = format!("half {} of the people has no recordings of {}", recipe.half, recipe.sets.join(", "));
        return Err(Error::Option { option: "data", message });
    }
    let offsets = mean_offsets(&own);
    let rows = Rows::of(&own, &offsets, recipe.stride);
    let projection = Projection::of(&rows, recipe.level, recipe.columns);
    let projected = projection.rows(&rows);
    let kept = thin::thin(&projected, recipe.columns, recipe.windows, recipe.seed);
    let neighbours = Neighbours::new(kept.clone(), recipe.columns);

    let strange = Rows::of(&others, &offsets, recipe.stride);
    let mut distances = project::nearest(&projection, &neighbours, &strange);
    distances.sort_by(f32::total_cmp);
    let unit = distances[distances.len() * 98 / 100];

    let report = format!(
        "{}\n{} of {} windows kept; of strangers' {} windows the median distance is {:.3}, the 98th percentile {unit:.3}",
        halves.report(),
        kept.len() / recipe.columns,
        rows.len(),
        distances.len(),
        distances[distances.len() / 2],
    );
    let windows = kept.len() / recipe.columns;
    let tensors = [
        Named::vector("offsets", &offsets.iter().flat_map(|offset| offset.to_array()).collect::<Vec<_>>()),
        Named::vector("scale", &projection.scale),
        Named {
            name: "projection.weight".to_owned(),
            shape: vec![crate::judge::window::COLUMNS, recipe.columns],
            values: projection.weight.clone(),
        },
        Named::vector("projection.bias", &projection.bias),
        Named { name: "windows".to_owned(), shape: vec![windows, recipe.columns], values: kept },
        Named::vector("unit", &[unit]),
    ];
    let config = serde_json::to_value(Sizes { columns: recipe.columns, windows })
        .map_err(|error| Error::Weights { message: error.to_string() })?;
    let (set, licence) = (recipe.set.clone(), recipe.licence.clone());
    let meta = Meta { name: NAME.to_owned(), layout: LAYOUT, config, set, licence };
    Ok((to_bytes(&meta, &tensors, Precision::Int8)?, report))
}

/// Mean skeleton of recordings, each person counting alike.
fn mean_offsets(recordings: &[&Recording]) -> [Vec3; ROLES] {
    let mut people: BTreeMap<String, &Recording> = BTreeMap::new();
    for recording in recordings {
        people.entry(people::name(recording)).or_insert(recording);
    }
    let of = |role: usize| people.values().map(move |one| one.clip.skeleton().joints()[role].offset);
    std::array::from_fn(|role| of(role).sum::<Vec3>() / people.len() as f32)
}
