/** The functions of `kinestitch/worker` that edit one motion. */
import type { CleanOptions, Clip, EditRange, Replacement, ReplaceOptions, EditedClip } from "../core/types.js";
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
export const clean: (clip: Clip, options?: CleanOptions) => Promise<EditedClip> = /* @__PURE__ */ createRemoteTask(
  "clean",
  1,
);
// An omitted replacement is passed as `undefined`, so that the options stay the fourth argument.
const runReplace = /* @__PURE__ */ createRemoteTask("replace", 3);

/** The replacement may be omitted. */
type RemoteReplace = (
  clip: Clip,
  range: EditRange,
  replacement?: Replacement,
  options?: ReplaceOptions,
) => Promise<EditedClip>;

/**
 * Replaces frames of a motion; see `replace` of `kinestitch`.
 *
 * @param clip A clip of this entry, or of `kinestitch`.
 * @param range Frames to replace; `to` is excluded.
 * @param replacement A clip or a part of it, keys, or nothing: then the frames are made anew.
 * @param options Number of frames, `pin`, how the clip is joined, `signal`, `onProgress`.
 * @returns A clip with `edits`, the report.
 * @throws {KinestitchError} `option`, `too-short`, `rig`, `weights`, `aborted`.
 * @function
 * @example
 * ```js
 * const mended = await replace(walk, { from: 40, to: 60 });
 * console.log(mended.edits[0].text);
 * ```
 */
export const replace: RemoteReplace = (clip, range, replacement, options) =>
  runReplace(clip, range, replacement as Replacement, options);
