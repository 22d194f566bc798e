/** Reads the animations of a glTF file as motions. Loaded with the first such file. */
import { KinestitchError } from "../core/error.js";
import type { MotionData } from "../core/motion-types.js";
import type { RigEdits } from "../core/types.js";
import { Pace } from "../core/pace.js";
import { quote } from "../core/quote.js";
import type { Character } from "../bones/character.js";
import { detectRate } from "../bones/rate.js";
import { createMotion, createMotionWriter } from "../bones/rest.js";
import type { Vector } from "../bones/rotation.js";
import { type Box, GltfBones } from "./bones.js";
import { convertErrors } from "./check.js";
import { animationNames } from "./container.js";
import type { Gltf, GltfJson } from "./document.js";
import { rejectCompressed } from "./gather.js";
import { type AnimationChannel, type Document, type Node, WebIO } from "./library.js";
import { findFaceNodes, readHumanoid } from "./humanoid.js";
import { BASE_ROTATIONS, MAX_ROTATIONS } from "./limits.js";
import { findMovedNodes } from "./moved.js";
import { prune } from "./prune.js";

// Exported here so that the writer is loaded together with the reader.
export { computeTracks } from "../bones/character.js";
export { addAnimation } from "./write.js";

/** Bones of a file, and a document reduced to them and one animation. */
interface OpenedFile {
  document: Document;
  bones: GltfBones;
  /** Returns the index of a node in the file. */
  indexOf(node: Node): number;
}

/** Opens the bones and one animation of a file. `index`: the animation; none if it does not exist. */
async function openFile(file: Gltf, index: number, pace: Pace): Promise<OpenedFile> {
  rejectCompressed(file.json);
  const { moved, animated } = await findMovedNodes(file, pace);
  for (const { node } of findFaceNodes(file.json)) {
    moved.delete(node);
    animated.delete(node);
  }
  const { json, origins } = prune(file.json, file.binary, animated, index);
  if (origins.length === 0) throw new KinestitchError("glb", "the file has no bones: neither a skin nor an animation");
  const io = new WebIO().setLogger({ debug() {}, info() {}, warn() {}, error() {} });
  const document = await io.readJSON({
    json: json as never,
    resources: { "@glb.bin": file.binary as Uint8Array<ArrayBuffer> },
  });
  const nodes = document.getRoot().listNodes();
  const slots = new Map(nodes.map((node, slot) => [node, slot]));
  const selectNodes = (indices: ReadonlySet<number>): Set<Node> =>
    new Set(nodes.filter((_, slot) => indices.has(origins[slot] as number)));
  const bones = new GltfBones(document, { moving: selectNodes(moved), animated: selectNodes(animated) });
  return { document, bones, indexOf: (node) => origins[slots.get(node) as number] as number };
}

/** Maximum number of animation names in a message. */
const MAX_NAMES = 20;
const joinNames = (names: readonly string[]): string => {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return names.slice(0, MAX_NAMES).map(quote).join(", ") + more;
};

/**
 * Reads the animation `animationName`, or the first animation if the name is `undefined`. If the file has no animation,
 * returns the skeleton without frames.
 *
 * @throws {KinestitchError} `glb`, `limit`, `option` if there is no animation of this name, `aborted`.
 */
export function readGltf(file: Gltf, animationName: string | undefined, signal?: AbortSignal): Promise<MotionData> {
  return convertErrors(async () => {
    const names = animationNames(file);
    const index = animationName === undefined ? 0 : names.indexOf(animationName);
    if (index < 0) {
      const list = names.length > 0 ? `its animations are ${joinNames(names)}` : "it has none";
      throw new KinestitchError("option", `the file has no animation ${quote(animationName as string)}; ${list}`, {
        option: "animation",
      });
    }
    const pace = new Pace(signal);
    const { document, bones, indexOf } = await openFile(file, index, pace);
    const warnings = [...bones.warnings];
    const animation = document.getRoot().listAnimations()[0];
    if (!animation)
      return { ...createMotion(bones.rest, 30, []), warnings: [...warnings, "the file has no animation"] };
    if (animationName === undefined && names.length > 1) {
      warnings.push(
        `the file has ${names.length} animations; this is the first, ${quote(names[0] as string)}; ` +
          `select another with the option animation: ${joinNames(names.slice(1))}`,
      );
    }
    const budget = Math.min(MAX_ROTATIONS, BASE_ROTATIONS + 4 * file.binary.length);
    const rig = readRig(file, bones, indexOf);
    return {
      ...(await sampleAnimation(bones, animation.listChannels(), { name: names[index] as string, budget, pace })),
      warnings,
      ...(rig && { rig }),
    };
  });
}

