/** The functions of `kinestitch/worker` that edit one motion. */
import type { CleanOptions, Clip, WorkerClip, WorkerEditedClip } from "../core/types.js";
import { createRemoteTask } from "./tasks.js";

/**
 * Finds and mends faults of captured, retargeted or generated motion; see `clean` of `kinestitch`.
 *
 * @param clip A clip of this entry, or of `kinestitch`.
 * @param options What to mend and how strongly, the frames and joints to change, `signal`, `onProgress`.
 * @returns A clip with `edits`: each change with its frames and joints, in words, with a figure before and after.
 * @throws {KinestitchError} `option`, `weights`, `aborted`.
 * @function
 * @example
 * ```js
 * const sound = await clean(await load("capture.bvh"));
 * for (const { range, text } of sound.edits) console.log(range.from, text);
 * ```
 */
export const clean: (clip: Clip | WorkerClip, options?: CleanOptions) => Promise<WorkerEditedClip> =
  /* @__PURE__ */ createRemoteTask("clean", 1);
