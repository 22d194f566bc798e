/** Reads FBX files in Node: a worker thread converts them to GLB, so that no file blocks the program. */
import { Worker } from "node:worker_threads";
import { aborted, KinestitchError } from "../core/error.js";
import type { TaskOptions } from "../core/types.js";

/** Maximum time to read a file, seconds. */
const MAX_SECONDS = 60;
/** Maximum memory of the worker thread, MB. */
const MAX_MEMORY = 2048;

const fbxError = (fault: string): KinestitchError => new KinestitchError("fbx", fault);

/**
 * Converts an FBX file to a GLB without pictures, in metres.
 *
 * @throws {KinestitchError} `fbx` if the file is damaged, too large, or takes too long; `aborted`.
 */
export async function readFbx(file: Uint8Array, { signal }: TaskOptions): Promise<Uint8Array> {
  const bytes = file.slice().buffer;
  const worker = new Worker(new URL("./worker.node.js", import.meta.url), {
    workerData: bytes,
    transferList: [bytes],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY },
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(fbxError(`it takes longer than ${MAX_SECONDS} s to read; save it with simpler meshes, or as a GLB`));
      }, MAX_SECONDS * 1000);
      stop = () => reject(aborted(signal as AbortSignal));
      signal?.addEventListener("abort", stop);
      worker.once("message", (answer: ArrayBuffer | { error: string }) =>
        answer instanceof ArrayBuffer ? resolve(new Uint8Array(answer)) : reject(fbxError(answer.error)),
      );
      worker.once("error", () => reject(fbxError("it cannot be read as an FBX file, or it needs too much memory")));
      worker.once("exit", () => reject(fbxError("it cannot be read as an FBX file")));
    });
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener("abort", stop);
    void worker.terminate();
  }
}
