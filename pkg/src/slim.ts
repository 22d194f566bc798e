/**
 * Entry `kinestitch/slim`: refers to no wasm file and no weights, so a bundler copies none. Call `init({ wasm })`
 * once first, with `live` for in-betweening, and with `live` and `networks: { models }` for networks.
 * @module kinestitch/slim
 */
import { locatedByInit, provideWithoutFiles } from "./without-files.js";

const missing = (option: "wasm" | "live"): string =>
  `kinestitch/slim has no location of the wasm file; call init({ ${option} }) first`;

provideWithoutFiles(locatedByInit(missing("wasm")), locatedByInit(missing("live")));

export * from "./exports.js";
