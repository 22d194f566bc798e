//! Real stitches by the code that the page uses: feet, jerk, and pops at the seam and at window ends.

use super::Test;
use super::pieces::{self, Source};
use super::table;
use super::weights::Network;
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::method::rmr::window::windows;
use kinestitch::method::rmr::{self, WindowOptions};
use kinestitch::metrics::{Sole, foot_skate, jerk, soles, steps};
use kinestitch::motion::contact::detect_contacts;
use kinestitch::stitch::BLEND_SECS;
use kinestitch::stitch::draft;
use kinestitch::{Clip, Error, Input, Progress, StitchOptions, Stitched, Transition, stitch};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::Path;
use std::time::Instant;
use training::data::{Sets, Split};

/// Transitions in the table, with their names.
const TRANSITIONS: [(&str, fn() -> Transition); 3] = [
    ("crossfade", || Transition::crossfade(BLEND_SECS)),
    ("inertialize", Transition::default),
    ("lscore", Transition::lscore),
];

const SEED: u64 = 7;
/// Frames on each side of a seam in which feet and jerk are measured: one second. Together they are as long as a window
/// of the refiner.
const SEAM_MARGIN: usize = 30;
/// A pop within this many frames of a seam or window end belongs to it.
const POP_MARGIN: usize = 2;
const COLUMNS: usize = 13;
const COLUMN_NAMES: [&str; COLUMNS] = [
    "slide, m/frame",
    "feet low, %",
    "peak jerk, m/s³",
    "pop, m",
    "pop at window ends, m",
    "jerk at window ends, m/s³",
    "locked: slide",
    "feet low, %",
    "peak jerk",
    "pop",
    "pop at window ends",
    "drift, cm",
    "network, ms",
];

/// Adds a table for each test, and one of all tests relative to inertialization. Values are means over seams; drift and
/// time of methods without a network are NaN.
pub fn run(
    data: &Path,
    (tests, sets, split): (&[&Test], &Sets, Split),
    count: usize,
    networks: &[Network],
    report: &mut Report,
) -> Outcome {
    let mut relative = Vec::new();
    for test in tests {
        let sources = pieces::sources(data, test, sets, split);
        if sources.len() < 2 {
            report.note(format!("{}: no seams, fewer than two recordings of bipeds", test.about));
            continue;
        }
        let mut candidates: Vec<(String, Option<&Network>)> = vec![("input".to_owned(), None)];
        candidates.extend(TRANSITIONS.map(|(name, _)| (name.to_owned(), None)));
        candidates.extend(networks.iter().map(|network| (rmr::NAME.to_owned(), Some(network))));
        let mut sums = vec![[0.0; COLUMNS]; candidates.len()];
        let mut milliseconds = vec![Vec::new(); candidates.len()];
        let mut rng = StdRng::seed_from_u64(SEED);
        let mut stitches = 0;
        for _ in 0..count {
            let Some(pieces) = pieces::draw(&sources, &mut rng) else { continue };
            for (index, (name, network)) in candidates.iter().enumerate() {
                let (values, network_ms) = measure(&pieces, name, *network)?;
                sums[index].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                milliseconds[index].push(network_ms);
            }
            stitches += 1;
        }
        let about = format!("{}, {}: {stitches} stitches of pieces of", test.about, split.name());
        let caption = format!("{about} {} recordings, means (time: median)", sources.len());
        let mut rows = Vec::new();
        for (((name, network), sum), network_ms) in candidates.iter().zip(sums).zip(&mut milliseconds) {
            let mut values = sum.map(|sum| sum / f64::from(stitches));
            network_ms.sort_by(f64::total_cmp);
            values[COLUMNS - 1] = network_ms.get(network_ms.len() / 2).copied().unwrap_or(f64::NAN);
            rows.push((table::label(name, *network), values));
        }
        table::add(report, &caption, &COLUMN_NAMES, &rows, [5, 0, 0, 3, 3, 0, 5, 0, 0, 3, 3, 2, 1]);
        // A single network has no digest here, so that tables of different weight files have the same rows.
        let name =
            |index: usize| if networks.len() > 1 { rows[index].0.as_str() } else { candidates[index].0.as_str() };
        let named_rows: Vec<_> = rows.iter().enumerate().map(|(index, (_, values))| (name(index), *values)).collect();
        relative.extend(against_inertialization(test.about, &named_rows));
    }
    let columns = ["test", "method", "slide", "slide, locked", "peak jerk", "jerk, locked", "pop", "pop, locked"];
    report.table("Seams, relative to inertialization without foot lock", columns);
    relative.into_iter().for_each(|row| report.row(row));
    Ok(())
}

