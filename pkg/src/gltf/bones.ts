/** Finds the bones of a glTF file and their rest pose. */
import { decompose, determinant, identityMatrix, invertMatrix, type Matrices } from "../bones/matrix.js";
import { type Bone, createRestPose, type RestPose } from "../bones/rest.js";
import { findSkeleton, makeUnique } from "../bones/tree.js";
import { KinestitchError } from "../core/error.js";
import type { AccessorReader } from "./accessor.js";
import type { Gltf, GltfJson } from "./document.js";
import { findFaceNodes } from "./humanoid.js";
import { MAX_BONES, limitError } from "./limits.js";
import { parentsOf, Scene, ScenePlayer } from "./scene.js";
import { channelTarget, isTransform } from "./tracks.js";
import { jointsWithWeights } from "./vertices.js";

/** Bones of a file, parents before children. */
export interface FileBones {
  /** The bones, and all nodes that their transforms depend on. */
  scene: Scene;
  /** Index of the node of each bone. */
  nodes: readonly number[];
  /** Slot of each bone in the scene. */
  slots: readonly number[];
  /** World matrices of the bones in the file, 16 numbers each. */
  worlds: Matrices;
  rest: RestPose;
  /** Warnings for the user; each is one sentence. */
  warnings: string[];
}

/** Returns the nodes whose transform an animation of the file changes, except for those of a VRM Animation's face. */
function animatedNodes(json: GltfJson): Set<number> {
  const animated = new Set<number>();
  const count = json.nodes?.length ?? 0;
  for (const { channels } of json.animations ?? []) {
    for (const channel of channels) {
      const target = channelTarget(channel, count);
      if (target && isTransform(target.path)) animated.add(target.node);
    }
  }
  for (const { node } of findFaceNodes(json)) animated.delete(node);
  return animated;
}

/** Finds the bones of a file. */
export function findBones(file: Gltf, accessors: AccessorReader): FileBones {
  const { json } = file;
  const animated = animatedNodes(json);
  const parents = parentsOf(json);
  const skins = (json.skins ?? []).map(({ joints }) => joints);
  const scene = new Scene(json, parents, [...skins.flat(), ...animated]);
  const { joints: nodes, otherSkeletons } = findSkeleton(
    {
      parent: (node: number) => ((parents[node] as number) >= 0 ? (parents[node] as number) : null),
      children: (node: number) => json.nodes?.[node]?.children ?? [],
    },
    skins.length > 0 ? skins : [[...animated]],
    animated,
  );
  if (nodes.length === 0) throw new KinestitchError("glb", "the file has no bones: neither a skin nor an animation");
  if (nodes.length > MAX_BONES) throw limitError(`${nodes.length.toLocaleString("en")} bones`, MAX_BONES);
  const slots = nodes.map((node) => scene.slotOf(node));
  const worlds = pickMatrices(new ScenePlayer(scene, []).worlds, slots);
  const rest = createRestPose(describeBones(file, accessors, { nodes, parents, worlds }));
  const warnings = otherSkeletons > 0 ? ["the file has several skeletons; only the largest is used"] : [];
  if (rest.metresPerUnit !== 1)
    warnings.push("the body would be over 20 m tall, so its positions are read as centimetres");
  return { scene, nodes, slots, worlds, rest, warnings };
}

/** Returns the matrices of some slots, one after another. */
export function pickMatrices(worlds: Matrices, slots: readonly number[], out?: Matrices): Matrices {
  const picked = out ?? new Float64Array(slots.length * 16);
  slots.forEach((slot, i) => picked.set(worlds.subarray(slot * 16, slot * 16 + 16), i * 16));
  return picked;
}

function describeBones(
  file: Gltf,
  accessors: AccessorReader,
  { nodes, parents, worlds }: { nodes: readonly number[]; parents: Int32Array; worlds: Matrices },
): Bone[] {
  const binds = readBinds(file, accessors);
  const names = makeUnique(nodes.map((node, i) => file.json.nodes?.[node]?.name || `bone ${i + 1}`));
  const indices = new Map(nodes.map((node, i) => [node, i]));
  return nodes.map((node, i): Bone => {
    const bind = binds.get(node);
    const { position, rotation } = decompose(worlds, i * 16);
    return {
      name: names[i] as string,
      parent: indices.get(parents[node] as number) ?? -1,
      current: { position, rotation },
      moves: false,
      ...(bind && { bind: decompose(bind.matrix), hasWeights: bind.hasWeights }),
    };
  });
}

/** The world matrix of a joint when the skin was bound to it, and whether a vertex follows the joint. */
interface Bind {
  matrix: Matrices;
  hasWeights: boolean;
}

/** Reads the bind of each joint. Matrices that have no inverse or that mirror are left out: they are no pose of a body. */
function readBinds({ json, binary }: Gltf, accessors: AccessorReader): Map<number, Bind> {
  const binds = new Map<number, Bind>();
  (json.skins ?? []).forEach(({ joints, inverseBindMatrices }, skin) => {
    if (inverseBindMatrices === undefined) return;
    const matrices = accessors.read(inverseBindMatrices);
    const followed = jointsWithWeights({ json, binary }, accessors, skin);
    joints.forEach((joint, i) => {
      const hasWeights = followed?.has(i) !== false;
      if (binds.get(joint)?.hasWeights || (i + 1) * 16 > matrices.length) return;
      const matrix = invertMatrix(Float64Array.from(matrices.subarray(i * 16, i * 16 + 16)));
      if (matrix && determinant(matrix) > 0) binds.set(joint, { matrix, hasWeights });
    });
  });
  return binds;
}

/** Returns the inverse bind matrices of a skin, 16 numbers each; identities if the skin has none. */
export function inverseBinds({ json }: Gltf, accessors: AccessorReader, skin: number): Float64Array {
  const { joints = [], inverseBindMatrices } = json.skins?.[skin] ?? {};
  const all = new Float64Array(joints.length * 16);
  const stored = inverseBindMatrices === undefined ? undefined : accessors.read(inverseBindMatrices);
  joints.forEach((_, i) => {
    const hasStored = stored !== undefined && (i + 1) * 16 <= stored.length;
    all.set(hasStored ? stored.subarray(i * 16, i * 16 + 16) : identityMatrix(), i * 16);
  });
  return all;
}
