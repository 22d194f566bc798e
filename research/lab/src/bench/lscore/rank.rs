//! Do cuts with a low score give better stitches? Random pairs of clips are joined by inertialization at five cuts:
//! last frame to first frame, and the best by Euclidean distance, by the L-score without injected frames, by the
//! L-score with up to 15 of them, and by phases of the feet. The fourth cut is also joined by the method lscore.

use super::{Random, Recording, median};
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::{LscoreOptions, seam};
use kinestitch::method::phase::{PhaseOptions, phases};
use kinestitch::metrics::{Sole, foot_skate, jerk};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::stitch::{MIN_FRAMES, phase_cut};
use kinestitch::{Clip, Input, Progress, StitchOptions, Transition, stitch};
use std::ops::Range;

/// Largest number of frames of each clip.
const FRAMES: usize = 120;
/// Largest number of frames that are cut off the end of the first clip, and off the start of the second.
const MAX_CUT: usize = FRAMES / 2;
/// Largest number of drawn pairs for each measured one: some have other skeletons, or no phases.
const MAX_DRAWS: usize = 1000;

/// Quality measures of one stitch.
#[derive(Clone, Copy)]
struct Quality {
    /// Foot skate (Tang et al. 2022, eq. 15), centimetres per frame.
    skate: f64,
    /// Peak jerk, m/s³.
    jerk: f64,
}

/// Take-off and landing.
type Cut = (usize, usize);

/// Rows of the table: cut, and method of the join.
const ROWS: [&str; 6] = [
    "last to first",
    "best Euclidean",
    "best L-score, k = 0",
    "best elastic L-score, k = 0..15",
    "best by phases of the feet, and pose",
    "best elastic L-score, joined by the method lscore",
];

pub fn run(recordings: &[Recording], pairs: usize, report: &mut Report) -> Outcome {
    if pairs == 0 {
        return Ok(());
    }
    let mut rng = Random(7);
    let mut qualities: [Vec<Quality>; ROWS.len()] = Default::default();
    for _ in 0..pairs.saturating_mul(MAX_DRAWS) {
        if qualities[0].len() == pairs {
            break;
        }
        let a = &recordings[rng.below(recordings.len())];
        let b = &recordings[rng.below(recordings.len())];
        if !a.clip.skeleton().same_topology(b.clip.skeleton()) {
            continue;
        }
        let mut piece = |recording: &Recording| {
            let frames = FRAMES.min(recording.clip.frames());
            let start = rng.below(recording.clip.frames() + 1 - frames);
            recording.clip.trimmed(start..start + frames)
        };
        let (first, second) = (piece(a)?, piece(b)?);
        let inputs = [Input { clip: &first, rig: &a.rig }, Input { clip: &second, rig: &b.rig }];
        let Some(cuts) = find_cuts(&inputs)? else { continue };
        for (qualities, &cut) in qualities.iter_mut().zip(&cuts) {
            qualities.push(quality(&inputs, cut, Transition::default())?);
        }
        let elastic_cut = cuts[3];
        qualities[5].push(quality(&inputs, elastic_cut, Transition::lscore())?);
    }
    if qualities[0].len() < pairs {
        let found = qualities[0].len();
        return Err(format!("only {found} of {pairs} pairs have equal skeletons, and phases of their feet").into());
    }
    table(&qualities, report);
    Ok(())
}

/// Finds the cuts of the first five [`ROWS`]; `None` if the phases of a clip cannot be computed.
fn find_cuts(inputs: &[Input; 2]) -> Outcome<Option<Vec<Cut>>> {
    let [first, second] = inputs;
    let limbs = inputs.each_ref().map(|input| phases(input.clip, input.rig, &PhaseOptions::default()));
    let [Ok(first_limbs), Ok(second_limbs)] = &limbs else { return Ok(None) };
    let elastic = LscoreOptions::default();
    let plain = LscoreOptions { max_inject: 0, ..elastic.clone() };
    let scan = Scan::from_clips(first.clip, first.rig, second.clip, second.rig, &plain)?;
    let elastic_scan = Scan::from_clips(first.clip, first.rig, second.clip, second.rig, &elastic)?;
    let (takeoffs, landings) = ranges(&scan, [first.clip.frames(), second.clip.frames()])?;
    let cut_by_score = |scan: &Scan| -> Result<Option<Cut>, kinestitch::Error> {
        let map = scan.map(takeoffs.clone(), landings.clone(), &mut Progress::silent())?;
        Ok(seam::select_cuts(scan, &map, 1, 1).first().map(|cut| (cut.takeoff, cut.landing)))
    };
    let cells = takeoffs.clone().flat_map(|takeoff| landings.clone().map(move |landing| (takeoff, landing)));
    let nearest = cells.min_by(|a, b| scan.euclidean(a.0, a.1).total_cmp(&scan.euclidean(b.0, b.1)));
    let in_step = phase_cut::find_cut(&scan, [first_limbs, second_limbs], takeoffs.clone(), landings.clone());
    let last_to_first = Some((first.clip.frames() - 1, 0));
    let cuts = [last_to_first, nearest, cut_by_score(&scan)?, cut_by_score(&elastic_scan)?, in_step];
    match cuts.into_iter().collect() {
        Some(cuts) => Ok(Some(cuts)),
        None => Err("a pair of clips has no take-off or no landing to search".into()),
    }
}

