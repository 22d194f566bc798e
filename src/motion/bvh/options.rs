//! Options of the reader: corrections to what a file leaves open.

use crate::error::{Error, Result};
use crate::motion::skeleton::{PositionMode, UpAxis};
use crate::motion::space::Unit;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Options of [`read`](super::read). `None`: decided from the file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadOptions {
    /// Metres in one unit of length of the file; in JSON also the name of a unit, see [`Unit::name`].
    #[serde(deserialize_with = "metres")]
    pub unit: Option<f64>,
    /// Vertical axis of the file.
    pub up: Option<UpAxis>,
    /// Whether the position channels of the roots replace their OFFSET or are added to it.
    pub root_offset: Option<PositionMode>,
    /// Name of the body to read, if the file holds several: its topmost joint.
    pub root: Option<String>,
    /// Whether a damaged file is refused.
    pub strict: bool,
}

/// Smallest and largest number of metres in a unit.
const UNIT_RANGE: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

impl ReadOptions {
    /// Checks the ranges of the options.
    ///
    /// # Errors
    /// [`Error::Option`].
    pub fn check(&self) -> Result<()> {
        match self.unit {
            Some(unit) if !UNIT_RANGE.contains(&unit) => {
                let message = format!("must be from {} to {} metres, not {unit}", UNIT_RANGE.start(), UNIT_RANGE.end());
                Err(Error::Option { option: "unit", message })
            }
            _ => Ok(()),
        }
    }
}

/// Reads a number of metres, or the name of a unit.
fn metres<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Choice {
        Metres(f64),
        Name(String),
    }
    match Option::<Choice>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Choice::Metres(metres)) => Ok(Some(metres)),
        Some(Choice::Name(name)) => {
            let unknown = || D::Error::custom(format!("{name:?} is no unit: use m, dm, cm, mm, inch or ft"));
            Unit::metres_of(&name).map(Some).ok_or_else(unknown)
        }
    }
}
