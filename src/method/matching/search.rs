//! Exact search for the nearest row: boxes around consecutive rows are left out as soon as their distance exceeds the
//! best row's. Consecutive frames are similar, so boxes are small (D. Holden's reference source).

use std::ops::Range;

/// Rows of a small box.
const SMALL: usize = 16;
/// Rows of a large box.
const LARGE: usize = 64;

/// Normalised rows with the boxes around them. The first columns of a row describe the pose, the others the way.
#[derive(Debug, Clone, Default)]
pub struct Index {
    width: usize,
    pose_width: usize,
    rows: Vec<f32>,
    /// Smallest, then largest values of each box, [boxes × 2 × width].
    small: Vec<f32>,
    large: Vec<f32>,
}

/// A found row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Index of the row.
    pub row: usize,
    /// Squared distance.
    pub cost: f32,
}

impl Index {
    /// Builds the boxes of rows, [rows × width].
    pub fn new(rows: Vec<f32>, width: usize, pose_width: usize) -> Self {
        let (small, large) = (boxes(&rows, width, SMALL), boxes(&rows, width, LARGE));
        Self { width, pose_width, rows, small, large }
    }

    /// Returns a row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.width..][..self.width]
    }

    /// Returns the number of bytes of rows and boxes.
    pub fn bytes(&self) -> usize {
        4 * (self.rows.len() + self.small.len() + self.large.len())
    }

    /// Returns the squared distance of a row from a query, at most `limit` if it is larger.
    pub fn cost(&self, query: &Query, row: usize, limit: f32) -> f32 {
        let row = self.row(row);
        let way = squares(query.row[self.pose_width..].iter().zip(&row[self.pose_width..]).map(|(a, b)| a - b));
        if way >= limit {
            return limit;
        }
        let pose = squares(query.row[..self.pose_width].iter().zip(&row[..self.pose_width]).map(|(a, b)| a - b));
        (way + query.pose_weight * pose).min(limit)
    }

    /// Finds the row nearest to a query within `ranges` of rows that is nearer than `limit`; the first of equal ones.
    pub fn nearest(&self, query: &Query, ranges: &[Range<usize>], limit: f32) -> Option<Nearest> {
        let mut best = Nearest { row: usize::MAX, cost: limit };
        for range in ranges {
            let mut row = range.start;
            while row < range.end {
                let (large_end, small_end) = ((row / LARGE + 1) * LARGE, (row / SMALL + 1) * SMALL);
                if row.is_multiple_of(LARGE) && self.box_cost(&self.large, query, row / LARGE, best.cost) >= best.cost {
                    row = large_end;
                } else if self.box_cost(&self.small, query, row / SMALL, best.cost) >= best.cost {
                    row = small_end;
                } else {
                    for row in row..small_end.min(range.end) {
                        let cost = self.cost(query, row, best.cost);
                        if cost < best.cost {
                            best = Nearest { row, cost };
                        }
                    }
                    row = small_end;
                }
            }
        }
        (best.row != usize::MAX).then_some(best)
    }

    /// Returns the squared distance from a query to a box, at most `limit` if it is larger.
    fn box_cost(&self, boxes: &[f32], query: &Query, index: usize, limit: f32) -> f32 {
        let (low, high) = boxes[index * 2 * self.width..][..2 * self.width].split_at(self.width);
        let outside = |columns: Range<usize>| {
            let bounds = low[columns.clone()].iter().zip(&high[columns.clone()]);
            squares(query.row[columns].iter().zip(bounds).map(|(x, (low, high))| x - x.clamp(*low, *high)))
        };
        let way = outside(self.pose_width..self.width);
        if way >= limit {
            return limit;
        }
        (way + query.pose_weight * outside(0..self.pose_width)).min(limit)
    }
}

/// A normalised row to search for.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// `[width]`.
    pub row: &'a [f32],
    /// Factor of the squared distance of the pose; 1, or less for a join that must not wait for a similar pose.
    pub pose_weight: f32,
}

fn squares(differences: impl Iterator<Item = f32>) -> f32 {
    differences.map(|difference| difference * difference).sum()
}

fn boxes(rows: &[f32], width: usize, count: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(rows.len().div_ceil(count * width.max(1)) * 2 * width);
    for rows in rows.chunks(count * width) {
        let start = out.len();
        out.extend_from_slice(&rows[..width]);
        out.extend_from_slice(&rows[..width]);
        for row in rows.chunks_exact(width) {
            for (column, x) in row.iter().enumerate() {
                out[start + column] = out[start + column].min(*x);
                out[start + width + column] = out[start + width + column].max(*x);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::random::Random;

    #[test]
    fn the_search_by_boxes_finds_what_comparing_all_rows_finds() {
        let (width, count) = (27, 500);
        let mut random = Random::new(3);
        let mut row = vec![0.0_f32; width];
        let mut rows = Vec::new();
        for _ in 0..count {
            row.iter_mut().for_each(|x| *x = 0.9 * *x + 0.3 * random.normal());
            rows.extend_from_slice(&row);
        }
        let index = Index::new(rows, width, 15);
        let ranges = [3..250, 260..261, 300..500];
        for _ in 0..200 {
            let row: Vec<f32> = (0..width).map(|_| random.normal()).collect();
            let query = Query { row: &row, pose_weight: random.normal().abs().min(1.0) };
            let all = ranges.iter().cloned().flatten();
            let expected = all.min_by(|&a, &b| {
                index.cost(&query, a, f32::MAX).total_cmp(&index.cost(&query, b, f32::MAX)).then(a.cmp(&b))
            });
            let found = index.nearest(&query, &ranges, f32::MAX).unwrap();
            assert_eq!(Some(found.row), expected);
            assert_eq!(index.nearest(&query, &ranges, found.cost), None);
        }
        assert_eq!(index.nearest(&Query { row: &[f32::NAN; 27], pose_weight: 1.0 }, &ranges, f32::MAX), None);
    }
}
