// Time to fill a gap of 30 frames with the networks in models/, in Node, wasm, one thread: ms per gap, or per frame of
// the gap. Peer: onnxruntime-web on the same weights in single precision, interleaved. Ours is the whole method:
// network input, network, conversion to the user's skeleton, and feet. Theirs is the network alone; DC-MoE in two
// forms: "one product" multiplies one matrix of all experts by a row that repeats the input for each expert, "experts
// blended first" blends the weights of the experts in each layer, as in the paper.
//
//     npm run build && npm ci --prefix research/benchmarks/refiner --ignore-scripts
//     node research/benchmarks/inbetween-onnx.mjs [--json FILE]
import { readFileSync } from "node:fs";
import { init, liveInbetween, load, loadNetworks, networkModels } from "../../pkg/dist/node.js";
import { delta, manifold } from "./inbetween-networks.mjs";
import { mixture } from "./refiner/onnx.mjs";
import { createEvaluator, modelsFolder, shippedWeights } from "./runtime.mjs";
import { RunReport } from "../../scripts/run-report.mjs";
import { timeInterleaved } from "./timing.mjs";

/** Frames of the gap, and of the keys before and after it that delta reads. */
const GAP = 30;
const [PAST, TARGET] = [10, 5];
/** Evaluations of a network for each gap or frame: one for the motion, one for its mirror image. */
const EVALUATIONS = 2;
/** Attention heads of delta, as in the configuration of its weight files. */
const HEADS = 6;

/**
 * Per network: `graph`, the ONNX graph; `unit`, the work whose time is reported, and `unitsPerGap`, how often a gap
 * needs it; `runsPerUnit`, runs of the graph. `hasNaiveForm`: whether the graph is also measured with the experts'
 * weights blended first.
 */
const NETWORKS = {
  delta: {
    graph: (weights) => delta(weights, { heads: HEADS, windows: EVALUATIONS, past: PAST, gap: GAP, target: TARGET }),
    runsPerUnit: 1, // both evaluations are in one batch
    unitsPerGap: 1,
    unit: "a gap of 30 frames",
  },
  // Ours also evaluates the sampler on three frames before the gap.
  manifold: { graph: manifold, runsPerUnit: EVALUATIONS, unitsPerGap: GAP, unit: "a frame" },
  // A mixture of experts, like the controller's.
  dcmoe: {
    graph: (weights, naive) => ({
      bytes: mixture(weights, naive),
      shapes: { input: [1, weights["experts.0.weight"].shape[1]], gate: [1, weights["gate.0.weight"].shape[0]] },
    }),
    hasNaiveForm: true,
    runsPerUnit: EVALUATIONS,
    unitsPerGap: GAP,
    unit: "a frame",
  },
};

const report = new RunReport("node research/benchmarks/inbetween-onnx.mjs", process.argv.slice(2));
report.table("Filling a gap, all of it, beside onnxruntime-web on the network alone", [
  "network",
  "set",
  "time of",
  "ours, ms",
  "theirs",
  "theirs, ms",
  "theirs / ours",
]);
await init({ networks: { models: modelsFolder } });
const clip = await load(readFileSync(new URL("../../tests/fixtures/ada-walk.bvh", import.meta.url)));
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
    const run = await createEvaluator(bytes, shapes);
    return async () => {
      for (let index = 0; index < benchmark.unitsPerGap * benchmark.runsPerUnit; index++) await run();
    };
  };
  const theirs = {
    "one product": await createRunner(false),
    ...(benchmark.hasNaiveForm && { "experts blended first": await createRunner(true) }),
  };
  const { ours, ...theirTimes } = await timeInterleaved(
    { ours: () => live.solve(), ...theirs },
    { rounds: 101, warmupRounds: 10 },
  );
  const perUnit = ({ median }) => (median / benchmark.unitsPerGap).toFixed(3);
  for (const [label, time] of Object.entries(theirTimes))
    report.row(name, set, benchmark.unit, perUnit(ours), label, perUnit(time), (time.median / ours.median).toFixed(2));
  live.free();
}
report.save();
