//! Does a cheap cut give a good stitch? Random pairs of clips are joined by inertialization at three cuts: last frame
//! to first frame, best by L-score, best by Euclidean distance.

use super::{Dice, Recording, median};
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::method::Join;
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::{LscoreOptions, seam};
use kinestitch::method::phase::{self, PhaseOptions, phases};
use kinestitch::metrics::{Sole, foot_skate, jerk};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::{Clip, Input, Progress, StitchOptions, stitch};

/// Frames of each clip. The cut may remove the half that faces the other clip.
const FRAMES: usize = 120;
const MAX_CUT: usize = FRAMES / 2;

/// Quality measures of one stitch.
#[derive(Clone, Copy)]
struct Quality {
    skate: f64,
    jerk: f64,
}

pub fn run(recordings: &[Recording], pairs: usize, report: &mut Report) -> Outcome {
    let elastic = LscoreOptions::default();
    let plain = LscoreOptions { max_inject: 0, ..elastic.clone() };
    let mut dice = Dice(7);
    let mut found: [Vec<Quality>; 6] = Default::default();
    while found[0].len() < pairs {
        let a = &recordings[dice.below(recordings.len())];
        let b = &recordings[dice.below(recordings.len())];
        if !a.clip.skeleton().same_topology(b.clip.skeleton()) {
            continue;
        }
        let mut piece = |recording: &Recording| {
            let frames = FRAMES.min(recording.clip.frames());
            let start = dice.below(recording.clip.frames() + 1 - frames);
            recording.clip.trimmed(start..start + frames)
        };
        let (first, second) = (piece(a)?, piece(b)?);
        let scan = Scan::from_clips(&first, &a.rig, &second, &b.rig, &plain)?;
        let (takeoffs, landings) = seam::ranges(&scan, 0..first.frames(), 0..second.frames(), MAX_CUT)?;
        let by_score = |scan: &Scan| -> Result<(usize, usize), kinestitch::Error> {
            let map = scan.map(takeoffs.clone(), landings.clone(), &mut Progress::silent())?;
            Ok(seam::best(scan, &map, 1, 1).first().map_or((0, 0), |cut| (cut.takeoff, cut.landing)))
        };
        let best = by_score(&scan)?;
        let best_elastic = by_score(&Scan::from_clips(&first, &a.rig, &second, &b.rig, &elastic)?)?;
        let cells = takeoffs.clone().flat_map(|a| landings.clone().map(move |b| (a, b)));
        let near =
            cells.min_by(|x, y| scan.euclidean(x.0, x.1).total_cmp(&scan.euclidean(y.0, y.1))).unwrap_or_default();
        let limbs =
            [(&first, &a.rig), (&second, &b.rig)].map(|(clip, rig)| phases(clip, rig, &PhaseOptions::default()));
        let [Ok(first_limbs), Ok(second_limbs)] = &limbs else { continue };
        let ranges = (takeoffs.clone(), landings.clone());
        let in_step = phase::seam::best(&scan, [first_limbs, second_limbs], ranges.0, ranges.1).unwrap_or_default();
        let ends = (first.frames() - 1, 0);
        for (found, cut) in found.iter_mut().zip([ends, near, best, best_elastic, in_step]) {
            found.push(quality(&first, &a.rig, &second, &b.rig, cut, Join::Inertialize)?);
        }
        found[5].push(quality(&first, &a.rig, &second, &b.rig, best_elastic, Join::Lscore)?);
    }
    let columns = [
        "cut",
        "foot skate, eq. 15",
        "peak jerk, m/s³",
        "skate / last to first",
        "jerk / last to first",
        "skate / Euclidean",
        "jerk / Euclidean",
    ];
    let caption = format!("Cuts of {pairs} pairs of {FRAMES} frames, inertialized over 20 frames, without foot lock");
    report.table(caption, columns);
    let names = [
        "last to first",
        "best Euclidean",
        "best L-score, k = 0",
        "best elastic L-score, k = 0..15",
        "best by phases of the feet, and pose",
        "best elastic L-score, joined by the method lscore",
    ];
    for (name, rows) in names.iter().zip(&found) {
        let ratio = |to: usize, value: fn(&Quality) -> f64| {
            let mut ratios: Vec<f64> =
                rows.iter().zip(&found[to]).map(|(q, base)| value(q) / value(base).max(1e-6)).collect();
            format!("{:.2} ({:.2})", mean(rows, value) / mean(&found[to], value), median(&mut ratios))
        };
        report.row([
            name.to_string(),
            number(mean(rows, |q| q.skate), 3),
            number(mean(rows, |q| q.jerk), 0),
            ratio(0, |q| q.skate),
            ratio(0, |q| q.jerk),
            ratio(1, |q| q.skate),
            ratio(1, |q| q.jerk),
        ]);
    }
    report.note("Ratios of the means; in brackets the median of the pairs' ratios.");
    Ok(())
}

fn mean(rows: &[Quality], value: fn(&Quality) -> f64) -> f64 {
    rows.iter().map(value).sum::<f64>() / rows.len() as f64
}

fn quality(
    a: &Clip,
    a_rig: &Rig,
    b: &Clip,
    b_rig: &Rig,
    (takeoff, landing): (usize, usize),
    joining: Join,
) -> Result<Quality, kinestitch::Error> {
    let options = StitchOptions {
        join: joining,
        foot_lock: false,
        // A clip to stitch has at least ten frames.
        trim: vec![Some(0..takeoff + 1), Some(landing..b.frames())],
        ..Default::default()
    };
    let inputs = [Input { clip: a, rig: a_rig }, Input { clip: b, rig: b_rig }];
    let stitched = stitch(&inputs, &options, &mut Progress::silent())?;
    let frames = stitched.seams.first().map_or(0..0, |seam| seam.edited_range.clone());
    let around = frames.start.saturating_sub(2)..(frames.end + 2).min(stitched.clip.frames());
    let peak = jerk(&stitched.clip)[around.clone()].iter().fold(0.0f32, |peak, &jerk| peak.max(jerk));
    let skate = foot_skate(&stitched.clip, &soles(&stitched.aligned, a_rig), around).weighted;
    Ok(Quality { skate: f64::from(skate), jerk: f64::from(peak) })
}

/// Toes (or ankles) with their ground heights from the inputs' lowest frames.
fn soles(inputs: &[Clip], rig: &Rig) -> Vec<Sole> {
    let feet = [(Role::LeftFoot, Role::LeftToe), (Role::RightFoot, Role::RightToe)];
    let joints = feet.iter().filter_map(|&(foot, toe)| rig.joint(toe).or(rig.joint(foot)));
    joints
        .map(|joint| {
            let heights = inputs
                .iter()
                .flat_map(|clip| (0..clip.frames()).map(|f| Pose::from_clip(clip, f).world_positions[joint].y));
            let mut heights: Vec<f32> = heights.collect();
            heights.sort_by(f32::total_cmp);
            Sole { joint, world_ground: heights[heights.len() / 20] }
        })
        .collect()
}
