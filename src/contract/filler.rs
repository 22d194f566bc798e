//! Choice of a gap filler by name. Its own options are defined in its folder, so that a new filler changes nothing here.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Name of the gap filler that is used if none is named. It needs no network ([`crate::method::DEFAULT`]).
pub const DEFAULT_FILLER: &str = "inertialize";

/// Options of a gap filler by name.
pub type FillerOptions = serde_json::Map<String, serde_json::Value>;

/// Choice of a gap filler. In JSON: the name as a string, or an object with the name and the filler's own options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Format", into = "Format")]
pub struct FillerChoice {
    /// Name in the registry.
    pub name: String,
    /// The filler's own options; omitted options have their defaults.
    pub options: FillerOptions,
}

/// JSON formats of a [`FillerChoice`].
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Format {
    Name(String),
    Object {
        name: String,
        #[serde(flatten)]
        options: FillerOptions,
    },
}

impl From<Format> for FillerChoice {
    fn from(format: Format) -> Self {
        match format {
            Format::Name(name) => Self { name, options: FillerOptions::new() },
            Format::Object { name, options } => Self { name, options },
        }
    }
}

impl From<FillerChoice> for Format {
    fn from(FillerChoice { name, options }: FillerChoice) -> Self {
        if options.is_empty() { Self::Name(name) } else { Self::Object { name, options } }
    }
}

impl From<&str> for FillerChoice {
    fn from(name: &str) -> Self {
        Self { name: name.to_owned(), options: FillerOptions::new() }
    }
}

impl Default for FillerChoice {
    fn default() -> Self {
        DEFAULT_FILLER.into()
    }
}

impl FillerChoice {
    /// Whether this is the default filler with its default options.
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT_FILLER && self.options.is_empty()
    }
}

/// The generator replaces this schema by the names and options of the registry.
impl JsonSchema for FillerChoice {
    fn schema_name() -> Cow<'static, str> {
        "FillerChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A gap filler: its name, or an object of its name and its own options." })
    }
}
