/**
 * Entry `kinestitch/vrm`: motions as VRM Animation files (.vrma). `load` of every entry reads them.
 * @module kinestitch/vrm
 */
import { isMotionData } from "./core/data.js";
import { KinestitchError } from "./core/error.js";
import { files } from "./core/files.js";
import { fileOf, gltfOf } from "./core/input.js";
import { anything, checked, resolver, shown, text, wrongOption } from "./core/options.js";
import type { Clip, FileOptions, Input, WorkerClip } from "./core/types.js";
import type { Face } from "./gltf/face.js";
import { writeVrma } from "./gltf/vrma.js";

/** Options of `toVrma`. */
export interface VrmaOptions extends FileOptions {
  /** Name of the animation; default: the clip's. */
  name?: string;
  /** A VRM Animation whose expressions and look-at go into the file, as they are. Default: none. */
  face?: Input;
}

/**
 * A clip as a VRM Animation file, for every avatar of VRM 0 and 1. Bipeds only.
 *
 * @param clip Of `kinestitch` or `kinestitch/worker`.
 * @throws {KinestitchError} `rig` where a bone is missing that VRM asks for, `glb` for a damaged `face`, `option`.
 * @example
 * ```js
 * import { load, stitch } from "kinestitch";
 * import { toVrma } from "kinestitch/vrm";
 *
 * const motion = await stitch([await load("wave.vrma"), await load("walk.bvh")]);
 * const file = await toVrma(motion, { face: "wave.vrma" });
 * ```
 */
export async function toVrma(clip: Clip | WorkerClip, options?: VrmaOptions): Promise<Uint8Array<ArrayBuffer>> {
  const schema = { name: text, face: anything, resolve: resolver };
  const { name, face, ...task } = checked<VrmaOptions>("toVrma", schema, options);
  if (typeof clip !== "object" || clip === null || !("retarget" in clip))
    throw wrongOption("clip", `toVrma takes a clip, not ${shown(clip)}`);
  return writeVrma(clip, name ?? clip.name, face === undefined ? { tracks: [] } : await loadFace(face, task));
}

async function loadFace(input: Input, options: FileOptions): Promise<Face> {
  const file = isMotionData(input) ? undefined : await gltfOf(await fileOf(input, options, files().read), options);
  if (!file) throw new KinestitchError("glb", "face must be a VRM Animation file");
  const { readFace } = await import("./gltf/face.js");
  return readFace(file);
}
