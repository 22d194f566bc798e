/**
 * Entry point `kinestitch/small`, for pages that only read and display motions: `load`, and the methods of clips that
 * read a motion, in a Web Worker with a wasm module of half the size.
 * @module kinestitch/small
 */
import { provideWebWorker } from "./worker/web-entry.js";

// Bundlers find the files only by literal `new URL("…", import.meta.url)`; a script, only inside `new Worker(…)`.
provideWebWorker({
  name: "kinestitch-small",
  file: "small-host.js",
  get wasm() {
    return new URL("../wasm/kinestitch_small_bg.wasm", import.meta.url);
  },
  start: () => new Worker(new URL("./small-host.js", import.meta.url), { type: "module", name: "kinestitch-small" }),
});

export { load } from "./worker/load.js";
export { init } from "./worker/tasks.js";
export { animations, listAnimations } from "./worker/gltf.js";
export { KinestitchError } from "./core/error.js";
export type * from "./core/types.js";
