import type { WorkerPort } from "./link.js";

/** A Web Worker as the link takes it. */
export function webWorker(worker: Worker): WorkerPort {
  return {
    listen(receive, fail) {
      worker.addEventListener("message", (event) => receive(event.data));
      worker.addEventListener("error", (event) => fail(event.message || "its script could not be loaded"));
    },
    post: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    busy() {},
  };
}
