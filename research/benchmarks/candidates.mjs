// Time to make seven candidates of 60 frames by "dcmoe" in Node, wasm, one thread: the search for paths in the gallery
// and the motion along each path. Unit: ms for all seven. Peer: none.
//
//     npm run build && node research/benchmarks/candidates.mjs [--json FILE]
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inbetween, init, load, loadNetworks, networkModels } from "../../pkg/dist/node.js";
import { RunReport } from "../../scripts/run-report.mjs";
import { timeInterleaved } from "./timing.mjs";

const report = new RunReport("node research/benchmarks/candidates.mjs", process.argv.slice(2));
report.table("Seven candidates of 60 frames", ["set", "median, ms", "best, ms"]);
const models = fileURLToPath(new URL("../../models/", import.meta.url));
await init({ networks: { models } });
const clip = await load(readFileSync(new URL("../../tests/fixtures/ada-walk.bvh", import.meta.url)));
const keys = [
  { clip, from: 10, to: 20, at: { x: 0, z: 0, heading: 0 } },
  { clip, from: 40, to: 50, at: { x: 1, z: 2, heading: 0.6 } },
];
for (const { set } of await networkModels({ for: "inbetween", name: "dcmoe" })) {
  await loadNetworks({ for: "inbetween", name: "dcmoe", set, models, device: "cpu" });
  let seed = 0;
  const makeCandidates = async () => {
    for (const candidate of await inbetween(keys, { method: "dcmoe", candidates: 7, frames: 60, seed: seed++ }))
      candidate.free();
  };
  const { makeCandidates: time } = await timeInterleaved({ makeCandidates }, { rounds: 21, warmupRounds: 3 });
  report.row(set, time.median.toFixed(1), time.best.toFixed(1));
}
report.save();
