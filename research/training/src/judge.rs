//! Training of the judge, which scores the naturalness of motion. Windows of recordings are projected on their
//! principal components. A detector learns to separate them from windows of seams, which the library's methods make
//! from recordings of the same people.
//!
//! People are split into two halves, so that two judges can be trained on disjoint recordings: one judge chooses among
//! motions, the other scores the choice. Each judge is calibrated on people outside its half.

pub mod learn;
pub mod people;
pub mod project;
pub mod random_join;
pub mod seam_method;
pub mod seams;
pub mod windows;

use crate::data::Recording;
use crate::recipe::{Header, check_dropout};
use crate::schedule::Schedule;
use glam::Vec3;
use kinestitch::body::poses::ROLES;
use kinestitch::error::{Error, Result};
use kinestitch::judge::window::{COLUMNS, FRAMES};
use kinestitch::judge::{Calibration, Judge, LAYOUT, NAME, Sizes};
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use learn::{Examples, Variation, auc, train_detector};
use people::Halves;
use project::Projection;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seam_method::{Methods, SeamMethod};
use seams::PieceSource;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windows::{Rows, draw};

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name, set and licence.
    #[serde(flatten)]
    pub header: Header,
    /// Data sets of the recordings.
    pub sets: Vec<String>,
    /// Half of the people for training, 0 or 1; people outside this half are for calibration.
    pub half: usize,
    /// Frames between the starts of recorded windows.
    pub stride: usize,
    /// Equalisation of the columns' scales before the projection: 0 keeps them, 1 makes all standard deviations equal.
    pub level: f32,
    /// Number of columns of a projected window.
    pub columns: usize,
    /// Widths of the detector's two hidden layers.
    pub hidden: [usize; 2],
    /// Number of seams for the detector's training. A quarter as many seams of people outside the half are for the
    /// report.
    pub seams: usize,
    /// If true, all seams are made by [`SeamMethod::RandomJoin`], instead of by the methods of
    /// [`Methods::seam_methods`] in turn.
    #[serde(default)]
    pub tried: bool,
    /// Regularisation of the detector's training; none by default.
    #[serde(default)]
    pub variation: Option<Variation>,
    /// The percentile of the log odds that gets score 1, over recorded windows of people outside the half. The aim is
    /// that at most one recorded frame in fifty of unknown people has a score above 1.
    #[serde(default = "default_percentile")]
    pub percentile: f64,
    /// Schedule and optimizer of the detector.
    pub schedule: Schedule,
}

fn default_percentile() -> f64 {
    99.0
}

impl Recipe {
    /// Checks that half, counts, percentile, dropout rate and schedule are valid.
    ///
    /// # Errors
    /// [`Error::Option`] for a half other than 0 and 1, for a count, a percentile or a dropout rate out of range, and
    /// those of [`Schedule::check_batch`] and [`Schedule::check_no_loop_settings`].
    pub fn check(&self) -> Result<()> {
        self.schedule.check_no_loop_settings()?;
        self.schedule.check_batch()?;
        let narrowest = self.hidden[0].min(self.hidden[1]);
        for (option, count) in [("stride", self.stride), ("seams", self.seams), ("hidden", narrowest)] {
            if count == 0 {
                return Err(Error::Option { option, message: "must be 1 or more, not 0".to_owned() });
            }
        }
        if !(1..=COLUMNS).contains(&self.columns) {
            let message = format!("a projected window has 1 to {COLUMNS} columns, not {}", self.columns);
            return Err(Error::Option { option: "columns", message });
        }
        if self.half > 1 {
            let message = format!("people are split into halves 0 and 1; there is no half {}", self.half);
            return Err(Error::Option { option: "half", message });
        }
        check_dropout(self.variation.map_or(0.0, |variation| variation.dropout))?;
        if !(0.0..100.0).contains(&self.percentile) {
            let message = format!("{} is not a percentile: it must be at least 0 and below 100", self.percentile);
            return Err(Error::Option { option: "percentile", message });
        }
        Ok(())
    }
}

