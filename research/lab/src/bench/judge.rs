//! `bench judge`: scores of a judge on people outside its training data. Reports the fraction of recorded frames that
//! it flags (score over 1), and the AUC of each joining method: the probability that a random seam scores higher than
//! a random recorded excerpt. The score of a seam or excerpt is the mean of the worst fifth of its frames. Excerpts are
//! as long as seams, or one recorded piece if that is shorter.

use crate::report::{Report, number};
use crate::{Outcome, files};
use clap::Args;
use kinestitch::body::Poses;
use kinestitch::judge::window::MIDDLE;
use kinestitch::judge::{FPS, Judge};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;
use training::checkpoint;
use training::data::{Recording, Sets, Split, pack, read_dir};
use training::judge::Recipe;
use training::judge::learn::auc;
use training::judge::people::Halves;
use training::judge::seam_method::Methods;
use training::judge::seams::PieceSource;
use training::recipe::Header;

const SEED: u64 = 11;
/// Number of frames before and after a seam that are scored with it.
const SEAM_MARGIN: usize = MIDDLE;
/// Number of frames per timing: two seconds.
const TIMED_FRAMES: usize = 60;

/// Tests: name, data sets, and the only subject tested; `None`: all subjects but 08.
const TESTS: [(&str, &[&str], Option<&str>); 4] = [
    ("CMU, subject 8", &["cmu", "cmu-asf"], Some("08")),
    ("CMU from ASF, others", &["cmu-asf"], None),
    ("LAFAN1, subject 4", &["lafan1"], None),
    ("Bandai-Namco", &["bandai"], None),
];

/// Scores of a judge on people outside its training data: share of recorded frames flagged, AUC of seams, size and time
#[derive(Args)]
pub struct Options {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Weight file of the judge
    #[arg(long, value_name = "FILE", default_value = "models/judge-open.safetensors")]
    weights: PathBuf,
    /// Recipe of the judge, which lists the people in its training data
    #[arg(long, value_name = "FILE", default_value = "research/recipes/judge-open.json")]
    recipe: PathBuf,
    /// Weight file of a network that joins clips or fills gaps; can be repeated
    #[arg(long, value_name = "FILE")]
    method: Vec<PathBuf>,
    /// Seams per method and test
    #[arg(long, value_name = "N", default_value_t = 100)]
    seams: usize,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let bytes = std::fs::read(&options.weights).map_err(|error| format!("{}: {error}", options.weights.display()))?;
    let judge = Judge::read(&bytes)?;
    let methods = Methods::read(&options.method, &Header::for_measurements())?;
    let sets = Path::new("research/recipes/sets.json");
    let recordings = if options.data.is_dir() {
        let (recordings, failures) = read_dir(&options.data, &Sets::read(sets)?, FPS, |_| ());
        failures.into_iter().for_each(|error| report.note(files::left_out(&options.data, error)));
        recordings
    } else {
        pack::load(&options.data)?
    };
    let recipe: Recipe = checkpoint::read_json(&options.recipe)?;
    let halves = Halves::new(recordings.iter().filter(|recording| recipe.sets.contains(&recording.set)));
    report.note(format!("{}: {} bytes", options.weights.display(), bytes.len()));

