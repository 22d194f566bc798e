//! Treatment of floors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Treatment of clips that stand on different floors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Ground {
    /// All clips are moved to one floor, the floor at height 0 if a clip stands there, else that of the first clip; a
    /// warning names each clip that was moved. Clips without a floor keep their height.
    #[default]
    Level,
    /// All clips keep the heights of their files.
    AsInFile,
}
