//! Layout of the rows of the recurrent motion refiner: named column ranges, one row per frame.
//!
//! Kim et al., *Recurrent Motion Refiner for Locomotion Stitching*, section 4: x_t = {r, p, q, v, c}. Lengths are in
//! metres. Root space of a frame: the origin is the ground point below the hips, +Z is their heading.

use crate::body::poses::ROLES;
use std::ops::Range;

/// A named range of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnRange {
    /// Name, for messages.
    pub name: &'static str,
    /// First column.
    pub start: usize,
    /// Number of columns.
    pub width: usize,
}

impl ColumnRange {
    /// Returns the columns as an index range.
    pub const fn range(self) -> Range<usize> {
        self.start..self.start + self.width
    }

    /// Creates the range that follows `previous`.
    const fn after(previous: ColumnRange, name: &'static str, width: usize) -> ColumnRange {
        ColumnRange { name, start: previous.start + previous.width, width }
    }
}

/// Number of joints with position and velocity in a [`RefinerRow`]: both legs with toes, the hips, and the two lowest
/// spine joints. Figure 4b of the paper shows 11 joints without names; we assume these.
pub const LOWER_BODY_JOINTS: usize = 11;

/// Column ranges of a refiner row, 161 columns.
pub struct RefinerRow;

impl RefinerRow {
    /// r: root motion from the previous frame, in the root space of that previous frame: x in metres, rotation about y
    /// in radians, z in metres.
    pub const ROOT: ColumnRange = ColumnRange { name: "root", start: 0, width: 3 };
    /// p: positions of the lower-body joints in root space, metres, 11 × 3.
    pub const POSITION: ColumnRange = ColumnRange::after(Self::ROOT, "position", LOWER_BODY_JOINTS * 3);
    /// q: local rotations of the canonical body, quaternions x, y, z, w with w ≥ 0, 22 × 4. The rotation of the hips is
    /// relative to the root.
    pub const ROTATION: ColumnRange = ColumnRange::after(Self::POSITION, "rotation", ROLES * 4);
    /// v: displacement of the lower-body joints from the previous frame, in the root space of that previous frame,
    /// metres per frame, 11 × 3.
    pub const VELOCITY: ColumnRange = ColumnRange::after(Self::ROTATION, "velocity", LOWER_BODY_JOINTS * 3);
    /// c: contacts of left heel, left toe, right heel, right toe; 0 or 1 in training data, logits in the network's
    /// output.
    pub const CONTACT: ColumnRange = ColumnRange::after(Self::VELOCITY, "contact", 4);
    /// All column ranges, in order.
    pub const FIELDS: [ColumnRange; 5] = [Self::ROOT, Self::POSITION, Self::ROTATION, Self::VELOCITY, Self::CONTACT];
    /// Number of columns of a row.
    pub const WIDTH: usize = Self::CONTACT.start + Self::CONTACT.width;
    /// Frame rate of rows, frames per second (60 in the paper; our recordings have 30).
    pub const FPS: f64 = 30.0;
    /// Version of this layout, stored in the refiner's weight files; increased when the meaning of a column changes.
    pub const LAYOUT_VERSION: u32 = 2;
}

const _: () = assert!(RefinerRow::WIDTH == 161);
