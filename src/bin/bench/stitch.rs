//! `bench stitch`: the tables of Kim et al., *Recurrent Motion Refiner for Locomotion Stitching*, for every method there is.
//!
//! **Pairs** (their Tables 1 and 3, from held-out recordings by their section 4): error against the truth, feet, smoothness.
//! **Seams** (their section 7.5, through the same code as the page): random pieces of held-out clips, stitched.

mod pairs;
mod pieces;
mod report;
mod seams;
mod weights;

use crate::Outcome;
use clap::Args;
use report::Row;
use std::path::PathBuf;
use weights::Network;

/// What can be tested: name, and whether there are held-out pairs of it.
pub struct Test {
    /// Name on the command line and in the file of results.
    pub name: &'static str,
    /// What the tables say of it.
    pub about: &'static str,
    /// Data set whose held-out windows make pairs.
    pub pairs: Option<&'static str>,
    /// LAFAN1 subject that is held out.
    pub subject: &'static str,
}

const TESTS: [Test; 6] = [
    Test { name: "lafan1", about: "LAFAN1, subject 4", pairs: Some("lafan1"), subject: "4" },
    Test {
        name: "subject3",
        about: "LAFAN1, subject 3 (for comparing designs; trained on by shipped research weights)",
        pairs: Some("lafan1"),
        subject: "3",
    },
    Test { name: "bandai", about: "Bandai-Namco, held-out files", pairs: Some("bandai"), subject: "4" },
    Test {
        name: "cmu",
        about: "CMU: pairs of subject 08, seams of every subject (weights of the open set have seen all but 08)",
        pairs: Some("cmu"),
        subject: "4",
    },
    Test { name: "cmu08", about: "CMU, subject 08, held out of every weight set", pairs: None, subject: "4" },
    Test { name: "samples", about: "rigs of other makers, never trained on", pairs: None, subject: "4" },
];

/// Refined stitches beside every other method, on held-out pairs and on real seams
#[derive(Args)]
pub struct Options {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Packed recordings that pairs are drawn from, which reads faster than the folder
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
    /// Sets to test
    #[arg(long, value_name = "SET", value_delimiter = ',', default_value = "lafan1,bandai,cmu,cmu08,samples")]
    test: Vec<String>,
    /// Weight file to test, as often as there are files
    #[arg(long, value_name = "FILE")]
    weights: Vec<PathBuf>,
    /// Held-out pairs of each set
    #[arg(long, value_name = "N", default_value_t = 256)]
    pairs: usize,
    /// Real seams of each set
    #[arg(long, value_name = "N", default_value_t = 128)]
    seams: usize,
    /// File of results to append to
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub fn run(options: Options) -> Outcome {
    let Options { data, pack, test, weights: files, pairs: count, seams: stitches, csv } = options;
    let tests: Vec<&Test> = test.iter().map(|name| named(name)).collect::<Result<_, _>>()?;
    if let Some(path) = &csv {
        report::prepare(path)?;
    }
    let networks: Vec<Network> = files.iter().map(|file| Network::read(file)).collect::<Result<_, _>>()?;

    let mut rows: Vec<Row> = Vec::new();
    pairs::run(pack.as_ref().unwrap_or(&data), &tests, count, &networks, &mut rows)?;
    if data.is_dir() {
        seams::run(&data, &tests, stitches, &networks, &mut rows)?;
    } else {
        println!("No seams: {} is a pack; they need the recordings themselves.\n", data.display());
    }
    match csv {
        Some(path) => report::append(&path, &rows),
        None => Ok(()),
    }
}

fn named(name: &str) -> Result<&'static Test, String> {
    TESTS.iter().find(|test| test.name == name).ok_or_else(|| {
        let names: Vec<&str> = TESTS.iter().map(|test| test.name).collect();
        format!("--test {name} is not one of {}", names.join(", "))
    })
}
