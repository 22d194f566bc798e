/**
 * Rest poses of bones. In glTF and three.js a bone may have any rest rotation; in the skeleton of a clip, as in a BVH
 * file, all rest rotations are the identity. With the rest pose of a model, motions are converted in both directions
 * without loss.
 */
import {
  halfAngleCosine,
  invert,
  subtract,
  add,
  length,
  scaleBy,
  roundToRightAngles,
  multiply,
  rotate,
  type Rotation,
  type Vector,
} from "./rotation.js";

/** Position and rotation of a bone in the world. */
export interface Transform {
  position: Vector;
  rotation: Rotation;
}

/** A bone of a file or scene, with its current transform and its bind transform. */
export interface Bone {
  name: string;
  /** Index of the parent, which is smaller than the bone's own index; -1 for a root. */
  parent: number;
  /** Current world transform of the bone in the file or the scene. */
  current: Transform;
  /** World transform of the bone when the skin was bound to it; absent if no skin is bound to the bone. */
  bind?: Transform;
  /** Whether a vertex follows the bone. Programs write any matrix for other bones. */
  hasWeights?: boolean;
  /** Whether the position of the bone relative to its parent changes between frames. */
  moves: boolean;
}

/** A bone at rest. */
export interface RestBone extends Transform {
  name: string;
  parent: number;
  moves: boolean;
}

/** Bones at rest: the reference for converting motions between skeletons with and without rest rotations. */
export interface RestPose {
  bones: readonly RestBone[];
  /** Metres per unit of the positions. */
  metresPerUnit: number;
}

/** Cosine of half the angle below which two rotations count as equal; the angle is half a degree. */
const EQUAL_COSINE = Math.cos(((0.5 / 2) * Math.PI) / 180);
/** Maximum height of a body whose positions are in metres; the positions of a larger body are in centimetres. */
const MAX_METRES = 20;
/** Range of the ratio of a bone's length to its length in the bind pose, relative to that of the body. */
const [MIN_RATIO, MAX_RATIO] = [0.5, 2];
/** The same as a relative difference, for bones that no vertex follows. */
const MAX_UNWEIGHTED = 0.1;
/** Fraction of the bones whose lengths must fit a bind pose; otherwise it is not one, such as one of identities. */
const MIN_FITTING = 0.5;

/**
 * Computes the rest pose of bones: the bind pose of the skin, rotated so that it is upright; the current pose if there
 * is no plausible bind pose.
 */
export function createRestPose(bones: readonly Bone[]): RestPose {
  const restBones = restTransforms(bones);
  return { bones: markCarriers(restBones), metresPerUnit: bodySize(restBones) > MAX_METRES ? 0.01 : 1 };
}

/** Returns the largest extent of the largest tree of bones along an axis; its place in the world does not matter. */
export function bodySize(bones: readonly { parent: number; position: Vector }[]): number {
  const trees: { count: number; low: number[]; high: number[] }[] = [];
  const treeOf: (typeof trees)[number][] = [];
  for (const { parent, position } of bones) {
    const tree = treeOf[parent] ?? {
      count: 0,
      low: [Infinity, Infinity, Infinity],
      high: [-Infinity, -Infinity, -Infinity],
    };
    if (!treeOf[parent]) trees.push(tree);
    treeOf.push(tree);
    tree.count++;
    position.forEach((value, axis) => {
      tree.low[axis] = Math.min(tree.low[axis] as number, value);
      tree.high[axis] = Math.max(tree.high[axis] as number, value);
    });
  }
  const largest = trees.reduce((a, b) => (b.count > a.count ? b : a));
  return Math.max(...largest.high.map((high, axis) => high - (largest.low[axis] as number)));
}

function restTransforms(bones: readonly Bone[]): RestBone[] {
  const binds = plausibleBinds(bones);
  const first = bones.findIndex((_, i) => binds[i]);
  const rotationFromBind = (i: number): Rotation =>
    multiply((bones[i] as Bone).current.rotation, invert((binds[i] as Transform).rotation));
  const bodyRotation = first >= 0 ? rotationFromBind(first) : undefined;
  const isPosed =
    bodyRotation && bones.some((_, i) => binds[i] && halfAngleCosine(rotationFromBind(i), bodyRotation) < EQUAL_COSINE);
  if (!isPosed) return bones.map(({ name, parent, moves, current }) => ({ name, parent, moves, ...current }));
  // The bones are not in their bind pose: the file was saved in the middle of a motion. The bind pose is known except
  // for a rotation of the whole body, which programs set to multiples of right angles.
  const worldRotation = roundToRightAngles(bodyRotation);
  const scale = lengthRatio(bones, binds);
  const rest: RestBone[] = [];
  for (const [i, { name, parent, moves, current }] of bones.entries()) {
    const bind = binds[i];
    const parentBone = bones[parent];
    const restParent = rest[parent];
    if (bind)
      rest.push({
        name,
        parent,
        moves,
        position: scaleBy(rotate(worldRotation, bind.position), scale),
        rotation: multiply(worldRotation, bind.rotation),
      });
    else if (!parentBone || !restParent) rest.push({ name, parent, moves, ...current });
    else {
      // A bone without a bind pose keeps its transform relative to its parent.
      const change = multiply(restParent.rotation, invert(parentBone.current.rotation));
      rest.push({
        name,
        parent,
        moves,
        position: add(restParent.position, rotate(change, subtract(current.position, parentBone.current.position))),
        rotation: multiply(change, current.rotation),
      });
    }
  }
  return rest;
}

