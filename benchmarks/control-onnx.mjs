// Time of a step of the controllers in models/ beside onnxruntime-web's on a network of the same sizes, in Node, wasm, one thread, taking
// turns. Ours is the whole step: path, rows, network, feet and arrays; theirs is the network alone.
//
//     npm run build && npm ci --prefix benchmarks/refiner --ignore-scripts && node benchmarks/control-onnx.mjs
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { createController, init, networkModels } from "../pkg/dist/node.js";
import { controller as asOnnx } from "./refiner/onnx.mjs";

const STEPS = 1500;
const WARM = 200;
const require = createRequire(new URL("refiner/package.json", import.meta.url));
const ort = require("onnxruntime-web");
ort.env.wasm.numThreads = 1;

const models = new URL("../models/", import.meta.url);
await init({ networks: { models: fileURLToPath(models) } });
const { networks } = JSON.parse(readFileSync(new URL("manifest.json", models), "utf8"));

/** Weights of the sizes in a file's head: how long they take does not depend on what they are. */
function weightsLike(file) {
  const bytes = readFileSync(new URL(file, models));
  const head = JSON.parse(bytes.toString("utf8", 8, 8 + Number(bytes.readBigUInt64LE(0))));
  const sized = Object.entries(head).filter(([name]) => /^(gate|experts)\.\d\.(weight|bias)$/.test(name));
  const values = (shape) => Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => 0.05 * Math.sin(i));
  return Object.fromEntries(sized.map(([name, { shape }]) => [name, { shape, values: values(shape) }]));
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

for (const { character, set } of await networkModels({ for: "control" })) {
  const { files } = networks.find((network) => network.for === "control" && network.character === character && network.set === set);
  const weights = weightsLike(files[0].name);
  const session = await ort.InferenceSession.create(asOnnx(weights), { executionProviders: ["wasm"] });
  const row = (columns) => new ort.Tensor("float32", Float32Array.from({ length: columns }, (_, i) => Math.sin(i)), [1, columns]);
  const feeds = { input: row(weights["experts.0.weight"].shape[1]), gate: row(weights["gate.0.weight"].shape[0]) };
  const steered = await createController({ character, set });
  const [ours, theirs] = [[], []];
  for (let step = -WARM; step < STEPS; step++) {
    const want = { direction: [Math.sin(step / 60), Math.cos(step / 60)], speed: 1.2 };
    const started = performance.now();
    steered.step(want, 1 / 30);
    const between = performance.now();
    await session.run(feeds);
    if (step < 0) continue;
    ours.push(between - started);
    theirs.push(performance.now() - between);
  }
  const [own, other] = [median(ours), median(theirs)];
  console.log(`${character}, ${set}: a whole step ${own.toFixed(3)} ms, onnxruntime-web's network alone ${other.toFixed(3)} ms, ${(other / own).toFixed(1)} times as long`);
  steered.free();
}
