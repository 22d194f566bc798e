// Runs the networks of models/ with onnxruntime-web, as WebAssembly on one thread of Node.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { safetensors } from "./onnx.mjs";

// The dependencies of this folder are installed in research/benchmarks/refiner.
const ort = createRequire(new URL("refiner/package.json", import.meta.url))("onnxruntime-web");
ort.env.wasm.numThreads = 1;
const models = new URL("../../models/", import.meta.url);

/** Path of the folder of the networks. */
export const modelsFolder = fileURLToPath(models);

/**
 * Reads the weights of a network: name → { shape, values }, values as `Float32Array`. `matches`: returns whether an
 * entry of the manifest is the network; the first such entry is used.
 */
export function shippedWeights(matches) {
  const { networks } = JSON.parse(readFileSync(new URL("manifest.json", models), "utf8"));
  const network = networks.find(matches);
  if (!network) throw new Error("models/manifest.json lists no such network");
  return safetensors(readFileSync(new URL(network.files.find(({ role }) => role === "weights").name, models)));
}

/**
 * Loads a network from the bytes of an ONNX file. Returns a function that evaluates it once, always on the same inputs:
 * samples of a sine. `shapes`: shape of each input, by its name.
 */
export async function createEvaluator(bytes, shapes) {
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const feeds = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const length = shape.reduce((product, size) => product * size, 1);
      return [
        name,
        new ort.Tensor(
          "float32",
          Float32Array.from({ length }, (_, i) => Math.sin(i)),
          shape,
        ),
      ];
    }),
  );
  return () => session.run(feeds);
}
