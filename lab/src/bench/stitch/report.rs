//! Tables on the terminal, and the committed results file.

use super::seams::SeamScore;
use super::weights::Network;
use crate::Outcome;
use std::path::Path;
use std::process::Command;
use training::data::Split;
use training::score::Score;

/// Increase when the meaning of a column or test changes. 2: recordings by `recipes/sets.json`.
const VERSION: &str = "2";
const HEAD: [&str; 26] = [
    "version",
    "commit",
    "test",
    "method",
    "weights",
    "sha256",
    "pairs",
    "mse",
    "npss",
    "slide",
    "peak_jerk",
    "pop",
    "seams",
    "seam_slide",
    "seam_low",
    "seam_jerk",
    "seam_pop",
    "edge_pop",
    "edge_jerk",
    "locked_slide",
    "locked_low",
    "locked_jerk",
    "locked_pop",
    "locked_edge_pop",
    "drift_cm",
    "network_ms",
];

/// Results of one method on one test.
pub struct Row {
    test: String,
    method: String,
    weights: String,
    sum: String,
    /// Number of pairs and their score.
    pub pairs: Option<(usize, Score)>,
    /// Number of seams and their score.
    pub seams: Option<(usize, SeamScore)>,
}

impl Row {
    /// Finds the row of a test, method and weight file, or adds it.
    pub fn of<'a>(
        rows: &'a mut Vec<Row>,
        (test, split): (&str, Split),
        method: &str,
        network: Option<&Network>,
    ) -> &'a mut Row {
        let test = if split == Split::Test { test.to_owned() } else { format!("{test}/{}", split.name()) };
        let (weights, sum) = network.map(|n| (n.file.clone(), n.sum.clone())).unwrap_or_default();
        let same = |row: &Row| row.test == test && row.method == method && row.sum == sum;
        let index = rows.iter().position(same).unwrap_or_else(|| {
            rows.push(Row { test, method: method.to_owned(), weights, sum, pairs: None, seams: None });
            rows.len() - 1
        });
        &mut rows[index]
    }

    /// Method, followed by the weight file if there is one.
    pub fn label(&self) -> String {
        if self.sum.is_empty() { self.method.clone() } else { format!("{} {}", self.method, self.sum) }
    }
}

/// Formats a number with this many digits; empty for NaN.
pub fn number(value: f64, digits: usize) -> String {
    if value.is_nan() { String::new() } else { format!("{value:.digits$}") }
}

/// Prints a Markdown table, and below each network its ratio to inertialization.
pub fn print<const N: usize>(head: &[&str; N], lines: &[(String, [f64; N])], cell: impl Fn(f64, usize) -> String) {
    println!("| method | {} |\n|---|{}", head.join(" | "), "---|".repeat(N));
    let baseline = lines.iter().find(|(name, _)| name == "inertialize").map(|(_, values)| *values);
    for (name, values) in lines {
        let cells: Vec<String> = values.iter().enumerate().map(|(column, value)| cell(*value, column)).collect();
        println!("| {name} | {} |", cells.join(" | "));
        if let Some(baseline) = baseline.filter(|_| name.starts_with("rmr")) {
            let ratio = |(value, base): (&f64, &f64)| if *base > 0.0 { number(value / base, 2) } else { String::new() };
            let cells: Vec<String> = values.iter().zip(&baseline).map(ratio).collect();
            println!("| {name} / inertialize | {} |", cells.join(" | "));
        }
    }
    println!();
}

/// Checks, before any measurement, that rows can be appended to the results file; creates it if missing.
pub fn prepare(path: &Path) -> Outcome {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let head = HEAD.join(",");
    if !path.exists() {
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder).map_err(|error| fail(&error))?;
        std::fs::write(path, format!("{head}\n")).map_err(|error| fail(&error))?;
    }
    let text = std::fs::read_to_string(path).map_err(|error| fail(&error))?;
    if text.lines().next() == Some(&head) {
        Ok(())
    } else {
        Err(fail(&"its columns are others: take another file").into())
    }
}

/// Appends rows to a prepared results file.
pub fn append(path: &Path, rows: &[Row]) -> Outcome {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = std::fs::OpenOptions::new().append(true).open(path).map_err(|error| fail(&error))?;
    let mut writer = csv::Writer::from_writer(file);
    let commit = commit();
    for row in rows {
        let mut cells = vec![VERSION.to_owned(), commit.clone(), row.test.clone(), row.method.clone()];
        cells.extend([row.weights.clone(), row.sum.clone()]);
        let score = row.pairs.map(|(count, s)| (count, [s.mse, s.npss, s.slide, s.peak_jerk, s.pop]));
        cells.extend(columns(score));
        cells.extend(columns(row.seams.map(|(count, score)| (count, score.values()))));
        writer.write_record(&cells).map_err(|error| fail(&error))?;
    }
    writer.flush().map_err(|error| fail(&error).into())
}

/// Count and values; empty cells if nothing was measured.
fn columns<const N: usize>(score: Option<(usize, [f64; N])>) -> Vec<String> {
    let Some((count, values)) = score else { return vec![String::new(); N + 1] };
    let significant =
        |value: &f64| if value.is_nan() { String::new() } else { format!("{}", (value * 1e5).round() / 1e5) };
    std::iter::once(count.to_string()).chain(values.iter().map(significant)).collect()
}

/// Commit measured, marked if the working tree differs from it.
fn commit() -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success());
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(name) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".to_owned() };
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", "src", "Cargo.lock", "models"]);
    if changed.is_some_and(|files| !files.is_empty()) { format!("{name}+") } else { name }
}
