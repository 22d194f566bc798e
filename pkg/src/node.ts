/**
 * Entry `kinestitch` in Node. Importing it reads nothing and starts nothing, so server-side rendering may.
 * @module
 */
import { models, wasmBytes } from "../models/index.js";
import { createApi } from "./api.js";
import { placeOf } from "./manifest.js";
import { readBytes } from "./node-read.js";

const api = /* @__PURE__ */ createApi({
  wasm: (override) => readBytes(override ?? new URL("../wasm/kinestitch_bg.wasm", import.meta.url)),
  read: readBytes,
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
