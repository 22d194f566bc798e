//! Cut search of `stitch` between two long takes: its time, and the cost of its cut relative to the cheapest cut.

use super::Recording;
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::method::lscore::LscoreOptions;
use kinestitch::method::lscore::map::{CheapestCuts, Frames, Scan};
use kinestitch::stitch::{Prepared, join_prepared};
use kinestitch::{Input, Progress, SeamChoice, StitchOptions};
use std::time::Instant;

/// Length of each take, frames.
const FRAMES: usize = 5_000;
/// Maximum number of pairs of takes.
const MAX_PAIRS: usize = 10;

pub fn run(recordings: &[Recording], report: &mut Report) -> Outcome {
    let long: Vec<&Recording> = recordings.iter().filter(|r| r.clip.frames() >= FRAMES).collect();
    let progress = &mut Progress::silent();
    let columns = ["takes", "two stages, s", "all cuts, s", "score, part of the cheapest", "cheaper cuts"];
    report.table(format!("Cut search between two takes of {FRAMES} frames"), columns);
    for pair in long.windows(2).step_by((long.len() / MAX_PAIRS).max(1)).take(MAX_PAIRS) {
        let clips = [pair[0].clip.trimmed(0..FRAMES)?, pair[1].clip.trimmed(0..FRAMES)?];
        let inputs = [0, 1].map(|side| Input { clip: &clips[side], rig: &pair[side].rig });
        let seam = SeamChoice::Best { max_cut_secs: f64::INFINITY };
        let options = StitchOptions { seam, foot_lock: false, ..Default::default() };
        let started = Instant::now();
        let mut prepared = Prepared::new(&inputs, &options, progress)?;
        while prepared.advance(progress)? < 1.0 {}
        let two_stages = started.elapsed().as_secs_f64();
        let cut = join_prepared(prepared, &inputs, &options, progress)?.finish(progress)?.seams[0].cut;
        let score = cut.map_or(f32::NAN, |cut| cut.score);

        let started = Instant::now();
        let scan = Scan::from_clips(&clips[0], inputs[0].rig, &clips[1], inputs[1].rig, &LscoreOptions::default())?;
        // Each clip keeps at least ten frames, as in a stitch.
        let (takeoffs, landings) = (9..FRAMES, 0..FRAMES - 9);
        let mut cheapest = CheapestCuts::new(10_000);
        for rows in Frames::every(1, takeoffs).chunks(192) {
            scan.offer(&rows, &Frames::every(1, landings.clone()), &mut cheapest, progress)?;
        }
        let exhaustive = started.elapsed().as_secs_f64();
        let best = cheapest.cuts().first().map_or(f32::NAN, |cut| cut.0);
        let cheaper = cheapest.cuts().iter().filter(|cut| cut.0 < score).count();
        let names = format!("{}, {}", clips[0].name, clips[1].name);
        let score = number(f64::from(score / best), 3);
        report.row([names, number(two_stages, 2), number(exhaustive, 1), score, cheaper.to_string()]);
    }
    Ok(())
}
