/** Functions for glTF files other than `load`: the same in every entry, here on the calling thread. */
import { rootMotions, type RootMotion } from "../bones/root-motion.js";
import { isMotionData } from "../core/data.js";
import { KinestitchError } from "../core/error.js";
import { files } from "../core/files.js";
import { fileOf, gltfOf } from "../core/input.js";
import { checked, names, oneOf, resolver, type Schema, shown, text, wrongOption } from "../core/options.js";
import type { Clip, FileOptions, Input, RigEdits, WorkerClip } from "../core/types.js";
import { DRACO } from "./check.js";
import { animationNames, writeGlb } from "./container.js";
import type { Gltf } from "./document.js";
import { rejectCompressed } from "./gather.js";

/** Options of `animateGlb`. */
export interface AnimateOptions extends FileOptions {
  /** "inPlace" removes the travel over the ground; default "keep". */
  rootMotion?: RootMotion;
  /** Corrections to the bone mapping of the character. */
  rig?: RigEdits;
  /** Name of the new animation; default: the clip's. */
  name?: string;
}

const fileSchema: Schema<FileOptions> = { resolve: resolver };

async function opened(input: unknown, options: FileOptions, pictures = false): Promise<Gltf | undefined> {
  if (isMotionData(input)) return undefined;
  return gltfOf(await fileOf(input as Exclude<Input, object> | Blob, options, files().read), options, pictures);
}

/**
 * Names of the animations in a GLB or glTF file; inputs as in `load`. Empty for a BVH file.
 *
 * @example
 * ```js
 * const [first] = await animations("hero.glb");
 * const walk = await load("hero.glb", { animation: first });
 * ```
 */
export async function animations(input: Input, options?: FileOptions): Promise<string[]> {
  const file = await opened(input, checked<FileOptions>("animations", fileSchema, options));
  return file ? animationNames(file) : [];
}

/**
 * Packs a GLB or glTF file (VRM too) and all files it refers to into one GLB, for loaders such as those of three.js:
 * checked against the limits of `load`, with valid indices, hierarchy and sizes, and without addresses of other
 * files.
 *
 * @throws {KinestitchError} `glb`, `limit`, `fetch`, `aborted`.
 * @example
 * ```js
 * import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
 *
 * const { buffer } = await packGlb("hero.gltf");
 * const { scene } = await new GLTFLoader().parseAsync(buffer, "");
 * ```
 */
export async function packGlb(input: Input, options?: FileOptions): Promise<Uint8Array<ArrayBuffer>> {
  const file = await opened(input, checked<FileOptions>("packGlb", fileSchema, options), true);
  if (!file) throw new KinestitchError("glb", "the file is no GLB or glTF file");
  rejectCompressed(file.json);
  const packed = [DRACO, "KHR_texture_basisu"].find((name) => file.json.extensionsUsed?.includes(name));
  if (packed)
    throw new KinestitchError(
      "glb",
      `it is compressed (${packed}) which is not supported; save it without compression (Draco, meshopt, KTX2)`,
    );
  return writeGlb(file);
}

/**
 * Adds a clip's motion to a character of a GLB or glTF file (VRM too): meshes, skins, materials and everything else
 * are kept; the new animation comes first. Bipeds only.
 *
 * @example
 * ```js
 * const motion = await stitch([await load("walk.bvh"), await load("run.bvh")]);
 * const glb = await animateGlb("hero.glb", motion, { rootMotion: "inPlace" });
 * ```
 */
export async function animateGlb(
  character: Input,
  clip: Clip | WorkerClip,
  options?: AnimateOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const schema = { rootMotion: oneOf(rootMotions), rig: names<RigEdits>(), name: text, resolve: resolver };
  const { rootMotion = "keep", rig, name, ...task } = checked<AnimateOptions>("animateGlb", schema, options);
  if (typeof clip !== "object" || clip === null || !("retarget" in clip))
    throw wrongOption("clip", `animateGlb takes a character and a clip, not ${shown(clip)}`);
  const file = await opened(character, task, true);
  if (!file) throw new KinestitchError("glb", "the character is no GLB or glTF file");
  const gltf = await files().gltf();
  const found = await gltf.readCharacter(file, task.signal);
  const tracks = await gltf.computeTracks(clip, found.character, rootMotion, { ...found.rig, ...rig });
  return writeGlb(gltf.addAnimation(file, name ?? clip.name, found.nodes, tracks));
}
