/**
 * Entry `kinestitch/worker` in browsers: the same functions, computed in a Web Worker, every clip method a promise.
 * @module kinestitch/worker
 */
import { provideWebWorker } from "./worker/web-entry.js";

// Written out for bundlers, which look for exactly these expressions.
provideWebWorker({
  name: "kinestitch",
  file: "worker-host.js",
  get wasm() {
    return new URL("../wasm/kinestitch_bg.wasm", import.meta.url);
  },
  start: () => new Worker(new URL("./worker-host.js", import.meta.url), { type: "module", name: "kinestitch" }),
});

export * from "./worker/exports.js";
