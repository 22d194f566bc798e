/**
 * Entry point `kinestitch/worker` in browsers: the functions of `kinestitch`, computed in a Web Worker; every method of
 * a clip returns a promise.
 * @module kinestitch/worker
 */
import { provideWebWorker } from "./worker/web-entry.js";

// Bundlers find the files only by literal `new URL("…", import.meta.url)`; a script, only inside `new Worker(…)`.
provideWebWorker({
  name: "kinestitch",
  file: "worker-host.js",
  get wasm() {
    return new URL("../wasm/kinestitch_bg.wasm", import.meta.url);
  },
  start: () => new Worker(new URL("./worker-host.js", import.meta.url), { type: "module", name: "kinestitch" }),
});

export * from "./worker/exports.js";