    let (mut tests, mut times) = (Vec::new(), Vec::new());
    for (name, sets, subject) in TESTS {
        let is_held_out = |recording: &&Recording| {
            sets.contains(&recording.set.as_str())
                && recording.split == Split::Test
                && subject.is_none_or(|subject| recording.subject == subject)
                && (subject.is_some() || recording.subject != "08")
                && halves.half(recording) != Some(recipe.half)
        };
        let held_out: Vec<&Recording> = recordings.iter().filter(is_held_out).collect();
        if held_out.is_empty() {
            report.note(format!("{name}: no recordings below {}", options.data.display()));
            continue;
        }
        let recorded = score_recordings(&judge, &held_out, &mut times);
        let seam_scores = score_seams(&judge, &held_out, &methods, options.seams)?;
        tests.push((name, held_out.len(), recorded, seam_scores));
    }
    let columns = ["test", "recordings", "frames", "flagged, %", "median score", "98th percentile"];
    report.table("Recorded motion", columns);
    for (name, recordings, recorded, _) in &tests {
        let Recorded { frames, flagged, median, percentile_98, .. } = recorded;
        let [recordings, frames] = [recordings, frames].map(usize::to_string);
        let [median, percentile_98] = [median, percentile_98].map(|score| number(f64::from(*score), 2));
        report.row([(*name).to_owned(), recordings, frames, number(*flagged, 2), median, percentile_98]);
    }
    report.table("Seams told from recordings", ["test", "join", "seams", "AUC"]);
    for (name, _, _, seam_scores) in &tests {
        for (method, seams, auc) in seam_scores {
            report.row([name, method.as_str(), &seams.to_string(), &number(*auc, 3)]);
        }
    }
    if let Some(time) = median(&mut times) {
        report.note(format!("{time:.2} ms for {TIMED_FRAMES} frames, on one thread"));
    }
    Ok(())
}

/// Scores of recorded motion.
struct Recorded {
    frames: usize,
    /// Flagged frames, per cent.
    flagged: f64,
    median: f32,
    percentile_98: f32,
}

/// Returns the middle one of the values, or the higher one of the two in the middle; `None` without values.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Scores recordings. Adds the times for [`TIMED_FRAMES`] frames, milliseconds, to `times`.
fn score_recordings(judge: &Judge, recordings: &[&Recording], times: &mut Vec<f64>) -> Recorded {
    let mut scores = Vec::new();
    for recording in recordings {
        let motion = Poses::from_clip(&recording.clip, 0..recording.clip.frames());
        scores.extend(judge.scores(&motion, recording.ground));
        for start in (0..motion.len().saturating_sub(TIMED_FRAMES)).step_by(10 * TIMED_FRAMES) {
            let excerpt = motion.slice(start..start + TIMED_FRAMES);
            let started = Instant::now();
            std::hint::black_box(judge.scores(&excerpt, recording.ground));
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    scores.sort_by(f32::total_cmp);
    let flagged = scores.iter().filter(|score| **score > 1.0).count() as f64;
    Recorded {
        frames: scores.len(),
        flagged: 100.0 * flagged / scores.len().max(1) as f64,
        median: scores[scores.len() / 2],
        percentile_98: scores[scores.len() * 98 / 100],
    }
}

/// Returns name, number of seams and AUC of each joining method.
fn score_seams(
    judge: &Judge,
    recordings: &[&Recording],
    methods: &Methods,
    count: usize,
) -> kinestitch::Result<Vec<(String, usize, f64)>> {
    let pieces = PieceSource::new(recordings, judge.offsets())?;
    let mut rows = Vec::new();
    for method in methods.seam_methods() {
        // Every method gets the same pieces.
        let mut rng = StdRng::seed_from_u64(SEED);
        let (mut seams, mut recorded) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let mut piece_rng = StdRng::seed_from_u64(rng.random());
            let Some(example) = pieces.seam(method, methods, &mut piece_rng)? else { continue };
            let start = example.seam.start.saturating_sub(SEAM_MARGIN);
            let scored = start..(example.seam.end + SEAM_MARGIN).min(example.motion.len());
            for piece in &example.pieces {
                let motion = Poses::from_clip(piece, 0..piece.frames());
                let length = scored.len().min(motion.len());
                let start = piece_rng.random_range(0..=motion.len() - length);
                recorded.push(worst_fifth(judge, &motion, start..start + length));
            }
            seams.push(worst_fifth(judge, &example.motion, scored));
        }
        rows.push((methods.name(method), seams.len(), auc(&seams, &recorded)));
    }
    Ok(rows)
}

/// Returns the mean score of the worst fifth of a range of frames.
fn worst_fifth(judge: &Judge, motion: &Poses, frames: Range<usize>) -> f32 {
    Judge::worst_fifth(&judge.scores_in(motion, 0.0, frames.clone()), 0..frames.len())
}
