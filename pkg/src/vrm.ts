/**
 * Entry point `kinestitch/vrm`: writes motions as VRM Animation files (.vrma). `load` of every entry reads such files.
 * @module kinestitch/vrm
 */
import { isMotionData } from "./core/data.js";
import { KinestitchError, throwIfAborted } from "./core/error.js";
import { files } from "./core/files.js";
import { readInputFile, openGltf } from "./core/input.js";
import { anything, checkOptions, resolver, formatValue, text, wrongOption } from "./core/options.js";
import type { Clip, FileOptions, Input } from "./core/types.js";
import type { Face } from "./gltf/face.js";
import { writeVrma } from "./gltf/vrma.js";

/** Options of `toVrma`. */
export interface VrmaOptions extends FileOptions {
  /** Name of the animation; default: the name of the clip. */
  name?: string;
  /** A VRM Animation file whose expressions and gaze are copied without changes; default: none. */
  face?: Input;
}

/**
 * Converts a clip to a VRM Animation file, which works with every VRM 0 and VRM 1 avatar. Bipeds only.
 *
 * @param clip A clip of `kinestitch` or `kinestitch/worker`.
 * @throws {KinestitchError} `rig` if a bone is missing that VRM requires, `glb` if `face` is damaged, `clip`, `fetch`,
 * `limit`, `option`, `aborted`.
 * @example
 * ```js
 * import { load, stitch } from "kinestitch";
 * import { toVrma } from "kinestitch/vrm";
 *
 * const motion = await stitch([await load("wave.vrma"), await load("walk.bvh")]);
 * const file = await toVrma(motion, { face: "wave.vrma" });
 * ```
 */
export async function toVrma(clip: Clip, options?: VrmaOptions): Promise<Uint8Array<ArrayBuffer>> {
  const schema = { name: text, face: anything, resolve: resolver };
  const { name, face, ...task } = checkOptions<VrmaOptions>("toVrma", schema, options);
  throwIfAborted(task.signal);
  if (typeof clip !== "object" || clip === null || !("retarget" in clip))
    throw wrongOption("clip", `toVrma takes a clip, not ${formatValue(clip)}`);
  return writeVrma(clip, name ?? clip.name, face === undefined ? { tracks: [] } : await loadFace(face, task));
}

async function loadFace(input: Input, options: FileOptions): Promise<Face> {
  const file = isMotionData(input)
    ? undefined
    : await openGltf(await readInputFile(input, options, files().read), options);
  if (!file) throw new KinestitchError("glb", "face must be a VRM Animation file");
  const { readFace } = await import("./gltf/face.js");
  return readFace(file);
}
