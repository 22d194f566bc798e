//! Conditional covariance of the codes of recordings, for a fixed past and a fixed end of the path.
//!
//! In the paper, the noise of each code column has the standard deviation of this column. It does not depend on the
//! request, so the user loses control (section 10). Here the codes h and the fixed path columns c (past and end of the
//! path) are modelled as jointly normal. The conditional covariance of the codes is Σ_hh − Σ_hc Σ_cc⁻¹ Σ_ch. Its root
//! turns independent noise into noise that hardly changes the fixed columns.

use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::{Layout, NOW, SAMPLES};
use nalgebra::{DMatrix, SymmetricEigen};

/// Fraction of the mean variance of the fixed columns that is added to each of their variances, as a regularisation.
const RIDGE: f64 = 1e-3;

/// Computes the root of the conditional covariance, [code × code]. `codes`, `paths`: normalised rows, [rows × code] and
/// [rows × path].
///
/// # Errors
/// [`Error::Weights`] if the fixed columns do not vary at all.
pub fn spread(codes: &[f32], paths: &[f32], layout: &Layout) -> Result<Vec<f32>> {
    let width = layout.path().len();
    let count = paths.len() / width;
    let code = codes.len() / count.max(1);
    let fixed: Vec<usize> = (0..width).filter(|column| is_fixed(column / layout.sample_width())).collect();
    // Centred columns, [rows × columns].
    let matrix = |columns: usize, value: &dyn Fn(usize, usize) -> f32| {
        let mut rows = DMatrix::from_fn(count, columns, |row, column| f64::from(value(row, column)));
        for mut column in rows.column_iter_mut() {
            let mean = column.mean();
            column.add_scalar_mut(-mean);
        }
        rows
    };
    let h = matrix(code, &|row, column| codes[row * code + column]);
    let c = matrix(fixed.len(), &|row, column| paths[row * width + fixed[column]]);
    let row_weight = 1.0 / count.max(1) as f64;
    let (hh, ch) = (h.transpose() * &h * row_weight, c.transpose() * &h * row_weight);
    let mut cc = c.transpose() * &c * row_weight;
    let ridge = RIDGE * cc.trace() / fixed.len().max(1) as f64;
    (0..fixed.len()).for_each(|column| cc[(column, column)] += ridge);
    let constant = || Error::Weights {
        message: "past, current frame and end of the path are the same in all recordings".to_owned(),
    };
    let solved = cc.cholesky().ok_or_else(constant)?.solve(&ch);
    let conditional = hh - ch.transpose() * solved;
    let SymmetricEigen { eigenvectors, eigenvalues } =
        SymmetricEigen::new((&conditional + conditional.transpose()) * 0.5);
    let roots = DMatrix::from_diagonal(&eigenvalues.map(|value| value.max(0.0).sqrt()));
    // A row of independent random numbers times this matrix is a row of noise.
    let spread = roots * eigenvectors.transpose();
    Ok(spread.transpose().iter().map(|value| *value as f32).collect())
}

/// Returns whether a path sample is fixed: in the past, at the current frame, or at the end of the path.
fn is_fixed(sample: usize) -> bool {
    sample <= NOW || sample + 1 == SAMPLES
}
