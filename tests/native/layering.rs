//! Rules of the codebase that a machine can check: dependencies between modules, length of files, and use of JavaScript
//! values, Euler angles and tensors.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules of the crate, lowest first. A module uses only modules of a lower layer.
const LAYERS: [&[&str]; 13] = [
    &["error"],
    &["contract"],
    &["progress"],
    &["motion"],
    &["body"],
    &["metrics"],
    &["feature"],
    &["nn"],
    &["method"],
    &["judge"],
    &["inbetween", "control"],
    &["stitch"],
    &["edit"],
];

/// Largest number of comments that begin with "What". They replace a noun by a relative clause; docs/glossary.md has
/// the nouns.
const MAX_RELATIVE_CLAUSES: usize = 5;

/// Longest file, lines; beyond it a file has more than one subject.
const MAX_LINES: usize = 400;
const MAX_MEDIAN_LINES: usize = 150;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Reads the files below `folder` with one of the endings. Returns path relative to the repository, and text.
fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    fn walk(path: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(path) else { return };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                // Build outputs, ignored by git.
                if !["dist", "wasm-pack", "node_modules", "target"].contains(&name.as_str()) {
                    walk(&path, endings, found);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    let mut found: Vec<PathBuf> = Vec::new();
    walk(&root().join(folder), endings, &mut found);
    found.sort();
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    found.iter().map(|path| (slashed(path.strip_prefix(root()).unwrap()), text(path))).collect()
}

fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Returns a source without comments and without its unit tests, which come last and may use anything.
fn code(text: &str) -> String {
    let shipped = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    shipped.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Returns the layer of a module; `None` for other names.
fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&module))
}

/// Returns the module of a source file: `motion` for src/motion/clip.rs.
fn module_of(path: &str) -> &str {
    path.trim_start_matches("src/").split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

/// Returns the module path of a source file: `[motion, rig, leg]` for src/motion/rig/leg.rs.
fn module_path(path: &str) -> Vec<String> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns all paths in code that begin with `crate` or `super`, as the names after `crate`, with groups in braces
/// expanded. `module`: path of the module that contains the code.
fn paths(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let is_inside_path = code[..start].ends_with(|character| is_in_word(character) || character == ':');
        if !is_inside_path {
            expand(&code[start..], module.to_vec(), &mut found);
        }
    }
    found
}

/// Reads the path or group of paths at the start of `text`. `path`: names before it.
fn expand(text: &str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) {
    let mut rest = text.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            return members(group).into_iter().for_each(|member| expand(member, path.clone(), found));
        }
        let (name, after) = rest.split_at(rest.find(|character| !is_in_word(character)).unwrap_or(rest.len()));
        match name {
            "crate" => path.clear(),
            "super" => drop(path.pop()),
            "self" | "" => {}
            _ => path.push(name.to_owned()),
        }
        let Some(next) = after.strip_prefix("::") else { break };
        rest = next.trim_start();
    }
    found.push(path);
}

