/** Reads FBX files in a worker, so that no file can block the page. */
import type { ConvertedFbx } from "kinestitch/fbx";
import { startFbx } from "../viewer/fbx-start";
import { checkModelSize } from "./limits";

/** Maximum time to read a file, seconds. */
const MAX_SECS = 20;

/**
 * Converts an FBX file in a worker. If the file cannot be converted, rejects with an error whose message is shown to
 * the user.
 */
export async function convertFbx(file: File): Promise<ConvertedFbx> {
  const bytes = await checkModelSize(file).arrayBuffer();
  const worker = startFbx();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<ConvertedFbx>((resolve, reject) => {
    const fail = (message: string): void => reject(new Error(message));
    timer = setTimeout(
      fail,
      MAX_SECS * 1000,
      `it takes longer than ${MAX_SECS} s to read; save it with simpler meshes, or as a GLB`,
    );
    worker.addEventListener("message", ({ data }: MessageEvent<ConvertedFbx | { error: string }>) =>
      "error" in data ? fail(data.error) : resolve(data),
    );
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      fail("it cannot be read as an FBX file, or it is too large for this browser's memory");
    });
    worker.postMessage(bytes, [bytes]);
  }).finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
