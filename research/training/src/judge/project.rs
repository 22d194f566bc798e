//! Projection of windows on the principal components of their scaled columns.

use super::windows::Rows;
use kinestitch::judge::window::{COLUMNS, mirror};
use nalgebra::{DMatrix, DMatrixView, SymmetricEigen};

/// Number of windows per matrix product, without their mirror images. The products are summed.
const CHUNK: usize = 4096;
/// Minimum deviation of a column, metres.
const MIN_DEVIATION: f32 = 1e-4;

/// Scales and principal components.
pub struct Projection {
    /// Divisor of each column.
    pub scale: Vec<f32>,
    /// Principal components of the scaled columns, [columns × outputs].
    pub weight: Vec<f32>,
    /// Bias of each output, `[outputs]`; makes the mean of each output 0.
    pub bias: Vec<f32>,
    /// Factor of each output if the window is mirrored, 1 or −1. Every component is symmetric or antisymmetric, because
    /// the components are those of windows and their mirror images.
    pub mirror: Vec<f32>,
    /// Standard deviation of each output over recorded windows.
    pub deviation: Vec<f32>,
}

impl Projection {
    /// Computes the projection from windows and their mirror images. A column's scale is its standard deviation to the
    /// power of `level`.
    pub fn new(rows: &Rows, level: f32, outputs: usize) -> Self {
        let count = 2.0 * rows.len() as f64;
        let (mut sums, mut squares) = (vec![0.0_f64; COLUMNS], DMatrix::<f32>::zeros(COLUMNS, COLUMNS));
        for chunk in rows.values.chunks(CHUNK * COLUMNS) {
            let windows = with_mirror_images(chunk);
            for row in windows.chunks_exact(COLUMNS) {
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x));
            }
            // Column-major: one window per column.
            let view = DMatrixView::from_slice(&windows, COLUMNS, windows.len() / COLUMNS);
            squares.gemm(1.0, &view, &view.transpose(), 1.0);
        }
        let mean: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
        let covariance = |a: usize, b: usize| f64::from(squares[(a, b)]) / count - mean[a] * mean[b];
        let deviation = |column: usize| (covariance(column, column).max(0.0).sqrt() as f32).max(MIN_DEVIATION);
        let scale: Vec<f32> = (0..COLUMNS).map(|column| deviation(column).powf(level)).collect();
        let scaled = DMatrix::from_fn(COLUMNS, COLUMNS, |a, b| (covariance(a, b) as f32) / (scale[a] * scale[b]));
        let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(scaled);
        let mut order: Vec<usize> = (0..COLUMNS).collect();
        order.sort_by(|a, b| eigenvalues[*b].total_cmp(&eigenvalues[*a]));
        order.truncate(outputs);
        let axes: Vec<(Vec<f32>, f32)> =
            order.iter().map(|index| symmetrise(eigenvectors.column(*index).as_slice())).collect();
        let weight: Vec<f32> = (0..COLUMNS).flat_map(|row| axes.iter().map(move |(axis, _)| axis[row])).collect();
        let mut bias = vec![0.0; outputs];
        for (row, weights) in weight.chunks_exact(outputs).enumerate() {
            bias.iter_mut().zip(weights).for_each(|(sum, w)| *sum -= w * mean[row] as f32 / scale[row]);
        }
        let deviation = order.iter().map(|index| eigenvalues[*index].max(1e-12).sqrt()).collect();
        Self { scale, weight, bias, mirror: axes.iter().map(|(_, sign)| *sign).collect(), deviation }
    }

    /// Projects windows, [windows × columns] → [windows × outputs].
    pub fn rows(&self, values: &[f32]) -> Vec<f32> {
        let outputs = self.bias.len();
        let mut scaled = values.to_vec();
        for row in scaled.chunks_exact_mut(COLUMNS) {
            row.iter_mut().zip(&self.scale).for_each(|(value, scale)| *value /= scale);
        }
        let rows = DMatrixView::from_slice(&scaled, COLUMNS, values.len() / COLUMNS);
        let weight = DMatrixView::from_slice(&self.weight, outputs, COLUMNS);
        let mut out = weight * rows;
        for mut column in out.column_iter_mut() {
            column.iter_mut().zip(&self.bias).for_each(|(value, bias)| *value += bias);
        }
        out.as_slice().to_vec()
    }
}

/// Concatenates windows and their mirror images.
fn with_mirror_images(windows: &[f32]) -> Vec<f32> {
    let mut rows = [windows, windows].concat();
    let mirrored = rows[windows.len()..].chunks_exact_mut(COLUMNS);
    windows.chunks_exact(COLUMNS).zip(mirrored).for_each(|(row, out)| mirror(row, out));
    rows
}

/// Makes an axis exactly symmetric or antisymmetric under mirroring, whichever is closer. Returns the axis, and 1 for a
/// symmetric or −1 for an antisymmetric axis.
fn symmetrise(axis: &[f32]) -> (Vec<f32>, f32) {
    let mut image = vec![0.0; COLUMNS];
    mirror(axis, &mut image);
    let sign = axis.iter().zip(&image).map(|(a, b)| a * b).sum::<f32>().signum();
    let mut axis: Vec<f32> = axis.iter().zip(&image).map(|(a, b)| a + sign * b).collect();
    let length = axis.iter().map(|x| x * x).sum::<f32>().sqrt();
    axis.iter_mut().for_each(|x| *x /= length);
    (axis, sign)
}
