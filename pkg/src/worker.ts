/**
 * Entry `kinestitch/worker` in browsers: the same functions, computed in a Web Worker, every clip method a promise.
 * @module kinestitch/worker
 */
import { provideWebWorker } from "./worker/web-entry.js";

// Written out for bundlers, which look for exactly these expressions.
provideWebWorker({
  name: "kinestitch",
  file: "worker-host.js",
  get wasm() {
    return new URL("../wasm/kinestitch_bg.wasm", import.meta.url);
  },
  start: () => new Worker(new URL("./worker-host.js", import.meta.url), { type: "module", name: "kinestitch" }),
});

export {
  bestSeam,
  createController,
  inbetween,
  init,
  load,
  loadNetworks,
  loop,
  lscore,
  lscorePath,
  networkInfo,
  networkModels,
  seamMap,
  stitch,
  styles,
} from "./worker/tasks.js";
export { animateGlb, animations, packGlb } from "./worker/gltf.js";
export type { AnimateOptions } from "./gltf/tasks.js";
export { KinestitchError } from "./core/error.js";
export {
  cycleChoices,
  devices,
  inbetweenMethods,
  inbetweenSpeeds,
  methodDefaults,
  methods,
  methodTexts,
  networkMethods,
  networkTasks,
  usualNetwork,
} from "./core/types.js";
export type * from "./core/types.js";
