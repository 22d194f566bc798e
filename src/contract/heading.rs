//! Direction of joined clips.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rule for the direction of a clip that is joined to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Heading {
    /// The direction of travel if the body travels within 45° of its facing direction, else the facing direction.
    #[default]
    Auto,
    /// The direction of travel wherever the body travels, also sideways or backwards.
    Travel,
    /// The facing direction.
    Facing,
    /// Clips keep the direction that they have in their files.
    AsInFile,
}
