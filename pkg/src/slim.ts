/**
 * Entry point `kinestitch/slim`: refers to no wasm file and no weights, so a bundler copies none. Call `init({ wasm })`
 * first, with `networks: { models }` too for networks.
 * @module kinestitch/slim
 */
import { locatedByInit, provideWithoutFiles } from "./without-files.js";

provideWithoutFiles(locatedByInit("kinestitch/slim does not know the URL of the wasm file; call init({ wasm }) first"));

export * from "./exports.js";
