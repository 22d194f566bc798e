/**
 * Entry `kinestitch/worker` in browsers: the same functions, computed in a Web Worker, every clip method a promise.
 * @module
 */
import { fetchBytes } from "./fetch.js";
import { createWorkerApi } from "./worker-api.js";

const api = /* @__PURE__ */ createWorkerApi({
  start(script) {
    const worker = script
      ? new Worker(script, { type: "module", name: "kinestitch" })
      : // Spelled out for bundlers, which look for exactly this expression.
        new Worker(new URL("./worker-host.js", import.meta.url), { type: "module", name: "kinestitch" });
    return {
      listen(receive, fail) {
        worker.addEventListener("message", (event) => receive(event.data));
        worker.addEventListener("error", (event) => fail(event.message || "its script could not be loaded"));
      },
      post: (message) => worker.postMessage(message),
      terminate: () => worker.terminate(),
      busy() {},
    };
  },
  read: fetchBytes,
  resolve: (location) => new URL(location, globalThis.document?.baseURI ?? self.location.href).href,
});

export const init = api.init;
export const load = api.load;
export const stitch = api.stitch;
export const inbetween = api.inbetween;
export const lscore = api.lscore;
export const bestSeam = api.bestSeam;
export const seamMap = api.seamMap;
export const loadNetworks = api.loadNetworks;
export const networkInfo = api.networkInfo;
export const networkModels = api.networkModels;
export { KinestitchError } from "./error.js";
export { devices, inbetweenMethods, methods } from "./types.js";
export type * from "./types.js";
