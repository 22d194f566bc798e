//! Matrix products of the training step, in place: the `gemm` crate on slices (Burn's own product is the same crate
//! behind a tensor; here sums go straight into residuals and gradients, and heads are read where they lie).

use gemm::Parallelism;

/// A matrix somewhere in a slice: strides of its rows and columns.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    values: &'a [f32],
    row: usize,
    column: usize,
}

impl<'a> Matrix<'a> {
    /// Rows one after the other, `stride` apart.
    pub fn rows(values: &'a [f32], stride: usize) -> Self {
        Self { values, row: stride, column: 1 }
    }

    /// The same turned on its side.
    pub fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }

    fn holds(&self, rows: usize, columns: usize) -> bool {
        rows == 0 || columns == 0 || (rows - 1) * self.row + (columns - 1) * self.column < self.values.len()
    }
}

/// out = a · b, or out += a · b where `add`: [m, k] × [k, n], rows of `out` are `stride` apart.
///
/// # Panics
/// Where a matrix does not lie within its slice: a mistake of the caller.
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
