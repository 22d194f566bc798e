/** Reads the animations of a glTF file as motions. Loaded with the first such file. */
import { KinestitchError, messageOf } from "../core/error.js";
import type { MotionData } from "../core/motion-types.js";
import type { RigEdits } from "../core/types.js";
import { Pace } from "../core/pace.js";
import { quoted } from "../core/quote.js";
import type { Character } from "../bones/character.js";
import { rateOf } from "../bones/rate.js";
import { motionOf, motionWriter } from "../bones/rest.js";
import type { Vector } from "../bones/turn.js";
import { type Box, GltfBones } from "./bones.js";
import { broken } from "./check.js";
import { animationNames } from "./container.js";
import type { Gltf, GltfJson } from "./document.js";
import { refuseCompressed } from "./gather.js";
import { type AnimationChannel, type Document, type Node, WebIO } from "./library.js";
import { faceNodes, humanoidOf } from "./humanoid.js";
import { FREE_ROTATIONS, MAX_ROTATIONS } from "./limits.js";
import { movedNodes } from "./moved.js";
import { pruned } from "./prune.js";

// The writer is loaded together with the reader.
export { tracksOf } from "../bones/character.js";
export { withAnimation } from "./write.js";

/** Bones of a file, with one animation. */
interface Moving {
  document: Document;
  bones: GltfBones;
  /** The index of a node in the file. */
  indexOf(node: Node): number;
}

/** Reads the bones of a file and one animation. */
async function moving(file: Gltf, index: number, pace: Pace): Promise<Moving> {
  refuseCompressed(file.json);
  const { moved, animated } = await movedNodes(file, pace);
  for (const { node } of faceNodes(file.json)) {
    moved.delete(node);
    animated.delete(node);
  }
  const { json, origins } = pruned(file.json, file.binary, animated, index);
  if (origins.length === 0) throw new KinestitchError("glb", "the file has no skin and no animation, and so no bones");
  const io = new WebIO().setLogger({ debug() {}, info() {}, warn() {}, error() {} });
  const document = await io.readJSON({
    json: json as never,
    resources: { "@glb.bin": file.binary as Uint8Array<ArrayBuffer> },
  });
  const nodes = document.getRoot().listNodes();
  const slots = new Map(nodes.map((node, slot) => [node, slot]));
  const among = (indices: ReadonlySet<number>): Set<Node> =>
    new Set(nodes.filter((_, slot) => indices.has(origins[slot] as number)));
  const bones = new GltfBones(document, { moving: among(moved), animated: among(animated) });
  return { document, bones, indexOf: (node) => origins[slots.get(node) as number] as number };
}

/** Converts unexpected errors of the reader to errors of the file. */
async function typed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KinestitchError) throw error;
    throw new KinestitchError("glb", broken(messageOf(error)).message, { cause: error });
  }
}

/** Largest number of names in a message. */
const MOST_NAMES = 20;
const listOf = (names: readonly string[]): string => {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  return names.slice(0, MOST_NAMES).map(quoted).join(", ") + more;
};

/**
 * The animation with this name as a motion; without a name the first; without animations, the bones at rest and no
 * frames.
 *
 * @throws {KinestitchError} `glb`, `limit`, `option` where there is no such animation, `aborted`.
 */
export function readGltf(file: Gltf, wanted: string | undefined, signal?: AbortSignal): Promise<MotionData> {
  return typed(async () => {
    const names = animationNames(file);
    const index = wanted === undefined ? 0 : names.indexOf(wanted);
    if (index < 0) {
      const list = names.length > 0 ? `its animations are ${listOf(names)}` : "it has none";
      throw new KinestitchError("option", `the file has no animation ${quoted(wanted as string)}; ${list}`, {
        option: "animation",
      });
    }
    const pace = new Pace(signal);
    const { document, bones, indexOf } = await moving(file, index, pace);
    const warnings = [...bones.warnings];
    const animation = document.getRoot().listAnimations()[0];
    if (!animation) return { ...motionOf(bones.rest, 30, []), warnings: [...warnings, "the file holds no animation"] };
    if (wanted === undefined && names.length > 1) {
      warnings.push(
        `the file holds ${names.length} animations; this is the first, ${quoted(names[0] as string)}; name another as animation: ${listOf(names.slice(1))}`,
      );
    }
    const budget = Math.min(MAX_ROTATIONS, FREE_ROTATIONS + 4 * file.binary.length);
    const rig = rigOf(file, bones, indexOf);
    return {
      ...(await sampled(bones, animation.listChannels(), { name: names[index] as string, budget, pace })),
      warnings,
      ...(rig && { rig }),
    };
  });
}

