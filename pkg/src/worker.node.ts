/**
 * Entry point `kinestitch/worker` in Node: the functions of `kinestitch`, computed in a worker thread; every method of
 * a clip returns a promise. Importing it starts nothing; an idle thread does not keep the process alive.
 * @module
 */
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { KinestitchError, messageOf } from "./core/error.js";
import { provideFiles } from "./core/files.js";
import { readBeside, readBytes } from "./core/node-read.js";
import { load } from "./worker/load.js";
import { provideWorker } from "./worker/tasks.js";

/** Starts a thread. `script`: URL of the script; a text would be taken for a path. */
function startThread(script: string | undefined): Worker {
  try {
    const url = script === undefined ? new URL("./worker-host.node.js", import.meta.url) : new URL(script);
    return new Worker(url, { name: "kinestitch" });
  } catch (error) {
    throw new KinestitchError("wasm", `cannot start a worker thread: ${messageOf(error)}`, { cause: error });
  }
}

provideWorker({
  start(script) {
    const worker = startThread(script);
    worker.unref();
    return {
      listen(receive, fail) {
        worker.on("message", receive);
        worker.on("error", (error) => fail(error.message));
      },
      post: (message) => worker.postMessage(message),
      terminate: () => void worker.terminate(),
      setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    };
  },
  read: readBytes,
  resolve: (location) =>
    (/^[a-z][a-z\d+.-]+:/i.test(String(location)) ? location : pathToFileURL(String(location))).toString(),
});
provideFiles({ read: readBytes, readBeside: readBeside, gltf: () => import("./gltf/read.js"), load });

export * from "./worker/exports.js";
