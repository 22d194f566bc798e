/** Common code of the package entry points in browsers that compute in a Web Worker. */
import { fetchBytes } from "../core/fetch.js";
import { provideFiles } from "../core/files.js";
import { load } from "./load.js";
import { provideWorker } from "./tasks.js";
import { startWorker, type WorkerScript } from "./web.js";

/** Registers a Web Worker as the worker of an entry point. URLs of the user are relative to the page. */
export function provideWebWorker(script: WorkerScript): void {
  provideWorker({
    start: (scriptUrl) => startWorker(script, scriptUrl),
    read: fetchBytes,
    resolve: (location) => new URL(location, globalThis.document?.baseURI ?? self.location.href).href,
  });
  provideFiles({ read: fetchBytes, gltf: () => import("../gltf/read.js"), load });
}
