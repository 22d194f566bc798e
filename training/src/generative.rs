//! Training of generative control: encoder, decoder and discriminator (Starke et al. 2020, eq. 9 to 13).
//!
//! Rows are the paths of a controller's recordings. As in the paper: weight 5 of the reconstruction relative to the
//! adversarial loss, dropout of .3 in the encoder, joint training of all three; the reconstruction loss is a mean
//! square, as in the authors' code. Different: encoder and decoder minimise −log s_fake instead of log(1 − s_fake) (eq.
//! 13), whose gradient vanishes while the discriminator is right (Goodfellow et al. 2014, section 3), and all hidden
//! layers of the discriminator use ReLU.

pub mod file;
pub mod learn;
pub mod spread;

use crate::checkpoint::{Folder, State};
use crate::controller::Data;
use crate::experts::normal::{Normal, parts};
use crate::own::{self, Learning};
use crate::run::Run;
use crate::schedule::Level;
use kinestitch::error::Result;
use kinestitch::method::controller::generative::Sizes;
use learn::{Learner, Rule};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};

/// Frames for the statistics, and for validation.
const STATISTICS: usize = 12_000;
const HELD_OUT: usize = 2000;

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run.
    pub name: String,
    /// Recipe file of the controller, in the same folder. Set, licence and recordings are the controller's.
    pub controller: String,
    /// Width of hidden layers. Codes are half as wide as paths.
    pub hidden: usize,
    /// Share of the encoder's columns that dropout zeroes.
    pub dropout: f32,
    /// λ of eq. 12.
    pub reconstruction: f32,
    /// Length and learning rate of the run.
    pub schedule: Level,
}

/// A learner with its data.
struct Training<'a> {
    learner: Learner,
    data: &'a Data,
    recipe: &'a Recipe,
    meta: (&'a str, &'a str),
    /// Normalised rows: training frames for the noise's covariance, and validation frames.
    rows: [Vec<f32>; 2],
}

impl Learning for Training<'_> {
    const PARTS: &'static [&'static str] = &["reconstruction", "adversarial", "discriminator"];

    fn learn(&mut self, step: usize) -> Vec<f32> {
        let Recipe { schedule, dropout, reconstruction, .. } = *self.recipe;
        let rate = schedule.rate_at(step) as f32;
        let rule = Rule { batch: schedule.batch, rate, dropout, reconstruction, seed: schedule.seed };
        self.learner.learn(&self.data.rows, &self.data.train, &rule).to_vec()
    }

    fn errors(&self) -> Vec<String> {
        ["held_out_rms", "told_apart"].map(str::to_owned).to_vec()
    }

    fn validate(&self) -> (f32, Vec<f32>) {
        let found = self.learner.check(&self.rows[1]);
        (found[0], found.to_vec())
    }

    fn network(&self) -> Result<Vec<u8>> {
        file::weights(&self.learner, &self.rows[0], &self.data.rows.layout, self.meta)
    }

    fn checkpoint(&self) -> Result<Vec<u8>> {
        file::checkpoint(&self.learner, self.meta)
    }
}

/// Trains by a recipe ([`own::train`]) on the recordings of its controller. `meta`: the controller's set and licence.
///
/// # Errors
/// Those of [`own::train`]; [`kinestitch::Error::Weights`] for a checkpoint of other sizes.
pub fn train(data: &Data, recipe: &Recipe, meta: (&str, &str), run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let resumed = if run.resume { folder.state()? } else { None };
    let layout = &data.rows.layout;
    let (path, seed) = (layout.path().len(), recipe.schedule.seed);
    let sizes = Sizes { path, hidden: recipe.hidden, code: path / 2 };
    let mut rng = StdRng::seed_from_u64(seed);
    let mut rows = learn::draw(&data.rows, &data.train, STATISTICS, &mut rng);
    let normal = Normal::of(&rows, path, &parts(layout.path(), layout.sample(), &[2, 2, 2, layout.actions]));
    let mut held_out = learn::draw(&data.rows, &data.validation, HELD_OUT, &mut rng);
    normal.apply(&mut rows);
    normal.apply(&mut held_out);
    let mut learner = Learner::new(sizes, normal, seed);
    if let Some(state) = &resumed {
        file::restore(&mut learner, &folder.file("last.safetensors"), state.step)?;
    }
    let mut training = Training { learner, data, recipe, meta, rows: [rows, held_out] };
    own::train(&mut training, resumed.unwrap_or(State::START), &recipe.schedule, run)
}
