//! The best cuts of a map.

use super::Cut;
use super::map::{Map, Scan};

/// The `count` cheapest cells no two of which are nearer than `apart` frames in both directions, cheapest first: the
/// neighbours of a good cut are good too, and choosing among them is no choice.
pub fn best(scan: &Scan, map: &Map, count: usize, apart: usize) -> Vec<Cut> {
    let width = map.landings.len();
    let mut cells: Vec<u32> = (0..map.scores.len() as u32).collect();
    cells.sort_unstable_by(|&x, &y| map.scores[x as usize].total_cmp(&map.scores[y as usize]).then(x.cmp(&y)));
    let mut cuts: Vec<Cut> = Vec::new();
    for cell in cells {
        if cuts.len() == count {
            break;
        }
        let cell = cell as usize;
        let (takeoff, landing) = (map.takeoffs.start + cell / width, map.landings.start + cell % width);
        let near = |cut: &Cut| cut.takeoff.abs_diff(takeoff) < apart && cut.landing.abs_diff(landing) < apart;
        if !cuts.iter().any(near) {
            let (score, inject) = (map.scores[cell], usize::from(map.injects[cell]));
            cuts.push(Cut { takeoff, landing, inject, score, euclidean: scan.euclidean(takeoff, landing) });
        }
    }
    cuts
}
