/**
 * Entry `kinestitch/worker` in Node: the same functions, computed in a worker thread, every clip method a promise.
 * Importing it starts nothing; an idle thread does not keep the process alive.
 * @module
 */
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { readBytes } from "./node-read.js";
import { createWorkerApi } from "./worker-api.js";

const api = /* @__PURE__ */ createWorkerApi({
  start(script) {
    const worker = new Worker(script ?? new URL("./worker-host.node.js", import.meta.url), { name: "kinestitch" });
    worker.unref();
    return {
      listen(receive, fail) {
        worker.on("message", receive);
        worker.on("error", (error) => fail(error.message));
      },
      post: (message) => worker.postMessage(message),
      terminate: () => void worker.terminate(),
      busy: (busy) => (busy ? worker.ref() : worker.unref()),
    };
  },
  read: readBytes,
  resolve: (location) => (/^[a-z][a-z\d+.-]+:/i.test(String(location)) ? location : pathToFileURL(String(location))).toString(),
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
