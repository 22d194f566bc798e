//! Table of the visible faults of joins.

use super::Sums;
use crate::report::{Report, number};
use kinestitch::stitch::{FaultKind, Measures};
use std::collections::BTreeMap;

/// Faults that are compared with other methods: the other two need straight clips or inserted frames.
const COMPARED: [FaultKind; 4] = [FaultKind::Stall, FaultKind::Slide, FaultKind::Sink, FaultKind::Pop];

/// Prints the shares of seams with each fault, those without first.
pub(super) fn print(sums: &BTreeMap<String, Sums>, seams: usize, report: &mut Report) {
    let mut columns = vec!["join".to_owned(), "none of four".to_owned(), "none".to_owned()];
    columns.extend(FaultKind::ALL.map(|kind| kind.name().to_owned()));
    columns.extend(["turn, 90 %".to_owned(), "turn, worst".to_owned(), "sink, worst, cm".to_owned()]);
    report.table(format!("Share of {seams} seams with visible faults"), columns);
    let mut rows: Vec<(f64, Vec<String>)> = sums.iter().map(|(name, sums)| row(name, &sums.measures)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.into_iter().for_each(|(_, cells)| report.row(cells));
}

/// Returns the share without any of [`COMPARED`], and the cells of a join.
fn row(name: &str, measures: &[Measures]) -> (f64, Vec<String>) {
    let share = |test: &dyn Fn(&Measures) -> bool| {
        measures.iter().filter(|&measures| test(measures)).count() as f64 / measures.len().max(1) as f64
    };
    let has = |measures: &Measures, kind: FaultKind| measures.faults().iter().any(|fault| fault.kind == kind);
    let none_of_four = share(&|measures| !COMPARED.iter().any(|&kind| has(measures, kind)));
    let none = share(&|measures| measures.faults().is_empty());
    let mut cells = vec![name.to_owned(), number(none_of_four, 2), number(none, 2)];
    cells.extend(FaultKind::ALL.map(|kind| number(share(&|measures| has(measures, kind)), 2)));
    let mut turns: Vec<f32> = measures.iter().filter_map(|measures| measures.turn).collect();
    turns.sort_by(f32::total_cmp);
    let at = |fraction: f64| {
        let index = (turns.len().saturating_sub(1) as f64 * fraction).round() as usize;
        turns.get(index).map_or("\u{2013}".to_owned(), |turn| number(f64::from(*turn), 1))
    };
    cells.extend([at(0.9), at(1.0)]);
    let deepest = measures.iter().map(|measures| measures.sink).fold(0.0, f32::max);
    cells.push(number(100.0 * f64::from(deepest), 1));
    (none_of_four, cells)
}
