// Reads every motion and character under some folders with the package and with independent readers, and compares them.
//
//     npm run corpus -- FOLDER ... [--package FOLDER] [--animations N] [--seconds S] [--json FILE] [--only TEXT]
//
// Files: .bvh, .glb, .gltf, .vrm, .vrma and .fbx. A motion is compared with three.js's loaders at five instants (BVH: with
// the reader in corpus/bvh.mjs), written as GLB and as BVH, and read back; the glTF validator checks what is written. A
// character of a biped gets a generated walk and must stand on its soles. One row for each file, then the sums; exit code
// 1 if anything is off by more than 1 mm, half a frame, or 3 % of the height.
//
// --package: folder of the package to judge (default: pkg). --animations: at most so many animations of each file (default
// 20, evenly chosen). --seconds: time limit for each file (default 120). --only: files whose path contains the text.
import { fork } from "node:child_process";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { root, runScript, UserError } from "./shell.mjs";

const KINDS = /\.(bvh|glb|gltf|vrm|vrma|fbx)$/i;
/**
 * Verdicts, the worst last. "nothing": no motion and no character; "damaged": no reader reads it; "unjudged": only the
 * package reads it.
 */
const VERDICTS = ["ok", "nothing", "damaged", "unjudged", "refused", "off", "crashed"];

/** Returns the files of a folder and its subfolders, in order. */
function listFiles(folder) {
  if (statSync(folder).isFile()) return [folder];
  const names = readdirSync(folder).sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listFiles(path) : KINDS.test(name) ? [path] : [];
  });
}

/** A process that judges files one after another; it is replaced if it crashes or takes too long. */
class Judge {
  #child;
  #options;
  constructor(options) {
    this.#options = options;
  }

  #start() {
    const script = fileURLToPath(new URL("./corpus/child.mjs", import.meta.url));
    const { packageFolder, animations } = this.#options;
    this.#child = fork(script, [packageFolder, String(animations)], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  }

  /** Returns the report of a file. */
  judge(path) {
    if (!this.#child) this.#start();
    const child = this.#child;
    return new Promise((settle) => {
      const end = (report) => {
        clearTimeout(timer);
        child.removeAllListeners();
        settle(report);
      };
      const stop = (reason) => {
        this.#child = undefined;
        end({ verdict: "crashed", checks: 1, failures: [reason] });
        child.kill("SIGKILL");
      };
      const timer = setTimeout(() => stop(`no answer in ${this.#options.seconds} s`), this.#options.seconds * 1000);
      child.once("exit", () => stop("the process ended"));
      child.once("message", end);
      child.send(path);
    });
  }

  close() {
    this.#child?.kill();
  }
}

function printRow(name, { verdict, motions = 0, worst = 0, failures = [], notes = [] }) {
  const distance = motions > 0 ? `${(worst * 1000).toFixed(3)} mm` : "";
  const reasons = [...failures, ...notes].slice(0, 3).join("; ").slice(0, 300);
  console.log([verdict.padEnd(8), String(motions).padStart(3), distance.padStart(12), name, reasons].join("  "));
}

/** Sums of all reports. */
function sumsOf(reports) {
  const count = (verdict) => reports.filter((report) => report.verdict === verdict).length;
  const add = (key) => reports.reduce((sum, report) => sum + (report[key] ?? 0), 0);
  return {
    files: reports.length,
    ...Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(verdict)])),
    motions: add("motions"),
    motionsOff: add("motionsOff"),
    characters: add("characters"),
    charactersOff: add("charactersOff"),
    checks: add("checks"),
    failed: reports.reduce((sum, { failures = [] }) => sum + failures.length, 0),
  };
}

async function run(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      package: { type: "string", default: join(root, "pkg") },
      animations: { type: "string", default: "20" },
      seconds: { type: "string", default: "120" },
      json: { type: "string" },
      only: { type: "string", default: "" },
    },
  });
  if (positionals.length === 0) throw new UserError("name one folder or more: npm run corpus -- FOLDER ...");
  const files = positionals.flatMap((folder) => listFiles(resolve(folder)).map((path) => [folder, path]));
  const options = {
    packageFolder: resolve(values.package),
    animations: Number(values.animations),
    seconds: Number(values.seconds),
  };
  const judge = new Judge(options);
  const reports = [];
  for (const [folder, path] of files.filter(([, path]) => path.includes(values.only))) {
    const name = relative(resolve(folder), path) || path;
    const report = await judge.judge(path);
    reports.push({ name, ...report });
    printRow(name, report);
  }
  judge.close();
  const sums = sumsOf(reports);
  console.log(
    Object.entries(sums)
      .map(([name, value]) => `${name} ${value}`)
      .join(", "),
  );
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ sums, reports }, undefined, 1)}\n`);
  if (sums.off + sums.refused + sums.crashed > 0) process.exitCode = 1;
}

await runScript(import.meta, run);
