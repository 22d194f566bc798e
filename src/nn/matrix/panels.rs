//! Products with matrices in panels of eight columns, generic over the arithmetic: floats or integers.
//!
//! A row consists of elements. An element is the part of a row that is multiplied at once: one float, or two 16-bit
//! integers in an `i32`.

use crate::nn::simd::{Simd, Work, run};

/// Number of columns of a panel.
pub const WIDTH: usize = 8;
/// Number of rows that are multiplied together, so that each weight is read once for all of them.
const ROWS: usize = 4;
/// Number of panels that are multiplied together with a single row.
const PANELS: usize = 4;

/// Types and arithmetic of the sums.
pub trait Terms {
    /// Weights of eight columns for one element of a row: eight floats, or sixteen integers.
    type Weights: Copy;
    /// Element of a row.
    type Value: Copy;
    /// The weights as vectors.
    type Wide<S: Simd>: Copy;
    /// Sums of eight columns.
    type Sums<S: Simd>: Copy;

    /// Returns sums of zero.
    fn zero<S: Simd>(simd: S) -> Self::Sums<S>;
    /// Converts weights to vectors.
    fn widen<S: Simd>(simd: S, weights: &Self::Weights) -> Self::Wide<S>;
    /// Computes `sums + weights × value`.
    fn add<S: Simd>(simd: S, sums: Self::Sums<S>, weights: Self::Wide<S>, value: Self::Value) -> Self::Sums<S>;
    /// Stores sums as numbers.
    fn store<S: Simd>(simd: S, sums: Self::Sums<S>) -> [f32; WIDTH];
}

/// A matrix as a sequence of panels; surplus columns of the last panel are zero.
#[derive(Debug, Clone)]
pub struct Panels<T: Terms> {
    /// [panels × depth].
    weights: Vec<T::Weights>,
    /// Number of elements of a row.
    depth: usize,
    outputs: usize,
}

impl<T: Terms> Panels<T> {
    /// Packs a matrix. `weights(element, column)`: returns the weights of eight columns from `column` on, for one of
    /// the `depth` elements of a row.
    pub fn new(depth: usize, outputs: usize, weights: impl Fn(usize, usize) -> T::Weights) -> Self {
        let weights = &weights;
        let columns = (0..outputs).step_by(WIDTH);
        let packed = columns.flat_map(|first| (0..depth).map(move |element| weights(element, first)));
        Self { weights: packed.collect(), depth, outputs }
    }

    /// Returns the number of elements of a row.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Multiplies rows, [rows × depth], with the matrix into `out`, [rows × outputs].
    pub fn multiply(&self, rows: &[T::Value], out: &mut [f32]) {
        if self.depth == 0 {
            return out.fill(0.0);
        }
        run(Multiply { matrix: self, rows, out });
    }

    /// Iterates over the panels, each with its first column.
    fn panels(&self) -> impl Iterator<Item = (usize, &[T::Weights])> {
        self.weights.chunks_exact(self.depth).enumerate().map(|(index, panel)| (index * WIDTH, panel))
    }
}

struct Multiply<'a, T: Terms> {
    matrix: &'a Panels<T>,
    rows: &'a [T::Value],
    out: &'a mut [f32],
}

impl<T: Terms> Work for Multiply<'_, T> {
    #[inline(always)]
    fn call<S: Simd>(self, simd: S) {
        let Self { matrix, rows, out } = self;
        let (depth, outputs) = (matrix.depth, matrix.outputs);
        let (blocks, single) = rows.split_at(rows.len() / (ROWS * depth) * ROWS * depth);
        let (block_out, single_out) = out.split_at_mut(blocks.len() / depth * outputs);
        // The outer loop is over panels, so that a panel stays in the first-level cache while all rows are multiplied.
        for (first, panel) in matrix.panels().filter(|_| !blocks.is_empty()) {
            for (rows, out) in blocks.chunks_exact(ROWS * depth).zip(block_out.chunks_exact_mut(ROWS * outputs)) {
                let rows: [&[T::Value]; ROWS] = std::array::from_fn(|row| &rows[row * depth..][..depth]);
                let sums = multiply_block::<T, S, ROWS, 1>(simd, rows, [panel]);
                for (row, [sums]) in sums.into_iter().enumerate() {
                    write_sums::<T, S>(simd, sums, &mut out[row * outputs + first..(row + 1) * outputs]);
                }
            }
        }
        for (row, out) in single.chunks_exact(depth).zip(single_out.chunks_exact_mut(outputs)) {
            let mut groups = matrix.weights.chunks_exact(PANELS * depth);
            let mut panel_outs = out.chunks_mut(WIDTH);
            for group in &mut groups {
                let panels: [&[T::Weights]; PANELS] = std::array::from_fn(|panel| &group[panel * depth..][..depth]);
                let [sums] = multiply_block::<T, S, 1, PANELS>(simd, [row], panels);
                sums.into_iter().zip(&mut panel_outs).for_each(|(sums, out)| write_sums::<T, S>(simd, sums, out));
            }
            for (panel, out) in groups.remainder().chunks_exact(depth).zip(panel_outs) {
                let [[sums]] = multiply_block::<T, S, 1, 1>(simd, [row], [panel]);
                write_sums::<T, S>(simd, sums, out);
            }
        }
    }
}

/// Multiplies some rows with some panels.
#[inline(always)]
fn multiply_block<T: Terms, S: Simd, const ROWS: usize, const PANELS: usize>(
    simd: S,
    rows: [&[T::Value]; ROWS],
    panels: [&[T::Weights]; PANELS],
) -> [[T::Sums<S>; PANELS]; ROWS] {
    let mut sums = [[T::zero(simd); PANELS]; ROWS];
    let depth = panels[0].len();
    // Slices of equal length let the compiler remove a bounds check from every product.
    let (rows, panels) = (rows.map(|row| &row[..depth]), panels.map(|panel| &panel[..depth]));
    for element in 0..depth {
        for panel in 0..PANELS {
            let weights = T::widen(simd, &panels[panel][element]);
            for row in 0..ROWS {
                sums[row][panel] = T::add(simd, sums[row][panel], weights, rows[row][element]);
            }
        }
    }
    sums
}

/// Writes the sums of a panel to the beginning of `out`. If `out` is shorter than a panel, as the last panel may need,
/// drops the sums of surplus columns.
#[inline(always)]
fn write_sums<T: Terms, S: Simd>(simd: S, sums: T::Sums<S>, out: &mut [f32]) {
    let sums = T::store(simd, sums);
    match out.first_chunk_mut::<WIDTH>() {
        Some(out) => *out = sums,
        None => out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum),
    }
}