/** The bone mapping that a VRM file states; `undefined` in others. */
function rigOf({ json }: Gltf, bones: GltfBones, indexOf: Moving["indexOf"]): RigEdits | undefined {
  const humanoid = humanoidOf(json);
  const roles = bones.nodes.map((node, i) => [humanoid.get(indexOf(node)), bones.rest.bones[i]?.name]);
  const known = roles.filter(([role]) => role !== undefined);
  return known.length > 0 ? (Object.fromEntries(known) as RigEdits) : undefined;
}

/** An animation in frames. `budget`: largest number of bones × frames. */
async function sampled(
  bones: GltfBones,
  channels: readonly AnimationChannel[],
  { name, budget, pace }: { name: string; budget: number; pace: Pace },
): Promise<MotionData> {
  const times = keysOf(channels);
  let [from, to] = [Infinity, -Infinity];
  for (const time of times) [from, to] = [Math.min(from, time), Math.max(to, time)];
  if (!Number.isFinite(to - from)) throw new KinestitchError("glb", `the animation ${quoted(name)} has no keys`);
  const fps = rateOf(times.map((time) => time - from));
  const frames = Math.max(1, Math.round((to - from) * fps) + 1);
  if (frames * bones.nodes.length > budget) {
    const size = `${frames.toLocaleString("en")} frames of ${bones.nodes.length} bones at ${fps} a second`;
    throw new KinestitchError(
      "limit",
      `the animation ${quoted(name)} has ${size}; a file of this size may have ${Math.floor(budget / bones.nodes.length).toLocaleString("en")} frames`,
    );
  }
  const { data, put } = motionWriter(bones.rest, fps, frames);
  const poseAt = bones.sampler(channels);
  for (let frame = 0; frame < frames; frame++) {
    put(frame, poseAt(from + frame / fps));
    if (pace.due) await pace.pause();
  }
  return data;
}

/** Times of all keys, seconds; lists shared by several channels are read once. */
function keysOf(channels: readonly AnimationChannel[]): number[] {
  const inputs = new Set(channels.map((channel) => channel.getSampler()?.getInput()));
  const keys = new Set<number>();
  for (const input of inputs) for (const time of input?.getArray() ?? []) keys.add(time);
  return [...keys];
}

/** The body in a file, and the index of each bone's node. */
export function characterOf(
  file: Gltf,
  signal?: AbortSignal,
): Promise<{ character: Character; nodes: number[]; rig: RigEdits }> {
  return typed(async () => {
    if ((file.json.skins ?? []).length === 0) {
      refuseCompressed(file.json);
      throw new KinestitchError("glb", "the file has no skin: without bones its mesh cannot be animated");
    }
    const { bones, indexOf } = await moving(file, Infinity, new Pace(signal));
    const rig = rigOf(file, bones, indexOf) ?? {};
    return { character: bones.character(boxesOf(file.json)), nodes: bones.nodes.map(indexOf), rig };
  });
}

/** Boxes around skinned meshes, from the limits in their accessors. */
function boxesOf({ nodes = [], meshes = [], accessors = [] }: GltfJson): Box[] {
  const skinned = nodes
    .filter(({ skin }) => skin !== undefined)
    .flatMap(({ mesh }) => meshes[mesh ?? -1]?.primitives ?? []);
  return skinned.flatMap(({ attributes }) => {
    const { min, max } = accessors[attributes["POSITION"] ?? -1] ?? {};
    if (min?.length !== 3 || max?.length !== 3) return [];
    const ends = [min, max] as unknown as [Vector, Vector];
    return [
      [0, 1, 2, 3, 4, 5, 6, 7].map(
        (corner): Vector => [
          (ends[corner & 1] as Vector)[0],
          (ends[(corner >> 1) & 1] as Vector)[1],
          (ends[corner >> 2] as Vector)[2],
        ],
      ),
    ];
  });
}
