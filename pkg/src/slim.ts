/**
 * Entry point `kinestitch/slim`: refers to no wasm file and no weights, so a bundler copies none. Call `init({ wasm })`
 * first, with `live` too for in-betweening, and with `live` and `networks: { models }` too for networks.
 * @module kinestitch/slim
 */
import { locatedByInit, provideWithoutFiles } from "./without-files.js";

const missingMessage = (option: "wasm" | "live"): string =>
  `kinestitch/slim does not know the URL of the wasm file; call init({ ${option} }) first`;

provideWithoutFiles(locatedByInit(missingMessage("wasm")), locatedByInit(missingMessage("live")));

export * from "./exports.js";
