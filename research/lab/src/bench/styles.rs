//! `bench styles`: style accuracy of gaps filled in a style, and path error of gaps filled along a path, on held-out
//! keys.

use crate::report::{Report, number};
use crate::{Outcome, files};
use clap::{Args, ValueEnum};
use glam::{Vec2, Vec3};
use kinestitch::Clip;
use kinestitch::body::biped;
use kinestitch::body::poses::{FPS, PAST, Poses};
use kinestitch::method::dcmoe::{Conditions, Network, path};
use kinestitch::method::filler::BodyKeys;
use kinestitch::motion::bvh;
use kinestitch::nn::weights::Weights;
use std::path::{Path, PathBuf};
use training::checkpoint;
use training::data::{Split, pack};
use training::dcmoe::Recipe;
use training::dcmoe::style::classifier::{Classifier, Row, features};
use training::dcmoe::style::{WINDOW, rows, takes};
use training::takes::{Cut, Take};

/// Frames of a gap. A window in its middle is classified.
const GAP: usize = 45;
/// Stride between the classifier's training windows, frames.
const TRAINING_STRIDE: usize = 10;
/// Largest number of gaps written as BVH.
const MAX_WRITTEN: usize = 8;
/// Largest sideways distance between a requested path and the recorded path, metres.
const BEND: f32 = 0.4;

/// Style accuracy and path error of filled gaps; a classifier recognises the styles
#[derive(Args)]
pub struct Options {
    /// Packed recordings
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Weight file of DC-MoE
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// Recipe that assigns styles to the recordings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/dcmoe-research.json")]
    recipe: PathBuf,
    /// Held-out recordings: `validation` for choosing a design, `test` for the final score
    #[arg(long, value_enum, default_value_t = HeldOut::Test)]
    split: HeldOut,
    /// Style of the keys; default: all styles
    #[arg(long, value_name = "STYLE")]
    keys: Option<String>,
    /// Choose the length of each gap so that its speed is within the middle half of the style's speeds
    #[arg(long)]
    own_time: bool,
    /// Folder for some of the filled gaps with their keys, as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum HeldOut {
    Validation,
    Test,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let Options { data, weights, recipe, split, keys, own_time, out } = options;
    let bytes = files::read(&weights)?;
    let network = Weights::read(&bytes).and_then(|file| Network::read(&file)).map_err(files::at(&weights))?;
    let recipe: Recipe = checkpoint::read_json(&recipe)?;
    let styles = &recipe.styles;
    if let Some(unknown) = keys.as_ref().filter(|name| !styles.contains(name)) {
        return Err(format!("--keys {unknown}: not one of {}", styles.join(", ")).into());
    }
    let recordings = pack::load(&data)?;
    let split = match split {
        HeldOut::Validation => Split::Validation,
        HeldOut::Test => Split::Test,
    };
    let [training, held_out] = [Split::Train, split].map(|split| takes(&recordings, &recipe, split));
    if training.is_empty() || held_out.is_empty() {
        return Err("no recordings of the recipe's styles to train on, or none held out".into());
    }
    let classifier = train_classifier(styles, &training, &held_out, report);
    let mut gaps = Gaps::new(&network, styles, &classifier, own_time)?;
    let has_key_style = |style: usize| keys.as_ref().is_none_or(|name| *name == styles[style]);
    let mut written = 0;
    for (_, take) in held_out.iter().filter(|(style, _)| has_key_style(*style)) {
        let starts = (take.poses.len() + 1).saturating_sub(PAST + GAP + 1);
        for start in (0..starts).step_by(GAP) {
            let folder = out.as_ref().filter(|_| written < MAX_WRITTEN && start == 0);
            written += usize::from(folder.is_some());
            gaps.fill(Cut::unchanged(take, start), |name, [past, filled, target]| match folder {
                Some(folder) => write(&folder.join(format!("{written}-{name}.bvh")), [past, filled, target], take),
                None => Ok(()),
            })?;
        }
    }
    let Gaps { confusion, distances, max_distance, .. } = gaps;
    if distances.is_empty() {
        return Err(format!("no held-out recording of these styles is long enough for a gap of {GAP} frames").into());
    }
    table("requested", styles, &confusion, report);
    let mean = distances.iter().sum::<f32>() / distances.len() as f32;
    report.table(format!("Gaps of {GAP} frames along a path bent by {:.0} cm", 100.0 * BEND), ["measure", "value"]);
    report.row(["gaps", &distances.len().to_string()]);
    report.row(["mean distance to the path, cm", &number(f64::from(100.0 * mean), 1)]);
    report.row(["largest distance to the path, cm", &number(f64::from(100.0 * max_distance), 1)]);
    Ok(())
}

