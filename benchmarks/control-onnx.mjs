// Time of a step of the controllers in models/ beside onnxruntime-web's on the same network, in Node, wasm, one thread, taking
// turns. Ours is the whole step: path, rows, network, feet and arrays; theirs is the network alone.
//
//     npm run build && npm ci --prefix benchmarks/refiner --ignore-scripts && node benchmarks/control-onnx.mjs
import { createController, init, networkModels } from "../pkg/dist/node.js";
import { controller as asOnnx } from "./refiner/onnx.mjs";
import { folder, session, shipped } from "./runtime.mjs";
import { told, turns } from "./turns.mjs";

await init({ networks: { models: folder } });
for (const { character, set } of await networkModels({ for: "control" })) {
  const weights = shipped((network) => network.for === "control" && network.character === character && network.set === set);
  const [input, gate] = [weights["experts.0.weight"].shape[1], weights["gate.0.weight"].shape[0]];
  const theirs = await session(asOnnx(weights), { input: [1, input], gate: [1, gate] });
  const steered = await createController({ character, set });
  let step = 0;
  const ours = () => {
    step++;
    steered.step({ direction: [Math.sin(step / 60), Math.cos(step / 60)], speed: 1.2 }, 1 / 30);
  };
  const times = await turns({ ours, theirs }, { rounds: 1500, warm: 200 });
  console.log(`${character}, ${set}: a whole step ${told(times.ours)}, onnxruntime-web's network alone ${told(times.theirs)}, ${(times.theirs.median / times.ours.median).toFixed(1)} times as long`);
  steered.free();
}
