//! Subcommand `gallery`: builds the trajectory gallery, a set of recorded root paths from which in-betweening takes
//! candidates.

use crate::Outcome;
use crate::data::read_recipe;
use clap::Args;
use kinestitch::method::gallery::Gallery;
use kinestitch::method::gallery::file::RATE;
use std::path::PathBuf;
use training::checkpoint;
use training::gallery::{Recipe, gallery};

/// Build the trajectory gallery from recordings or a packed file
#[derive(Args)]
pub struct Build {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/gallery-open.json")]
    recipe: PathBuf,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

impl Build {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let contents = gallery(&read_recipe(&self.data, &recipe.header, &recipe.sets)?, &recipe)?;
        let bytes = contents.write()?;
        Gallery::read(&bytes)?;
        std::fs::write(&self.out, &bytes).map_err(|error| checkpoint::file_error(&self.out, error))?;
        let (tracks, seconds) = (
            contents.tracks.len(),
            contents.tracks.iter().map(|track| track.positions.len() as f64 / RATE).sum::<f64>(),
        );
        println!(
            "{}: {} bytes, {tracks} tracks of {seconds:.0} s in total, {} trajectories and as many mirrored, styles {}",
            self.out.display(),
            bytes.len(),
            contents.segments.len(),
            contents.styles.join(", ")
        );
        Ok(())
    }
}