/// Trains the classifier of styles, and adds its confusion matrix on held-out recordings to the report.
fn train_classifier(
    styles: &[String],
    training: &[(usize, Take)],
    held_out: &[(usize, Take)],
    report: &mut Report,
) -> Classifier {
    let (training_rows, test_rows) = (rows(training, TRAINING_STRIDE), rows(held_out, WINDOW));
    let classifier = Classifier::train(&training_rows.iter().collect::<Vec<&Row>>(), styles.len());
    report.note(format!(
        "{} training windows of {} takes; {} held-out windows",
        training_rows.len(),
        training.len(),
        test_rows.len()
    ));
    let mut confusion = vec![vec![0; styles.len()]; styles.len()];
    test_rows.iter().for_each(|(style, row)| confusion[*style][classifier.style(row)] += 1);
    table("recorded", styles, &confusion, report);
    classifier
}

/// Scores of gaps that are filled in every style and along a path.
struct Gaps<'a> {
    network: &'a Network,
    /// Styles of the recipe.
    styles: &'a [String],
    /// Index in the network of each style of the recipe.
    network_styles: Vec<usize>,
    classifier: &'a Classifier,
    /// Whether a gap's length depends on the style ([`frames_for`]).
    own_time: bool,
    /// Number of gaps, [requested style][recognised style].
    confusion: Vec<Vec<usize>>,
    /// Mean distance of each gap's hips to the requested path on the ground, metres.
    distances: Vec<f32>,
    /// Largest distance of a frame's hips to the requested path on the ground, metres.
    max_distance: f32,
}

impl<'a> Gaps<'a> {
    /// Creates the scores of no gaps.
    ///
    /// # Errors
    /// If the network does not know a style.
    fn new(network: &'a Network, styles: &'a [String], classifier: &'a Classifier, own_time: bool) -> Outcome<Self> {
        let network_styles = styles.iter().map(|style| network.style_index(style)).collect::<Result<_, _>>()?;
        Ok(Self {
            network,
            styles,
            network_styles,
            classifier,
            own_time,
            confusion: vec![vec![0; styles.len()]; styles.len()],
            distances: Vec::new(),
            max_distance: 0.0,
        })
    }

    /// Fills the gap of a cut and adds its scores. `show` receives the name of each motion, with past, gap and target.
    fn fill(&mut self, cut: Cut, show: impl Fn(&str, [&Poses; 3]) -> Outcome) -> Outcome {
        let Cut { take, start, .. } = cut;
        let (past, target) = (cut.poses(0, PAST), cut.poses(PAST + GAP, 1));
        let keys = BodyKeys { past: &past, target: &target, offsets: &take.offsets, ground: take.ground };
        show("recorded", [&past, &cut.poses(PAST, GAP), &target])?;
        for (index, style) in self.network_styles.iter().enumerate() {
            let conditions = Conditions { style: Some(*style), path: None };
            let distance = (target.hips[0] - past.hips[PAST - 1]).with_y(0.0).length();
            let gap = if self.own_time { frames_for(distance, self.network.speeds(*style)) } else { GAP };
            let filled = self.network.fill(&keys, gap, &conditions)?;
            show(&self.styles[index], [&past, &filled.poses, &target])?;
            let margin = gap.saturating_sub(WINDOW) / 2;
            let middle = filled.poses.slice(margin..gap - margin);
            let recognised = self.classifier.style(&features(&middle, &take.offsets, take.ground));
            self.confusion[index][recognised] += 1;
        }
        let path = bend(&take.poses.hips[start + PAST - 1..=start + PAST + GAP]);
        let filled = self.network.fill(&keys, GAP, &Conditions { style: None, path: Some(&path) })?;
        show("path", [&past, &filled.poses, &target])?;
        let ends = [past.hips[PAST - 1], target.hips[0]].map(on_ground);
        let requested = path::sample(&path, GAP + 1, ends);
        let hips = filled.poses.hips.iter().map(|hips| on_ground(*hips));
        let distances: Vec<f32> = hips.zip(&requested[1..]).map(|(hips, point)| hips.distance(*point)).collect();
        self.max_distance = distances.iter().copied().fold(self.max_distance, f32::max);
        self.distances.push(distances.iter().sum::<f32>() / GAP as f32);
        Ok(())
    }
}

