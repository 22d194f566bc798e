//! The lists of gap fillers: names, texts, options and defaults, from the registry.

use crate::typescript;
use kinestitch::body::poses::FPS;
use kinestitch::contract::BLEND_SECS;
use kinestitch::inbetween::InbetweenOptions;
use kinestitch::method::registry::RegistryEntry;
use kinestitch::method::{DEFAULT, DEFAULT_NETWORK, FILLERS};
use schemars::generate::SchemaSettings;
use std::fmt::Write;

/// Generates the names of the gap fillers, the types of their options, and defaults.
pub fn text() -> String {
    let list = |needs: Option<bool>| {
        let some = FILLERS.iter().filter(|entry| needs.is_none_or(|needs| entry.needs_weights() == needs));
        some.map(|entry| format!("\"{}\"", entry.name)).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    let mut put = |line: std::fmt::Arguments| writeln!(text, "{line}").unwrap();
    put(format_args!("/** Names of all gap fillers: the methods that fill a gap between keys. */"));
    put(format_args!("export const inbetweenMethods = [{}] as const;", list(None)));
    put(format_args!("/** Name of a gap filler. */"));
    put(format_args!("export type InbetweenMethodName = (typeof inbetweenMethods)[number];\n"));
    put(format_args!("/** Names of the gap fillers that are networks. */"));
    put(format_args!("export const networkMethods = [{}] as const;", list(Some(true))));
    put(format_args!("/** Name of a gap filler that is a network. */"));
    put(format_args!("export type NetworkMethodName = (typeof networkMethods)[number];\n"));
    let on_gpu = FILLERS.iter().filter(|entry| entry.on_gpu).map(|entry| format!("\"{}\"", entry.name));
    put(format_args!("/** Names of the networks that can run on a GPU: they fill a complete gap in one pass. */"));
    let on_gpu = on_gpu.collect::<Vec<_>>().join(", ");
    put(format_args!("export const gpuMethods: readonly NetworkMethodName[] = [{on_gpu}];\n"));
    put(format_args!(
        "/** Longest gap of each network, seconds: from the last frame of one key to the first frame of the next. */"
    ));
    put(format_args!("export const maxGapSeconds: {{ readonly [Name in NetworkMethodName]: number }} = {{"));
    for entry in FILLERS.iter().filter(|entry| entry.needs_weights()) {
        let seconds = entry.max_gap.map(|frames| ((frames + 1) as f64 / FPS).to_string());
        put(format_args!("  {}: {},", entry.name, seconds.as_deref().unwrap_or("Number.POSITIVE_INFINITY")));
    }
    put(format_args!("}};\n"));
    put(format_args!("/** Name of the network that is loaded if no name is given. */"));
    put(format_args!("export const defaultNetwork = \"{}\" satisfies NetworkMethodName;\n", DEFAULT_NETWORK.name));
    put(format_args!("/** Name of the gap filler that is used if no name is given and no network is loaded. */"));
    put(format_args!("export const defaultMethod = \"{}\" satisfies InbetweenMethodName;\n", DEFAULT.name));
    put(format_args!("/** Default of the option `blend` of `stitch`, seconds. */"));
    put(format_args!("export const defaultBlend = {};\n", BLEND_SECS));
    put(format_args!("/** Default of the option `frames` of `inbetween`. */"));
    put(format_args!("export const defaultFrames = {};\n", InbetweenOptions::default().frames[0]));
    put(format_args!("/** Options of each gap filler. An option that is `null` or omitted has its default. */"));
    put(format_args!("export interface InbetweenMethodOptions {{"));
    for entry in FILLERS {
        put(format_args!("  /** {} */", entry.hint));
        let schema = (entry.schema)(&mut SchemaSettings::draft2020_12().into_generator()).to_value();
        put(format_args!("  {}: {};", entry.name, typescript::object(&schema)));
    }
    put(format_args!("}}\n"));
    text + &texts_and_defaults()
}

/// Generates the texts about the gap fillers, and the defaults of their options.
fn texts_and_defaults() -> String {
    let mut text = String::new();
    let mut put = |line: std::fmt::Arguments| writeln!(text, "{line}").unwrap();
    put(format_args!("/** Texts about a gap filler for the user. */"));
    put(format_args!("export interface MethodText {{"));
    put(format_args!("  /** Name in a menu. */\n  label: string;"));
    put(format_args!("  /** Description for menus and help, one to three sentences. */\n  hint: string;"));
    put(format_args!("  /** Description of the network; empty for other gap fillers. */\n  about: string;\n}}\n"));
    put(format_args!("/** Texts about each gap filler for the user. */"));
    put(format_args!("export const methodTexts: {{ readonly [Name in InbetweenMethodName]: MethodText }} = {{"));
    for RegistryEntry { name, label, hint, about, .. } in FILLERS {
        put(format_args!("  {name}: {{ label: {label:?}, hint: {hint:?}, about: {about:?} }},"));
    }
    put(format_args!("}};\n"));
    put(format_args!("/** Default options of each gap filler. */"));
    put(format_args!("export const methodDefaults: {{ readonly [Name in InbetweenMethodName]: object }} = {{"));
    for entry in FILLERS {
        put(format_args!("  {}: {},", entry.name, serde_json::to_string(&(entry.options)()).unwrap()));
    }
    put(format_args!("}};"));
    text
}
