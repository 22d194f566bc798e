/** Reads a character from a glTF file, as a target for motions. */
import { type Character, restMatrices } from "../bones/pose.js";
import { identityMatrix, type Matrices, multiplyMatrices } from "../bones/matrix.js";
import { OffsetRanges } from "../bones/motion.js";
import { measureOffsets } from "../bones/offsets.js";
import { KinestitchError } from "../core/error.js";
import { Pace } from "../core/pace.js";
import type { RigEdits } from "../core/types.js";
import { inverseBinds } from "./bones.js";
import { convertErrors } from "./check.js";
import type { Gltf } from "./document.js";
import { withoutDraco } from "./draco.js";
import { sampleAnimations } from "./samples.js";
import { openFile, type OpenedFile, readRig } from "./open.js";
import { parentsOf, ScenePlayer } from "./scene.js";
import { lowestVerticesOf } from "./vertices.js";

/**
 * Largest height of the lowest skinned vertex above the lowest bone at which it is a sole, as a fraction of the height of
 * the bones.
 */
const MAX_SOLE_HEIGHT = 0.05;

/** Reads the bones of a character, the node index of each bone, and the bone mapping of a VRM file. */
export function readCharacter(
  file: Gltf,
  signal?: AbortSignal,
): Promise<{ character: Character; nodes: number[]; rig: RigEdits }> {
  return convertErrors(async () => {
    if ((file.json.skins ?? []).length === 0)
      throw new KinestitchError("glb", "the file has no skin; a mesh without bones cannot be animated");
    const opened = openFile(await withoutDraco(file));
    const { bones } = opened;
    const ranges = new OffsetRanges(bones.nodes.length);
    await sampleAnimations(opened, undefined, ranges, new Pace(signal));
    const { moves } = measureOffsets(bones.rest, ranges);
    const rest = { ...bones.rest, bones: bones.rest.bones.map((bone, i) => ({ ...bone, moves: moves[i] === true })) };
    const character = createCharacter({ ...opened, bones: { ...bones, rest } });
    return { character, nodes: [...bones.nodes], rig: readRig(file, bones) ?? {} };
  });
}

/** Describes the bones of a file for `computeTracks`. */
function createCharacter(opened: OpenedFile): Character {
  const { scene, nodes, slots, rest, worlds } = opened.bones;
  const sceneWorlds = new ScenePlayer(scene, []).worlds;
  const bones = nodes.map((node, i) => {
    const parent = scene.parents[slots[i] as number] as number;
    const isRoot = (rest.bones[i]?.parent ?? -1) < 0;
    const { translation, scale } = scene.localTransform(node);
    return {
      translation,
      scale,
      ...(isRoot && { parent: parent >= 0 ? sceneWorlds.slice(parent * 16, parent * 16 + 16) : identityMatrix() }),
    };
  });
  const matrices = restMatrices(rest, worlds);
  return { rest, bones, matrices, lowest: lowestPoint(opened, matrices) };
}

/** Returns the height of the lowest vertex at rest, or of the lowest bone if the file has no vertices. */
function lowestPoint({ file, accessors, bones }: OpenedFile, matrices: Matrices): number {
  const parents = parentsOf(file.json);
  const indices = new Map(bones.nodes.map((node, bone) => [node, bone]));
  /** Returns the world matrix at rest of a bone, or of a node that hangs at a bone. */
  const world = (node: number): readonly [Matrices, number] | undefined => {
    const bone = indices.get(node);
    if (bone !== undefined) return [matrices, bone * 16];
    const parent = parents[node] as number;
    const parentWorld = parent >= 0 ? world(parent) : undefined;
    if (!parentWorld) return undefined;
    const [local, out] = [new Float64Array(16), new Float64Array(16)];
    bones.scene.writeLocal(local, 0, node);
    multiplyMatrices(out, 0, parentWorld, [local, 0]);
    return [out, 0];
  };
  const { skinned, rigid } = lowestVerticesOf(file, accessors, {
    world,
    inverseBinds: (skin) => inverseBinds(file, accessors, skin),
  });
  const heights = bones.rest.bones.map(({ position }) => position[1]);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  // A body of rigid parts stands on them; things in the hands of a skinned body may be longer than its arms.
  const lowest = skinned < low + MAX_SOLE_HEIGHT * (high - low) ? skinned : Math.min(skinned, rigid);
  return Number.isFinite(lowest) ? lowest : low;
}
