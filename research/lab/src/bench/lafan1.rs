//! `bench lafan1`: the in-betweening table of LAFAN1 (Harvey et al. 2020, Tables 2 and 3): L2Q, L2P and NPSS for gaps
//! of 5, 15, 30 and 45 frames, or others, with foot skate and ratios to interpolation. Optional: Tables 6 and 7 of Tang
//! et al. 2022, *Real-time Controllable Motion Transition*, on the same windows.
//!
//! Verified against Ubisoft's evaluation code: see tests/native/metrics.rs.

mod actions;
mod baseline;
mod durations;
mod filler;
mod score;
mod seeds;

use crate::Outcome;
use crate::report::{Report, number};
use crate::window::{FILE_COUNT, PAST, TEST, TRAIN, Window, Windowing, World, each_window, list_files, read_subjects};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use filler::{Body, Filler};
use glam::Vec3;
use kinestitch::method::FILLERS;
use kinestitch::method::registry::{self, FillerChoice, Fillers};
pub use score::weighted_skate;
use score::{PositionStatistics, Score, score};
use std::path::PathBuf;

/// Suffix of a method's name: the method receives the ground path of the recording.
const PATH_SUFFIX: &str = "-path";
/// Frames after the target in every window.
const FRAMES_AFTER_TARGET: usize = 10;

/// Fills the frames `PAST..PAST + gap` from the past frames and the target frame `PAST + gap`.
type Method<'a> = Box<dyn Fn(&Window, usize) -> Outcome<World> + 'a>;

/// Selects one value of a score.
type Measure = fn(&Score) -> f64;

/// Measures of the table: name, printed digits, value.
const MEASURES: [(&str, usize, Measure); 4] = [
    ("L2Q", 4, |score| score.l2q),
    ("L2P", 5, |score| score.l2p),
    ("NPSS", 5, |score| score.npss),
    ("skate", 3, |score| score.skate),
];
/// Baseline methods.
const BASELINES: [&str; 2] = ["zero-velocity", "interpolation"];

/// In-betweening table of LAFAN1: L2Q, L2P, NPSS and foot skate for gaps of 5, 15, 30 and 45 frames, or others
#[derive(Args)]
pub struct Options {
    /// Folder of LAFAN1 files
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Subjects to score
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',', required = true)]
    test: Vec<String>,
    /// Subjects for the statistics
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',', required = true)]
    train: Vec<String>,
    /// Methods beside the truth: zero-velocity, interpolation, or any gap filler; NAME-path receives the ground path of
    /// the recording
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_values = BASELINES)]
    method: Vec<String>,
    /// Weight files of the networks
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    weights: Vec<PathBuf>,
    /// Lengths of the gaps; above 45, windows are longer than in the published code
    #[arg(long, value_name = "FRAMES", value_delimiter = ',', default_values_t = [5, 15, 30, 45])]
    #[arg(value_parser = frames())]
    gaps: Vec<usize>,
    /// Print spread, skate and jerk of this many seeds, for the first method with seeds
    #[arg(long, value_name = "N", default_value_t = 0)]
    seeds: u64,
    /// Print the scores per kind of action, for gaps of 30 frames (Tang et al. 2022, Table 6)
    #[arg(long)]
    by_action: bool,
    /// Print the foot skate of gaps of 30 frames refilled with these frame counts (Tang et al. 2022, Table 7:
    /// 8,15,60,3000)
    #[arg(long, value_name = "FRAMES", value_delimiter = ',', value_parser = frames())]
    durations: Vec<usize>,
}

/// Parses a number of frames, which must not be zero.
fn frames() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let Data { windows, deviation, body } = read_data(&options, report)?;
    let Options { method: names, weights, gaps, seeds, by_action, durations, .. } = options;
    let fillers = read_fillers(&names, &weights, &body)?;
    let methods = methods(&names, &fillers);
    let mut scores: Vec<(&str, Vec<Score>)> = Vec::new();
    for (name, method) in &methods {
        let score_gap = |&gap: &usize| score(windows.iter(), &deviation, method, gap);
        scores.push((name, gaps.iter().map(score_gap).collect::<Outcome<_>>()?));
    }
    tables(&gaps, &scores, report);
    for (name, filler) in &fillers {
        let (time, frames) = *filler.spent.borrow();
        if frames > 0 {
            let frame_ms = time.as_secs_f64() * 1e3 / frames as f64;
            report.note(format!("{name}: {frames} frames, {frame_ms:.3} ms each in the method"));
        }
    }
    if by_action {
        actions::table(&windows, &deviation, &methods, report)?;
    }
    if !durations.is_empty() {
        durations::table(&windows, &methods, &durations, report)?;
    }
    if seeds > 0 {
        let has_seeds = |filler: &Filler| {
            FILLERS.iter().any(|entry| entry.name == filler.name() && (entry.options)().contains_key("seed"))
        };
        let filler = fillers.iter().map(|(_, filler)| filler).find(|filler| has_seeds(filler));
        let filler = filler.ok_or("--seeds needs a method with seeds among the methods")?;
        seeds::table(&windows, filler, (&gaps, seeds), report)?;
    }
    Ok(())
}

/// Windows of the test subjects, and statistics of the training subjects.
struct Data {
    windows: Vec<Window>,
    /// Standard deviations of the joints' world positions ([`PositionStatistics::deviation`]).
    deviation: Vec<Vec3>,
    body: Body,
}

