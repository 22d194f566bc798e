//! Cut search of `stitch` between two long takes: its time, and the cost of its cut relative to the cheapest cut.

use super::Recording;
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::method::lscore::LscoreOptions;
use kinestitch::method::lscore::map::{CheapestCuts, Frames, Scan};
use kinestitch::stitch::{MIN_FRAMES, Prepared, join_prepared};
use kinestitch::{Cut, Input, Join, Progress, StitchOptions};
use std::time::Instant;

/// Length of each take, frames.
const FRAMES: usize = 5_000;
/// Maximum number of pairs of takes.
const MAX_PAIRS: usize = 10;
/// Maximum number of cuts that the search of all cuts lists, and thus the largest number of "cheaper cuts".
const MAX_CHEAPEST: usize = 10_000;
/// Number of take-offs that are scored in one call.
const CHUNK: usize = 192;

pub fn run(recordings: &[Recording], report: &mut Report) -> Outcome {
    let long: Vec<&Recording> = recordings.iter().filter(|r| r.clip.frames() >= FRAMES).collect();
    if long.len() < 2 {
        return Err(format!("fewer than two recordings of at least {FRAMES} frames").into());
    }
    let progress = &mut Progress::silent();
    let columns = ["takes", "two stages, s", "all cuts, s", "score, part of the cheapest", "cheaper cuts"];
    report.table(format!("Cut search between two takes of {FRAMES} frames"), columns);
    for pair in long.windows(2).step_by((long.len() / MAX_PAIRS).max(1)).take(MAX_PAIRS) {
        let clips = [pair[0].clip.trimmed(0..FRAMES)?, pair[1].clip.trimmed(0..FRAMES)?];
        let inputs = [0, 1].map(|side| Input { clip: &clips[side], rig: &pair[side].rig });
        let join = Join { cut: Cut::Best { max_cut: f64::INFINITY }, ..Default::default() };
        let options = StitchOptions { foot_lock: false, ..join.into() };
        let started = Instant::now();
        let mut prepared = Prepared::new(&inputs, &options, progress)?;
        while prepared.advance(progress)? < 1.0 {}
        let two_stages_secs = started.elapsed().as_secs_f64();
        let cut = join_prepared(prepared, &inputs, &options, progress)?.finish(progress)?.seam_reports[0].cut_at;
        let score = cut.map_or(f32::NAN, |cut| cut.score);

        let started = Instant::now();
        let scan = Scan::from_clips(&clips[0], inputs[0].rig, &clips[1], inputs[1].rig, &LscoreOptions::default())?;
        // As in a stitch, each clip keeps at least `MIN_FRAMES` frames.
        let (takeoffs, landings) = (MIN_FRAMES - 1..FRAMES, 0..FRAMES + 1 - MIN_FRAMES);
        let mut cheapest = CheapestCuts::new(MAX_CHEAPEST);
        for chunk in Frames::every(1, takeoffs).chunks(CHUNK) {
            scan.offer(&chunk, &Frames::every(1, landings.clone()), &mut cheapest, progress)?;
        }
        let all_cuts_secs = started.elapsed().as_secs_f64();
        let lowest_score = cheapest.cuts().first().map_or(f32::NAN, |cut| cut.0);
        let cheaper = cheapest.cuts().iter().filter(|cut| cut.0 < score).count();
        let names = format!("{}, {}", clips[0].name, clips[1].name);
        let relative_score = number(f64::from(score / lowest_score), 3);
        let [two_stages, all_cuts] = [number(two_stages_secs, 2), number(all_cuts_secs, 1)];
        report.row([names, two_stages, all_cuts, relative_score, cheaper.to_string()]);
    }
    Ok(())
}
