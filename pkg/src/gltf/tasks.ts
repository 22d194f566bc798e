/** Functions for glTF files other than `load`, on the calling thread. Every package entry exports these functions. */
import { rootMotions, type RootMotion } from "../bones/root-motion.js";
import { isMotionData } from "../core/data.js";
import { KinestitchError } from "../core/error.js";
import { PACKED, type PackedMotion } from "../core/packed.js";
import { files } from "../core/files.js";
import { readInputFile, openGltf } from "../core/input.js";
import { checkOptions, names, oneOf, resolver, type Schema, formatValue, text, wrongOption } from "../core/options.js";
import { grounds } from "../core/ground-types.js";
import type { Clip, FileOptions, Ground, Input, RigEdits } from "../core/types.js";
import { convertErrors } from "./check.js";
import { animationNames, writeGlb } from "./container.js";
import type { Gltf } from "./document.js";
import { withoutDraco } from "./draco.js";
import { type AnimationInfo, listAnimations as listOf } from "./lengths.js";

export type { AnimationInfo } from "./lengths.js";

/** Options of `animateGlb`. */
export interface AnimateOptions extends FileOptions {
  /** "inPlace" removes the movement over the ground; default "keep". */
  rootMotion?: RootMotion;
  /** Whether the motion is moved to the ground on which the character stands, default "level". */
  ground?: Ground;
  /** Corrections to the bone mapping of the character. */
  rig?: RigEdits;
  /** Name of the new animation; default: the clip's. */
  name?: string;
}

const fileSchema: Schema<FileOptions> = { resolve: resolver };

async function openInput(input: unknown, options: FileOptions, withImages = false): Promise<Gltf | undefined> {
  if (isMotionData(input)) return undefined;
  return openGltf(
    await readInputFile(input as Exclude<Input, object> | Blob, options, files().read),
    options,
    withImages,
  );
}

/**
 * Returns the names of the animations in a GLB or glTF file; empty for a BVH file. Inputs as in `load`.
 *
 * @throws {KinestitchError} `glb` for a damaged file, or one that refers to a file that may not be read, `limit` for a
 * file that is too large or too deeply nested, `fetch` if a file cannot be read, `option`, `aborted`.
 * @example
 * ```js
 * const [first] = await animations("hero.glb");
 * const walk = await load("hero.glb", { animation: first });
 * ```
 */
export async function animations(input: Input, options?: FileOptions): Promise<string[]> {
  const file = await openInput(input, checkOptions<FileOptions>("animations", fileSchema, options));
  return file ? animationNames(file) : [];
}

/**
 * Returns the name and the length of each animation in a GLB, glTF or (in Node) FBX file; empty for a BVH file. Inputs as
 * in `load`.
 *
 * @throws {KinestitchError} As `animations`.
 * @example
 * ```js
 * for (const { name, seconds } of await listAnimations("hero.glb")) console.log(name, seconds);
 * ```
 */
export async function listAnimations(input: Input, options?: FileOptions): Promise<AnimationInfo[]> {
  const file = await openInput(input, checkOptions<FileOptions>("listAnimations", fileSchema, options));
  return file ? convertErrors(async () => listOf(file)) : [];
}

/**
 * Packs a GLB, glTF or VRM file and all files that it refers to into one GLB, for loaders such as those of three.js.
 * Meshes that are compressed by Draco or meshopt are decompressed.
 * The result is checked: it respects the limits of `load`, its indices, hierarchy and sizes are valid, and it does not
 * refer to other files.
 *
 * @throws {KinestitchError} `glb`, `limit`, `fetch`, `option`, `aborted`.
 * @example
 * ```js
 * import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
 *
 * const { buffer } = await packGlb("hero.gltf");
 * const { scene } = await new GLTFLoader().parseAsync(buffer, "");
 * ```
 */
export async function packGlb(input: Input, options?: FileOptions): Promise<Uint8Array<ArrayBuffer>> {
  const file = await openInput(input, checkOptions<FileOptions>("packGlb", fileSchema, options), true);
  if (!file) throw new KinestitchError("glb", "the file is not a GLB or glTF file");
  if (file.json.extensionsUsed?.includes("KHR_texture_basisu"))
    throw new KinestitchError(
      "glb",
      "the pictures of the file are compressed (KHR_texture_basisu), which is not supported; save it without KTX2",
    );
  return convertErrors(async () => writeGlb(await withoutDraco(file)));
}

/**
 * Adds a clip's motion to the character of a GLB, glTF or VRM file and returns the new file. Meshes, skins, materials
 * and all other content are preserved; the new animation is the first one. Bipeds only.
 *
 * @throws {KinestitchError} `glb` for a file that is damaged, is not a glTF file, or has no skin, `limit`, `fetch`,
 * `rig` if the clip or the character is not a biped or if `rig` names an unknown bone, `clip` if the clip was freed,
 * `option`, `aborted`.
 * @example
 * ```js
 * const motion = await stitch([await load("walk.bvh"), await load("run.bvh")]);
 * const glb = await animateGlb("hero.glb", motion, { rootMotion: "inPlace" });
 * ```
 */
export async function animateGlb(
  character: Input,
  clip: Clip,
  options?: AnimateOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  return (await animateWithReport(character, clip, options)).file;
}

/** Does the work of {@link animateGlb}; `warnings` name motion that the character cannot show. */
export async function animateWithReport(
  character: Input,
  clip: Clip,
  options?: AnimateOptions,
): Promise<{ file: Uint8Array<ArrayBuffer>; warnings: readonly string[] }> {
  const schema = {
    rootMotion: oneOf(rootMotions),
    ground: oneOf(grounds),
    rig: names<RigEdits>(),
    name: text,
    resolve: resolver,
  };
  const checkedOptions = checkOptions<AnimateOptions>("animateGlb", schema, options);
  const { rootMotion = "keep", ground, rig, name, ...fileOptions } = checkedOptions;
  if (typeof clip !== "object" || clip === null || !("retarget" in clip))
    throw wrongOption("clip", `animateGlb takes a character and a clip, not ${formatValue(clip)}`);
  const file = await openInput(character, fileOptions, true);
  if (!file) throw new KinestitchError("glb", "the character is not a GLB or glTF file");
  const gltf = await files().gltf();
  const body = await gltf.readCharacter(file, fileOptions.signal);
  const tracks = await gltf.computeTracks(clip, body.character, rootMotion, { ...body.rig, ...rig }, ground);
  const { warnings = [] } = tracks;
  const animated = gltf.addAnimation(file, name ?? clip.name, body.nodes, tracks);
  const { morphs = [] } = (clip as { [PACKED]?: PackedMotion })[PACKED] ?? {};
  return { file: writeGlb(gltf.addMorphs(animated, morphs)), warnings };
}
