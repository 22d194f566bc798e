//! Uneven ground: a grid of heights.

use crate::error::{Error, Result};
use glam::Vec2;

/// Largest number of heights of a field: a square kilometre at half a metre.
pub const MAX_HEIGHTS: usize = 4_000_000;

/// Largest height or depth, metres; at this height, positions are precise to about a millimetre.
pub const MAX_HEIGHT: f32 = 1e4;

/// Heights of the ground on a regular grid. Between grid points, heights are interpolated bilinearly. Outside the grid,
/// the ground continues at the height of the nearest edge point.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    origin: Vec2,
    spacing: f32,
    columns: usize,
    heights: Vec<f32>,
}

impl HeightField {
    /// Creates a field. `origin`: x and z of the first grid point, metres; `spacing`: distance of grid points, metres;
    /// `columns`: number of grid points along x; `heights`: [rows × columns], metres; rows follow each other along z.
    ///
    /// # Errors
    /// [`Error::Option`] for a number that is not finite, a spacing that is not positive, fewer than 2 columns or rows,
    /// an incomplete row, more than [`MAX_HEIGHTS`], or a height beyond [`MAX_HEIGHT`].
    pub fn new(origin: Vec2, spacing: f32, columns: usize, heights: Vec<f32>) -> Result<Self> {
        let problem = if !origin.is_finite() {
            "its origin x, z must be finite numbers".to_owned()
        } else if !(spacing.is_finite() && spacing > 0.0) {
            format!("its spacing must be a positive number of metres, not {spacing}")
        } else if columns < 2 || heights.len() / 2 < columns || !heights.len().is_multiple_of(columns) {
            format!(
                "{} heights do not fill rows of {columns} columns; it needs at least 2 rows and 2 columns",
                heights.len()
            )
        } else if heights.len() > MAX_HEIGHTS {
            format!("it has {} heights; at most {MAX_HEIGHTS} are possible: use a larger spacing", heights.len())
        } else if let Some(index) = heights.iter().position(|height| height.is_nan() || height.abs() > MAX_HEIGHT) {
            format!("height {index} is {} and must be from −{MAX_HEIGHT} to {MAX_HEIGHT} metres", heights[index])
        } else {
            return Ok(Self { origin, spacing, columns, heights });
        };
        Err(Error::Option { option: "ground", message: format!("the ground is not usable: {problem}") })
    }

    /// Returns the field in another unit of length: all lengths times `factor`.
    pub fn scaled(&self, factor: f32) -> Self {
        let heights = self.heights.iter().map(|height| height * factor).collect();
        Self { origin: self.origin * factor, spacing: self.spacing * factor, columns: self.columns, heights }
    }

    /// Returns the height of the ground at x, z, metres.
    pub fn height(&self, x: f32, z: f32) -> f32 {
        let rows = self.heights.len() / self.columns;
        // Index of the grid point before the coordinate, and the fraction of the distance to the next one.
        let cell = |coordinate: f32, origin: f32, count: usize| {
            let position = (coordinate - origin) / self.spacing;
            let position = if position.is_nan() { 0.0 } else { position.clamp(0.0, (count - 1) as f32) };
            let index = (position as usize).min(count - 2);
            (index, position - index as f32)
        };
        let ((column, along_x), (row, along_z)) = (cell(x, self.origin.x, self.columns), cell(z, self.origin.y, rows));
        let height = |row: usize, column: usize| self.heights[row * self.columns + column];
        let [near, far] =
            [row, row + 1].map(|row| height(row, column) + (height(row, column + 1) - height(row, column)) * along_x);
        near + (far - near) * along_z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_interpolated_and_continue_outside() {
        let field = HeightField::new(Vec2::new(1.0, 2.0), 0.5, 3, vec![0.0, 1.0, 2.0, 4.0, 5.0, 6.0]).unwrap();
        for (x, z, height) in [(1.0, 2.0, 0.0), (1.25, 2.25, 2.5), (2.0, 2.5, 6.0), (9.0, 9.0, 6.0), (-9.0, 2.0, 0.0)] {
            assert!((field.height(x, z) - height).abs() < 1e-6, "{x}, {z}");
        }
        let double = field.scaled(2.0);
        assert!((double.height(2.5, 4.5) - 2.0 * field.height(1.25, 2.25)).abs() < 1e-6);
        assert!(field.height(f32::NAN, f32::INFINITY).is_finite());
    }

    #[test]
    fn unusable_fields_are_refused() {
        let field =
            |spacing, columns, heights: &[f32]| HeightField::new(Vec2::ZERO, spacing, columns, heights.to_vec());
        assert!(field(1.0, 2, &[0.0; 4]).is_ok());
        for (spacing, columns, heights) in [
            (0.0, 2, &[0.0; 4][..]),
            (f32::NAN, 2, &[0.0; 4]),
            (1.0, 1, &[0.0; 4]),
            (1.0, 2, &[0.0; 2]),
            (1.0, 2, &[0.0; 5]),
            (1.0, 0, &[]),
            (1.0, 1_usize << (usize::BITS - 1), &[]),
            (1.0, 2, &[0.0, f32::NAN, 0.0, 0.0]),
            (1.0, 2, &[0.0, 2e4, 0.0, 0.0]),
        ] {
            assert!(field(spacing, columns, heights).is_err(), "{spacing} {columns} {heights:?}");
        }
        assert!(HeightField::new(Vec2::NAN, 1.0, 2, vec![0.0; 4]).is_err());
    }
}
