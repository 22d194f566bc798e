//! Training of the judge: recorded windows of some people, projected on the directions they vary in, and a detector
//! trained to tell them from windows of seams that our own methods make of the same people's recordings.
//!
//! People are split into two halves, so that two judges know nothing of each other's recordings: what one chooses the
//! other can score. Each is calibrated on the other half's people.

pub mod learn;
pub mod people;
pub mod project;
pub mod seams;
pub mod way;
pub mod windows;

use crate::data::{Recording, Sets};
use crate::schedule::Schedule;
use glam::Vec3;
use kinestitch::body::poses::ROLES;
use kinestitch::error::{Error, Result};
use kinestitch::judge::window::COLUMNS;
use kinestitch::judge::{Calibration, Judge, LAYOUT, NAME, Sizes};
use kinestitch::nn::weights::Meta;
use kinestitch::nn::weights::write::{Named, Precision, to_bytes};
use learn::{Examples, auc, detector};
use people::Halves;
use project::Projection;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seams::Pieces;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use way::Methods;
use windows::{Rows, draw};

/// Percentile of recorded motion of the other half's people that scores 1: of people recorded otherwise, at most one
/// frame in fifty shall be over it.
const PERCENTILE: usize = 99;

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the judge.
    pub name: String,
    /// Weight set that it belongs to: `open` or `research`.
    pub set: String,
    /// Permitted use of the weights, in words.
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
    /// Columns of the detector's two inner layers.
    pub hidden: [usize; 2],
    /// Seams that the detector learns from; a quarter as many of the other half
    /// are for the report.
    pub seams: usize,
    /// How the detector learns.
    pub schedule: Schedule,
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

/// The weight file of a judge made of some recordings and of seams by `methods`, and a report of it for people.
///
/// # Errors
/// [`Error::Option`] where a half has no recordings, and those of [`detector`] and [`to_bytes`].
pub fn train(recordings: &[Recording], methods: &Methods, recipe: &Recipe) -> Result<(Vec<u8>, String)> {
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
    eprintln!("{}\n{} windows", halves.report(), rows.len());

    let mut rng = StdRng::seed_from_u64(recipe.schedule.seed);
    let examples = draw(&Pieces::new(&own, &offsets)?, methods, recipe.seams, &mut rng)?;
    let [seams, recorded] = [&examples[0], &examples[1]].map(|rows| projection.rows(&rows.values));
    let examples = Examples { seams: &seams, recorded: &recorded };
    eprintln!("{} windows of seams, {} of recordings", seams.len() / recipe.columns, recorded.len() / recipe.columns);
    let (layers, loss) = detector(&examples, &projection.deviation, recipe.hidden, &recipe.schedule)?;

    let mut tensors = tensors(&offsets, &projection);
    tensors.extend(layers);
    let sizes = Sizes { columns: recipe.columns, hidden: recipe.hidden };
    let write = |Calibration { median, unit }: Calibration| {
        let own = Named::vector("calibration", &[median, unit]);
        to_bytes(&meta(recipe, sizes)?, &[&tensors[..], &[own]].concat(), Precision::Int8)
    };
    // Calibrated with the weights as read back from the file, including rounding.
    let blank = Calibration { median: 0.0, unit: 1.0 };
    let judge = Judge::read(&write(blank)?)?;
    let strangers = Pieces::new(&others, &offsets)?;
    let examples = draw(&strangers, methods, recipe.seams / 4, &mut rng)?;
    let (calibration, report) = calibrated(&judge, &examples, &Rows::of(&others, &offsets, recipe.stride));
    Ok((write(calibration)?, format!("loss {loss:.3}\n{report}")))
}

/// How odds of people that a judge does not know are shifted and divided; `all` are their recordings.
fn calibrated(judge: &Judge, [seams, recorded]: &[Rows; 2], all: &Rows) -> (Calibration, String) {
    let mut odds = judge.odds_of(&all.values);
    odds.sort_by(f32::total_cmp);
    let mut calibration = Calibration { median: odds[odds.len() / 2], unit: 1.0 };
    calibration.unit = calibration.score(odds[odds.len() * PERCENTILE / 100]);
    let [seams, recorded] = [seams, recorded].map(|rows| judge.odds_of(&rows.values));
    let area = auc(&seams, &recorded);
    (calibration, format!("windows of strangers' seams against their recordings, AUC {area:.3} ({calibration:?})"))
}

fn tensors(offsets: &[Vec3; ROLES], projection: &Projection) -> Vec<Named> {
    let shape = vec![COLUMNS, projection.bias.len()];
    vec![
        Named::vector("offsets", &offsets.iter().flat_map(|offset| offset.to_array()).collect::<Vec<_>>()),
        Named::vector("scale", &projection.scale),
        Named { name: "projection.weight".to_owned(), shape, values: projection.weight.clone() },
        Named::vector("projection.bias", &projection.bias),
        Named::vector("mirror", &projection.mirror),
        Named::vector("deviation", &projection.deviation),
    ]
}

fn meta(recipe: &Recipe, sizes: Sizes) -> Result<Meta> {
    let config = serde_json::to_value(sizes).map_err(|error| Error::Weights { message: error.to_string() })?;
    let (set, licence) = (recipe.set.clone(), recipe.licence.clone());
    Ok(Meta { name: NAME.to_owned(), layout: LAYOUT, config, set, licence })
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
