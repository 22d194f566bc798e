//! Scores per kind of action: Table 6 of Tang et al. 2022.

use super::score::score;
use super::{MEASURES, Method};
use crate::Outcome;
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

/// Prints the table.
pub fn print(windows: &[Window], deviation: &[Vec3], methods: &[(&str, Method)]) -> Outcome {
    let mut kinds: BTreeMap<&str, Vec<&Window>> = BTreeMap::new();
    windows.iter().for_each(|window| kinds.entry(kind(&window.action)).or_default().push(window));
    let head: Vec<String> = kinds.iter().map(|(kind, windows)| format!("{kind} ({})", windows.len())).collect();
    println!("\nby kind of action (windows), {GAP} frames\n");
    println!("| | method | {} |\n|---|---|{}", head.join(" | "), "---|".repeat(kinds.len()));
    let mut scores = Vec::with_capacity(methods.len());
    for (name, method) in methods {
        let of = |windows: &Vec<&Window>| score(windows.iter().copied(), deviation, method, GAP);
        scores.push((*name, kinds.values().map(of).collect::<Outcome<Vec<_>>>()?));
    }
    for (metric, digits, value) in &MEASURES[1..] {
        for (method, scores) in scores.iter().filter(|(method, _)| *method != "truth" || *metric == "skate") {
            let cells: Vec<String> = scores.iter().map(|score| format!("{:.digits$}", value(score))).collect();
            println!("| {metric} | {method} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}
