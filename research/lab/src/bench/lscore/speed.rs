//! Time of a map of 300 × 300 frames, compared with one Kalman smoother per cell.

use super::Recording;
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::Progress;
use kinestitch::method::lscore::map::{Map, Scan};
use kinestitch::method::lscore::smoother::Gains;
use kinestitch::method::lscore::{LscoreOptions, reference};
use std::hint::black_box;
use std::time::Instant;

/// Length of each clip, frames.
const FRAMES: usize = 300;
/// Number of cells computed in the slow forms: spread over the map, timed and compared with it.
const CELLS: usize = 100;
/// Number of runs. The fastest one counts.
const RUNS: usize = 5;

pub fn run(recordings: &[Recording], report: &mut Report) -> Outcome {
    let mut long = recordings.iter().filter(|recording| recording.clip.frames() >= FRAMES);
    let (Some(a), Some(b)) = (long.next(), long.next_back()) else {
        return Err(format!("no two recordings of {FRAMES} frames").into());
    };
    let middle = |recording: &Recording| {
        let start = (recording.clip.frames() - FRAMES) / 2;
        recording.clip.trimmed(start..start + FRAMES)
    };
    let (first, second) = (middle(a)?, middle(b)?);
    let options = LscoreOptions::default();
    let progress = &mut Progress::silent();
    let scan = Scan::from_clips(&first, &a.rig, &second, &b.rig, &options)?;
    let (takeoffs, landings) = (scan.takeoffs(), scan.landings());
    let map = scan.map(takeoffs.clone(), landings.clone(), progress)?;
    let map_secs = fastest(|| scan.map(takeoffs.clone(), landings.clone(), progress).map(|map| drop(black_box(map))))?;
    let shorter = scan.map(takeoffs.start..takeoffs.end - 1, landings.clone(), progress)?;
    let row_secs = fastest(|| {
        scan.update(&shorter, takeoffs.clone(), landings.clone(), progress).map(|map| drop(black_box(map)))
    })?;
    let slow = measure_cells(&scan, &map, &options)?;
    let caption = format!(
        "Map of {} × {} cells, {} joints, k = {}..{}, one thread, native",
        takeoffs.len(),
        landings.len(),
        scan.first().joints(),
        options.min_inject,
        options.max_inject
    );
    report.table(caption, ["form", "seconds", "times the map", "measured"]);
    let runs = format!("best of {RUNS}");
    let cells = format!("best of {RUNS}, from {} cells", CELLS / RUNS);
    report.row(["the whole map", &number(map_secs, 3), "1", &runs]);
    report.row(["one more take-off", &number(row_secs, 3), &number(row_secs / map_secs, 3), &runs]);
    let names =
        ["a filter for each feature, cell and k, as in the paper", "the same with the gains of each k computed once"];
    for (name, seconds) in names.into_iter().zip([slow.filter_secs, slow.gains_secs]) {
        report.row([name, &number(seconds, 0), &number(seconds / map_secs, 0), &cells]);
    }
    report.note(format!("Largest relative difference in {CELLS} cells: {:.1e}", slow.max_difference));
    Ok(())
}

/// Cost of the slow forms, extrapolated from some cells to the whole map.
struct Slow {
    /// With a filter for each feature, cell and k, seconds.
    filter_secs: f64,
    /// With the gains of each k computed once, seconds.
    gains_secs: f64,
    /// Largest relative difference between the slow score and the map.
    max_difference: f64,
}

/// Computes cells in the slow forms. Each run with filters computes another part of [`CELLS`]; runs with gains compute
/// the first part again.
fn measure_cells(scan: &Scan, map: &Map, options: &LscoreOptions) -> Outcome<Slow> {
    let (takeoffs, landings) = (scan.takeoffs(), scan.landings());
    let cell = |i: usize| (takeoffs.start + i * 37 % takeoffs.len(), landings.start + i * 101 % landings.len());
    let cells_per_run = CELLS / RUNS;
    let (mut next, mut max_difference) = (0, 0.0_f64);
    let filter_secs = fastest(|| {
        for (takeoff, landing) in (next..next + cells_per_run).map(cell) {
            let (score, _) = reference::elastic_score(scan.first(), scan.second(), takeoff, landing, options);
            let fast_score = map.at(takeoff, landing).map_or(f64::NAN, |(score, _)| f64::from(score));
            let difference = (fast_score / score - 1.0).abs();
            // `max` ignores NaN; a score that is not a number must show in the report.
            max_difference = max_difference.max(if difference.is_nan() { f64::INFINITY } else { difference });
        }
        next += cells_per_run;
        Ok(())
    })?;
    let gains: Vec<Gains> = (options.min_inject..=options.max_inject).map(|k| Gains::new(options, k)).collect();
    let gains_secs = fastest(|| {
        for (takeoff, landing) in (0..cells_per_run).map(cell) {
            for gains in &gains {
                let smooth = |observed: &[f64]| gains.smooth(observed);
                black_box(reference::score_with(
                    scan.first(),
                    scan.second(),
                    takeoff,
                    landing,
                    options.window,
                    &smooth,
                ));
            }
        }
        Ok(())
    })?;
    let whole_map = |seconds: f64| seconds / cells_per_run as f64 * map.scores.len() as f64;
    Ok(Slow { filter_secs: whole_map(filter_secs), gains_secs: whole_map(gains_secs), max_difference })
}

/// Returns the time of the fastest of several runs, seconds.
fn fastest(mut work: impl FnMut() -> Result<(), kinestitch::Error>) -> Result<f64, kinestitch::Error> {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let started = Instant::now();
        work()?;
        least = least.min(started.elapsed().as_secs_f64());
    }
    Ok(least)
}