/// Sliding, jerk and pops of every method relative to inertialization without foot lock.
fn against_inertialization(test: &str, rows: &[(&str, [f64; COLUMNS])]) -> Vec<Vec<String>> {
    let Some((_, base)) = rows.iter().find(|(name, _)| *name == "inertialize") else { return Vec::new() };
    let row = |(name, values): &(&str, [f64; COLUMNS])| {
        let ratio = |(column, base_column): (usize, usize)| number(values[column] / base[base_column], 2);
        let cells = [(0, 0), (6, 0), (2, 2), (8, 2), (3, 3), (9, 3)].map(ratio);
        [test, name].map(str::to_owned).into_iter().chain(cells).collect()
    };
    rows.iter().map(row).collect()
}

/// Measures one stitch: all columns but the last, and separately the network's time in milliseconds.
fn measure(
    pieces: &[(&Source, Clip); 2],
    name: &str,
    network: Option<&Network>,
) -> Result<([f64; COLUMNS], f64), Box<dyn std::error::Error>> {
    let clips = [0, 1].map(|index| Input { clip: &pieces[index].1, rig: &pieces[index].0.rig });
    let named = |error: Error| format!("{} and {}, {name}: {error}", pieces[0].0.name, pieces[1].0.name);
    let mut values = [f64::NAN; COLUMNS];
    let mut network_ms = f64::NAN;
    for (foot_lock, first) in [(false, 0), (true, 6)] {
        let (stitched, milliseconds) = match network {
            None => stitch_baseline(&clips, name, foot_lock).map_err(named)?,
            Some(network) => stitch_refined(&clips, network, foot_lock).map_err(named)?,
        };
        let smooth = smoothness(&stitched.clip, stitched.seam_reports[0].frame);
        let soles = soles(clips[0].rig, detect_contacts(&stitched.aligned[0], clips[0].rig).world_ground);
        values[first..first + 2].copy_from_slice(&slide(&stitched.clip, &soles, stitched.seam_reports[0].frame));
        values[first + 2..first + 5].copy_from_slice(&smooth[..3]);
        if !foot_lock {
            values[first + 5] = smooth[3];
            values[COLUMNS - 2] =
                stitched.seam_reports[0].refinement.map_or(f64::NAN, |report| f64::from(report.drift_cm));
            network_ms = milliseconds;
        }
    }
    Ok((values, network_ms))
}

/// Stitches by a baseline. `input` is the hard cut: aligned, not blended.
fn stitch_baseline(clips: &[Input; 2], name: &str, foot_lock: bool) -> Result<(Stitched, f64), Error> {
    let transition = match name {
        "input" => Transition::inertialize(0.0),
        name => match TRANSITIONS.iter().find(|(known, _)| *known == name) {
            Some((_, transition)) => transition(),
            None => return Err(Error::Option { option: "method", message: format!("{name} is unknown") }),
        },
    };
    let stitched = stitch(clips, &StitchOptions { foot_lock, ..transition.into() }, &mut Progress::silent())?;
    Ok((stitched, f64::NAN))
}

/// Stitches by a refiner; also returns the network's time in milliseconds.
fn stitch_refined(clips: &[Input; 2], network: &Network, foot_lock: bool) -> Result<(Stitched, f64), Error> {
    let options = StitchOptions { foot_lock, ..StitchOptions::default() };
    let progress = &mut Progress::silent();
    let draft = draft(clips, &options, &mut Progress::silent())?;
    let seam_rows = draft.seam_rows();
    let started = Instant::now();
    let rows = network.packed.refine(draft.rows(), &seam_rows, WindowOptions::default(), progress)?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    Ok((draft.finish(&rows, &mut Progress::silent())?, milliseconds))
}

/// Foot sliding around a seam by the paper's definition: metres per frame, and fraction of frames with a low foot, per
/// cent.
fn slide(clip: &Clip, soles: &[Sole], seam: usize) -> [f64; 2] {
    let skate = foot_skate(clip, soles, seam.saturating_sub(SEAM_MARGIN)..(seam + SEAM_MARGIN).min(clip.frames()));
    [f64::from(skate.slide), 100.0 * f64::from(skate.low)]
}

/// Peak jerk around a seam, pop at the seam, and pop and jerk at the ends of the refiner's windows. All methods are
/// measured at these frames, also those without windows. Pieces are at the network's frame rate: one row is one frame.
fn smoothness(clip: &Clip, seam: usize) -> [f64; 4] {
    let (jerk, steps) = (jerk(clip), steps(clip));
    let around = |values: &[f32], centre: usize, reach: usize| {
        let range = centre.saturating_sub(reach).min(values.len())..(centre + reach + 1).min(values.len());
        f64::from(values[range].iter().copied().fold(0.0, f32::max))
    };
    let edges = windows(clip.frames(), &[seam], WindowOptions::default());
    let inner_edges =
        edges.iter().flat_map(|range| [range.start, range.end]).filter(|&edge| 0 < edge && edge < clip.frames());
    let at_edges =
        |values: &[f32]| inner_edges.clone().map(|edge| around(values, edge, POP_MARGIN)).fold(0.0, f64::max);
    [around(&jerk, seam, SEAM_MARGIN), around(&steps, seam, POP_MARGIN), at_edges(&steps), at_edges(&jerk)]
}
