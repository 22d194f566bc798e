import { namingFile } from "../core/error.js";
import { readEachInput, type Source, readInput } from "../core/input.js";
import { flag, lengthUnit, names, oneOf, resolver, text } from "../core/options.js";
import { readClip } from "../core/read.js";
import { type Context, task } from "../core/task.js";
import { ALL_ANIMATIONS, type Clip, type Input, type LoadOptions } from "../core/types.js";

/** Signature of `load`. */
export interface Load {
  /** Reads all animations of a file, each as a clip with the name of its animation, on the same skeleton. */
  (input: Input, options: LoadOptions & { animation: typeof ALL_ANIMATIONS }): Promise<Clip[]>;
  /** Reads a motion. */
  (input: Input, options?: LoadOptions): Promise<Clip>;
}

/** Reads all animations of a file. */
async function loadEach(
  { read, ready }: Pick<Context, "read" | "ready">,
  options: LoadOptions,
  input: Input,
): Promise<Clip[]> {
  const [sources] = await Promise.all([readEachInput(input, options, read), ready]);
  const clips: Clip[] = [];
  for (const source of sources) {
    const clip = await namingFile(source.label, () => readClip(source, options));
    clips.push(options.rig ? await clip.withRig(options.rig) : clip);
  }
  return clips;
}

/**
 * Reads a motion from a BVH, GLB or glTF file, in Node also from an FBX file, or from plain values. The file is text,
 * bytes, a File or Blob, or a URL.
 * A string is the text of a file if it contains a line break or starts with HIERARCHY or a brace; otherwise it is a URL
 * (in Node also a path). Errors about a file begin with its name or address, which is also their property `file`.
 *
 * @param input The file or its URL, or a motion as plain values.
 * @param options Display name, corrections to the bone mapping, a signal and a progress callback. For GLB and glTF also
 *   the name of the animation, and a function that reads the files that the document refers to. For BVH also corrections
 *   to unit, axis and position mode, the body to read, and `strict`.
 * @throws {KinestitchError} `bvh` with line and column, `glb`, `fbx`, `fetch` if the file cannot be read, `limit` for a file
 *   that is too large, `skeleton` and `clip` for invalid plain values, `rig` for an invalid correction of the bone
 *   mapping, `option`, `aborted`.
 * @example
 * ```js
 * const clip = await load("walk.bvh", { rig: { Hips: "Pelvis", LeftToe: null } });
 * console.log(clip.info().warnings, clip.positions());
 * const clips = await load("hero.glb", { animation: "all" }); // one clip for each animation
 * ```
 * @function
 */
export const load = /* @__PURE__ */ task<Load>({
  name: "load",
  resultKind: "clip",
  argumentCount: 1,
  options: {
    name: text,
    rig: /* @__PURE__ */ names(),
    animation: text,
    resolve: resolver,
    unit: lengthUnit,
    up: /* @__PURE__ */ oneOf(["Y", "Z"]),
    rootOffset: /* @__PURE__ */ oneOf(["replace", "add"]),
    root: text,
    strict: flag,
  },
  startsEarly: true,
  async run({ read, ready }, options, input) {
    if (options.animation === ALL_ANIMATIONS) return (await loadEach({ read, ready }, options, input)) as never;
    const [source] = await Promise.all([readInput(input, options, read), ready]);
    const namedSource: Source = { ...source, name: options.name ?? source.name };
    return namingFile(source.label, async () => {
      const clip = await readClip(namedSource, options);
      return options.rig ? clip.withRig(options.rig) : clip;
    });
  },
});
