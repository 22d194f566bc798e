/**
 * Entry `kinestitch` in browsers, with a bundler or as plain ES modules. Computes on the calling thread;
 * `kinestitch/worker` has the same functions off it.
 * @module
 */
import { models, wasmBytes } from "../models/index.js";
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import { fetchBytes } from "./core/fetch.js";
import { provide } from "./core/platform.js";
import { placeOf } from "./networks/manifest.js";
import { Networks } from "./networks/networks.js";

const networks = /* @__PURE__ */ new Networks(
  {
    script: () => new URL("../wasm/networks.js", import.meta.url),
    wasm: (override) => override ?? new URL("../wasm/networks_bg.wasm", import.meta.url),
    wasmBytes,
    model: (file, folder) => placeOf(file, folder, models()),
  },
  fetchBytes,
);

provide({
  script: { initialise, ClipHandle, BvhReader },
  // Spelled out for bundlers, which look for exactly this expression.
  wasm: (override) => override ?? new URL("../wasm/kinestitch_bg.wasm", import.meta.url),
  read: fetchBytes,
  networks: () => networks,
});

export * from "./tasks/index.js";
export { KinestitchError } from "./core/error.js";
export { devices, inbetweenMethods, methods, networkTasks } from "./core/types.js";
export type * from "./core/types.js";
