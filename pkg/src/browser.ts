/**
 * Entry `kinestitch` in browsers, with a bundler or as plain ES modules. Computes on the calling thread;
 * `kinestitch/worker` has the same functions off it.
 * @module kinestitch
 */
import "./browser-platform.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { load } from "./tasks/load.js";

// Not in the worker's own script, because some bundlers merge that into one file.
provideFiles({ read: fetchBytes, gltf: () => import("./gltf/read.js"), load });

export * from "./tasks/index.js";
export { animateGlb, type AnimateOptions, animations, packGlb } from "./gltf/tasks.js";
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
