//! Report of a bench: Markdown on the terminal, and JSON from which `scripts/report.mjs` writes the pages in
//! docs/results.

use crate::Outcome;
use serde::Serialize;
use std::fmt::Display;
use std::path::Path;
use std::process::Command;
use time::OffsetDateTime;

/// Files whose changes can change what a bench measures.
const MEASURED_PATHS: [&str; 7] = [
    "src",
    "research/training/src",
    "research/lab/src",
    "Cargo.lock",
    "models",
    "research/recipes",
    "research/benchmarks/control-tracks.json",
];

/// Tables and notes of a run. Each is printed when it is added.
#[derive(Debug, Default)]
pub struct Report {
    tables: Vec<Table>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Table {
    caption: String,
    columns: Vec<String>,
    /// Cells as printed, `[rows][columns]`.
    rows: Vec<Vec<String>>,
}

/// JSON file of a run.
#[derive(Serialize)]
struct Run<'a> {
    command: String,
    /// Day of the measurement, UTC.
    date: String,
    commit: String,
    tables: &'a [Table],
    notes: &'a [String],
}

impl Report {
    /// Starts a table. The first column names the rows.
    pub fn table<C: Display>(&mut self, caption: impl Display, columns: impl IntoIterator<Item = C>) {
        let columns: Vec<String> = columns.into_iter().map(|column| column.to_string()).collect();
        println!("\n{caption}\n\n| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
        self.tables.push(Table { caption: caption.to_string(), columns, rows: Vec::new() });
    }

    /// Adds a row to the last table; without a table, it is only printed.
    pub fn row<C: Display>(&mut self, cells: impl IntoIterator<Item = C>) {
        let cells: Vec<String> = cells.into_iter().map(|cell| cell.to_string()).collect();
        println!("| {} |", cells.join(" | "));
        if let Some(table) = self.tables.last_mut() {
            table.rows.push(cells);
        }
    }

    /// Adds a remark.
    pub fn note(&mut self, text: impl Display) {
        println!("{text}");
        self.notes.push(text.to_string());
    }

    /// Writes the run to a JSON file, with the command `bench ARGS`, the day and the commit. Folders outside the
    /// repository are written as `DIR`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path, args: &[String]) -> Outcome {
        let run = Run {
            command: command(args),
            date: OffsetDateTime::now_utc().date().to_string(),
            commit: commit(Path::new(".")),
            tables: &self.tables,
            notes: &self.notes,
        };
        let text = serde_json::to_string_pretty(&run)? + "\n";
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()).into())
    }
}

/// Formats a number with this many decimals; NaN as an empty text.
pub fn number(value: f64, digits: usize) -> String {
    if value.is_nan() { String::new() } else { format!("{value:.digits$}") }
}

/// Returns the command without `--json` and without paths outside the repository.
fn command(args: &[String]) -> String {
    let device = ["cuda", "vulkan"].into_iter().zip([cfg!(feature = "cuda"), cfg!(feature = "vulkan")]);
    let features: String = device.filter(|(_, built)| *built).map(|(name, _)| format!(" --features {name}")).collect();
    let mut words = vec![format!("cargo run --release -p lab{features} --bin bench --")];
    let mut remaining = args.iter();
    while let Some(arg) = remaining.next() {
        if arg == "--json" {
            remaining.next();
        } else if arg.is_empty() {
            words.push("\"\"".to_owned());
        } else if !arg.starts_with("--json=") {
            // An option and its values may be one argument: `--data=DIR`.
            let (option, values) = match arg.split_once('=') {
                Some((option, values)) if option.starts_with("--") => (format!("{option}="), values),
                _ => (String::new(), arg.as_str()),
            };
            words.push(option + &values.split(',').map(hide_path).collect::<Vec<_>>().join(","));
        }
    }
    words.join(" ")
}

