/** What can be done with glTF files beside `load`: the same functions in every entry, on the caller's own thread. */
import { rootMotions, type RootMotion } from "../bones/root-motion.js";
import { isMotionData } from "../core/data.js";
import { KinestitchError } from "../core/error.js";
import { files } from "../core/files.js";
import { fileOf, gltfOf } from "../core/input.js";
import { checked, names, oneOf, shown, text, wrongOption } from "../core/options.js";
import type { Clip, Input, RigEdits, TaskOptions, WorkerClip } from "../core/types.js";
import { animationNames, closed, type Gltf } from "./container.js";

export interface AnimateOptions extends TaskOptions {
  /** "inPlace" leaves out the way over the ground; default "keep". */
  rootMotion?: RootMotion;
  /** Corrections to the bone mapping of the character. */
  rig?: RigEdits;
  /** Name of the new animation; default: the clip's. */
  name?: string;
}

async function opened(input: unknown, options: TaskOptions, pictures = false): Promise<Gltf | undefined> {
  if (isMotionData(input)) return undefined;
  const { read } = files();
  return gltfOf(await fileOf(input as Exclude<Input, object> | Blob, options, read), options, read, pictures);
}

/** Names of the animations in a GLB or glTF file, as `load` takes them; none of a BVH file. */
export async function animations(input: Input, options?: TaskOptions): Promise<string[]> {
  const file = await opened(input, checked<TaskOptions>("animations", {}, options));
  return file ? animationNames(file) : [];
}

/**
 * A character of a GLB or glTF file (VRM too) with a clip's motion: the file as it was, meshes, skins, materials and all, with one animation more, which
 * stands first. Bipeds only.
 */
export async function animateGlb(character: Input, clip: Clip | WorkerClip, options?: AnimateOptions): Promise<Uint8Array<ArrayBuffer>> {
  const schema = { rootMotion: oneOf(rootMotions), rig: names<RigEdits>(), name: text };
  const { rootMotion = "keep", rig, name, ...task } = checked<AnimateOptions>("animateGlb", schema, options);
  if (typeof clip !== "object" || clip === null || !("retarget" in clip)) throw wrongOption("clip", `animateGlb takes a character and a clip, not ${shown(clip)}`);
  const file = await opened(character, task, true);
  if (!file) throw new KinestitchError("glb", "the character is no GLB or glTF file");
  const gltf = await files().gltf();
  const found = await gltf.characterOf(file);
  const tracks = await gltf.tracksOf(clip, found.character, rootMotion, rig);
  return closed(gltf.withAnimation(file, name ?? clip.name, found.nodes, tracks));
}
