//! Recorded windows thinned out: none nearer to another than a radius, which is as small as their number allows.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// Halvings of the interval that the radius lies in.
const ROUNDS: usize = 8;

/// Of rows, [rows × columns], at most `most`, [kept × columns]: in a random order each that lies farther than a radius from
/// all kept before it.
pub fn thin(rows: &[f32], columns: usize, most: usize, seed: u64) -> Vec<f32> {
    let mut order: Vec<&[f32]> = rows.chunks_exact(columns).collect();
    if order.len() <= most {
        return rows.to_vec();
    }
    order.shuffle(&mut StdRng::seed_from_u64(seed));
    let reach = order.iter().map(|row| row.iter().map(|x| x * x).sum::<f32>()).fold(0.0, f32::max).sqrt();
    let (mut low, mut high) = (0.0, reach);
    let mut best = order[..most].concat();
    for _ in 0..ROUNDS {
        let radius = (low + high) / 2.0;
        match apart(&order, radius, most) {
            Some(kept) => (best, high) = (kept.concat(), radius),
            None => low = radius,
        }
    }
    best
}

/// Rows farther than `radius` from each other; `None` where there are more than `most`.
fn apart<'a>(rows: &[&'a [f32]], radius: f32, most: usize) -> Option<Vec<&'a [f32]>> {
    let near = |a: &[f32], b: &[f32]| {
        let mut sum = 0.0;
        for (a, b) in a.chunks(8).zip(b.chunks(8)) {
            sum += a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
            if sum > radius * radius {
                return false;
            }
        }
        true
    };
    let mut kept: Vec<&[f32]> = Vec::new();
    for row in rows {
        if kept.iter().rev().any(|other| near(row, other)) {
            continue;
        }
        kept.push(row);
        if kept.len() > most {
            return None;
        }
    }
    Some(kept)
}
