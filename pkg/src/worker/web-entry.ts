/** What the entries of browsers have in common whose work is done in a Web Worker. */
import { fetchBytes } from "../core/fetch.js";
import { provideFiles } from "../core/files.js";
import { load, provideWorker } from "./tasks.js";
import { startWorker, type WorkerScript } from "./web.js";

/** Makes this worker the one that computes, and URLs relative to the page the ones that are read. */
export function provideWebWorker(script: WorkerScript): void {
  provideWorker({
    start: (given) => startWorker(script, given),
    read: fetchBytes,
    resolve: (location) => new URL(location, globalThis.document?.baseURI ?? self.location.href).href,
  });
  provideFiles({ read: fetchBytes, gltf: () => import("../gltf/read.js"), load });
}
