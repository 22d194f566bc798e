// Processor time of reading, joining and writing clips in Node, ms, and its ratio to an earlier build of this package.
// Peer: the earlier build, in the same run.
//
//     npm run build && node research/benchmarks/before-after.mjs FOLDER [ROUNDS [CURRENT]]
//
// FOLDER: the folder pkg/ of the earlier build, in another checkout. ROUNDS: default 7. CURRENT: the folder pkg/ of the
// build to compare with it; default: that of this checkout.
//
// Each round starts one process per build, and takes the lowest of twelve times of each operation. Prints the medians
// of the rounds, and the median and range of the ratios now / before.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { walk } from "../../pkg/test/support.mjs";

const REPEATS = 12;
/** Set in the processes that measure one build; their only argument is its folder. */
const CHILD_VARIABLE = "KINESTITCH_BENCH_CHILD";
const [previous, rounds = "7", current = fileURLToPath(new URL("../../pkg/", import.meta.url))] = process.argv.slice(2);

/** Returns the lowest processor time of `REPEATS` runs, milliseconds. */
async function lowestTime(run) {
  let lowest = Infinity;
  for (let i = 0; i < REPEATS; i++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    lowest = Math.min(lowest, (user + system) / 1000);
  }
  return lowest;
}

/** Returns the time of each operation of the build in a folder, milliseconds. */
async function measure(folder) {
  const { load, stitch } = await import(pathToFileURL(join(resolve(folder), "dist", "node.js")).href);
  const texts = [walk({ frames: 3000 }), walk({ frames: 2500, speed: 1.6 })];
  const clips = [await load(texts[0]), await load(texts[1])];
  const joined = await stitch(clips, { method: "inertialize" });
  const glb = await joined.toGlb();
  return {
    "read BVH": await lowestTime(() => load(texts[0])),
    "read GLB": await lowestTime(() => load(glb)),
    "join (inertialize)": await lowestTime(() => stitch(clips, { method: "inertialize" })),
    "write BVH": await lowestTime(() => joined.toBvh()),
    "write GLB": await lowestTime(() => joined.toGlb()),
  };
}

if (previous === undefined)
  throw new Error("usage: node research/benchmarks/before-after.mjs FOLDER [ROUNDS [CURRENT]]");
if (process.env[CHILD_VARIABLE]) {
  console.log(JSON.stringify(await measure(previous)));
} else {
  const run = (folder) => {
    const env = { ...process.env, [CHILD_VARIABLE]: "1" };
    const result = spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder], { encoding: "utf8", env });
    if (result.status !== 0) throw new Error(result.stderr);
    return JSON.parse(result.stdout);
  };
  const results = Array.from({ length: Number(rounds) }, (_, round) => {
    // The order alternates, so that neither build always runs first.
    if (round % 2) return { now: run(current), before: run(previous) };
    const before = run(previous);
    return { now: run(current), before };
  });
  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
  console.log("what                   before       now   now / before (median, lowest to highest)");
  for (const name of Object.keys(results[0].now)) {
    const ratios = results.map(({ now, before }) => now[name] / before[name]);
    const ms = (side) => `${median(results.map((round) => round[side][name])).toFixed(1)} ms`.padStart(9);
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    console.log(`${name.padEnd(20)} ${ms("before")} ${ms("now")}   ${median(ratios).toFixed(2)}, ${range}`);
  }
}
