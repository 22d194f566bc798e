//! TypeScript from JSON schemas: types with documentation, and the schemas as data.

use crate::schema::Contract;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Longest line of a comment, characters.
const WIDTH: usize = 116;

/// Returns the TypeScript types of the contract.
pub fn types(contract: &Contract) -> String {
    let mut text =
        String::from("import type { InbetweenMethod as FillerChoice } from \"../core/inbetween-types.js\";\n\n");
    text += "/** A value of a report: complete, with every default filled in. */\n";
    text += "export type Complete<T> = T extends readonly (infer Entry)[]\n  ? readonly Complete<Entry>[]\n  : T extends object\n    ? { [Name in keyof T]-?: Complete<T[Name]> }\n    : T;\n";
    for (name, schema) in contract.options.iter().filter(|(name, _)| *name != "FillerChoice") {
        text += &declaration(name, schema, false, contract);
        text += &words(name, schema);
    }
    for (name, schema) in &contract.reports {
        text += &declaration(name, schema, true, contract);
    }
    text
}

/// Returns the schemas of the options as data, without their documentation: it would double the size of a page's bundle.
pub fn data(contract: &Contract) -> String {
    let mut schemas = Value::Object(contract.options.clone());
    remove_documentation(&mut schemas);
    format!(
        "/** JSON schemas of all options, by the name of the type; references are `#/$defs/<name>`. */\n\
         export const schemas: Readonly<Record<string, object>> = {schemas};\n"
    )
}

/// Returns the documentation of each option, by type and name.
pub fn documentation_data(contract: &Contract) -> String {
    let mut texts = Map::new();
    for (name, schema) in &contract.options {
        let Some(properties) = schema["properties"].as_object() else { continue };
        let lines: Map<String, Value> =
            properties.iter().map(|(option, schema)| (option.clone(), documentation(schema).into())).collect();
        texts.insert(name.clone(), lines.into());
    }
    let texts = serde_json::to_string_pretty(&Value::Object(texts)).expect("texts are JSON");
    format!(
        "/** Documentation of each option, by type and name, for the help of the command line and for tool schemas. */\n\
         export const documentation: Readonly<Record<string, Readonly<Record<string, string>>>> = {texts};\n"
    )
}

fn remove_documentation(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| name != "description" || !value.is_string());
            fields.values_mut().for_each(remove_documentation);
        }
        Value::Array(entries) => entries.iter_mut().for_each(remove_documentation),
        _ => {}
    }
}

/// Returns the declaration of a type.
fn declaration(name: &str, schema: &Value, is_report: bool, contract: &Contract) -> String {
    let comment = comment(&documentation(schema), "");
    if let Some(properties) = schema["properties"].as_object().filter(|_| schema.get("oneOf").is_none()) {
        let fields = fields(properties, schema, is_report, contract, "  ");
        return format!("\n{comment}export interface {name} {{\n{fields}}}\n");
    }
    format!("\n{comment}export type {name} = {};\n", expression(schema, is_report, contract))
}

/// Returns the type of the short forms of a type, and its documentation; an empty text if there are none.
fn words(name: &str, schema: &Value) -> String {
    let Some(words) = schema["x-words"].as_object() else { return String::new() };
    let forms = words.keys().map(|word| {
        let parameters = schema["x-parameters"][word].as_array().map_or(0, Vec::len);
        if parameters == 0 { format!("\"{word}\"") } else { format!("\"{word}\" | `{word}:${{string}}`") }
    });
    let forms: Vec<String> = forms.collect();
    format!(
        "\n/** Short forms of {{@link {name}}}; parameters follow after colons. */\nexport type {name}Word = {};\n",
        forms.join(" | ")
    )
}

/// Returns an object type with a complete set of fields: options with their defaults.
pub fn object(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        return "{}".to_owned();
    };
    let contract = Contract { options: Map::new(), reports: Map::new() };
    let text = fields(properties, schema, true, &contract, "    ");
    format!("{{\n{}  }}", text.replace("?: ", ": "))
}

fn fields(
    properties: &Map<String, Value>,
    schema: &Value,
    is_report: bool,
    contract: &Contract,
    indent: &str,
) -> String {
    let is_required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|other| other == name));
    let mut text = String::new();
    for (name, property) in properties {
        let mark = if is_required(name) { "" } else { "?" };
        let documentation = comment(&documentation(property), indent);
        writeln!(text, "{documentation}{indent}{name}{mark}: {};", expression(property, is_report, contract)).unwrap();
    }
    text
}

/// Returns the type expression of a schema.
fn expression(schema: &Value, is_report: bool, contract: &Contract) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        let has_words = contract.options.get(name).is_some_and(|schema| schema.get("x-words").is_some());
        return match (is_report && contract.options.contains_key(name), has_words) {
            (true, _) => format!("Complete<{name}>"),
            (false, true) => format!("{name} | {name}Word"),
            (false, false) => name.to_owned(),
        };
    }
    let union = |schemas: &[Value]| {
        let mut types: Vec<String> = schemas.iter().map(|schema| expression(schema, is_report, contract)).collect();
        types.dedup();
        types.join(" | ")
    };
    for key in ["oneOf", "anyOf"] {
        if let Some(schemas) = schema[key].as_array() {
            return union(schemas);
        }
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    match &schema["type"] {
        Value::Array(types) => {
            let of = |kind: &Value| {
                let mut single = schema.clone();
                single["type"] = kind.clone();
                expression(&single, is_report, contract)
            };
            types.iter().map(of).collect::<Vec<_>>().join(" | ")
        }
        Value::String(kind) => match kind.as_str() {
            "integer" | "number" => "number".to_owned(),
            "array" => {
                let entry = expression(&schema["items"], is_report, contract);
                match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                    (Some(2), Some(2)) => format!("readonly [{entry}, {entry}]"),
                    _ if entry.contains(' ') => format!("readonly ({entry})[]"),
                    _ => format!("readonly {entry}[]"),
                }
            }
            "object" => match schema["properties"].as_object() {
                Some(properties) => {
                    format!("{{\n{}  }}", fields(properties, schema, is_report, contract, "    "))
                }
                None => "object".to_owned(),
            },
            other => other.to_owned(),
        },
        _ => "unknown".to_owned(),
    }
}

/// Returns the documentation of a schema with its range, unit and default.
fn documentation(schema: &Value) -> String {
    let mut text = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    // Links of rustdoc: `[`Join::cut`]` becomes `Join.cut`.
    text = text.replace("[`", "`").replace("`]", "`").replace("::", ".");
    let bound = |key: &str| schema[key].as_f64();
    let range = match (bound("minimum"), bound("maximum")) {
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) if min != 0.0 || schema.get("x-unit").is_some() => Some(format!("{min} or more")),
        (None, Some(max)) => Some(format!("at most {max}")),
        _ => bound("exclusiveMinimum").map(|min| format!("above {min}")),
    };
    let facts = [
        range,
        schema["x-unit"].as_str().map(|unit| format!("unit: {unit}")),
        schema.get("default").filter(|value| !value.is_null()).map(|value| format!("default: {value}")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    if !facts.is_empty() {
        let facts = facts.join("; ");
        let mut letters = facts.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        text += &format!("{}{first}{}.", if text.is_empty() { "" } else { " " }, letters.as_str());
    }
    text
}

/// Formats a comment; an empty text has none.
fn comment(text: &str, indent: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    if text.len() + indent.len() + 7 <= WIDTH {
        return format!("{indent}/** {text} */\n");
    }
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if last.len() + word.len() + indent.len() + 4 > WIDTH {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    let body: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
    format!("{indent}/**\n{body}{indent} */\n")
}