/** Reads the bone mapping of a VRM file; `undefined` for other files. */
function readRig({ json }: Gltf, bones: GltfBones, indexOf: OpenedFile["indexOf"]): RigEdits | undefined {
  const humanoid = readHumanoid(json);
  const roles = bones.nodes.map((node, i) => [humanoid.get(indexOf(node)), bones.rest.bones[i]?.name]);
  const mapped = roles.filter(([role]) => role !== undefined);
  return mapped.length > 0 ? (Object.fromEntries(mapped) as RigEdits) : undefined;
}

/** Samples an animation at its frame rate. `budget`: largest number of bones × frames. */
async function sampleAnimation(
  bones: GltfBones,
  channels: readonly AnimationChannel[],
  { name, budget, pace }: { name: string; budget: number; pace: Pace },
): Promise<MotionData> {
  const times = keyTimes(channels);
  let [from, to] = [Infinity, -Infinity];
  for (const time of times) [from, to] = [Math.min(from, time), Math.max(to, time)];
  if (!Number.isFinite(to - from)) throw new KinestitchError("glb", `the animation ${quote(name)} has no keys`);
  const fps = detectRate(times.map((time) => time - from));
  const frames = Math.max(1, Math.round((to - from) * fps) + 1);
  if (frames * bones.nodes.length > budget) {
    const size = `${frames.toLocaleString("en")} frames of ${bones.nodes.length} bones at ${fps} fps`;
    throw new KinestitchError(
      "limit",
      `the animation ${quote(name)} has ${size}; a file of this size may have ` +
        `${Math.floor(budget / bones.nodes.length).toLocaleString("en")} frames`,
    );
  }
  const { data, put } = createMotionWriter(bones.rest, fps, frames);
  const poseAt = bones.sampler(channels);
  for (let frame = 0; frame < frames; frame++) {
    put(frame, poseAt(from + frame / fps));
    if (pace.due) await pace.pause();
  }
  return data;
}

/** Returns the times of all keys, seconds; a list that several channels share is read once. */
function keyTimes(channels: readonly AnimationChannel[]): number[] {
  const inputs = new Set(channels.map((channel) => channel.getSampler()?.getInput()));
  const keys = new Set<number>();
  for (const input of inputs) for (const time of input?.getArray() ?? []) keys.add(time);
  return [...keys];
}

/** Reads the bones of a character, the node index of each bone, and the bone mapping of a VRM file. */
export function readCharacter(
  file: Gltf,
  signal?: AbortSignal,
): Promise<{ character: Character; nodes: number[]; rig: RigEdits }> {
  return convertErrors(async () => {
    if ((file.json.skins ?? []).length === 0) {
      rejectCompressed(file.json);
      throw new KinestitchError("glb", "the file has no skin; a mesh without bones cannot be animated");
    }
    const { bones, indexOf } = await openFile(file, Infinity, new Pace(signal));
    const rig = readRig(file, bones, indexOf) ?? {};
    return { character: bones.character(meshBoxes(file.json)), nodes: bones.nodes.map(indexOf), rig };
  });
}

/** Returns boxes around the skinned meshes, from `min` and `max` of their accessors. */
function meshBoxes({ nodes = [], meshes = [], accessors = [] }: GltfJson): Box[] {
  // Each mesh and each accessor once: a hostile file may refer to a large mesh from many nodes.
  const skinned = new Set(nodes.filter(({ skin }) => skin !== undefined).map(({ mesh }) => mesh ?? -1));
  const primitives = [...skinned].flatMap((mesh) => meshes[mesh]?.primitives ?? []);
  const positions = new Set(primitives.map(({ attributes }) => attributes["POSITION"] ?? -1));
  return [...positions].flatMap((accessor) => {
    const { min, max } = accessors[accessor] ?? {};
    if (min?.length !== 3 || max?.length !== 3) return [];
    const limits = [min, max] as unknown as [Vector, Vector];
    return [
      [0, 1, 2, 3, 4, 5, 6, 7].map(
        (corner): Vector => [
          (limits[corner & 1] as Vector)[0],
          (limits[(corner >> 1) & 1] as Vector)[1],
          (limits[corner >> 2] as Vector)[2],
        ],
      ),
    ];
  });
}
