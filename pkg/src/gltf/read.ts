/** The animations of a glTF file as motions. Fetched when the first such file is read. */
import { KinestitchError, messageOf } from "../core/error.js";
import type { MotionData } from "../core/motion-types.js";
import type { Character } from "../bones/character.js";
import { framesOf, MAX_FRAMES, rateOf } from "../bones/rate.js";
import { motionOf } from "../bones/rest.js";
import type { Vector } from "../bones/turn.js";
import { type Box, GltfBones } from "./bones.js";
import { animationNames, type Gltf, type GltfJson } from "./container.js";
import { type Document, WebIO } from "./library.js";

// What writes them comes with what reads them.
export { tracksOf } from "../bones/character.js";
export { withAnimation } from "./write.js";

/** Extensions without which the numbers of animations cannot be read. */
const COMPRESSED = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/** Reads nodes, skins, and one animation of a file. */
async function moving({ json, binary }: Gltf, index: number): Promise<Document> {
  const compressed = json.extensionsRequired?.find((name) => COMPRESSED.includes(name));
  if (compressed) throw new KinestitchError("glb", `the file is compressed (${compressed}); unpack it first, for instance by "npx @gltf-transform/cli copy in.glb out.glb"`);
  const io = new WebIO().setLogger({ debug() {}, info() {}, warn() {}, error() {} });
  const bare: GltfJson = { ...json, nodes: (json.nodes ?? []).map(({ mesh: _, ...node }) => node) };
  // What is only looked at need not be read, and extensions of it not be known.
  for (const name of ["meshes", "materials", "textures", "images", "samplers", "cameras", "extensions", "extensionsUsed", "extensionsRequired"]) {
    delete (bare as unknown as Record<string, unknown>)[name];
  }
  bare.nodes = bare.nodes?.map((node) => Object.fromEntries(Object.entries(node).filter(([name]) => !["camera", "extensions"].includes(name)))) ?? [];
  bare.buffers = [{ byteLength: binary.length }];
  const accessors: NonNullable<GltfJson["accessors"]> = [];
  const kept = (accessor: number | undefined): number => accessors.push((json.accessors ?? [])[accessor ?? -1] ?? { componentType: 5126, count: 0, type: "SCALAR" }) - 1;
  bare.skins = (json.skins ?? []).map((skin) => (skin.inverseBindMatrices === undefined ? skin : { ...skin, inverseBindMatrices: kept(skin.inverseBindMatrices) }));
  bare.animations = (json.animations ?? []).slice(index, index + 1).map((animation) => ({
    ...animation,
    samplers: animation.samplers.map((sampler) => ({ ...sampler, input: kept(sampler.input), output: kept(sampler.output) })),
  }));
  bare.accessors = accessors;
  try {
    return await io.readJSON({ json: bare as never, resources: { "@glb.bin": binary as Uint8Array<ArrayBuffer> } });
  } catch (error) {
    throw new KinestitchError("glb", `this is no glTF file that can be read: ${messageOf(error)}`, { cause: error });
  }
}

/** The animation of that name as a motion; else the first; without any, the bones at rest and no frames. */
export async function readGltf(file: Gltf, wanted: string | undefined): Promise<MotionData> {
  const names = animationNames(file);
  const index = wanted === undefined ? 0 : names.indexOf(wanted);
  if (index < 0) {
    const list = names.length > 0 ? `its animations are ${names.map((name) => `"${name}"`).join(", ")}` : "it has none";
    throw new KinestitchError("option", `the file has no animation "${wanted}"; ${list}`, { option: "animation" });
  }
  const document = await moving(file, index);
  const bones = new GltfBones(document, file);
  const warnings = [...bones.warnings];
  const animation = document.getRoot().listAnimations()[0];
  if (!animation) return { ...motionOf(bones.rest, 30, []), warnings: [...warnings, "the file holds no animation"] };
  if (wanted === undefined && names.length > 1) {
    warnings.push(`the file holds ${names.length} animations; this is the first, "${names[0]}"`);
  }
  const channels = animation.listChannels();
  const times = channels.flatMap((channel) => [...(channel.getSampler()?.getInput()?.getArray() ?? [])]);
  const [from, to] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [Infinity, -Infinity]);
  if (!Number.isFinite(to - from)) throw new KinestitchError("glb", `the animation "${names[index]}" has no keys`);
  const fps = rateOf(times.map((time) => time - from));
  const frames = framesOf(from, to, fps);
  if (frames.length > MAX_FRAMES) throw new KinestitchError("limit", `the animation "${names[index]}" has over ${MAX_FRAMES} frames at ${fps} a second`);
  return { ...motionOf(bones.rest, fps, bones.sampled(channels, frames)), warnings };
}

/** The body in a file, and the index of each bone's node. */
export async function characterOf(file: Gltf): Promise<{ character: Character; nodes: number[] }> {
  const document = await moving(file, Infinity);
  const bones = new GltfBones(document, file);
  if (document.getRoot().listSkins().length === 0) {
    throw new KinestitchError("glb", "the file has no skin: its mesh hangs from no bones, so no motion can be put on it");
  }
  const all = document.getRoot().listNodes();
  return { character: bones.character(boxesOf(file.json)), nodes: bones.nodes.map((node) => all.indexOf(node)) };
}

/** Boxes around what skins move, by the limits that accessors state. */
function boxesOf({ nodes = [], meshes = [], accessors = [] }: GltfJson): Box[] {
  const skinned = nodes.filter(({ skin }) => skin !== undefined).flatMap(({ mesh }) => meshes[mesh ?? -1]?.primitives ?? []);
  return skinned.flatMap(({ attributes }) => {
    const { min, max } = accessors[attributes["POSITION"] ?? -1] ?? {};
    if (min?.length !== 3 || max?.length !== 3) return [];
    const ends = [min, max] as unknown as [Vector, Vector];
    return [[0, 1, 2, 3, 4, 5, 6, 7].map((corner): Vector => [(ends[corner & 1] as Vector)[0], (ends[(corner >> 1) & 1] as Vector)[1], (ends[corner >> 2] as Vector)[2]])];
  });
}
