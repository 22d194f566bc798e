/**
 * Entry `kinestitch` in browsers, with a bundler or as plain ES modules. Computes on the calling thread;
 * `kinestitch/worker` has the same functions off it.
 * @module
 */
import { models, wasmBytes } from "../models/index.js";
import { createApi } from "./api.js";
import { fetchBytes } from "./fetch.js";
import { placeOf } from "./manifest.js";

const api = /* @__PURE__ */ createApi({
  // Spelled out for bundlers, which look for exactly this expression.
  wasm: (override) => override ?? new URL("../wasm/kinestitch_bg.wasm", import.meta.url),
  read: fetchBytes,
  networks: {
    script: () => new URL("../wasm/networks.js", import.meta.url),
    wasm: (override) => override ?? new URL("../wasm/networks_bg.wasm", import.meta.url),
    wasmBytes,
    model: (file, folder) => placeOf(file, folder, models()),
  },
});

export const init = api.init;
export const load = api.load;
export const stitch = api.stitch;
export const inbetween = api.inbetween;
export const liveInbetween = api.liveInbetween;
export const lscore = api.lscore;
export const lscorePath = api.lscorePath;
export const bestSeam = api.bestSeam;
export const seamMap = api.seamMap;
export const loadNetworks = api.loadNetworks;
export const networkInfo = api.networkInfo;
export const networkModels = api.networkModels;
export { KinestitchError } from "./error.js";
export { devices, inbetweenMethods, methods } from "./types.js";
export type * from "./types.js";
