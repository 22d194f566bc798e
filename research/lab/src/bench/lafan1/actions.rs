//! Scores per kind of action: Table 6 of Tang et al. 2022.

use super::score::score;
use super::{Measure, Method};
use crate::Outcome;
use crate::report::{Report, number};
use crate::window::Window;
use glam::Vec3;
use std::collections::BTreeMap;

/// Length of the gaps, frames.
const GAP: usize = 30;

/// Maps LAFAN1's action names to the paper's kinds (section 5.2.2). Actions missing from the paper are kinds of their
/// own.
fn kind(action: &str) -> &str {
    match action {
        "walk" | "run" | "sprint" => "walk, run",
        "dance" | "fight" | "fightAndSports" => "dance, fight, sports",
        "jumps" => "jump",
        other => other,
    }
}

/// Adds one table: scores of each method for each kind of action, and their ratios to the scores of interpolation.
pub fn table(windows: &[Window], deviation: &[Vec3], methods: &[(&str, Method)], report: &mut Report) -> Outcome {
    let mut kinds: BTreeMap<&str, Vec<&Window>> = BTreeMap::new();
    windows.iter().for_each(|window| kinds.entry(kind(&window.action)).or_default().push(window));
    let columns = [
        "kind of action",
        "windows",
        "method",
        "L2P",
        "NPSS",
        "skate, cm a frame",
        "L2P / interpolation",
        "NPSS / interpolation",
    ];
    report.table(format!("Gaps of {GAP} frames by kind of action"), columns);
    for (kind, windows) in kinds {
        let score_of = |method: &Method| score(windows.iter().copied(), deviation, method, GAP);
        let scores =
            methods.iter().map(|(name, method)| Ok((*name, score_of(method)?))).collect::<Outcome<Vec<_>>>()?;
        let plain = scores.iter().find(|(name, _)| *name == "interpolation").map(|(_, score)| score);
        for (name, score) in &scores {
            let ratio = |value: Measure| plain.map_or(f64::NAN, |plain| value(score) / value(plain));
            report.row([
                kind.to_owned(),
                windows.len().to_string(),
                (*name).to_owned(),
                number(score.l2p, 3),
                number(score.npss, 3),
                number(score.skate, 2),
                number(ratio(|score| score.l2p), 2),
                number(ratio(|score| score.npss), 2),
            ]);
        }
    }
    Ok(())
}
