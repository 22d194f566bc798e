//! Spread between the seeds of a method, and the quality of each seed compared with the gap filled without a seed
//! (column "mean": the mean motion, not the mean of the seeds).

use super::filler::Filler;
use super::score::weighted_skate;
use crate::Outcome;
use crate::report::{Report, number};
use crate::window::{JOINTS, PAST, Window, World};
use kinestitch::method::filler::OptionMap;

/// Every 16th window is used, because each is filled once per seed.
const EVERY: usize = 16;
const FPS: f32 = 30.0;

/// Adds three rows per gap length: mean distance of joints between two seeds in the middle of the gap; foot skate (Tang
/// et al. 2022, eq. 15) and peak jerk, each of the recording, of the gap filled without a seed and of each seed.
pub fn table(windows: &[Window], filler: &Filler, (gaps, seeds): (&[usize], u64), report: &mut Report) -> Outcome {
    let windows: Vec<&Window> = windows.iter().step_by(EVERY).collect();
    let seed_numbers = (0..seeds).map(|seed| format!("seed {seed}"));
    let names: Vec<String> = ["recording".to_owned(), "mean".to_owned()].into_iter().chain(seed_numbers).collect();
    let columns = ["gap, frames", "measure", "between seeds"].map(str::to_owned).into_iter().chain(names);
    report.table(format!("Seeds of {}, {} windows", filler.name(), windows.len()), columns);
    for &gap in gaps {
        let columns = 2 + seeds as usize;
        let (mut spread, mut skate, mut jerk) = (0.0, vec![0.0; columns], vec![0.0; columns]);
        for window in &windows {
            let mut motions = vec![window.world(PAST..PAST + gap), filler.fill(window, gap, &OptionMap::new())?];
            for seed in 0..seeds {
                let seeded = OptionMap::from_iter([("seed".to_owned(), seed.into())]);
                motions.push(filler.fill(window, gap, &seeded)?);
            }
            spread += f64::from(mean_distance(&motions[2..], gap / 2));
            let (past, target) = (window.world(PAST - 3..PAST), window.world(PAST + gap..PAST + gap + 3));
            for (index, motion) in motions.iter().enumerate() {
                skate[index] += weighted_skate(&window.world(PAST - 1..PAST), motion);
                jerk[index] += f64::from(peak_jerk([&past, motion, &target]));
            }
        }
        let count = windows.len().max(1) as f64;
        let mut row = |measure: &str, spread: f64, sums: &[f64], digits: usize| {
            let cells = sums.iter().map(|sum| number(sum / count, digits));
            report.row([gap.to_string(), measure.to_owned(), number(spread, 2)].into_iter().chain(cells));
        };
        row("distance of joints in the middle, cm", spread / count * 100.0, &[], 0);
        row("skate (eq. 15), cm a frame", f64::NAN, &skate, 3);
        row("peak jerk, m/s³", f64::NAN, &jerk, 0);
    }
    Ok(())
}

/// Returns the mean joint distance over all pairs of motions in one frame, metres.
fn mean_distance(motions: &[World], frame: usize) -> f32 {
    let pose = |motion: &World| motion.positions[frame * JOINTS..][..JOINTS].to_vec();
    let poses: Vec<_> = motions.iter().map(pose).collect();
    let (mut sum, mut count) = (0.0, 0.0);
    for (index, a) in poses.iter().enumerate() {
        for b in &poses[..index] {
            sum += a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f32>() / JOINTS as f32;
            count += 1.0;
        }
    }
    sum / f32::max(count, 1.0)
}

/// Returns the peak jerk of any joint, m/s³. `parts`: frames before, in and after the gap.
fn peak_jerk(parts: [&World; 3]) -> f32 {
    let positions = parts.map(|part| part.positions.as_slice()).concat();
    let rows: Vec<_> = positions.chunks_exact(JOINTS).collect();
    let third = |frame: usize, joint: usize| {
        let row = |offset: usize| rows[frame + offset][joint];
        ((row(3) - row(0)) - (row(2) - row(1)) * 3.0).length()
    };
    let differences =
        (0..rows.len().saturating_sub(3)).flat_map(|frame| (0..JOINTS).map(move |joint| third(frame, joint)));
    differences.fold(0.0, f32::max) * FPS.powi(3)
}
