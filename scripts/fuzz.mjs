// Fuzzes the parsers written in Rust: builds the targets of fuzz/, writes their seed inputs, and runs each target for
// some minutes, counted as processor time so that other load on the machine does not shorten the run. If a target has a
// finding, its run ends; the other targets still run, and the command fails at the end.
//
//     node scripts/fuzz.mjs [--minutes N] [--built] [TARGET …]
//
// --built: uses the targets and seed inputs of an earlier call.
// Targets: bvh, gallery, networks, pack, weights; by default all of them, ten minutes each. Building needs cargo-fuzz
// (cargo install cargo-fuzz) and a C++ compiler (Clang or GCC); running needs `ps` and the signals of POSIX. The address
// sanitizer is off, because the crate has no unsafe code; panics, time and memory are checked. For the parsers in
// TypeScript see fuzz/parsers.mjs.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, output, root, run, runScript, UserError } from "./shell.mjs";

const TARGETS = readdirSync(join(root, "fuzz", "fuzz_targets"))
  .map((name) => name.replace(/\.rs$/, ""))
  .sort();
/**
 * Largest input by target, bytes. The largest seed of "weights" has 33 KB. Files of the refiner, whose widths are fixed,
 * have over 2 MB, so they are no seeds.
 */
const MAX_BYTES = { bvh: 16_384, gallery: 8_192, networks: 2_048, pack: 16_384, weights: 131_072 };
/** Milliseconds between checks of the processor time. */
const CHECK_INTERVAL = 2_000;

/**
 * Returns the libFuzzer options of a target. `-timeout` limits the elapsed time of one input, in seconds; it is long,
 * because the machine may be busy.
 */
const optionsOf = (target) => [
  `-artifact_prefix=${makeFolder(join(root, "fuzz", "artifacts", target))}/`,
  `-max_len=${MAX_BYTES[target] ?? 16_384}`,
  "-timeout=60",
  "-rss_limit_mb=2048",
  "-print_final_stats=1",
  ...(existsSync(join(root, "fuzz", `${target}.dict`)) ? [`-dict=${join("fuzz", `${target}.dict`)}`] : []),
];

/** Returns the path of a target's program, which cargo-fuzz has built. */
function programOf(target, env) {
  const metadata = output("cargo", [
    "metadata",
    "--no-deps",
    "--format-version=1",
    "--manifest-path",
    join("fuzz", "Cargo.toml"),
  ]);
  const triple = /^host: (.*)$/m.exec(output("rustc", ["-vV"], { env }) ?? "")?.[1];
  if (!metadata || !triple) throw new UserError("cargo and rustc did not report the folder of the fuzz targets");
  return join(JSON.parse(metadata).target_directory, triple, "release", target);
}

/**
 * Returns the processor time of a process in seconds; `undefined` if it has ended, or without a `ps` of POSIX, which
 * prints [days-][hours:]minutes:seconds.
 */
function processorSeconds(pid) {
  const [, days = 0, clock] =
    /^(?:(\d+)-)?([\d:.]+)$/.exec(output("ps", ["-o", "time=", "-p", String(pid)]) ?? "") ?? [];
  if (!clock) return undefined;
  return 86_400 * Number(days) + clock.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
}

/** Describes why a target ended before its time; `undefined` if it did not. `log`: its last output. */
function failureOf(code, signal, log) {
  if (code === 0) return undefined;
  // libFuzzer also writes inputs that are only slow, and goes on.
  const artifact = /Test unit written to (?!.*slow-unit-)(.+)/.exec(log)?.[1];
  return artifact ? `a finding: ${artifact}` : `ended with ${signal ?? `exit code ${code}`}, without a finding`;
}

/** Runs a target for some minutes of processor time. Resolves to the number of executed inputs, minutes and failure. */
async function fuzz(target, minutes, env) {
  const program = programOf(target, env);
  const args = [makeFolder(join(root, "fuzz", "corpus", target)), ...optionsOf(target)];
  console.log(`$ ${[program, ...args].join(" ")}`);
  const start = performance.now();
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "pipe"],
    env: { ...process.env, ...env },
  });
  let tail = "";
  child.stderr.on("data", (bytes) => {
    process.stderr.write(bytes);
    tail = (tail + bytes).slice(-20_000);
  });
  let seconds = 0;
  const checking = setInterval(() => {
    seconds = Math.max(seconds, processorSeconds(child.pid) ?? 0);
    // This signal makes libFuzzer exit normally and print its figures.
    if (seconds >= 60 * minutes) child.kill("SIGUSR1");
  }, CHECK_INTERVAL);
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ending) => resolve(ending));
  }).finally(() => clearInterval(checking));
  const executions = Number(/stat::number_of_executed_units:\s*(\d+)/.exec(tail)?.[1] ?? NaN);
  return {
    target,
    executions,
    processorMinutes: seconds / 60,
    wallMinutes: (performance.now() - start) / 60_000,
    failure: failureOf(code, signal, tail),
  };
}

await runScript(import.meta, async (args) => {
  const minutesIndex = args.indexOf("--minutes");
  const minutes = minutesIndex < 0 ? 10 : Number(args[minutesIndex + 1]);
  const isBuilt = args.includes("--built");
  const namedTargets = args.filter(
    (word, index) => word !== "--built" && (minutesIndex < 0 || (index !== minutesIndex && index !== minutesIndex + 1)),
  );
  const targets = namedTargets.length > 0 ? namedTargets : TARGETS;
  const unknown = targets.find((target) => !TARGETS.includes(target));
  if (unknown) throw new UserError(`there is no target "${unknown}"; the targets are ${TARGETS.join(", ")}`);
  if (!(minutes > 0)) throw new UserError("--minutes needs a number above 0");
  if (!isBuilt && !output("cargo", ["fuzz", "--version"]))
    throw new UserError("cargo-fuzz is not installed: cargo install cargo-fuzz");
  if (processorSeconds(process.pid) === undefined)
    throw new UserError("ps, which reports processor time, is missing; on Debian it is in the package procps");
  // Coverage counters need nightly options, which a stable compiler accepts with this variable.
  const env = { RUSTC_BOOTSTRAP: "1" };
  if (!isBuilt) {
    const writeSeeds = ["--test", "hostile_bytes", "write_fuzz_seeds", "--", "--ignored", "--exact"];
    run("cargo", ["test", "--release", "--no-default-features", ...writeSeeds]);
    for (const target of targets) run("cargo", ["fuzz", "build", "--sanitizer", "none", target], { env });
  }
  const missing = targets.find((target) => !existsSync(programOf(target, env)));
  if (missing) throw new UserError(`the target ${missing} is not built: run without --built`);
  const results = [];
  for (const target of targets) results.push(await fuzz(target, minutes, env));
  for (const { target, executions, processorMinutes, wallMinutes, failure } of results) {
    const times = `${processorMinutes.toFixed(1)} minutes of processor time (${wallMinutes.toFixed(1)} by the clock)`;
    console.log(`${target}: ${executions.toLocaleString("en")} executions in ${times}, ${failure ?? "nothing found"}`);
  }
  const failed = results.filter(({ failure }) => failure).map(({ target }) => target);
  if (failed.length > 0) throw new UserError(`fuzzing failed in ${failed.join(", ")}`);
});
