// Reports a benchmark written in JavaScript: prints Markdown, and with `--json FILE` writes the run for
// research/runs/. research/lab/src/bench/report.rs does this for Rust.
import { writeFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { output, UserError } from "./shell.mjs";

/** Files whose changes affect benchmarks. Some benchmarks run the program of research/lab/, which uses research/training/. */
export const MEASURED_FILES = [
  "src",
  "research/training/src",
  "research/lab/src",
  "pkg/src",
  "www",
  "Cargo.lock",
  "models",
  "research/recipes",
  "research/benchmarks",
];

/** Returns the measured commit, followed by `+` if sources or weights differ from it. */
function measuredCommit() {
  const name = output("git", ["rev-parse", "--short", "HEAD"]) ?? "unknown";
  return output("git", ["status", "--porcelain", "--untracked-files=no", "--", ...MEASURED_FILES]) ? `${name}+` : name;
}

/** Splits `--json FILE` from the other arguments. */
function splitJson(args) {
  const index = args.indexOf("--json");
  if (index < 0) return { rest: args, file: undefined };
  if (!args[index + 1] || args[index + 1].startsWith("--")) throw new UserError("--json needs a file");
  return { rest: args.toSpliced(index, 2), file: args[index + 1] };
}

export class RunReport {
  #tables = [];
  #notes = [];
  #command;
  #file;
  /** Arguments without `--json FILE`. */
  rest;

  /** `command`: the command as users type it; `args`: its arguments. */
  constructor(command, args) {
    const { rest, file } = splitJson(args);
    this.rest = rest;
    this.#file = file;
    const publishedWords = rest.map((word) => (isAbsolute(word) ? "DIR" : word));
    this.#command = [command, ...publishedWords].join(" ").replace(/ --$/, "");
  }

  /** Starts a table. The first column names the rows. */
  table(caption, columns) {
    console.log(`\n${caption}\n\n| ${columns.join(" | ")} |\n|${"---|".repeat(columns.length)}`);
    this.#tables.push({ caption, columns, rows: [] });
  }

  /** Adds a row to the last table. */
  row(...cells) {
    const row = cells.map(String);
    console.log(`| ${row.join(" | ")} |`);
    this.#tables.at(-1).rows.push(row);
  }

  /** Adds a remark. */
  note(text) {
    console.log(text);
    this.#notes.push(text);
  }

  /** Writes the file of `--json`, if this option is set. */
  save() {
    if (!this.#file) return;
    const date = new Date().toISOString().slice(0, 10);
    const run = { command: this.#command, date, commit: measuredCommit(), tables: this.#tables, notes: this.#notes };
    writeFileSync(this.#file, `${JSON.stringify(run, null, 2)}\n`);
  }
}
