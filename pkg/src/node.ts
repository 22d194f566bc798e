/**
 * Entry `kinestitch` in Node. Importing it reads nothing and starts nothing, so server-side rendering may.
 * @module
 */
import { models, wasmBytes } from "../models/index.js";
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import startLive from "../wasm/live.js";
import { provideFiles } from "./core/files.js";
import { readBytes } from "./core/node-read.js";
import { provide } from "./core/platform.js";
import { placeOf } from "./networks/manifest.js";
import { Networks } from "./networks/networks.js";
import { load } from "./tasks/index.js";

const networks = /* @__PURE__ */ new Networks(
  {
    script: () => new URL("../wasm/networks.js", import.meta.url),
    wasm: (override) => override ?? new URL("../wasm/networks_bg.wasm", import.meta.url),
    wasmBytes,
    model: (file, folder) => placeOf(file, folder, models()),
  },
  readBytes,
);

provide({
  light: { initialise, wasm: (override) => readBytes(override ?? new URL("../wasm/kinestitch_bg.wasm", import.meta.url)), ClipHandle, BvhReader },
  live: { initialise: startLive, wasm: (override) => readBytes(override ?? new URL("../wasm/live_bg.wasm", import.meta.url)) },
  read: readBytes,
  networks: () => networks,
});
provideFiles({ read: readBytes, gltf: () => import("./gltf/read.js"), load });

export * from "./tasks/index.js";
export { animateGlb, type AnimateOptions, animations } from "./gltf/tasks.js";
export { KinestitchError } from "./core/error.js";
export { devices, inbetweenMethods, methods, networkTasks } from "./core/types.js";
export type * from "./core/types.js";
