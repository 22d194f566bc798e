//! Muon (Jordan et al. 2024), an optimizer for the layers' matrices: updates have equal length in all singular
//! directions.
//!
//! Five quintic Newton-Schulz iterations bring the singular values of the momentum to about one. The result is scaled
//! to the size of an AdamW update at the same rate (Liu et al. 2025, *Muon is scalable for LLM training*, section 2.2).

use crate::own::product::{Matrix, product};

const MOMENTUM: f32 = 0.95;
const QUINTIC: [f32; 3] = [3.4445, -4.775, 2.0315];
const STEPS: usize = 5;

/// Reused buffers.
#[derive(Default)]
pub struct Muon {
    square: Vec<f32>,
    fourth: Vec<f32>,
    turned: Vec<f32>,
    next: Vec<f32>,
}

impl Muon {
    /// Adds a gradient, [rows, columns], to `momentum`, and replaces `gradient` by the update. Its elements have a size
    /// of about √(1 / longer side).
    pub fn update(&mut self, gradient: &mut [f32], momentum: &mut [f32], [rows, columns]: [usize; 2]) {
        for (g, m) in gradient.iter_mut().zip(momentum) {
            *m = MOMENTUM * *m + (1.0 - MOMENTUM) * *g;
            *g = MOMENTUM * *m + (1.0 - MOMENTUM) * *g;
        }
        if rows > columns {
            self.turned.resize(gradient.len(), 0.0);
            turn(gradient, columns, &mut self.turned);
            let mut turned = std::mem::take(&mut self.turned);
            self.orthogonalise(&mut turned, [columns, rows]);
            turn(&turned, rows, gradient);
            self.turned = turned;
        } else {
            self.orthogonalise(gradient, [rows, columns]);
        }
    }

    /// Orthogonalises in place; `rows` ≤ `columns`.
    fn orthogonalise(&mut self, x: &mut [f32], [rows, columns]: [usize; 2]) {
        let norm = x.iter().map(|x| f64::from(x * x)).sum::<f64>().sqrt() as f32;
        x.iter_mut().for_each(|x| *x /= norm + 1e-12);
        self.square.resize(rows * rows, 0.0);
        self.fourth.resize(rows * rows, 0.0);
        self.next.resize(x.len(), 0.0);
        let [a, b, c] = QUINTIC;
        for _ in 0..STEPS {
            let own = Matrix::rows(x, columns);
            product([rows, columns, rows], own, own.transposed(), (&mut self.square, rows), 1.0, false);
            let square = Matrix::rows(&self.square, rows);
            product([rows, rows, rows], square, square, (&mut self.fourth, rows), c, false);
            self.fourth.iter_mut().zip(&self.square).for_each(|(fourth, square)| *fourth += b * square);
            self.next.copy_from_slice(x);
            self.next.iter_mut().for_each(|next| *next *= a);
            product([rows, rows, columns], Matrix::rows(&self.fourth, rows), own, (&mut self.next, columns), 1.0, true);
            x.copy_from_slice(&self.next);
        }
    }
}

fn turn(from: &[f32], columns: usize, to: &mut [f32]) {
    let rows = from.len() / columns;
    for (row, values) in from.chunks_exact(columns).enumerate() {
        values.iter().enumerate().for_each(|(column, value)| to[column * rows + row] = *value);
    }
}
