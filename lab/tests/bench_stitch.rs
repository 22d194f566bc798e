//! `bench stitch` on the generated clips: every method has a row, and results are appended to the file.

use std::path::Path;
use std::process::Command;

#[test]
fn the_benchmark_prints_every_method_and_appends_results() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    if !root.join("models/rmr-research.safetensors").exists() {
        println!("skipped: models/ holds no weights of this layout");
        return;
    }
    let csv = std::env::temp_dir().join(format!("kinestitch-bench-{}.csv", std::process::id()));
    let bench = |file: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command.current_dir(root).args(["stitch", "--test", "samples", "--seams", "2", "--data", "tests/fixtures"]);
        command.args(["--weights", "models/rmr-research.safetensors", "--csv"]).arg(file);
        command.output().unwrap()
    };
    for run in 1..=2 {
        let output = bench(&csv);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        for method in ["input", "crossfade", "inertialize", "lscore", "rmr "] {
            assert!(text.lines().any(|line| line.starts_with(&format!("| {method}"))), "{method}: {text}");
        }
        let rows: Vec<String> = std::fs::read_to_string(&csv).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(rows.len(), 1 + 5 * run, "{rows:?}");
        let width = |row: &String| row.split(',').count();
        assert!(rows.iter().all(|row| width(row) == width(&rows[0])));
        assert!(rows[5].starts_with("2,") && rows[5].contains(",samples,rmr,rmr-research.safetensors,"), "{}", rows[5]);
    }
    std::fs::write(&csv, "other,columns\n").unwrap();
    assert!(!bench(&csv).status.success(), "results of another kind are not appended to");
}
