// Time per step of the controllers in models/, ms, compared with onnxruntime-web on the same weights in single
// precision. Both run in Node, wasm, one thread, and take turns. Ours is the whole step: requested path, network input,
// network, feet and the arrays of the result. Theirs is the network alone, in two forms: "naive" blends the weights of
// the experts in each layer, as in the papers; "one product" multiplies one matrix of all experts by a row that repeats
// the input for each expert.
//
//     npm run build && npm ci --prefix research/benchmarks/refiner --ignore-scripts
//     node research/benchmarks/control-onnx.mjs [--json FILE]
import { createController, init, networkModels } from "../../pkg/dist/node.js";
import { mixture } from "./refiner/onnx.mjs";
import { createEvaluator, modelsFolder, shippedWeights } from "./runtime.mjs";
import { timeInterleaved } from "./timing.mjs";
import { RunReport } from "../../scripts/run-report.mjs";

const report = new RunReport("node research/benchmarks/control-onnx.mjs", process.argv.slice(2));
report.table("A whole step, compared with onnxruntime-web on the network alone", [
  "character",
  "set",
  "ours, ms",
  "theirs, naive, ms",
  "theirs, one product, ms",
  "naive / ours",
  "one product / ours",
]);
await init({ networks: { models: modelsFolder } });
for (const { character, set } of await networkModels({ for: "control" })) {
  const weights = shippedWeights(
    (network) => network.for === "control" && network.character === character && network.set === set,
  );
  const [input, gate] = [weights["experts.0.weight"].shape[1], weights["gate.0.weight"].shape[0]];
  const [naive, oneProduct] = await Promise.all(
    [true, false].map((isNaive) => createEvaluator(mixture(weights, isNaive), { input: [1, input], gate: [1, gate] })),
  );
  const controller = await createController({ character, set });
  let step = 0;
  const ours = () => {
    step++;
    controller.step({ direction: [Math.sin(step / 60), Math.cos(step / 60)], speed: 1.2 }, 1 / 30);
  };
  const times = await timeInterleaved({ ours, naive, oneProduct }, { rounds: 1500, warmupRounds: 200 });
  const medians = [times.ours, times.naive, times.oneProduct].map(({ median }) => median);
  const ratios = medians.slice(1).map((median) => (median / medians[0]).toFixed(1));
  report.row(character, set, ...medians.map((median) => median.toFixed(3)), ...ratios);
  controller.free();
}
report.save();
