// Measures the phase detection of the package in Node on one thread: seconds of motion per second of computation.
//
//     node scripts/bench-phases.mjs RECORDING.bvh …
import { load } from "../pkg/dist/node.js";
import { runScript, UserError } from "./shell.mjs";

const REPEATS = 5;

await runScript(import.meta, async (files) => {
  if (files.length === 0) throw new UserError("bench-phases.mjs needs one recording or more");
  console.log("| clip | frames | limbs | ms, best of 5 | times real time |\n|---|---|---|---|---|");
  for (const file of files) {
    const clip = await load(file);
    let bestMs = Infinity;
    let limbs = 0;
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const started = performance.now();
      limbs = clip.phases().length;
      bestMs = Math.min(bestMs, performance.now() - started);
    }
    console.log(
      `| ${clip.name} | ${clip.frames} | ${limbs} | ${bestMs.toFixed(1)} | ${((clip.frames / clip.fps / bestMs) * 1000).toFixed(0)} |`,
    );
  }
});