/// Returns a path outside the repository as `DIR` or by its file name; other words unchanged.
fn hide_path(word: &str) -> String {
    let path = Path::new(word);
    if !path.is_absolute() && !path.starts_with("..") {
        return word.to_owned();
    }
    let name = path.file_name().filter(|_| !path.is_dir());
    name.map_or_else(|| "DIR".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Creates a git command for the repository of a folder. Git hooks set the removed variables; with them, git would use
/// the repository of the hook instead.
fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder);
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command
}

/// Returns the measured commit of a repository, followed by `+` if measured files differ from it.
fn commit(repository: &Path) -> String {
    let git = |args: &[&str]| {
        let output = git_command(repository).args(args).output().ok().filter(|output| output.status.success());
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(name) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".to_owned() };
    let status = [&["status", "--porcelain", "--untracked-files=no", "--"][..], &MEASURED_PATHS].concat();
    if git(&status).is_some_and(|files| !files.is_empty()) { format!("{name}+") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_no_folder_of_this_machine() {
        let folder = std::env::temp_dir();
        let file = folder.join("walk.bvh");
        let args = ["lafan1", "--data", &folder.to_string_lossy(), "--json", "x.json", "--test", "", "--gaps", "5,15"];
        let mut args = args.map(str::to_owned).to_vec();
        args.push(format!("{},models/a.safetensors", file.display()));
        args.push(format!("--weights={},models/b.safetensors", file.display()));
        let expected = "cargo run --release -p lab --bin bench -- lafan1 --data DIR --test \"\" --gaps 5,15 \
                        walk.bvh,models/a.safetensors --weights=walk.bvh,models/b.safetensors";
        assert_eq!(command(&args), expected);
    }

    #[test]
    fn a_commit_with_changed_files_is_marked() {
        let root = std::env::temp_dir().join(format!("kinestitch-commit-{}", std::process::id()));
        let file = |path: &str| root.join(path).join("file");
        for path in MEASURED_PATHS.iter().chain(&["docs"]) {
            std::fs::create_dir_all(root.join(path)).unwrap();
            std::fs::write(file(path), "committed").unwrap();
        }
        let git = |args: &[&str]| {
            let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
            let output = git_command(&root).args(identity).args(args).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        };
        git(&["init", "--quiet"]);
        git(&["add", "."]);
        git(&["commit", "--quiet", "--message", "all"]);
        std::fs::write(file("docs"), "changed").unwrap();
        let clean = commit(&root);
        let is_marked = |path: &&str| {
            std::fs::write(file(path), "changed").unwrap();
            let marked = commit(&root) == format!("{clean}+");
            std::fs::write(file(path), "committed").unwrap();
            marked
        };
        let measured = ["src", "research/lab/src", "research/recipes", "research/benchmarks/control-tracks.json"];
        let unmarked: Vec<&str> = measured.into_iter().filter(|path| !is_marked(path)).collect();
        std::fs::remove_dir_all(&root).unwrap();
        assert!(!clean.ends_with('+') && clean != "unknown", "{clean}");
        assert_eq!(unmarked, [""; 0]);
        let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        assert!(MEASURED_PATHS.iter().all(|path| repository.join(path).exists()));
    }

    #[test]
    fn a_report_is_saved_with_its_tables_and_notes() {
        let mut report = Report::default();
        report.table("Times", ["what", "ms"]);
        report.row(["read".to_owned(), number(1.25, 1)]);
        report.row(["write".to_owned(), number(f64::NAN, 1)]);
        report.note("two runs");
        let path = std::env::temp_dir().join(format!("kinestitch-report-{}.json", std::process::id()));
        report.save(&path, &["speed".to_owned()]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let run: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(run["tables"][0]["rows"], serde_json::json!([["read", "1.2"], ["write", ""]]));
        assert_eq!((&run["tables"][0]["caption"], &run["notes"][0]), (&"Times".into(), &"two runs".into()));
        assert_eq!(run["date"].as_str().unwrap().len(), 10);
    }
}
