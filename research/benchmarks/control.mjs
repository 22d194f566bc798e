// Time per step of the controllers in models/, ms, in Node, wasm, one thread, at 30 steps per second of motion. A step
// is requested path, network, feet and the arrays of the result. Peer: none; see control-onnx.mjs for onnxruntime-web.
//
//     npm run build && node research/benchmarks/control.mjs [--json FILE]
import { createController, init, networkModels } from "../../pkg/dist/node.js";
import { fileURLToPath } from "node:url";
import { RunReport } from "../../scripts/run-report.mjs";

const STEPS = 3000;

const report = new RunReport("node research/benchmarks/control.mjs", process.argv.slice(2));
report.table("A step of the controller", ["character", "set", "noise", "median, ms", "99 %, ms"]);
await init({ networks: { models: fileURLToPath(new URL("../../models", import.meta.url)) } });
for (const { character, set } of await networkModels({ for: "control" })) {
  for (const noise of [0, 0.5]) {
    const controller = await createController({ character, set, noise });
    const times = [];
    for (let step = 0; step < STEPS; step++) {
      const input = { direction: [Math.sin(step / 60), Math.cos(step / 60)], speed: 1.2 };
      const start = performance.now();
      controller.step(input, 1 / 30);
      // The first steps include compilation.
      if (step > STEPS / 10) times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    const quantile = (fraction) => times[Math.floor(fraction * (times.length - 1))].toFixed(3);
    report.row(character, set, noise, quantile(0.5), quantile(0.99));
    controller.free();
  }
}
report.save();
