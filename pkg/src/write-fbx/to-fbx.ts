/** `toFbx`: writes a motion as an FBX file. */
import { rootMotions } from "../bones/root-motion.js";
import { isMotionData } from "../core/data.js";
import { callWasm, KinestitchError, throwIfAborted } from "../core/error.js";
import { files } from "../core/files.js";
import { openGltf, readInputFile } from "../core/input.js";
import {
  anything,
  checkOptions,
  formatValue,
  names,
  oneOf,
  resolver,
  type Schema,
  text,
  wrongOption,
} from "../core/options.js";
import { PACKED, type PackedMotion } from "../core/packed.js";
import { grounds } from "../core/ground-types.js";
import type { Clip, Input, RigEdits } from "../core/types.js";
import type { AnimateOptions } from "../gltf/tasks.js";
import { fbxModule } from "./module.js";

/** Options of `toFbx`; those of `animateGlb` apply with a character. */
export interface FbxOptions extends AnimateOptions {
  /** A character (GLB, glTF or VRM file) that gets the motion and is written with its skinned meshes; default: none. */
  character?: Input;
}

const schema: Schema<FbxOptions> = {
  character: anything,
  rootMotion: oneOf(rootMotions),
  ground: oneOf(grounds),
  rig: names<RigEdits>(),
  name: text,
  resolve: resolver,
};

/**
 * Converts a clip to a binary FBX file (version 7.4): its skeleton with a bind pose, and one animation; with a character
 * its bones, its skinned meshes in one colour, and the motion on it. Centimetres, Y up, rotation order XYZ, continuous
 * curves. Textures are left out.
 *
 * @param clip A clip.
 * @throws {KinestitchError} `clip` if the clip was freed or a coordinate is too large, `glb` for a character that is
 * damaged or has no skin, `rig` if clip or character is not a biped, `wasm`, `fetch`, `limit`, `option`, `aborted`.
 * @example
 * ```js
 * import { load } from "kinestitch";
 * import { toFbx } from "kinestitch/write-fbx";
 *
 * const walk = await load("walk.bvh");
 * const skeleton = await toFbx(walk);
 * const hero = await toFbx(walk, { character: "hero.glb" });
 * ```
 */
export async function toFbx(clip: Clip, options?: FbxOptions): Promise<Uint8Array<ArrayBuffer>> {
  const checked = checkOptions<FbxOptions>("toFbx", schema, options);
  throwIfAborted(checked.signal);
  if (typeof clip !== "object" || clip === null || !("retarget" in clip))
    throw wrongOption("clip", `toFbx takes a clip, not ${formatValue(clip)}`);
  const { character, ...others } = checked;
  const motion = others.rootMotion === "inPlace" && character === undefined ? await clip.inPlace() : clip;
  if (character === undefined) {
    const packed = (motion as { [PACKED]?: PackedMotion })[PACKED];
    if (!packed) throw new KinestitchError("clip", "the clip was freed");
    const module = await fbxModule();
    return callWasm(() => module.writeClip(packed.bytes)) as Uint8Array<ArrayBuffer>;
  }
  const file = isMotionData(character)
    ? undefined
    : await openGltf(await readInputFile(character, others, files().read), others);
  if (!file) throw new KinestitchError("glb", "the character is not a GLB or glTF file");
  const { characterScene } = await import("../gltf/fbx-character.js");
  const scene = await characterScene(file, clip, others);
  const module = await fbxModule();
  return callWasm(() => module.writeScene(scene)) as Uint8Array<ArrayBuffer>;
}
