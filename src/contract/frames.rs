//! Ranges of frames.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A range of frames: `from` (inclusive) to `to` (exclusive), counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameRange {
    /// First frame.
    pub from: u32,
    /// Frame after the last one.
    pub to: u32,
}

impl From<&Range<usize>> for FrameRange {
    fn from(frames: &Range<usize>) -> Self {
        Self { from: frames.start as u32, to: frames.end as u32 }
    }
}

impl From<Range<usize>> for FrameRange {
    fn from(frames: Range<usize>) -> Self {
        Self::from(&frames)
    }
}

impl From<FrameRange> for Range<usize> {
    fn from(FrameRange { from, to }: FrameRange) -> Self {
        from as usize..to as usize
    }
}

/// Serialises a [`Range`] of a report as a [`FrameRange`]: `#[serde(with = "frames::range")]`.
pub(super) mod range {
    use super::FrameRange;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ops::Range;

    pub fn serialize<S: Serializer>(frames: &Range<usize>, serializer: S) -> Result<S::Ok, S::Error> {
        FrameRange::from(frames).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Range<usize>, D::Error> {
        FrameRange::deserialize(deserializer).map(Into::into)
    }
}
