/**
 * Entry `kinestitch/slim`: names no wasm file and no weights, so a bundler copies none. Call `init({ wasm })` once before
 * all else, with `networks: { wasm, models }` where you want those.
 * @module
 */
import { createApi } from "./api.js";
import { KinestitchError } from "./error.js";
import { fetchBytes } from "./fetch.js";
import { placeOf } from "./manifest.js";

const api = /* @__PURE__ */ createApi({
  wasm(override) {
    if (override !== undefined) return override;
    throw new KinestitchError("wasm", "kinestitch/slim knows no wasm file; call init({ wasm }) first");
  },
  read: fetchBytes,
  networks: {
    script: () => new URL("../wasm/networks.js", import.meta.url),
    wasm(override) {
      if (override !== undefined) return override;
      throw new KinestitchError("wasm", "kinestitch/slim knows no wasm file; name it in init({ networks: { wasm } }) first");
    },
    wasmBytes: 0,
    model(file, folder) {
      if (folder !== undefined) return placeOf(file, folder);
      throw new KinestitchError("weights", "kinestitch/slim knows no weights; name their folder in init({ networks: { models } }) first");
    },
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