/// Returns the take-offs and landings to search. Every cut leaves [`MIN_FRAMES`] of both clips, which `stitch` needs.
fn ranges(scan: &Scan, [first, second]: [usize; 2]) -> Result<(Range<usize>, Range<usize>), kinestitch::Error> {
    let (mut takeoffs, mut landings) = seam::ranges(scan, 0..first, 0..second, MAX_CUT)?;
    takeoffs.start = takeoffs.start.max(MIN_FRAMES - 1);
    landings.end = landings.end.min((second + 1).saturating_sub(MIN_FRAMES));
    Ok((takeoffs, landings))
}

/// Adds the table. `qualities`: of each row, one value per pair.
fn table(qualities: &[Vec<Quality>; ROWS.len()], report: &mut Report) {
    let pairs = qualities[0].len();
    let columns = [
        "cut",
        "foot skate, eq. 15",
        "peak jerk, m/s³",
        "skate / last to first",
        "jerk / last to first",
        "skate / Euclidean",
        "jerk / Euclidean",
    ];
    let caption = format!("Cuts of {pairs} pairs of up to {FRAMES} frames, joined without foot lock");
    report.table(caption, columns);
    for (name, row) in ROWS.iter().zip(qualities) {
        let ratio = |base: usize, value: fn(&Quality) -> f64| {
            let base = &qualities[base];
            let mut ratios: Vec<f64> = row.iter().zip(base).map(|(q, base)| value(q) / value(base).max(1e-6)).collect();
            format!("{:.2} ({:.2})", mean(row, value) / mean(base, value), median(&mut ratios))
        };
        report.row([
            name.to_string(),
            number(mean(row, |q| q.skate), 3),
            number(mean(row, |q| q.jerk), 0),
            ratio(0, |q| q.skate),
            ratio(0, |q| q.jerk),
            ratio(1, |q| q.skate),
            ratio(1, |q| q.jerk),
        ]);
    }
    report.note("Ratios of the means; in brackets the median of the pairs' ratios.");
}

fn mean(qualities: &[Quality], value: fn(&Quality) -> f64) -> f64 {
    qualities.iter().map(value).sum::<f64>() / qualities.len() as f64
}

/// Stitches two clips at a cut and measures the result around the seam.
fn quality(inputs: &[Input; 2], (takeoff, landing): Cut, transition: Transition) -> Result<Quality, kinestitch::Error> {
    let options = StitchOptions {
        foot_lock: false,
        trim: vec![Some((0..takeoff + 1).into()), Some((landing..inputs[1].clip.frames()).into())],
        ..transition.into()
    };
    let stitched = stitch(inputs, &options, &mut Progress::silent())?;
    let frames = stitched.seam_reports.first().map_or(0..0, |seam| seam.edited_range.clone());
    let around = frames.start.saturating_sub(2)..(frames.end + 2).min(stitched.clip.frames());
    let peak = jerk(&stitched.clip)[around.clone()].iter().fold(0.0f32, |peak, &jerk| peak.max(jerk));
    let skate = foot_skate(&stitched.clip, &soles(&stitched.aligned, inputs[0].rig), around).weighted;
    Ok(Quality { skate: f64::from(skate), jerk: f64::from(peak) })
}

/// Returns the toes (or ankles). Their resting height is the 5th percentile of their heights in the inputs.
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
            Sole { joint, resting_height: heights[heights.len() / 20] }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::read_clip;
    use kinestitch::motion::rig;
    use std::path::Path;

    #[test]
    fn clips_of_sixty_frames_can_be_stitched_at_all_searched_cuts() {
        let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures"));
        let clips = ["ada-walk", "ada-jog"].map(|name| {
            let clip = read_clip(&fixtures.join(format!("{name}.bvh"))).unwrap().trimmed(0..60).unwrap();
            let rig = rig::infer(&clip);
            (clip, rig)
        });
        let inputs = clips.each_ref().map(|(clip, rig)| Input { clip, rig });
        let [(first, rig), (second, _)] = &clips;
        let scan = Scan::from_clips(first, rig, second, rig, &LscoreOptions::default()).unwrap();
        let (takeoffs, landings) = ranges(&scan, [60, 60]).unwrap();
        assert_eq!((&takeoffs, &landings), (&(9..60), &(0..51)));
        for cut in [(takeoffs.start, landings.start), (takeoffs.start, landings.end - 1)] {
            quality(&inputs, cut, Transition::default()).unwrap();
        }
        for cut in find_cuts(&inputs).unwrap().unwrap() {
            quality(&inputs, cut, Transition::lscore()).unwrap();
        }
    }
}
