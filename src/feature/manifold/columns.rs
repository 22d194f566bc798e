//! Arithmetic on columns, for a single row of numbers (inference) and for tensors of many rows (training).

#[cfg(feature = "flex")]
use burn::tensor::{Tensor, activation};

/// Added to squared lengths before the inverse square root, so that it is finite for zero.
const EPSILON: f32 = 1e-12;

/// Columns of one or several rows. In operations with two operands, both have the same number of columns, or the second
/// has a single column, which is used for all columns of the first.
pub trait Columns: Clone {
    /// Returns `count` columns from `start` on.
    fn narrow(&self, start: usize, count: usize) -> Self;
    /// Concatenates columns.
    fn cat(parts: Vec<Self>) -> Self;
    /// Adds column by column.
    fn plus(&self, other: &Self) -> Self;
    /// Subtracts column by column.
    fn minus(&self, other: &Self) -> Self;
    /// Multiplies column by column.
    fn times(&self, other: &Self) -> Self;
    /// Multiplies by a number.
    fn scale(&self, factor: f32) -> Self;
    /// Clamps to −`limit`..`limit`.
    fn clamp_abs(&self, limit: f32) -> Self;
    /// Returns 1 / √x of squared lengths; finite for zero.
    fn inverse_sqrt(&self) -> Self;
    /// Returns 1 / (1 + e^-x), the probability of a logit.
    fn logistic(&self) -> Self;
}

/// One row of numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row(pub Vec<f32>);

impl Row {
    /// Combines two rows column by column; repeats a single column of `other`.
    fn combine(&self, other: &Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        match other.0[..] {
            [b] => Self(self.0.iter().map(|a| operation(*a, b)).collect()),
            _ => Self(self.0.iter().zip(&other.0).map(|(a, b)| operation(*a, *b)).collect()),
        }
    }

    fn map(&self, operation: impl Fn(f32) -> f32) -> Self {
        Self(self.0.iter().map(|x| operation(*x)).collect())
    }
}

impl Columns for Row {
    fn narrow(&self, start: usize, count: usize) -> Self {
        Self(self.0[start..start + count].to_vec())
    }

    fn cat(parts: Vec<Self>) -> Self {
        Self(parts.into_iter().flat_map(|part| part.0).collect())
    }

    fn plus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a + b)
    }

    fn minus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a - b)
    }

    fn times(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a * b)
    }

    fn scale(&self, factor: f32) -> Self {
        self.map(|x| x * factor)
    }

    fn clamp_abs(&self, limit: f32) -> Self {
        self.map(|x| x.clamp(-limit, limit))
    }

    fn inverse_sqrt(&self) -> Self {
        self.map(|x| 1.0 / (x + EPSILON).sqrt())
    }

    fn logistic(&self) -> Self {
        self.map(|x| 1.0 / (1.0 + (-x).exp()))
    }
}

#[cfg(feature = "flex")]
impl Columns for Tensor<2> {
    fn narrow(&self, start: usize, count: usize) -> Self {
        Tensor::narrow(self.clone(), 1, start, count)
    }

    fn cat(parts: Vec<Self>) -> Self {
        Tensor::cat(parts, 1)
    }

    fn plus(&self, other: &Self) -> Self {
        self.clone() + other.clone()
    }

    fn minus(&self, other: &Self) -> Self {
        self.clone() - other.clone()
    }

    fn times(&self, other: &Self) -> Self {
        self.clone() * other.clone()
    }

    fn scale(&self, factor: f32) -> Self {
        self.clone() * factor
    }

    fn clamp_abs(&self, limit: f32) -> Self {
        self.clone().clamp(-limit, limit)
    }

    fn inverse_sqrt(&self) -> Self {
        (self.clone() + EPSILON).sqrt().recip()
    }

    fn logistic(&self) -> Self {
        activation::sigmoid(self.clone())
    }
}
