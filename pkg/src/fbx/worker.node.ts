/** Worker thread of Node that converts an FBX file to a GLB. `npm run build` bundles it with three.js into one file. */
import { parentPort, workerData } from "node:worker_threads";
import { convertFbx } from "../fbx.js";

/** The browser API that three's exporter needs, for blobs in memory. */
class BlobReader {
  result: ArrayBuffer | undefined;
  onloadend?: () => void;

  readAsArrayBuffer(blob: Blob): void {
    void blob.arrayBuffer().then((bytes) => {
      this.result = bytes;
      this.onloadend?.();
    });
  }
}
(globalThis as { FileReader?: unknown }).FileReader ??= BlobReader;
// Loaders report pictures and curves that they do not know; the file is read without them.
console.warn = console.error = () => {};

convertFbx(workerData as ArrayBuffer).then(
  ({ glb }) => parentPort?.postMessage(glb, [glb]),
  (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) }),
);
