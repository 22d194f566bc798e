//! `bench styles`: style accuracy of gaps filled in a style, and path error of gaps filled along a path, on held-out
//! keys.

use crate::Outcome;
use crate::report::{Report, number};
use clap::{Args, ValueEnum};
use glam::{Vec2, Vec3};
use kinestitch::Clip;
use kinestitch::body::biped;
use kinestitch::body::poses::PAST;
use kinestitch::body::poses::{FPS, Poses};
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
const EVERY: usize = 10;
/// Number of gaps written as BVH.
const SHOWN: usize = 8;
/// Sideways bend of a requested path relative to the recording's, metres.
const BEND: f32 = 0.4;

/// Styles of filled gaps by a classifier, and the path error of filled gaps
#[derive(Args)]
pub struct Options {
    /// Packed recordings
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Weight file of DC-MoE
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// Recipe with the styles of recordings
    #[arg(long, value_name = "FILE", default_value = "recipes/dcmoe-research.json")]
    recipe: PathBuf,
    /// Held-out recordings: `validation` for choosing a design, `test` for the final score
    #[arg(long, value_enum, default_value_t = HeldOut::Test)]
    split: HeldOut,
    /// Style of the keys; default: all styles
    #[arg(long, value_name = "STYLE")]
    keys: Option<String>,
    /// Choose each gap's length by the style: the distance of the keys at the middle half of the style's speeds
    #[arg(long)]
    own_time: bool,
    /// Folder to write some of the gaps with their keys to, as BVH
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
    let bytes = std::fs::read(&weights).map_err(|error| format!("{}: {error}", weights.display()))?;
    let network = Network::read(&Weights::read(&bytes)?)?;
    let recipe: Recipe = checkpoint::read_json(&recipe)?;
    let styles = &recipe.styles;
    let asked: Vec<usize> = styles.iter().map(|style| network.style_index(style)).collect::<Result<_, _>>()?;
    let recordings = pack::load(&data)?;
    let split = match split {
        HeldOut::Validation => Split::Validation,
        HeldOut::Test => Split::Test,
    };
    let [known, held_out] = [Split::Train, split].map(|split| takes(&recordings, &recipe, split));
    if known.is_empty() || held_out.is_empty() {
        return Err("no recordings of the recipe's styles to train on, or none held out".into());
    }
    let (training, test) = (rows(&known, EVERY), rows(&held_out, WINDOW));
    let classifier = Classifier::train(&training.iter().collect::<Vec<&Row>>(), styles.len());
    report.note(format!(
        "{} windows of {} held-in takes; {} of held-out ones",
        training.len(),
        known.len(),
        test.len()
    ));
    let mut confusion = vec![vec![0; styles.len()]; styles.len()];
    test.iter().for_each(|(style, row)| confusion[*style][classifier.style(row)] += 1);
    table("recorded", styles, &confusion, report);

