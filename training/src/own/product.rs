//! In-place matrix products of the training step, by the `gemm` crate on slices. (Burn uses the same crate behind
//! tensors. On slices, products are added directly to residuals and gradients, and attention heads are read without a
//! copy.)

use gemm::Parallelism;

/// Matrix in a slice, by its row and column strides.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    values: &'a [f32],
    row: usize,
    column: usize,
}

impl<'a> Matrix<'a> {
    /// Matrix of rows that start `stride` elements apart.
    pub fn rows(values: &'a [f32], stride: usize) -> Self {
        Self { values, row: stride, column: 1 }
    }

    /// The transpose.
    pub fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }

    fn holds(&self, rows: usize, columns: usize) -> bool {
        rows == 0 || columns == 0 || (rows - 1) * self.row + (columns - 1) * self.column < self.values.len()
    }
}

/// out = a · b, or out += a · b if `add`: [m, k] × [k, n]. Rows of `out` are `stride` elements apart.
///
/// # Panics
/// If a matrix exceeds its slice.
pub fn product(
    [m, k, n]: [usize; 3],
    a: Matrix<'_>,
    b: Matrix<'_>,
    (out, stride): (&mut [f32], usize),
    scale: f32,
    add: bool,
) {
    assert!(a.holds(m, k) && b.holds(k, n), "product: an operand is too short");
    assert!(Matrix::rows(out, stride).holds(m, n) && stride >= n, "product: the result is too short");
    let read = |stride: usize| stride as isize;
    // SAFETY: both operands and the result lie within their slices (checked above), `out` is borrowed alone, and no
    // stride makes two elements of it one (stride ≥ n).
    #[allow(unsafe_code)]
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            read(stride),
            add,
            a.values.as_ptr(),
            read(a.column),
            read(a.row),
            b.values.as_ptr(),
            read(b.column),
            read(b.row),
            1.0,
            scale,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
