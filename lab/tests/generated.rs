//! Generated files in the repository are up to date. `KINESTITCH_WRITE=1 cargo test -p lab --test generated` writes
//! them.

use kinestitch::method::registry::RegistryEntry;
use kinestitch::method::{DEFAULT, DEFAULT_NETWORK, FILLERS};
use std::fmt::Write;

const METHODS: &str = "pkg/src/core/generated/methods.ts";

/// Generates the names of the gap fillers, and the types of their options.
fn methods() -> String {
    let list = |needs: Option<bool>| {
        let some = FILLERS.iter().filter(|entry| needs.is_none_or(|needs| entry.needs_weights() == needs));
        some.map(|entry| format!("\"{}\"", entry.name)).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::from("/** Made from the crate by lab/tests/generated.rs: change nothing here. */\n\n");
    let mut put = |line: std::fmt::Arguments| writeln!(text, "{line}").unwrap();
    put(format_args!("/** Names of the methods that fill a gap between keys. */"));
    put(format_args!("export const inbetweenMethods = [{}] as const;", list(None)));
    put(format_args!("/** Name of a gap filler. */"));
    put(format_args!("export type InbetweenMethodName = (typeof inbetweenMethods)[number];\n"));
    put(format_args!("/** Those of them that are networks. */"));
    put(format_args!("export const networkMethods = [{}] as const;", list(Some(true))));
    put(format_args!("/** Name of a gap filler that is a network. */"));
    put(format_args!("export type NetworkMethodName = (typeof networkMethods)[number];\n"));
    let on_gpu = FILLERS.iter().filter(|entry| entry.on_gpu).map(|entry| format!("\"{}\"", entry.name));
    put(format_args!("/** Those of the networks that a GPU can run, for a whole gap at once. */"));
    let on_gpu = on_gpu.collect::<Vec<_>>().join(", ");
    put(format_args!("export const gpuMethods: readonly NetworkMethodName[] = [{on_gpu}];\n"));
    put(format_args!("/** The network where networks are wanted and none is named. */"));
    put(format_args!("export const defaultNetwork = \"{}\" satisfies NetworkMethodName;\n", DEFAULT_NETWORK.name));
    put(format_args!("/** The method where none is named and no network is loaded. */"));
    put(format_args!("export const defaultMethod = \"{}\" satisfies InbetweenMethodName;\n", DEFAULT.name));
    put(format_args!("/** Options of each method; what is null or left out is its default. */"));
    put(format_args!("export interface InbetweenMethodOptions {{"));
    for entry in FILLERS {
        put(format_args!("  /** {} */", entry.hint));
        let fields = (entry.typescript)();
        // ts-rs writes an empty struct as a record.
        let fields = if (entry.options)().is_empty() { "{}".to_owned() } else { fields };
        put(format_args!("  {}: {fields};", entry.name));
    }
    put(format_args!("}}\n"));
    put(format_args!(
        "/** A method for people: its name in a menu, what it does, and of a network what kind of network it is. */"
    ));
    put(format_args!("export interface MethodText {{"));
    put(format_args!("  /** Name in a menu. */\n  label: string;"));
    put(format_args!("  /** What it does, in one sentence. */\n  hint: string;"));
    put(format_args!("  /** Kind of network; empty where it is none. */\n  about: string;\n}}\n"));
    put(format_args!("/** Their names and descriptions for people. */"));
    put(format_args!("export const methodTexts: {{ readonly [Name in InbetweenMethodName]: MethodText }} = {{"));
    for RegistryEntry { name, label, hint, about, .. } in FILLERS {
        put(format_args!("  {name}: {{ label: {label:?}, hint: {hint:?}, about: {about:?} }},"));
    }
    put(format_args!("}};\n"));
    put(format_args!("/** Their defaults. */"));
    put(format_args!("export const methodDefaults: {{ readonly [Name in InbetweenMethodName]: object }} = {{"));
    for entry in FILLERS {
        put(format_args!("  {}: {},", entry.name, serde_json::to_string(&(entry.options)()).unwrap()));
    }
    put(format_args!("}};"));
    text
}

#[test]
fn generated_files_are_current() {
    let path = format!("{}/../{METHODS}", env!("CARGO_MANIFEST_DIR"));
    let made = methods();
    if std::env::var_os("KINESTITCH_WRITE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == made,
        "{METHODS} is not what the crate says: KINESTITCH_WRITE=1 cargo test -p lab --test generated"
    );
}