/// Returns the number of frames for a distance in metres: [`GAP`]; if the speed would leave the style's speed range, as
/// many more or fewer (half to twice) as bring it into the range.
fn frames_for(distance: f32, speeds: Option<[f32; 2]>) -> usize {
    let steps = (GAP + 1) as f32;
    let speed = distance * FPS as f32 / steps;
    let style_speed = speeds.map_or(speed, |[slow, fast]| speed.clamp(slow, fast));
    (steps * (speed.max(1e-3) / style_speed.max(1e-3)).clamp(0.5, 2.0)).round() as usize - 1
}

/// Writes past, gap and target as one BVH clip on the canonical skeleton.
fn write(file: &Path, parts: [&Poses; 3], take: &Take) -> Outcome {
    let hips = parts.iter().flat_map(|poses| poses.hips.iter().copied()).collect();
    let rotations = parts.iter().flat_map(|poses| poses.rotations.iter().copied()).collect();
    let clip = Clip::new("gap", biped().skeleton(&take.offsets)?, 1.0 / FPS, rotations, hips)?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(files::at(folder))?;
    }
    Ok(std::fs::write(file, bvh::write(&clip)?).map_err(files::at(file))?)
}

/// Returns the path of a recording on the ground, bent sideways in the middle.
fn bend(hips: &[Vec3]) -> Vec<Vec2> {
    let (from, to) = (on_ground(hips[0]), on_ground(hips[hips.len() - 1]));
    let sideways = (to - from).normalize_or(Vec2::X).perp() * BEND;
    let last = (hips.len() - 1) as f32;
    let bend_point = |(frame, hips): (usize, &Vec3)| {
        on_ground(*hips) + sideways * (std::f32::consts::PI * frame as f32 / last).sin().powi(2)
    };
    hips.iter().enumerate().map(bend_point).collect()
}

fn on_ground(position: Vec3) -> Vec2 {
    Vec2::new(position.x, position.z)
}

/// Adds the confusion matrix of the styles to the report, in percent of each row. `kind`: "recorded" or "requested".
fn table(kind: &str, styles: &[String], confusion: &[Vec<usize>], report: &mut Report) {
    let total: usize = confusion.iter().flatten().sum();
    let correct: usize = (0..styles.len()).map(|style| confusion[style][style]).sum();
    let columns = std::iter::once("style").chain(styles.iter().map(String::as_str));
    report.table(format!("Rows: styles {kind}; columns: styles recognised, %"), columns);
    for (style, row) in styles.iter().zip(confusion) {
        let count = row.iter().sum::<usize>().max(1) as f64;
        let cells = row.iter().map(|recognised| number(100.0 * *recognised as f64 / count, 0));
        report.row(std::iter::once(style.clone()).chain(cells));
    }
    report.note(format!(
        "{kind}: {:.1} % of {total} recognised correctly (chance: {:.1} %)",
        100.0 * correct as f32 / total.max(1) as f32,
        100.0 / styles.len() as f32
    ));
}
