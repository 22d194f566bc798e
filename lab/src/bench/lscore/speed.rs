//! Time of a map of 300 × 300 frames, compared with one Kalman smoother per cell.

use super::Recording;
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::Progress;
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::smoother::Gains;
use kinestitch::method::lscore::{LscoreOptions, plain};
use std::hint::black_box;
use std::time::Instant;

const FRAMES: usize = 300;
/// Cells computed the slow way: spread over the map, timed and compared with it.
const CELLS: usize = 100;
const RUNS: usize = 5;

pub fn run(recordings: &[Recording], report: &mut Report) -> Outcome {
    let mut long = recordings.iter().filter(|r| r.clip.frames() >= FRAMES);
    let (Some(a), Some(b)) = (long.next(), long.next_back()) else {
        return Err(format!("no two recordings of {FRAMES} frames").into());
    };
    let piece = |recording: &Recording| {
        let start = (recording.clip.frames() - FRAMES) / 2;
        recording.clip.trimmed(start..start + FRAMES)
    };
    let (first, second) = (piece(a)?, piece(b)?);
    let options = LscoreOptions::default();
    let go = &mut Progress::silent();
    let scan = Scan::from_clips(&first, &a.rig, &second, &b.rig, &options)?;
    let (takeoffs, landings) = (scan.takeoffs(), scan.landings());
    let map = scan.map(takeoffs.clone(), landings.clone(), go)?;
    let best = |work: &mut dyn FnMut() -> Result<(), kinestitch::Error>| -> Result<f64, kinestitch::Error> {
        let mut least = f64::INFINITY;
        for _ in 0..RUNS {
            let started = Instant::now();
            work()?;
            least = least.min(started.elapsed().as_secs_f64());
        }
        Ok(least)
    };
    let whole = best(&mut || scan.map(takeoffs.clone(), landings.clone(), go).map(|map| drop(black_box(map))))?;
    let shorter = scan.map(takeoffs.start..takeoffs.end - 1, landings.clone(), go)?;
    let row =
        best(&mut || scan.update(&shorter, takeoffs.clone(), landings.clone(), go).map(|map| drop(black_box(map))))?;

    // The fastest of several rounds counts, as above.
    let mut worst: f64 = 0.0;
    let cell = |i: usize| (takeoffs.start + i * 37 % takeoffs.len(), landings.start + i * 101 % landings.len());
    let mut next = 0;
    let per_cell = |seconds: f64| seconds / (CELLS / RUNS) as f64 * map.scores.len() as f64;
    let plain = best(&mut || {
        for (takeoff, landing) in (next..next + CELLS / RUNS).map(cell) {
            let (score, _) = plain::elastic(scan.first(), scan.second(), takeoff, landing, &options);
            let fast = map.at(takeoff, landing).map_or(f64::NAN, |(fast, _)| f64::from(fast));
            worst = worst.max((fast / score - 1.0).abs());
        }
        next += CELLS / RUNS;
        Ok(())
    })?;
    let plain = per_cell(plain);
    let gains: Vec<Gains> = (options.min_inject..=options.max_inject).map(|k| Gains::new(&options, k)).collect();
    let shared = per_cell(best(&mut || {
        for (takeoff, landing) in (0..CELLS / RUNS).map(cell) {
            for gains in &gains {
                let smooth = |observed: &[f64]| gains.smooth(observed);
                black_box(plain::score_with(scan.first(), scan.second(), takeoff, landing, options.window, &smooth));
            }
        }
        Ok(())
    })?);
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
    let cells = format!("from {CELLS} cells");
    report.row(["the whole map", &number(whole, 3), "1", &runs]);
    report.row(["one more take-off", &number(row, 3), &number(row / whole, 3), &runs]);
    let names =
        ["a filter for each feature, cell and k, as in the paper", "the same with the gains of each k computed once"];
    for (name, seconds) in names.into_iter().zip([plain, shared]) {
        report.row([name, &number(seconds, 0), &number(seconds / whole, 0), &cells]);
    }
    report.note(format!("Largest relative difference in those cells: {worst:.1e}"));
    Ok(())
}
