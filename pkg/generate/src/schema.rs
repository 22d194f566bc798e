//! JSON schemas of the contract.

use kinestitch::contract::{SeamReport, StitchOptions};
use kinestitch::method::FILLERS;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Schemas of types by name.
pub struct Contract {
    /// Options, and the types that they use.
    pub options: Map<String, Value>,
    /// Types of reports that are no options.
    pub reports: Map<String, Value>,
}

/// Returns the schemas of all options and reports.
pub fn contract() -> Contract {
    let mut options = SchemaSettings::draft2020_12().into_generator();
    options.subschema_for::<StitchOptions>();
    let mut reports = SchemaSettings::draft2020_12().for_serialize().into_generator();
    reports.subschema_for::<SeamReport>();
    let mut options = options.take_definitions(true);
    options.insert("FillerChoice".to_owned(), filler_choice());
    let mut reports = reports.take_definitions(true);
    reports.retain(|name, _| !options.contains_key(name));
    Contract { options, reports }
}

/// Returns the schema of the choice of a gap filler: its name, or an object of its name and its own options.
fn filler_choice() -> Value {
    let names: Vec<&str> = FILLERS.iter().map(|entry| entry.name).collect();
    let objects = FILLERS.iter().map(|entry| {
        let mut schema = (entry.schema)(&mut SchemaSettings::draft2020_12().into_generator()).to_value();
        let object = schema.as_object_mut().expect("options are an object");
        let mut properties = Map::new();
        properties.insert("name".to_owned(), json!({ "const": entry.name }));
        properties.extend(object.get("properties").and_then(Value::as_object).cloned().unwrap_or_default());
        json!({
            "type": "object",
            "description": entry.hint,
            "properties": properties,
            "required": ["name"],
            "additionalProperties": false,
        })
    });
    let variants: Vec<Value> = std::iter::once(json!({ "enum": names })).chain(objects).collect();
    json!({
        "description": "A gap filler: its name, or an object of its name and its own options.",
        "oneOf": variants,
    })
}
