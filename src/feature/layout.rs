//! Named column ranges of the rows that a network reads and writes, one row per frame.

use std::ops::Range;

/// A named range of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Name, for messages.
    pub name: &'static str,
    /// First column.
    pub start: usize,
    /// Number of columns.
    pub width: usize,
}

impl Column {
    /// The columns as an index range.
    pub const fn range(self) -> Range<usize> {
        self.start..self.start + self.width
    }

    const fn after(previous: Column, name: &'static str, width: usize) -> Column {
        Column { name, start: previous.start + previous.width, width }
    }
}

/// Number of joints with position and velocity in a [`Refiner`] row: both legs with toes, the hips, and the two
/// lowest spine joints. Figure 4b of the paper shows 11 and does not name them.
pub const LOWER_BODY: usize = 11;

/// Row of the recurrent motion refiner, d = 161 (RMR, section 4): x_t = {r, p, q, v, c}.
pub struct Refiner;

impl Refiner {
    /// Root motion since the previous frame, in that frame's root space: x in metres, rotation about y in radians, z in
    /// metres.
    pub const ROOT: Column = Column { name: "root", start: 0, width: 3 };
    /// Lower-body positions in the frame of the root (ground projection of the hips, heading along +z), metres, 11 ×
    /// 3.
    pub const POSITION: Column = Column::after(Self::ROOT, "position", LOWER_BODY * 3);
    /// Local rotations of the canonical body, quaternions x, y, z, w with w ≥ 0, 22 × 4; that of the hips is relative
    /// to the root.
    pub const ROTATION: Column = Column::after(Self::POSITION, "rotation", 22 * 4);
    /// Lower-body displacement since the frame before, in that frame's root, metres per frame, 11 × 3.
    pub const VELOCITY: Column = Column::after(Self::ROTATION, "velocity", LOWER_BODY * 3);
    /// Contacts: left heel, left toe, right heel, right toe; 0 or 1 in data, a logit from the network.
    pub const CONTACT: Column = Column::after(Self::VELOCITY, "contact", 4);
    /// All columns, in order.
    pub const COLUMNS: [Column; 5] = [Self::ROOT, Self::POSITION, Self::ROTATION, Self::VELOCITY, Self::CONTACT];
    /// Width of a row.
    pub const WIDTH: usize = Self::CONTACT.start + Self::CONTACT.width;
    /// Frame rate of rows, frames per second (60 in the paper; our recordings have 30).
    pub const FPS: f64 = 30.0;
    /// Stored in every weight file; increased whenever the meaning of a column changes.
    pub const VERSION: u32 = 2;
}

const _: () = assert!(Refiner::WIDTH == 161);
