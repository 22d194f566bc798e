//! `bench stitch` on the generated clips: every method has a row, on the terminal and in the JSON file. A report that
//! cannot be saved is an error before the bench runs.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
fn the_benchmark_prints_and_saves_every_method() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    if !root.join("models/rmr-research.safetensors").exists() {
        println!("skipped: models/ has no rmr-research.safetensors");
        return;
    }
    let json = std::env::temp_dir().join(format!("kinestitch-bench-{}.json", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.current_dir(root).args(["stitch", "--test", "samples", "--seams", "2", "--data", "tests/fixtures"]);
    let output = command.args(["--weights", "models/rmr-research.safetensors", "--json"]).arg(&json).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    std::fs::remove_file(&json).unwrap();
    let command = "cargo run --release -p lab --bin bench -- stitch --test samples --seams 2 --data tests/fixtures \
                   --weights models/rmr-research.safetensors";
    assert_eq!(run["command"], command);
    let tables = run["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 2, "one test, and all of them relative to inertialization");
    let rows = tables[0]["rows"].as_array().unwrap();
    for method in ["input", "crossfade", "inertialize", "lscore", "rmr "] {
        assert!(text.lines().any(|line| line.starts_with(&format!("| {method}"))), "{method}: {text}");
        assert!(rows.iter().any(|row| row[0].as_str().unwrap().starts_with(method)), "{method}: {rows:?}");
    }
    let columns = tables[0]["columns"].as_array().unwrap().len();
    assert!(rows.iter().all(|row| row.as_array().unwrap().len() == columns));
}

#[test]
fn a_report_that_cannot_be_saved_is_an_error_before_the_bench_runs() {
    let missing = std::env::temp_dir().join(format!("kinestitch-bench-missing-{}", std::process::id()));
    let file = std::env::temp_dir().join(format!("kinestitch-bench-unused-{}.json", std::process::id()));
    let cases = [
        (["device", "--models", "missing"], missing.join("run.json"), "there is no folder"),
        (["device", "--models", "missing"], std::env::temp_dir(), "this is a folder"),
        (["rigs", "--data", "missing"], file, "no tables or notes"),
    ];
    for (args, path, expected) in cases {
        let output = Command::new(env!("CARGO_BIN_EXE_bench")).args(args).arg("--json").arg(&path).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains("--json") && error.contains(expected), "{error}");
    }
}
