//! `bench stitch`: the tables of Kim et al., *Recurrent Motion Refiner for Locomotion Stitching*, for every method.
//!
//! **Pairs** (Tables 1 and 3; held-out recordings cut as in section 4): error against the truth, feet, smoothness.
//! **Seams** (section 7.5): random pieces of held-out clips, stitched by the code that the page uses.

mod pairs;
pub mod pieces;
mod seams;
mod table;
mod weights;

use crate::Outcome;
use crate::report::Report;
use clap::Args;
use std::path::{Path, PathBuf};
use training::data::{Sets, Split};
use weights::Network;

/// Path of the file that describes the data sets.
pub const SETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../recipes/sets.json");

/// A test set.
pub struct Test {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in the tables.
    pub about: &'static str,
    /// Data set of the held-out recordings; `None` for files of no set, which have no pairs.
    pub set: Option<&'static str>,
}

const TESTS: [Test; 6] = [
    Test { name: "lafan1", about: "LAFAN1", set: Some("lafan1") },
    Test { name: "bandai", about: "Bandai-Namco", set: Some("bandai") },
    Test { name: "cmu", about: "CMU, Daz-friendly conversion", set: Some("cmu") },
    Test { name: "cmu-asf", about: "CMU, from ASF and AMC", set: Some("cmu-asf") },
    Test { name: "accad", about: "ACCAD", set: Some("accad") },
    Test { name: "samples", about: "rigs of other makers, never trained on", set: None },
];

/// Refined stitches compared with every other method, on held-out pairs and on real seams
#[derive(Args)]
pub struct Options {
    /// Folder of recordings; or a pack of them, for the pairs only
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Pack from which the pairs are read; faster than the folder
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
    /// Data sets to test
    #[arg(long, value_name = "SET", value_delimiter = ',', default_value = "lafan1,bandai,cmu,cmu-asf,accad,samples")]
    test: Vec<String>,
    /// Split to test: use `validation` to compare designs, and `test` only for the final score
    #[arg(long, value_name = "SPLIT", default_value = "test", value_parser = split)]
    split: Split,
    /// Weight file of a refiner to test; can be repeated
    #[arg(long, value_name = "FILE")]
    weights: Vec<PathBuf>,
    /// Held-out pairs per data set
    #[arg(long, value_name = "N", default_value_t = 256)]
    pairs: usize,
    /// Real seams per data set
    #[arg(long, value_name = "N", default_value_t = 128)]
    seams: usize,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let Options { data, pack, test, split, weights: files, pairs: count, seams: stitches } = options;
    let tests: Vec<&Test> = test.iter().map(|name| find_test(name)).collect::<Result<_, _>>()?;
    let networks: Vec<Network> = files.iter().map(|file| Network::read(file)).collect::<Result<_, _>>()?;

    let sets = Sets::read(Path::new(SETS))?;
    let recordings = pack.as_ref().unwrap_or(&data);
    pairs::run(recordings, (&tests, &sets, split), count, &networks, report)?;
    if stitches == 0 {
        return Ok(());
    }
    if data.is_dir() {
        seams::run(&data, (&tests, &sets, split), stitches, &networks, report)?;
    } else {
        report.note(format!("No seams: they need a folder of recordings, and {} is not a folder.", data.display()));
    }
    Ok(())
}

pub fn find_test(name: &str) -> Result<&'static Test, String> {
    TESTS.iter().find(|test| test.name == name).ok_or_else(|| {
        let names: Vec<&str> = TESTS.iter().map(|test| test.name).collect();
        format!("--test {name} is not one of {}", names.join(", "))
    })
}

/// Parses the name of a split.
pub fn split(name: &str) -> Result<Split, String> {
    let split = Split::ALL.into_iter().find(|split| split.name() == name);
    split.ok_or_else(|| format!("not one of {}", Split::ALL.map(Split::name).join(", ")))
}
