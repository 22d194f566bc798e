//! Figure 5 of the paper at many positions: n frames of a recording are removed. Does the score propose n frames, and
//! how far are the filled frames from the recorded ones?

use super::{Dice, Recording, median};
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::method::lscore::LscoreOptions;
use kinestitch::method::lscore::feature::{Features, Measure};
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::smoother::Smoother;

const GAPS: [usize; 3] = [2, 5, 11];
/// Joint motion (leg lengths, mean over joints) below which the body stands still, so that any number of frames is
/// right.
const STILL: f64 = 0.02;

/// Frames around a gap → frames of the gap.
type Fill<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;

pub fn run(recordings: &[Recording], places: usize, report: &mut Report) -> Outcome {
    let options = LscoreOptions::default();
    let caption = format!("Frames removed at {places} places and restored, k = 0..{}", options.max_inject);
    let columns = [
        "removed frames n",
        "median of abs(k_opt - n)",
        "mean k_opt",
        "off by 2 at most, %",
        "error of the L-score, cm",
        "linear, cm",
        "cubic, cm",
        "better than linear, %",
        "better than cubic, %",
    ];
    report.table(caption, columns);
    for gap in GAPS {
        let smoother = Smoother::new(&options, gap);
        let mut dice = Dice(gap as u64);
        let (mut off, mut ks) = (Vec::new(), Vec::new());
        let mut errors: [Vec<f64>; 3] = Default::default();
        while off.len() < places {
            let recording = &recordings[dice.below(recordings.len())];
            let window = options.window;
            let span = 2 * window + gap;
            let start = dice.below(recording.clip.frames() - span);
            let piece = recording.clip.trimmed(start..start + span)?;
            let measure = Measure::new(&piece, &recording.rig);
            let features = measure.features(&piece)?;
            if motion(&features, window..window + gap) < STILL {
                continue;
            }
            let scan = Scan::new(features.clone(), features.clone(), &options)?;
            let cut = scan.cut(window - 1, window + gap)?;
            off.push(cut.inject.abs_diff(gap) as f64);
            ks.push(cut.inject as f64);
            let metres = f64::from(measure.metres());
            let fills: [Fill; 3] = [&|y| smoothed(&smoother, y, gap), &|y| linear(y, gap), &|y| cubic(y, gap)];
            for (errors, fill) in errors.iter_mut().zip(fills) {
                errors.push(error(&features, window, gap, fill) * metres * 100.0);
            }
        }
        let share = |test: &dyn Fn(usize) -> bool| (0..places).filter(|&i| test(i)).count() * 100 / places;
        let near = share(&|i| off[i] <= 2.0);
        let (linear, cubic) = (share(&|i| errors[0][i] < errors[1][i]), share(&|i| errors[0][i] < errors[2][i]));
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let [ours, line, spline] = errors.each_ref().map(|values| mean(values));
        report.row([
            gap.to_string(),
            median(&mut off).to_string(),
            number(mean(&ks), 1),
            near.to_string(),
            number(ours, 2),
            number(line, 2),
            number(spline, 2),
            linear.to_string(),
            cubic.to_string(),
        ]);
    }
    Ok(())
}

/// Path length of the joints over some frames, mean over joints.
fn motion(features: &Features, frames: std::ops::Range<usize>) -> f64 {
    let ways =
        frames.flat_map(|n| (0..features.joints()).map(move |j| features.at(n, j).distance(features.at(n + 1, j))));
    ways.map(f64::from).sum::<f64>() / features.joints() as f64
}

/// Mean distance between filled and recorded frames, leg lengths.
fn error(features: &Features, window: usize, gap: usize, fill: Fill) -> f64 {
    let mut sum = 0.0;
    for joint in 0..features.joints() {
        let filled = [0, 1, 2].map(|axis| {
            let seen = (0..window).chain(window + gap..2 * window + gap);
            fill(&seen.map(|n| f64::from(features.at(n, joint)[axis])).collect::<Vec<_>>())
        });
        for i in 0..gap {
            let truth = features.at(window + i, joint).as_dvec3();
            sum += truth.distance(glam::DVec3::from_array([0, 1, 2].map(|axis| filled[axis][i])));
        }
    }
    sum / (features.joints() * gap) as f64
}

fn smoothed(smoother: &Smoother, seen: &[f64], gap: usize) -> Vec<f64> {
    smoother.apply(seen)[seen.len() / 2..][..gap].iter().map(|state| state.x).collect()
}

fn linear(seen: &[f64], gap: usize) -> Vec<f64> {
    let window = seen.len() / 2;
    let (from, to) = (seen[window - 1], seen[window]);
    (1..=gap).map(|i| from + (to - from) * i as f64 / (gap + 1) as f64).collect()
}

/// Cubic Hermite from take-off to landing, with one-frame finite differences as end velocities.
fn cubic(seen: &[f64], gap: usize) -> Vec<f64> {
    let window = seen.len() / 2;
    let span = (gap + 1) as f64;
    let (p, q) = (seen[window - 1], seen[window]);
    let (u, v) = ((p - seen[window - 2]) * span, (seen[window + 1] - q) * span);
    let at = |t: f64| {
        let (t2, t3) = (t * t, t * t * t);
        p * (2.0 * t3 - 3.0 * t2 + 1.0) + u * (t3 - 2.0 * t2 + t) + q * (3.0 * t2 - 2.0 * t3) + v * (t3 - t2)
    };
    (1..=gap).map(|i| at(i as f64 / span)).collect()
}
