// onnxruntime-web in Node, wasm, one thread, on the networks of models/.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { safetensors } from "./onnx.mjs";

const ort = createRequire(new URL("refiner/package.json", import.meta.url))("onnxruntime-web");
ort.env.wasm.numThreads = 1;
const models = new URL("../models/", import.meta.url);

/** Folder of the networks. */
export const modelsFolder = fileURLToPath(models);

/** Returns the weights of the first network in the manifest that `matches` accepts, in single precision. */
export function shippedWeights(matches) {
  const { networks } = JSON.parse(readFileSync(new URL("manifest.json", models), "utf8"));
  const network = networks.find(matches);
  if (!network) throw new Error("models/manifest.json lists no such network");
  return safetensors(readFileSync(new URL(network.files.find(({ role }) => role === "weights").name, models)));
}

/** Returns a function that runs a network on smooth rows of these shapes. */
export async function createSession(bytes, shapes) {
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
