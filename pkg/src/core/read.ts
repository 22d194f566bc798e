/** Reads BVH in pieces, so that wasm never holds the whole text and an abort takes effect between pieces. */
import { attachedBytes } from "./attached.js";
import type { KinestitchClip } from "./clip.js";
import { clipOf } from "./clip-methods.js";
import { dataHandle, isMotionData } from "./data.js";
import { callWasm, KinestitchError, messageOf, release, throwIfAborted } from "./error.js";
import { nextTask } from "./next-task.js";
import { platform } from "./platform.js";
import type { Source } from "./input.js";
import { wrongOption } from "./options.js";
import type { BvhOptions, TaskOptions } from "./types.js";

/** Size of a piece, bytes; a piece is parsed in a few milliseconds. */
const PIECE_BYTES = 1 << 20;

/** Returns the options that only BVH files have. */
function bvhOptions({ unit, up, rootOffset, root, strict }: BvhOptions): BvhOptions {
  const options = { unit, up, rootOffset, root, strict };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Reads a BVH file, or creates a clip from plain values; options of BVH files are refused for the latter. */
export async function readClip(
  { name, file }: Source,
  { signal, onProgress, ...others }: TaskOptions & BvhOptions,
): Promise<KinestitchClip> {
  const options = bvhOptions(others);
  if (isMotionData(file)) {
    const [option] = Object.keys(options);
    if (option !== undefined) throw wrongOption(option, `${option} is for BVH files; other formats state it`);
    return clipOf(dataHandle(file, name), file.morphs);
  }
  const size = file instanceof Blob ? file.size : file.length;
  const reader = callWasm(() => new (platform().module.BvhReader)(name, size, options));
  try {
    onProgress?.({ stage: "parse", done: 0 });
    for (let offset = 0; offset < size; offset += PIECE_BYTES) {
      const piece =
        file instanceof Blob
          ? await readPiece(file, offset)
          : attachedBytes(file, "input").subarray(offset, offset + PIECE_BYTES);
      throwIfAborted(signal);
      callWasm(() => reader.push(piece));
      if (offset + PIECE_BYTES >= size) break;
      onProgress?.({ stage: "parse", done: offset / size });
      await nextTask();
    }
    throwIfAborted(signal);
    const clip = clipOf(callWasm(() => reader.finish()));
    onProgress?.({ stage: "parse", done: 1 });
    return clip;
  } finally {
    release(reader);
  }
}

async function readPiece(file: Blob, offset: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(offset, offset + PIECE_BYTES).arrayBuffer());
  } catch (error) {
    // The file was changed or removed after it was chosen.
    throw new KinestitchError("fetch", `cannot read the file: ${messageOf(error)}`, { cause: error });
  }
}
