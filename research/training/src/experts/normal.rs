//! Means and standard deviations of the columns of rows.

/// Mean and standard deviation of columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Normal {
    /// Means, `[columns]`.
    pub mean: Vec<f32>,
    /// Standard deviations, `[columns]`.
    pub deviation: Vec<f32>,
}

impl Normal {
    /// Computes the statistics of rows, [rows × width]. Each deviation is at least a tenth of the root mean square
    /// deviation of its group of columns, because nearly constant columns would amplify noise.
    pub fn measure(rows: &[f32], width: usize, groups: &[std::ops::Range<usize>]) -> Self {
        let count = (rows.len() / width).max(1) as f64;
        let (mut sum, mut squares) = (vec![0.0_f64; width], vec![0.0_f64; width]);
        for row in rows.chunks_exact(width) {
            for (column, x) in row.iter().enumerate() {
                sum[column] += f64::from(*x);
                squares[column] += f64::from(*x).powi(2);
            }
        }
        let mean: Vec<f64> = sum.iter().map(|sum| sum / count).collect();
        let variance = |column: usize| (squares[column] / count - mean[column].powi(2)).max(0.0);
        let mut deviation: Vec<f32> = (0..width).map(|column| variance(column).sqrt() as f32).collect();
        for group in groups.iter().filter(|group| !group.is_empty()) {
            let rms = (group.clone().map(variance).sum::<f64>() / group.len() as f64).sqrt() as f32;
            deviation[group.clone()].iter_mut().for_each(|deviation| *deviation = deviation.max(0.1 * rms).max(1e-4));
        }
        Self { mean: mean.iter().map(|mean| *mean as f32).collect(), deviation }
    }
}

/// Normalisation of input, gate and output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Normals {
    /// Input rows.
    pub input: Normal,
    /// Gate rows.
    pub gate: Normal,
    /// Output rows.
    pub output: Normal,
}

/// Splits a range of columns into groups. The range contains elements of `element` columns each, such as joints. Each
/// element is split into groups of `widths` columns, such as position, axes and velocity of a joint.
pub fn column_groups(range: std::ops::Range<usize>, element: usize, widths: &[usize]) -> Vec<std::ops::Range<usize>> {
    let mut groups = Vec::new();
    for start in range.step_by(element) {
        let mut column = start;
        for width in widths {
            groups.push(column..column + width);
            column += width;
        }
    }
    groups
}
