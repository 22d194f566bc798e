// Time to fill a gap with the networks in models/, compared with onnxruntime-web on the same networks, in Node, wasm,
// one thread, interleaved. Ours includes everything: rows, network, the user's skeleton, feet. Theirs is the network
// alone; DC-MoE also with blended expert weights as in the paper (naive).
//
//     npm run build && npm ci --prefix benchmarks/refiner --ignore-scripts && node benchmarks/inbetween-onnx.mjs
//         [--json FILE]
import { readFileSync } from "node:fs";
import { init, liveInbetween, load, loadNetworks, networkModels } from "../pkg/dist/node.js";
import { delta, manifold } from "./inbetween-networks.mjs";
import { mixture } from "./refiner/onnx.mjs";
import { createSession, modelsFolder, shippedWeights } from "./runtime.mjs";
import { RunReport } from "../scripts/run-report.mjs";
import { timeInterleaved } from "./timing.mjs";

/** Frames of the gap, and the frames around it that delta reads. */
const GAP = 30;
const [PAST, TARGET] = [10, 5];
/** Each gap is filled a second time, mirrored. */
const WINDOWS = 2;
const HEADS = 6;

/**
 * Per network: the graph, its runs per gap (`count`), how often a gap is filled (`times`), and the unit of the printed
 * time.
 */
const NETWORKS = {
  delta: {
    graph: (weights) => delta(weights, { heads: HEADS, windows: WINDOWS, past: PAST, gap: GAP, target: TARGET }),
    count: 1,
    unit: "a gap of 30 frames",
  },
  // It also reads three past frames.
  manifold: { graph: manifold, times: WINDOWS, count: GAP, unit: "a frame" },
  // A mixture of experts, like the controller's.
  dcmoe: {
    graph: (weights, naive) => ({
      bytes: mixture(weights, naive),
      shapes: { input: [1, weights["experts.0.weight"].shape[1]], gate: [1, weights["gate.0.weight"].shape[0]] },
    }),
    naive: true,
    times: WINDOWS,
    count: GAP,
    unit: "a frame",
  },
};

const report = new RunReport("node benchmarks/inbetween-onnx.mjs", process.argv.slice(2));
report.table("Filling a gap, all of it, beside onnxruntime-web on the network alone", [
  "network",
  "set",
  "what",
  "ours, ms",
  "theirs",
  "theirs, ms",
  "theirs / ours",
]);
await init({ networks: { models: modelsFolder } });
const clip = await load(readFileSync(new URL("../tests/fixtures/ada-walk.bvh", import.meta.url)));
for (const { name, set } of await networkModels({ for: "inbetween" })) {
  const benchmark = NETWORKS[name];
  if (!benchmark) continue;
  const weights = shippedWeights(
    (network) => network.for === "inbetween" && network.name === name && network.set === set,
  );
  await loadNetworks({ for: "inbetween", name, set, models: modelsFolder, device: "cpu" });
  const live = await liveInbetween(
    [
      { clip, from: 10, to: 20 },
      { clip, from: 20 + GAP, to: 60 },
    ],
    { frames: GAP, method: name },
  );
  const createRunner = async (naive) => {
    const { bytes, shapes } = benchmark.graph(weights, naive);
    const run = await createSession(bytes, shapes);
    return async () => {
      for (let index = 0; index < benchmark.count * (benchmark.times ?? 1); index++) await run();
    };
  };
  const theirs = {
    "one product": await createRunner(false),
    ...(benchmark.naive && { "experts blended first": await createRunner(true) }),
  };
  const { ours, ...theirTimes } = await timeInterleaved(
    { ours: () => live.solve(), ...theirs },
    { rounds: 101, warmupRounds: 10 },
  );
  const perUnit = ({ median }) => (median / benchmark.count).toFixed(3);
  for (const [label, time] of Object.entries(theirTimes))
    report.row(name, set, benchmark.unit, perUnit(ours), label, perUnit(time), (time.median / ours.median).toFixed(2));
  live.free();
}
report.save();
