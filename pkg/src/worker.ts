/**
 * Entry `kinestitch/worker` in browsers: the same functions, computed in a Web Worker, every clip method a promise.
 * @module kinestitch/worker
 */
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { load, provideWorker } from "./worker/tasks.js";
import { startWorker, type WorkerScript } from "./worker/web.js";

// Spelled out for bundlers, which look for exactly these expressions.
const SCRIPT: WorkerScript = {
  name: "kinestitch",
  file: "worker-host.js",
  get wasm() {
    return new URL("../wasm/kinestitch_bg.wasm", import.meta.url);
  },
  start: () => new Worker(new URL("./worker-host.js", import.meta.url), { type: "module", name: "kinestitch" }),
};

provideWorker({
  start: (given) => startWorker(SCRIPT, given),
  read: fetchBytes,
  resolve: (location) => new URL(location, globalThis.document?.baseURI ?? self.location.href).href,
});
provideFiles({ read: fetchBytes, gltf: () => import("./gltf/read.js"), load });

export { bestSeam, createController, inbetween, init, load, loadNetworks, lscore, lscorePath, networkInfo, networkModels, seamMap, stitch, styles } from "./worker/tasks.js";
export { animateGlb, type AnimateOptions, animations } from "./gltf/tasks.js";
export { KinestitchError } from "./core/error.js";
export { devices, inbetweenMethods, inbetweenSpeeds, methods, networkTasks } from "./core/types.js";
export type * from "./core/types.js";
