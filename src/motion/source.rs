//! How a file was understood: kept with a clip, for `info`.

use serde::{Deserialize, Serialize};

/// Remarks and decisions of a reader. Empty for a clip that was computed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
    /// Contents of the file that the clip lacks, one phrase each.
    pub left_out: Vec<String>,
    /// Decisions about properties that the file does not state; `None` for formats that state them.
    pub reasons: Option<Reasons>,
    /// Names of the bodies in the file, if there are several.
    pub bodies: Vec<String>,
}

/// Decisions about a file and their reasons: "cm: the body is 2.28 m from tip to tip".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reasons {
    /// Unit of length.
    pub unit: String,
    /// Vertical axis.
    pub up: String,
    /// Relation of the root's position channels to its OFFSET.
    pub root_offset: String,
}