    let mut confusion = vec![vec![0; styles.len()]; styles.len()];
    let (mut distances, mut farthest) = (Vec::new(), 0.0_f32);
    let named = |style: usize| keys.as_ref().is_none_or(|wanted| *wanted == styles[style]);
    let mut shown = 0;
    for (_, take) in held_out.iter().filter(|(style, _)| named(*style)) {
        let starts = (take.poses.len() + 1).saturating_sub(PAST + GAP + 1);
        for start in (0..starts).step_by(GAP) {
            let cut = Cut::unchanged(take, start);
            let (past, target) = (cut.poses(0, PAST), cut.poses(PAST + GAP, 1));
            let keys = BodyKeys { past: &past, target: &target, offsets: &take.offsets, ground: take.ground };
            let folder = out.as_ref().filter(|_| shown < SHOWN && start == 0);
            shown += usize::from(folder.is_some());
            let show = |name: &str, made: &Poses| match folder {
                Some(folder) => write(&folder.join(format!("{shown}-{name}.bvh")), [&past, made, &target], take),
                None => Ok(()),
            };
            show("recorded", &cut.poses(PAST, GAP))?;
            for (index, style) in asked.iter().enumerate() {
                let conditions = Conditions { style: Some(*style), path: None };
                let chord = (target.hips[0] - past.hips[PAST - 1]).with_y(0.0).length();
                let gap = if own_time { timed(chord, network.speeds(*style)) } else { GAP };
                let made = network.fill(&keys, gap, &conditions)?;
                show(&styles[index], &made.poses)?;
                let beside = gap.saturating_sub(WINDOW) / 2;
                let middle = made.poses.slice(beside..gap - beside);
                confusion[index][classifier.style(&features(&middle, &take.offsets, take.ground))] += 1;
            }
            let path = bent(&take.poses.hips[start + PAST - 1..=start + PAST + GAP]);
            let conditions = Conditions { style: None, path: Some(&path) };
            let made = network.fill(&keys, GAP, &conditions)?;
            show("path", &made.poses)?;
            let flat = |hips: &Vec3| Vec2::new(hips.x, hips.z);
            let ends = [&past.hips[PAST - 1], &target.hips[0]].map(flat);
            let wanted = path::sample(&path, GAP + 1, ends);
            let off: Vec<f32> = made.poses.hips.iter().zip(&wanted[1..]).map(|(a, b)| flat(a).distance(*b)).collect();
            farthest = off.iter().copied().fold(farthest, f32::max);
            distances.push(off.iter().sum::<f32>() / GAP as f32);
        }
    }
    table("requested", styles, &confusion, report);
    let mean = distances.iter().sum::<f32>() / distances.len().max(1) as f32;
    report.table(format!("Gaps of {GAP} frames along a path bent by {:.0} cm", 100.0 * BEND), ["measure", "value"]);
    report.row(["gaps", &distances.len().to_string()]);
    report.row(["mean distance to the path, cm", &number(f64::from(100.0 * mean), 1)]);
    report.row(["largest distance to the path, cm", &number(f64::from(100.0 * farthest), 1)]);
    Ok(())
}

/// Number of frames for a distance in metres: about the speed of [`GAP`] frames, limited to the style's speed range.
fn timed(distance: f32, speeds: Option<[f32; 2]>) -> usize {
    let steps = (GAP + 1) as f32;
    let speed = distance * FPS as f32 / steps;
    let own = speeds.map_or(speed, |[slow, fast]| speed.clamp(slow, fast));
    (steps * (speed / own.max(1e-3)).clamp(0.5, 2.0)).round() as usize - 1
}

/// Writes past, gap and target as one clip on the canonical skeleton.
fn write(file: &Path, parts: [&Poses; 3], take: &Take) -> Outcome {
    let hips = parts.iter().flat_map(|poses| poses.hips.iter().copied()).collect();
    let rotations = parts.iter().flat_map(|poses| poses.rotations.iter().copied()).collect();
    let clip = Clip::new("gap", biped().skeleton(&take.offsets)?, 1.0 / FPS, rotations, hips)?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(file, bvh::write(&clip)?)?)
}

/// Path of a recording, bent to its left in the middle.
fn bent(hips: &[Vec3]) -> Vec<Vec2> {
    let flat = |hips: &Vec3| Vec2::new(hips.x, hips.z);
    let (from, to) = (flat(&hips[0]), flat(&hips[hips.len() - 1]));
    let aside = (to - from).normalize_or(Vec2::X).perp() * BEND;
    let last = (hips.len() - 1) as f32;
    let one = |(at, hips): (usize, &Vec3)| flat(hips) + aside * (std::f32::consts::PI * at as f32 / last).sin().powi(2);
    hips.iter().enumerate().map(one).collect()
}

/// Adds the confusion matrix of the styles in per cent.
fn table(what: &str, styles: &[String], confusion: &[Vec<usize>], report: &mut Report) {
    let all: usize = confusion.iter().flatten().sum();
    let right: usize = (0..styles.len()).map(|style| confusion[style][style]).sum();
    let columns = std::iter::once("style").chain(styles.iter().map(String::as_str));
    report.table(format!("Rows: styles {what}; columns: styles recognised, %"), columns);
    for (style, row) in styles.iter().zip(confusion) {
        let count = row.iter().sum::<usize>().max(1) as f64;
        let cells = row.iter().map(|seen| number(100.0 * *seen as f64 / count, 0));
        report.row(std::iter::once(style.clone()).chain(cells));
    }
    report.note(format!(
        "{what}: {:.1} % right of {all} (chance {:.1})",
        100.0 * right as f32 / all.max(1) as f32,
        100.0 / styles.len() as f32
    ));
}
