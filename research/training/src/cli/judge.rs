//! Subcommand `judge`: training of the network that scores the naturalness of motion.

use crate::Outcome;
use crate::data::read_recipe;
use clap::Args;
use kinestitch::judge::Judge;
use std::path::PathBuf;
use training::checkpoint;
use training::judge::seam_method::Methods;
use training::judge::{Recipe, train};

/// Train a judge of motion on recordings or a packed file, in one run
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/judge-open.json")]
    recipe: PathBuf,
    /// Weight file of a network that joins clips or fills gaps, whose seams the detector trains on; can be repeated
    #[arg(long, value_name = "FILE")]
    method: Vec<PathBuf>,
    /// Weight file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        recipe.check()?;
        let methods = Methods::read(&self.method, &recipe.header)?;
        let recordings = read_recipe(&self.data, &recipe.header, &recipe.sets)?;
        let (bytes, report) = train(&recordings, &methods, &recipe)?;
        Judge::read(&bytes)?;
        std::fs::write(&self.out, &bytes).map_err(|error| checkpoint::file_error(&self.out, error))?;
        println!("{report}\n{}: {} bytes", self.out.display(), bytes.len());
        Ok(())
    }
}
