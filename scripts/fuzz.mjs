// Fuzzes the parsers: builds the targets of fuzz/, writes their seeds, and runs each for a while. A finding ends the run with its file.
//
//     node scripts/fuzz.mjs [--minutes N] [TARGET …]
//
// Targets: bvh, gallery, networks, pack, weights; all of them, ten minutes each, unless told otherwise. Needs cargo-fuzz (cargo install cargo-fuzz) and Clang's or GCC's C++ compiler;
// the address sanitizer is off, since the crate has no unsafe code: panics, time and memory are what is watched.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { folder, output, root, run, script, Stop } from "./shell.mjs";

const TARGETS = readdirSync(join(root, "fuzz", "fuzz_targets"))
  .map((name) => name.replace(/\.rs$/, ""))
  .sort();
/** Longest input, bytes: the refiner's file aside, the smallest weight files have some 60 KB. */
const LONGEST = { bvh: 16_384, gallery: 8_192, networks: 2_048, pack: 16_384, weights: 131_072 };
/** Options of libFuzzer for a target. */
const optionsOf = (target, minutes) => [
  `-max_total_time=${Math.round(60 * minutes)}`,
  `-max_len=${LONGEST[target] ?? 16_384}`,
  "-timeout=10",
  "-rss_limit_mb=2048",
  "-print_final_stats=1",
  ...(existsSync(join(root, "fuzz", `${target}.dict`)) ? [`-dict=${join("fuzz", `${target}.dict`)}`] : []),
];

/** Runs a target; resolves to its executions, or throws where something was found. */
async function fuzz(target, minutes, env) {
  const args = [
    "fuzz",
    "run",
    "--sanitizer",
    "none",
    target,
    folder(join(root, "fuzz", "corpus", target)),
    "--",
    ...optionsOf(target, minutes),
  ];
  console.log(`$ cargo ${args.join(" ")}`);
  const child = spawn("cargo", args, {
    cwd: root,
    stdio: ["ignore", "inherit", "pipe"],
    env: { ...process.env, ...env },
  });
  let tail = "";
  child.stderr.on("data", (bytes) => {
    process.stderr.write(bytes);
    tail = (tail + bytes).slice(-20_000);
  });
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0)
    throw new Stop(`fuzzing ${target} ended with exit code ${code}; what it found lies in fuzz/artifacts/${target}`);
  return Number(/stat::number_of_executed_units:\s*(\d+)/.exec(tail)?.[1]);
}

await script(import.meta, async (words) => {
  const at = words.indexOf("--minutes");
  const minutes = at < 0 ? 10 : Number(words[at + 1]);
  const targets = words.filter((_word, index) => at < 0 || (index !== at && index !== at + 1));
  const unknown = targets.find((target) => !TARGETS.includes(target));
  if (unknown) throw new Stop(`there is no target "${unknown}"; there are ${TARGETS.join(", ")}`);
  if (!(minutes > 0)) throw new Stop("--minutes needs a number above 0");
  if (!output("cargo", ["fuzz", "--version"])) throw new Stop("cargo-fuzz is not installed: cargo install cargo-fuzz");
  // Coverage counters are options that only nightly compilers know; a stable one takes them too where it is told to.
  const env = { RUSTC_BOOTSTRAP: "1" };
  run("cargo", [
    "test",
    "--release",
    "--no-default-features",
    "--test",
    "hostile_bytes",
    "write_fuzz_seeds",
    "--",
    "--ignored",
    "--exact",
  ]);
  const done = [];
  for (const target of targets.length > 0 ? targets : TARGETS) done.push([target, await fuzz(target, minutes, env)]);
  for (const [target, runs] of done)
    console.log(`${target}: ${runs.toLocaleString("en")} executions in ${minutes} minutes, nothing found`);
});
