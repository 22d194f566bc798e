import { type Source, readInput } from "../core/input.js";
import { names, resolver, text } from "../core/options.js";
import { readClip } from "../core/read.js";
import { task } from "../core/task.js";
import type { Clip, Input, LoadOptions } from "../core/types.js";

/**
 * Reads a motion from BVH text, bytes, a File or Blob, or a URL, of BVH, GLB or glTF; or from plain values. A string
 * is BVH text if it contains a line break or starts with HIERARCHY; else a URL (in Node also a path).
 *
 * @param input The motion, or its location.
 * @param options A name, corrections to the bone mapping, a signal and a progress callback.
 * @throws {KinestitchError} `bvh` with line and column, `glb`, `fetch`, `limit`, `aborted`.
 * @example
 * ```js
 * const clip = await load("walk.bvh", { rig: { Hips: "Pelvis", LeftToe: null } });
 * console.log(clip.info().warnings, clip.positions());
 * ```
 * @function
 */
export const load = /* @__PURE__ */ task<(input: Input, options?: LoadOptions) => Promise<Clip>>({
  name: "load",
  resultKind: "clip",
  argumentCount: 1,
  options: { name: text, rig: /* @__PURE__ */ names(), animation: text, resolve: resolver },
  startsEarly: true,
  async run({ read, ready }, options, input) {
    const [source] = await Promise.all([readInput(input, options, read), ready]);
    const named: Source = { ...source, name: options.name ?? source.name };
    const clip = await readClip(named, options);
    return options.rig ? clip.withRig(options.rig) : clip;
  },
});