/// Returns the members of a group. `text`: the code after its opening brace.
fn members(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (index, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' | ',' if depth == 0 => {
                found.push(&text[start..index]);
                start = index + 1;
                if character == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    found.retain(|member| !member.trim().is_empty());
    found
}

/// Returns the source module of a name re-exported by lib.rs: `motion` for `Clip`.
fn module_of_export(name: &str, lib: &str) -> Option<String> {
    lib.split("pub use ").skip(1).find_map(|rest| {
        let statement = rest.split(';').next()?;
        let names = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
        names.clone().any(|word| word == name).then(|| names.clone().next().unwrap_or_default().to_owned())
    })
}

#[test]
fn modules_use_only_modules_of_lower_layers() {
    let lib = code(&fs::read_to_string(root().join("src/lib.rs")).unwrap());
    let mut wrong = Vec::new();
    for (path, text) in files("src", &[".rs"]) {
        let module = module_of(&path);
        if module == "lib" {
            continue;
        }
        let Some(own_layer) = layer(module) else {
            wrong.push(format!("{path}: module {module} has no layer in tests/layering.rs"));
            continue;
        };
        let code = code(&text);
        for path_in_crate in paths(&code, &module_path(&path)) {
            let Some(name) = path_in_crate.first() else { continue };
            let used =
                if layer(name).is_some() { name.clone() } else { module_of_export(name, &lib).unwrap_or_default() };
            match layer(&used) {
                Some(other) if other < own_layer || used == module => {}
                Some(_) => wrong.push(format!("{path} uses {used}, which is not below {module}")),
                None => wrong.push(format!("{path} uses crate::{name}, which is in no layer")),
            }
        }
        if code.contains("super::super::super") {
            wrong.push(format!("{path}: write crate:: instead of super::super::super"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn files_are_short() {
    let rust = [files("src", &[".rs"]), files("wasm", &[".rs"])].concat();
    let endings = [".rs", ".ts", ".tsx", ".js", ".mjs", ".css"];
    let folders = ["src", "wasm", "tests", "research", "pkg", "player/src", "www", "scripts", "examples", "fuzz"];
    let all = folders.iter().flat_map(|folder| files(folder, &endings));
    let line_count = |text: &str| text.lines().count();
    // pkg/wasm is generated by wasm-bindgen.
    let wrong: Vec<_> = all
        .filter(|(path, text)| line_count(text) > MAX_LINES && !path.starts_with("pkg/wasm/"))
        .map(|(path, text)| format!("{path}: {} lines", line_count(&text)))
        .collect();
    assert!(wrong.is_empty(), "over {MAX_LINES} lines:\n{}", wrong.join("\n"));

    let mut lengths: Vec<_> = rust.iter().map(|(_, text)| code(text).lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= MAX_MEDIAN_LINES, "the median source file has {median} lines, over {MAX_MEDIAN_LINES}");
}

/// Returns whether a line is a comment that begins with "What".
fn begins_with_what(line: &str) -> bool {
    let line = line.trim_start();
    let text = ["///", "//!", "//", "/**", "*"].iter().find_map(|mark| line.strip_prefix(mark));
    text.is_some_and(|text| text.trim_start().split([' ', ',', '\'']).next() == Some("What"))
}

#[test]
fn few_comments_begin_with_what() {
    assert!(begins_with_what("    /// What a point is off by.") && begins_with_what("/** What is left. */"));
    assert!(!begins_with_what("/// Whatever it is.") && !begins_with_what("let text = \"What\";"));
    let folders =
        ["src", "wasm", "research", "tests", "fuzz", "pkg/src", "pkg/test", "player/src", "www", "scripts", "examples"];
    let sources = folders.iter().flat_map(|folder| files(folder, &[".rs", ".ts", ".tsx", ".mjs", ".js"]));
    let found: Vec<String> = sources
        .flat_map(|(path, text)| {
            let lines = text.lines().enumerate().filter(|(_, line)| begins_with_what(line));
            lines.map(|(index, line)| format!("{path}:{}: {}", index + 1, line.trim())).collect::<Vec<_>>()
        })
        .collect();
    let count = found.len();
    assert!(
        count <= MAX_RELATIVE_CLAUSES,
        "{count} comments begin with \"What\"; name the thing:\n{}",
        found.join("\n")
    );
}

/// Returns source files outside `allowed` (starts of paths below src/) whose code names one of `words`, in any case.
fn named_outside(words: &[&str], allowed: &[&str]) -> Vec<String> {
    files("src", &[".rs"])
        .into_iter()
        .filter(|(path, _)| !allowed.iter().any(|start| path["src/".len()..].starts_with(start)))
        .flat_map(|(path, text)| {
            let code = code(&text).to_lowercase();
            words.iter().filter(|word| code.contains(**word)).map(|word| format!("{path}: {word}")).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn the_library_knows_no_javascript() {
    let wrong = named_outside(&["wasm_bindgen", "js_sys", "web_sys"], &[]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn euler_angles_stay_in_bvh() {
    let wrong = named_outside(&["euler"], &["motion/bvh"]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tensors_stay_out_of_geometry() {
    let allowed = ["feature/", "nn/", "method/", "inbetween"];
    let wrong = named_outside(&["burn::"], &allowed);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Files shared by methods.
const SHARED: [&str; 6] = ["filler", "frame", "random", "registry", "supports", "transition"];

#[test]
fn methods_do_not_use_each_other() {
    let mut wrong = Vec::new();
    for (path, text) in files("src/method", &[".rs"]) {
        let own = path["src/method/".len()..].split(['/', '.']).next().unwrap_or_default().to_owned();
        if own == "mod" {
            continue;
        }
        let code = code(&text);
        for path_in_crate in paths(&code, &module_path(&path)) {
            let [folder, used, ..] = path_in_crate.as_slice() else { continue };
            let is_constant = used.chars().all(|letter| letter.is_uppercase() || letter == '_');
            let may_use = *used == own || is_constant || SHARED.contains(&used.as_str());
            if folder == "method" && !may_use {
                wrong.push(format!("{path} uses method::{used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Reads the names of the gap fillers, as generated for the package. Leaves out the two of method/interpolate.rs, whose
/// file does not have their name; "inertialize" is also a join.
fn fillers() -> Vec<String> {
    let generated = fs::read_to_string(root().join("pkg/src/generated/methods.ts")).unwrap();
    let list = generated.split("inbetweenMethods = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let names = list.split(',').map(|name| name.trim().trim_matches('"').to_owned());
    names.filter(|name| !["linear", "inertialize"].contains(&name.as_str())).collect()
}

#[test]
fn shared_files_name_no_gap_filler() {
    let fillers = fillers();
    assert!(fillers.len() >= 4, "{fillers:?}");
    let mut wrong = Vec::new();
    let mut search = |path: &str, code: &str, spellings: &dyn Fn(&str) -> Vec<String>| {
        for name in &fillers {
            if spellings(name).iter().any(|spelling| code.contains(spelling)) {
                wrong.push(format!("{path}: {name}"));
            }
        }
    };
    for (path, text) in [files("src", &[".rs"]), files("wasm/src", &[".rs"])].concat() {
        let path_in_src = path.trim_start_matches("src/");
        // The registry names all of them, and WebGPU runs one.
        let may_name_any = ["method/mod.rs", "wasm/src/gpu.rs"].iter().any(|start| path_in_src.starts_with(start));
        let is_own_file = |name: &str| {
            ["method", "feature"].iter().any(|folder| path_in_src.starts_with(&format!("{folder}/{name}")))
        };
        if !may_name_any {
            search(&path, &code(&text), &|name| match is_own_file(name) {
                true => Vec::new(),
                false => vec![format!("\"{name}\""), format!("method::{name}")],
            });
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn paths_are_found_in_groups_and_above_the_module() {
    let paths = |code: &str| {
        let found = paths(code, &module_path("src/method/delta/network.rs"));
        found.into_iter().map(|path| path.join("::")).collect::<Vec<_>>()
    };
    assert_eq!(
        paths("use crate::{motion::{clip::Clip, fk}, error::Error};"),
        ["motion::clip::Clip", "motion::fk", "error::Error"]
    );
    assert_eq!(paths("use crate::nn::block;\nlet a = crate::stitch(b);"), ["nn::block", "stitch"]);
    assert_eq!(paths("use super::super::rmr;\nuse super::NAME;"), ["method::rmr", "method::delta::NAME"]);
    assert_eq!(paths("use super::super::{rmr::Rmr, dcmoe};"), ["method::rmr::Rmr", "method::dcmoe"]);
    assert_eq!(paths("use crate::{method::{self, rmr}};"), ["method", "method::rmr"]);
    assert_eq!(module_path("src/method/mod.rs"), ["method"]);
}

#[test]
fn module_of_export_finds_modules() {
    let lib = "pub use error::{Error, Result};\npub use motion::clip::Clip;";
    assert_eq!(module_of_export("Clip", lib).as_deref(), Some("motion"));
    assert_eq!(module_of_export("Result", lib).as_deref(), Some("error"));
    assert_eq!(module_of_export("Nothing", lib), None);
}