/** Returns the ratio of the current length of each bone to its length in the bind pose; NaN if one is unknown or zero. */
const lengthRatios = (bones: readonly Bone[], binds: readonly (Transform | undefined)[]): number[] =>
  bones.map(({ current, parent }, i) => {
    const [bind, parentBind, parentBone] = [binds[i], binds[parent], bones[parent]];
    if (!bind || !parentBind || !parentBone) return NaN;
    const ratio =
      length(subtract(current.position, parentBone.current.position)) /
      length(subtract(bind.position, parentBind.position));
    return ratio > 0 ? ratio : NaN;
  });

/** Returns the median ratio of current lengths to lengths in the bind pose: a motion may move some bones away. */
function lengthRatio(bones: readonly Bone[], binds: readonly (Transform | undefined)[]): number {
  const ratios = lengthRatios(bones, binds).filter(Number.isFinite);
  return ratios.sort((a, b) => a - b)[ratios.length >> 1] ?? 1;
}

/**
 * Returns the bind transforms that fit the bones. Many files have matrices that are no bind pose, such as identities
 * for all bones: the lengths of the bones show it.
 */
function plausibleBinds(bones: readonly Bone[]): (Transform | undefined)[] {
  const binds = bones.map(({ bind }) => bind);
  const ratios = lengthRatios(bones, binds);
  const scale = lengthRatio(bones, binds);
  const fits = (ratio: number): boolean => ratio > MIN_RATIO * scale && ratio < MAX_RATIO * scale;
  // A bone of length zero in both poses says nothing.
  const known = bones.flatMap(({ current, parent }, i) => {
    const [parentBone, isBound] = [bones[parent], binds[i] && binds[parent]];
    return parentBone && isBound && length(subtract(current.position, parentBone.current.position)) > 0 ? [i] : [];
  });
  const weighted = known.filter((i) => bones[i]?.hasWeights !== false);
  const fitting = weighted.filter((i) => fits(ratios[i] as number));
  if (weighted.length > 0 && fitting.length < MIN_FITTING * weighted.length) return bones.map(() => undefined);
  const misfits = new Set(known.filter((i) => !fits(ratios[i] as number)));
  // The matrix of a bone that no vertex follows must agree more exactly.
  for (const i of known)
    if (bones[i]?.hasWeights === false && Math.abs((ratios[i] as number) / scale - 1) > MAX_UNWEIGHTED) misfits.add(i);
  return binds.map((bind, i) => (misfits.has(i) ? undefined : bind));
}

/**
 * Marks the bones from the root to the first bone with several children as moving, so that the skeleton does not depend
 * on the motion in the file.
 */
function markCarriers(bones: readonly RestBone[]): RestBone[] {
  const marked = bones.map((bone) => ({ ...bone, moves: bone.moves || bone.parent < 0 }));
  const children = new Map<number, number[]>();
  marked.forEach(({ parent }, i) => children.set(parent, [...(children.get(parent) ?? []).slice(-1), i]));
  const childrenOf = (joint: number): number[] => children.get(joint) ?? [];
  let joint = 0;
  for (let children = childrenOf(joint); children.length === 1; children = childrenOf(joint)) {
    joint = children[0] as number;
    (marked[joint] as RestBone).moves = true;
  }
  return marked;
}

/**
 * Computes the world transforms of bones in a frame of a clip with this rest pose. `rotations`: local rotations of the
 * clip; `positions`: world positions of the clip, metres.
 */
export function computeTransforms(
  rest: RestPose,
  rotations: Float32Array,
  positions: Float32Array,
  frame: number,
): Transform[] {
  const { bones, metresPerUnit } = rest;
  const worldRotations: Rotation[] = [];
  return bones.map(({ parent, rotation }, i) => {
    const index = frame * bones.length + i;
    const local = rotations.subarray(index * 4, index * 4 + 4) as unknown as Rotation;
    const parentRotation = worldRotations[parent];
    const worldRotation = parentRotation
      ? multiply(parentRotation, [local[0], local[1], local[2], local[3]])
      : ([local[0], local[1], local[2], local[3]] as const);
    worldRotations.push(worldRotation);
    const [x = 0, y = 0, z = 0] = positions.subarray(index * 3, index * 3 + 3);
    return { position: scaleBy([x, y, z], 1 / metresPerUnit), rotation: multiply(worldRotation, rotation) };
  });
}
