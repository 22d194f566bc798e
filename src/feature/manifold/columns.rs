//! Arithmetic on columns of rows, generic over a single row of numbers and tensors of many rows for training.

#[cfg(feature = "flex")]
use burn::tensor::{Tensor, activation};

/// Squared lengths below this count as zero.
const LEAST: f32 = 1e-12;

/// Columns of one row or of several. Both operands have the same number of columns, or the second one has a single
/// column.
pub trait Columns: Clone {
    /// `count` columns from `start` on.
    fn narrow(&self, start: usize, count: usize) -> Self;
    /// Concatenation.
    fn cat(parts: Vec<Self>) -> Self;
    /// Sum.
    fn plus(&self, other: &Self) -> Self;
    /// Difference.
    fn minus(&self, other: &Self) -> Self;
    /// Product, column by column.
    fn times(&self, other: &Self) -> Self;
    /// Product with a number.
    fn scaled(&self, by: f32) -> Self;
    /// Clamped to ± a number.
    fn within(&self, most: f32) -> Self;
    /// 1 / √x of squared lengths; finite for zero.
    fn inverse_root(&self) -> Self;
    /// 1 / (1 + e^-x): the probability of a logit.
    fn logistic(&self) -> Self;
}

/// One row of numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row(pub Vec<f32>);

impl Row {
    fn with(&self, other: &Self, of: impl Fn(f32, f32) -> f32) -> Self {
        match other.0[..] {
            [one] => Self(self.0.iter().map(|x| of(*x, one)).collect()),
            _ => Self(self.0.iter().zip(&other.0).map(|(a, b)| of(*a, *b)).collect()),
        }
    }

    fn each(&self, of: impl Fn(f32) -> f32) -> Self {
        Self(self.0.iter().map(|x| of(*x)).collect())
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
        self.with(other, |a, b| a + b)
    }

    fn minus(&self, other: &Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    fn times(&self, other: &Self) -> Self {
        self.with(other, |a, b| a * b)
    }

    fn scaled(&self, by: f32) -> Self {
        self.each(|x| x * by)
    }

    fn within(&self, most: f32) -> Self {
        self.each(|x| x.clamp(-most, most))
    }

    fn inverse_root(&self) -> Self {
        self.each(|x| 1.0 / (x + LEAST).sqrt())
    }

    fn logistic(&self) -> Self {
        self.each(|x| 1.0 / (1.0 + (-x).exp()))
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

    fn scaled(&self, by: f32) -> Self {
        self.clone() * by
    }

    fn within(&self, most: f32) -> Self {
        self.clone().clamp(-most, most)
    }

    fn inverse_root(&self) -> Self {
        (self.clone() + LEAST).sqrt().recip()
    }

    fn logistic(&self) -> Self {
        activation::sigmoid(self.clone())
    }
}
