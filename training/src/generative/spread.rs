//! Covariance of the codes of recordings, given the past and the end of the path.
//!
//! The paper's noise has the standard deviation of each code column, whatever the request, which takes control away
//! (section 10). Here codes and the fixed path columns are modelled as jointly normal. The conditional covariance of
//! the codes is Σ_hh − Σ_hc Σ_cc⁻¹ Σ_ch; its root turns independent noise into noise that leaves the fixed columns
//! alone.

use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::{Layout, NOW, SAMPLES};
use nalgebra::{DMatrix, SymmetricEigen};

/// Share of their variance that is added to the given columns, as a regularisation.
const RIDGE: f64 = 1e-3;

/// Root of the conditional covariance, [code × code], from normalised rows of codes and paths.
///
/// # Errors
/// [`Error::Weights`] if the given columns do not vary at all.
pub fn spread(codes: &[f32], paths: &[f32], layout: &Layout) -> Result<Vec<f32>> {
    let width = layout.path().len();
    let count = paths.len() / width;
    let code = codes.len() / count.max(1);
    let fixed: Vec<usize> = (0..width).filter(|column| is_given(column / layout.sample_width())).collect();
    let matrix = |columns: usize, at: &dyn Fn(usize, usize) -> f32| {
        let mut rows = DMatrix::from_fn(count, columns, |row, column| f64::from(at(row, column)));
        for mut column in rows.column_iter_mut() {
            let mean = column.mean();
            column.add_scalar_mut(-mean);
        }
        rows
    };
    let h = matrix(code, &|row, column| codes[row * code + column]);
    let c = matrix(fixed.len(), &|row, column| paths[row * width + fixed[column]]);
    let share = 1.0 / count.max(1) as f64;
    let (own, mixed) = (h.transpose() * &h * share, c.transpose() * &h * share);
    let mut given = c.transpose() * &c * share;
    let ridge = RIDGE * given.trace() / fixed.len().max(1) as f64;
    (0..fixed.len()).for_each(|column| given[(column, column)] += ridge);
    let flat = || Error::Weights { message: "the paths of the recordings are all the same".to_owned() };
    let solved = given.cholesky().ok_or_else(flat)?.solve(&mixed);
    let left = own - mixed.transpose() * solved;
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new((&left + left.transpose()) * 0.5);
    let roots = DMatrix::from_diagonal(&eigenvalues.map(|value| value.max(0.0).sqrt()));
    // Rows: independent numbers in, noise out.
    let spread = roots * eigenvectors.transpose();
    Ok(spread.transpose().iter().map(|value| *value as f32).collect())
}

/// Whether a path sample is fixed: in the past, or at the end of the path.
fn is_given(sample: usize) -> bool {
    sample <= NOW || sample + 1 == SAMPLES
}
