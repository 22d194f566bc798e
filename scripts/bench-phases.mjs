// Measures `clip.phases()` of the package in Node on one thread, including the copy of the clip to WebAssembly. "Times
// real time": seconds of motion per second of computation. Needs `npm run build`.
//
//     node scripts/bench-phases.mjs RECORDING.bvh …
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, runScript, UserError } from "./shell.mjs";

const REPEATS = 5;

/** Returns the row of a clip in the table. */
async function measure(clip) {
  let bestMs = Infinity;
  let limbs = 0;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const started = performance.now();
    limbs = (await clip.phases()).length;
    bestMs = Math.min(bestMs, performance.now() - started);
  }
  const timesRealTime = ((clip.frames / clip.fps / bestMs) * 1000).toFixed(0);
  return `| ${clip.name} | ${clip.frames} | ${limbs} | ${bestMs.toFixed(1)} | ${timesRealTime} |`;
}

await runScript(import.meta, async (files) => {
  if (files.length === 0) throw new UserError("bench-phases.mjs needs one recording or more");
  if (!existsSync(join(root, "pkg", "dist", "node.js"))) throw new UserError("pkg/dist is empty: run npm run build");
  const { KinestitchError, load } = await import("../pkg/dist/node.js");
  console.log("| clip | frames | limbs | ms, best of 5 | times real time |\n|---|---|---|---|---|");
  for (const file of files) {
    try {
      console.log(await measure(await load(file)));
    } catch (error) {
      if (!(error instanceof KinestitchError)) throw error;
      console.error(`${file}: ${error.message}`);
      process.exitCode = 1;
    }
  }
});
