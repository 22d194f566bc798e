/**
 * Entry `kinestitch` in browsers, with a bundler or as plain ES modules. Computes on the calling thread;
 * `kinestitch/worker` has the same functions off it.
 * @module
 */
import { createApi } from "./api.js";
import { fetchBytes } from "./fetch.js";

const api = /* @__PURE__ */ createApi({
  // Spelled out for bundlers, which look for exactly this expression.
  wasm: (override) => override ?? new URL("../wasm/kinestitch_bg.wasm", import.meta.url),
  read: fetchBytes,
});

export const init = api.init;
export const load = api.load;
export const stitch = api.stitch;
export const lscore = api.lscore;
export const lscorePath = api.lscorePath;
export const bestSeam = api.bestSeam;
export const seamMap = api.seamMap;
export { KinestitchError } from "./error.js";
export { devices, methods } from "./types.js";
export type * from "./types.js";
