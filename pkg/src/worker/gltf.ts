/**
 * The functions of `kinestitch/worker` for glTF files. The page reads a file and the files that it refers to; the
 * worker parses them.
 */
import { formatValue, wrongOption } from "../core/options.js";
import type { Clip, FileOptions, Input } from "../core/types.js";
import type { AnimateOptions, AnimationInfo } from "../gltf/tasks.js";
import { prepareFile } from "./prepare-file.js";
import { connect } from "./tasks.js";

/**
 * Returns the names of the animations in a GLB or glTF file; empty for a BVH file. Inputs as in `load`.
 *
 * @throws {KinestitchError} `glb`, `limit`, `fetch`, `option`, `aborted`.
 * @example
 * ```js
 * const [first] = await animations("hero.glb");
 * const walk = await load("hero.glb", { animation: first });
 * ```
 */
export async function animations(input: Input, options?: FileOptions): Promise<string[]> {
  const { file, values, task } = await prepareFile("animations", input, options);
  return (await connect().enqueue({ do: "gltf", name: "animations", args: [file], options: values }, task)) as string[];
}

/**
 * Returns the name and the length of each animation in a GLB or glTF file; see `listAnimations` of `kinestitch`.
 *
 * @throws {KinestitchError} `glb`, `limit`, `fetch`, `option`, `aborted`.
 * @example
 * ```js
 * for (const { name, seconds } of await listAnimations("hero.glb")) console.log(name, seconds);
 * ```
 */
export async function listAnimations(input: Input, options?: FileOptions): Promise<AnimationInfo[]> {
  const { file, values, task } = await prepareFile("listAnimations", input, options);
  return (await connect().enqueue(
    { do: "gltf", name: "listAnimations", args: [file], options: values },
    task,
  )) as AnimationInfo[];
}

/**
 * Packs a GLB, glTF or VRM file and all files that it refers to into one GLB, whose validity is checked; see `packGlb`
 * of `kinestitch`.
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
  const { file, values, task } = await prepareFile("packGlb", input, options);
  return (await connect().enqueue(
    { do: "gltf", name: "packGlb", args: [file], options: values },
    task,
  )) as Uint8Array<ArrayBuffer>;
}

/**
 * Adds a clip's motion to the character of a GLB, glTF or VRM file and returns the new file; see `animateGlb` of
 * `kinestitch`.
 *
 * @throws {KinestitchError} `glb`, `limit`, `fetch`, `rig`, `clip`, `option`, `aborted`.
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
  if (typeof clip !== "object" || clip === null || !("retarget" in clip))
    throw wrongOption("clip", `animateGlb takes a character and a clip, not ${formatValue(clip)}`);
  const { file, values, task } = await prepareFile("animateGlb", character, options);
  return (await connect().enqueue(
    { do: "gltf", name: "animateGlb", args: [file, clip], options: values },
    task,
  )) as Uint8Array<ArrayBuffer>;
}
