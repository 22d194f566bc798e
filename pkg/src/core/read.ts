/** Reads BVH in pieces, so that wasm never holds the whole text and an abort takes effect between pieces. */
import { attached } from "./attached.js";
import { KinestitchClip, pack } from "./clip.js";
import { dataHandle, isMotionData } from "./data.js";
import { callWasm, KinestitchError, messageOf, release, throwIfAborted } from "./error.js";
import { nextTask } from "./next-task.js";
import { platform } from "./platform.js";
import type { Source } from "./input.js";
import type { TaskOptions } from "./types.js";

/** Size of a piece, bytes; one is parsed in a few milliseconds. */
const PIECE = 1 << 20;

export async function readClip({ name, file }: Source, { signal, onProgress }: TaskOptions): Promise<KinestitchClip> {
  if (isMotionData(file)) return new KinestitchClip(pack(dataHandle(file, name)));
  const size = file instanceof Blob ? file.size : file.length;
  const reader = callWasm(() => new (platform().light.BvhReader)(name, size));
  try {
    onProgress?.({ stage: "parse", done: 0 });
    for (let at = 0; at < size; at += PIECE) {
      const piece = file instanceof Blob ? await pieceOf(file, at) : attached(file, "input").subarray(at, at + PIECE);
      throwIfAborted(signal);
      callWasm(() => reader.push(piece));
      if (at + PIECE >= size) break;
      onProgress?.({ stage: "parse", done: at / size });
      await nextTask();
    }
    throwIfAborted(signal);
    const clip = new KinestitchClip(pack(callWasm(() => reader.finish())));
    onProgress?.({ stage: "parse", done: 1 });
    return clip;
  } finally {
    release(reader);
  }
}

async function pieceOf(file: Blob, at: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
  } catch (error) {
    // The file was changed or removed after it was chosen.
    throw new KinestitchError("fetch", `cannot read the file: ${messageOf(error)}`, { cause: error });
  }
}
