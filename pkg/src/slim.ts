/**
 * Entry `kinestitch/slim`: names no wasm file, so a bundler copies none. Call `init({ wasm })` once before all else.
 * @module
 */
import { createApi } from "./api.js";
import { KinestitchError } from "./error.js";
import { fetchBytes } from "./fetch.js";

const api = /* @__PURE__ */ createApi({
  wasm(override) {
    if (override !== undefined) return override;
    throw new KinestitchError("wasm", "kinestitch/slim knows no wasm file; call init({ wasm }) first");
  },
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
