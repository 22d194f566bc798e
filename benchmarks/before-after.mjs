// Reading, joining and writing by this package and by another build of it, alternately on the same machine: ratios of
// processor time.
//
//     node benchmarks/before-after.mjs FOLDER [ROUNDS [OWN]]
//
// FOLDER: the built folder pkg/ of another tree. OWN: the same for this side, instead of this tree's.
//
// Each round starts one process per package. The lowest time of a process counts. Prints the median and the range of
// the rounds' ratios.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { walk } from "../pkg/test/support.mjs";

const REPEATS = 12;
const [other, rounds = "7", own = fileURLToPath(new URL("../pkg/", import.meta.url))] = process.argv.slice(2);

/** Lowest processor time of several runs, milliseconds. */
async function least(run) {
  let best = Infinity;
  for (let i = 0; i < REPEATS; i++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

async function measured(folder) {
  const { load, stitch } = await import(pathToFileURL(join(resolve(folder), "dist", "node.js")).href);
  const texts = [walk({ frames: 3000 }), walk({ frames: 2500, speed: 1.6 })];
  const clips = [await load(texts[0]), await load(texts[1])];
  const joined = await stitch(clips, { method: "inertialize" });
  const glb = joined.toGlb();
  return {
    "read BVH": await least(() => load(texts[0])),
    "read GLB": await least(() => load(glb)),
    "join (inertialize)": await least(() => stitch(clips, { method: "inertialize" })),
    "write BVH": await least(() => joined.toBvh()),
    "write GLB": await least(() => joined.toGlb()),
  };
}

if (other === undefined) throw new Error("name the folder pkg/ of another tree");
if (process.env.KINESTITCH_BENCH_CHILD) {
  console.log(JSON.stringify(await measured(other)));
} else {
  const run = (folder) => {
    const env = { ...process.env, KINESTITCH_BENCH_CHILD: "1" };
    const done = spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder], { encoding: "utf8", env });
    if (done.status !== 0) throw new Error(done.stderr);
    return JSON.parse(done.stdout);
  };
  const all = Array.from({ length: Number(rounds) }, (_, round) => {
    // The order alternates, so that neither side always has the warmer machine.
    if (round % 2) return { now: run(own), before: run(other) };
    const before = run(other);
    return { now: run(own), before };
  });
  const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
  console.log("what                   before       now   now / before (median, least to most)");
  for (const name of Object.keys(all[0].now)) {
    const ratios = all.map(({ now, before }) => now[name] / before[name]);
    const ms = (side) => `${middle(all.map((round) => round[side][name])).toFixed(1)} ms`.padStart(9);
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    console.log(`${name.padEnd(20)} ${ms("before")} ${ms("now")}   ${middle(ratios).toFixed(2)}, ${range}`);
  }
}
