//! Figure 5 of Li et al. 2008 at many places: n frames of a recording are removed and restored. Does the score propose
//! n frames, and how far are the filled frames from the recorded ones?

use super::{Random, Recording, median};
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::method::lscore::LscoreOptions;
use kinestitch::method::lscore::feature::{Features, Measure};
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::smoother::Smoother;

/// Numbers of removed frames.
const GAPS: [usize; 3] = [2, 5, 11];
/// Joint motion (leg lengths, mean over joints) below which the body stands still, so that any number of frames is
/// right.
const MIN_MOTION: f64 = 0.02;

/// Largest number of random places tried, for each place that is measured.
const MAX_ATTEMPTS: usize = 1000;
const COLUMNS: [&str; 9] = [
    "removed frames n",
    "median of abs(k_opt - n)",
    "mean k_opt",
    "off by 2 at most, %",
    "error: L-score, cm",
    "error: linear, cm",
    "error: cubic, cm",
    "better than linear, %",
    "better than cubic, %",
];

/// Fills one coordinate: frames around a gap → frames of the gap.
type Fill<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;

pub fn run(recordings: &[Recording], places: usize, report: &mut Report) -> Outcome {
    if places == 0 {
        return Ok(());
    }
    let options = LscoreOptions::default();
    let caption = format!("Frames removed at {places} places and restored, k = 0..{}", options.max_inject);
    report.table(caption, COLUMNS);
    for gap in GAPS {
        let smoother = Smoother::new(&options, gap);
        let mut rng = Random(gap as u64);
        let (mut differences, mut ks) = (Vec::new(), Vec::new());
        let mut errors: [Vec<f64>; 3] = Default::default();
        let mut attempts = 0;
        while differences.len() < places {
            attempts += 1;
            if attempts > MAX_ATTEMPTS * places {
                return Err(format!("the recordings stand still at nearly all places for gaps of {gap} frames").into());
            }
            let recording = &recordings[rng.below(recordings.len())];
            let window = options.window;
            let span = 2 * window + gap;
            let start = rng.below(recording.clip.frames() - span);
            let piece = recording.clip.trimmed(start..start + span)?;
            let measure = Measure::new(&piece, &recording.rig);
            let features = measure.features(&piece)?;
            if motion(&features, window..window + gap) < MIN_MOTION {
                continue;
            }
            let scan = Scan::new(features.clone(), features.clone(), &options)?;
            let cut = scan.cut(window - 1, window + gap)?;
            differences.push(cut.inject.abs_diff(gap) as f64);
            ks.push(cut.inject as f64);
            let metres = f64::from(measure.metres());
            let fills: [Fill; 3] = [&|y| smoothed(&smoother, y, gap), &|y| linear(y, gap), &|y| cubic(y, gap)];
            for (errors, fill) in errors.iter_mut().zip(fills) {
                errors.push(mean_error(&features, window, gap, fill) * metres * 100.0);
            }
        }
        let percent = |test: &dyn Fn(usize) -> bool| (0..places).filter(|&i| test(i)).count() * 100 / places;
        let within_two = percent(&|i| differences[i] <= 2.0);
        let (beats_linear, beats_cubic) =
            (percent(&|i| errors[0][i] < errors[1][i]), percent(&|i| errors[0][i] < errors[2][i]));
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let [score_error, linear_error, cubic_error] = errors.each_ref().map(|values| mean(values));
        report.row([
            gap.to_string(),
            median(&mut differences).to_string(),
            number(mean(&ks), 1),
            within_two.to_string(),
            number(score_error, 2),
            number(linear_error, 2),
            number(cubic_error, 2),
            beats_linear.to_string(),
            beats_cubic.to_string(),
        ]);
    }
    Ok(())
}

/// Returns the path length of the joints over some frames, leg lengths, mean over joints.
fn motion(features: &Features, frames: std::ops::Range<usize>) -> f64 {
    let distances =
        frames.flat_map(|n| (0..features.joints()).map(move |j| features.at(n, j).distance(features.at(n + 1, j))));
    distances.map(f64::from).sum::<f64>() / features.joints() as f64
}

/// Returns the mean distance between filled and recorded joint positions, leg lengths.
fn mean_error(features: &Features, window: usize, gap: usize, fill: Fill) -> f64 {
    let mut sum = 0.0;
    for joint in 0..features.joints() {
        let filled = [0, 1, 2].map(|axis| {
            let observed = (0..window).chain(window + gap..2 * window + gap);
            fill(&observed.map(|n| f64::from(features.at(n, joint)[axis])).collect::<Vec<_>>())
        });
        for i in 0..gap {
            let truth = features.at(window + i, joint).as_dvec3();
            sum += truth.distance(glam::DVec3::from_array([0, 1, 2].map(|axis| filled[axis][i])));
        }
    }
    sum / (features.joints() * gap) as f64
}

fn smoothed(smoother: &Smoother, observed: &[f64], gap: usize) -> Vec<f64> {
    smoother.apply(observed)[observed.len() / 2..][..gap].iter().map(|state| state.x).collect()
}

fn linear(observed: &[f64], gap: usize) -> Vec<f64> {
    let window = observed.len() / 2;
    let (from, to) = (observed[window - 1], observed[window]);
    (1..=gap).map(|i| from + (to - from) * i as f64 / (gap + 1) as f64).collect()
}

/// Interpolates by a cubic Hermite curve from take-off to landing. The velocities at its ends are differences between
/// neighbouring frames.
fn cubic(observed: &[f64], gap: usize) -> Vec<f64> {
    let window = observed.len() / 2;
    let span = (gap + 1) as f64;
    let (p, q) = (observed[window - 1], observed[window]);
    let (u, v) = ((p - observed[window - 2]) * span, (observed[window + 1] - q) * span);
    let position = |t: f64| {
        let (t2, t3) = (t * t, t * t * t);
        p * (2.0 * t3 - 3.0 * t2 + 1.0) + u * (t3 - 2.0 * t2 + t) + q * (3.0 * t2 - 2.0 * t3) + v * (t3 - t2)
    };
    (1..=gap).map(|i| position(i as f64 / span)).collect()
}