/// Reads the recordings. Notes how many files and windows the scores use.
fn read_data(options: &Options, report: &mut Report) -> Outcome<Data> {
    let Options { data, test, train, gaps, .. } = options;
    let files = list_files(data)?;
    let mut statistics = PositionStatistics::default();
    let train_files = each_window(&files, train, TRAIN, |window| statistics.add(&window))?;
    let mut windows = Vec::new();
    let longest = gaps.iter().copied().max().unwrap_or(0);
    let windowing = Windowing { frames: TEST.frames.max(PAST + longest + FRAMES_AFTER_TARGET), ..TEST };
    let test_files = each_window(&files, test, windowing, |window| windows.push(window))?;
    let needed = [(train, TRAIN.frames, statistics.is_empty()), (test, windowing.frames, windows.is_empty())];
    if let Some((subjects, frames, _)) = needed.into_iter().find(|(.., is_empty)| *is_empty) {
        let (subjects, data) = (subjects.join(", "), data.display());
        return Err(format!("{data}: no recording of {subjects} has the {frames} frames of a window").into());
    }
    let name = if files.len() < FILE_COUNT { "LAFAN1-partial" } else { "LAFAN1" };
    report.note(format!(
        "{name}: {} of {FILE_COUNT} files; statistics from {train_files} files of {}; \
         {} windows from {test_files} files of {}",
        files.len(),
        train.join(", "),
        windows.len(),
        test.join(", ")
    ));
    let body = Body::of(&read_subjects(&files, train)?)?;
    Ok(Data { windows, deviation: statistics.deviation(), body })
}

/// Creates the gap fillers among the methods, with networks from the weight files.
fn read_fillers<'a>(names: &'a [String], weights: &[PathBuf], body: &'a Body) -> Outcome<Vec<(&'a str, Filler<'a>)>> {
    let mut registered = Fillers::default();
    for path in weights {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        registered.add(registry::read(&bytes)?);
    }
    let mut fillers = Vec::new();
    for name in names.iter().map(String::as_str).filter(|name| !BASELINES.contains(name)) {
        let choice = FillerChoice::from(name.strip_suffix(PATH_SUFFIX).unwrap_or(name));
        fillers.push((name, Filler::new(registered.get(&choice)?.into(), body)));
    }
    Ok(fillers)
}

/// Returns the truth and the methods of these names.
fn methods<'a>(names: &'a [String], fillers: &'a [(&'a str, Filler<'a>)]) -> Vec<(&'a str, Method<'a>)> {
    let truth: Method = Box::new(|window, gap| Ok(window.world(PAST..PAST + gap)));
    let mut methods = vec![("truth", truth)];
    for name in names.iter().map(String::as_str) {
        let filler = fillers.iter().find(|(filler_name, _)| *filler_name == name).map(|(_, filler)| filler);
        let fill: Method = match (name, filler) {
            ("zero-velocity", _) => Box::new(|window, gap| Ok(baseline::zero_velocity(window, gap))),
            (_, Some(filler)) => Box::new(move |window, gap| {
                let path = name.ends_with(PATH_SUFFIX).then(|| serde_json::to_value(Filler::path(window, gap)));
                let options = path.transpose()?.map(|path| ("path".to_owned(), path));
                Ok(filler.fill(window, gap, &options.into_iter().collect())?)
            }),
            _ => Box::new(|window, gap| Ok(baseline::interpolation(window, gap))),
        };
        methods.push((name, fill));
    }
    methods
}

/// Adds the scores of all methods, and the ratios to those of interpolation and of the recording.
fn tables(gaps: &[usize], scores: &[(&str, Vec<Score>)], report: &mut Report) {
    let columns: Vec<String> =
        ["method", "measure"].map(str::to_owned).into_iter().chain(gaps.iter().map(usize::to_string)).collect();
    let row = |method: &str, measure: &str, values: Vec<f64>, digits: usize| {
        let cells = values.into_iter().map(|value| number(value, digits));
        [method, measure].map(str::to_owned).into_iter().chain(cells).collect::<Vec<_>>()
    };
    report.table("Scores by length of the gap, frames", &columns);
    for (measure, digits, value) in MEASURES {
        for (method, scores) in scores.iter().filter(|(method, _)| *method != "truth" || measure == "skate") {
            report.row(row(method, measure, scores.iter().map(value).collect(), digits));
        }
    }
    let scored = |name: &str| scores.iter().find(|(method, _)| *method == name).map(|(_, scores)| scores);
    let (Some(plain), Some(truth)) = (scored("interpolation"), scored("truth")) else { return };
    report.table("Ratios by length of the gap, frames", &columns);
    let ratios = |ours: &[Score], base: &[Score], value: Measure| -> Vec<f64> {
        ours.iter().zip(base).map(|(ours, base)| value(ours) / value(base)).collect()
    };
    for (measure, _, value) in MEASURES {
        let others = scores.iter().filter(|(method, _)| !["truth", "interpolation", "zero-velocity"].contains(method));
        for (method, ours) in others {
            report.row(row(method, &format!("{measure} / interpolation"), ratios(ours, plain, value), 2));
        }
    }
    for (method, ours) in scores.iter().filter(|(method, _)| *method != "truth") {
        report.row(row(method, "skate / recording", ratios(ours, truth, |score| score.skate), 1));
    }
}
