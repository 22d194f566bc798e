//! Tables of methods, with the ratios of networks to inertialization.

use super::weights::Network;
use crate::report::{Report, number};

/// Name of a method in the tables, followed by the digest of its weight file if it has one.
pub fn label(method: &str, network: Option<&Network>) -> String {
    network.map_or_else(|| method.to_owned(), |network| format!("{method} {}", network.digest))
}

/// Adds a table with one row per method; below each network its ratio to inertialization. `digits`: number of decimals
/// of each column.
pub fn add<const N: usize>(
    report: &mut Report,
    caption: &str,
    columns: &[&str; N],
    lines: &[(String, [f64; N])],
    digits: [usize; N],
) {
    report.table(caption, std::iter::once("method").chain(columns.iter().copied()));
    let baseline = lines.iter().find(|(name, _)| name == "inertialize").map(|(_, values)| *values);
    for (name, values) in lines {
        let cells = values.iter().zip(digits).map(|(value, digits)| number(*value, digits));
        report.row(std::iter::once(name.clone()).chain(cells));
        if let Some(baseline) = baseline.filter(|_| name.starts_with("rmr")) {
            let ratio = |(value, base): (&f64, &f64)| if *base > 0.0 { number(value / base, 2) } else { String::new() };
            let cells = values.iter().zip(&baseline).map(ratio);
            report.row(std::iter::once(format!("{name} / inertialize")).chain(cells));
        }
    }
}
