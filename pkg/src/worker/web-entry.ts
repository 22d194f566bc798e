/** Common code of browser entries that compute in a Web Worker. */
import { fetchBytes } from "../core/fetch.js";
import { provideFiles } from "../core/files.js";
import { load, provideWorker } from "./tasks.js";
import { startWorker, type WorkerScript } from "./web.js";

/** Registers this worker as the computing one, with URLs relative to the page. */
export function provideWebWorker(script: WorkerScript): void {
  provideWorker({
    start: (given) => startWorker(script, given),
    read: fetchBytes,
    resolve: (location) => new URL(location, globalThis.document?.baseURI ?? self.location.href).href,
  });
  provideFiles({ read: fetchBytes, gltf: () => import("../gltf/read.js"), load });
}
