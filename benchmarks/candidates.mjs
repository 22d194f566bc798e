// Time of seven candidates of 60 frames by "dcmoe", in Node, wasm, one thread: paths from the gallery, and the motion
// along each.
//
//     npm run build && node benchmarks/candidates.mjs [--json FILE]
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inbetween, init, load, loadNetworks, networkModels } from "../pkg/dist/node.js";
import { RunReport } from "../scripts/run-report.mjs";
import { turns } from "./turns.mjs";

const report = new RunReport("node benchmarks/candidates.mjs", process.argv.slice(2));
report.table("Seven candidates of 60 frames", ["set", "median, ms", "best, ms"]);
const models = fileURLToPath(new URL("../models/", import.meta.url));
await init({ networks: { models } });
const clip = await load(readFileSync(new URL("../tests/fixtures/ada-walk.bvh", import.meta.url)));
const keys = [
  { clip, from: 10, to: 20, at: { x: 0, z: 0, heading: 0 } },
  { clip, from: 40, to: 50, at: { x: 1, z: 2, heading: 0.6 } },
];
for (const { set } of await networkModels({ for: "inbetween", name: "dcmoe" })) {
  await loadNetworks({ for: "inbetween", name: "dcmoe", set, models, device: "cpu" });
  let seed = 0;
  const ways = async () => {
    for (const way of await inbetween(keys, { method: "dcmoe", candidates: 7, frames: 60, seed: seed++ })) way.free();
  };
  const { ways: time } = await turns({ ways }, { rounds: 21, warm: 3 });
  report.row(set, time.median.toFixed(1), time.best.toFixed(1));
}
report.save();