/// Trains a judge on recordings and on seams made by `methods`. Returns its weight file and a readable report.
///
/// # Errors
/// [`Error::Option`] if the half, or the people outside it, have no recording as long as a window, and those of
/// [`train_detector`] and [`to_bytes`].
pub fn train(recordings: &[Recording], methods: &Methods, recipe: &Recipe) -> Result<(Vec<u8>, String)> {
    let halves = Halves::new(recordings.iter().filter(|recording| recipe.sets.contains(&recording.set)));
    let training = halves.recordings(recordings, recipe.half);
    let other_people = halves.other_recordings(recordings, recipe.half);
    let has_window = |recordings: &[&Recording]| recordings.iter().any(|recording| recording.clip.frames() >= FRAMES);
    if !has_window(&training) || !has_window(&other_people) {
        let (half, sets) = (recipe.half, recipe.sets.join(", "));
        let message = format!(
            "no recordings of {sets} with at least {FRAMES} frames by people in half {half}, or none by people outside \
             it"
        );
        return Err(Error::Option { option: "data", message });
    }
    let offsets = mean_offsets(&training);
    let rows = Rows::new(&training, &offsets, recipe.stride);
    let projection = Projection::new(&rows, recipe.level, recipe.columns);
    eprintln!("{}\n{} windows", halves.report(), rows.len());

    let mut rng = StdRng::seed_from_u64(recipe.schedule.seed);
    let seam_methods = if recipe.tried { vec![SeamMethod::RandomJoin] } else { methods.seam_methods() };
    let examples = draw(&PieceSource::new(&training, &offsets)?, methods, &seam_methods, recipe.seams, &mut rng)?;
    let [seams, recorded] = [&examples[0], &examples[1]].map(|rows| projection.rows(&rows.values));
    let examples = Examples { seams: &seams, recorded: &recorded };
    eprintln!("{} windows of seams, {} of recordings", seams.len() / recipe.columns, recorded.len() / recipe.columns);
    let (layers, loss) = train_detector(&examples, &projection, recipe.hidden, recipe.variation, &recipe.schedule)?;

    let mut tensors = tensors(&offsets, &projection);
    tensors.extend(layers);
    let sizes = Sizes { columns: recipe.columns, hidden: recipe.hidden };
    let write = |Calibration { median, unit }: Calibration| {
        let calibration = NamedTensor::vector("calibration", &[median, unit]);
        to_bytes(&recipe.header.meta(NAME, LAYOUT, &sizes)?, &[&tensors[..], &[calibration]].concat(), Precision::Int8)
    };
    // The calibration uses the weights as read back from the file, because the file rounds them.
    let uncalibrated = Calibration { median: 0.0, unit: 1.0 };
    let judge = Judge::read(&write(uncalibrated)?)?;
    let other_pieces = PieceSource::new(&other_people, &offsets)?;
    let examples = draw(&other_pieces, methods, &seam_methods, recipe.seams / 4, &mut rng)?;
    let (calibration, report) =
        calibrate(&judge, &examples, &Rows::new(&other_people, &offsets, recipe.stride), recipe);
    Ok((write(calibration)?, format!("loss {loss:.3}\n{report}")))
}

/// Computes the calibration (shift and scale) of the log odds on people outside the training half. `seams`, `recorded`:
/// windows of their seams and of the recordings that these seams join, for the report. `all`: windows of all their
/// recordings. Returns the calibration and a readable report.
fn calibrate(judge: &Judge, [seams, recorded]: &[Rows; 2], all: &Rows, recipe: &Recipe) -> (Calibration, String) {
    let mut odds = judge.window_log_odds(&all.values);
    odds.sort_by(f32::total_cmp);
    let mut calibration = Calibration { median: odds[odds.len() / 2], unit: 1.0 };
    calibration.unit = calibration.score(odds[(odds.len() as f64 * recipe.percentile / 100.0) as usize]);
    let [seams, recorded] = [seams, recorded].map(|rows| judge.window_log_odds(&rows.values));
    let area = auc(&seams, &recorded);
    let report = format!("other people: AUC of windows of seams against recordings {area:.3} ({calibration:?})");
    (calibration, report)
}

/// Returns the skeleton's offsets and the projection as named tensors of a weight file.
fn tensors(offsets: &[Vec3; ROLES], projection: &Projection) -> Vec<NamedTensor> {
    let shape = vec![COLUMNS, projection.bias.len()];
    vec![
        NamedTensor::vector("offsets", &offsets.iter().flat_map(|offset| offset.to_array()).collect::<Vec<_>>()),
        NamedTensor::vector("scale", &projection.scale),
        NamedTensor { name: "projection.weight".to_owned(), shape, values: projection.weight.clone() },
        NamedTensor::vector("projection.bias", &projection.bias),
        NamedTensor::vector("mirror", &projection.mirror),
        NamedTensor::vector("deviation", &projection.deviation),
    ]
}

/// Computes the mean joint offsets of the people in recordings, metres; every person has the same weight.
fn mean_offsets(recordings: &[&Recording]) -> [Vec3; ROLES] {
    let mut people: BTreeMap<String, &Recording> = BTreeMap::new();
    for recording in recordings {
        people.entry(people::name(recording)).or_insert(recording);
    }
    let offsets_of_role =
        |role: usize| people.values().map(move |recording| recording.clip.skeleton().joints()[role].offset);
    std::array::from_fn(|role| offsets_of_role(role).sum::<Vec3>() / people.len() as f32)
}
