/**
 * Rest poses of bones. In glTF and three.js a bone may have any rest rotation; in the skeleton of a clip, as in a BVH
 * file, all rest rotations are the identity. With the rest pose of a model, motions are converted in both directions
 * without loss.
 */
import type { MotionData, MotionJoint } from "../core/motion-types.js";
import {
  halfAngleCosine,
  invert,
  subtract,
  add,
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
  /** Whether the position of the bone relative to its parent changes between frames. */
  moves: boolean;
}

/** Bones at rest: the reference for converting motions between skeletons with and without rest rotations. */
export interface RestPose {
  bones: readonly (Pick<Bone, "name" | "parent" | "moves"> & Transform)[];
  /** Metres per unit of the positions. */
  metresPerUnit: number;
}

/** Cosine of half the angle below which two rotations count as equal; the angle is half a degree. */
const EQUAL_COSINE = Math.cos(((0.5 / 2) * Math.PI) / 180);
/** Maximum extent of a body whose positions are in metres; the positions of a larger body are in centimetres. */
const MAX_METRES = 20;

/**
 * Computes the rest pose of bones: the bind pose of the skin, rotated so that it is upright; without a skin, the
 * current pose.
 */
export function createRestPose(bones: readonly Bone[]): RestPose {
  const restBones = restTransforms(bones);
  const coordinates = restBones.flatMap(({ position }) => [...position]);
  const extent = Math.max(...coordinates) - Math.min(...coordinates);
  return { bones: markCarriers(restBones), metresPerUnit: extent > MAX_METRES ? 0.01 : 1 };
}

type RestBone = RestPose["bones"][number];

function restTransforms(bones: readonly Bone[]): RestBone[] {
  const first = bones.find(({ bind }) => bind);
  const rotationFromBind = ({ current, bind }: Bone): Rotation | undefined =>
    bind && multiply(current.rotation, invert(bind.rotation));
  const bodyRotation = first && rotationFromBind(first);
  const isPosed =
    bodyRotation &&
    bones.some((bone) => bone.bind && halfAngleCosine(rotationFromBind(bone) as Rotation, bodyRotation) < EQUAL_COSINE);
  if (!isPosed) return bones.map(({ name, parent, moves, current }) => ({ name, parent, moves, ...current }));
  // The bones are not in their bind pose: the file was saved in the middle of a motion. The bind pose is known except
  // for a rotation of the whole body, which programs set to multiples of right angles.
  const worldRotation = roundToRightAngles(bodyRotation);
  const scale = measureScale(bones);
  const rest: RestBone[] = [];
  for (const { name, parent, moves, current, bind } of bones) {
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
      // A bone that no skin is bound to keeps its transform relative to its parent.
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

/**
 * Returns the ratio of current bone lengths to bone lengths in the bind pose: the median over all bones, because a
 * motion may move some bones away from their parents.
 */
function measureScale(bones: readonly Bone[]): number {
  const ratios = bones.flatMap(({ current, bind, parent }) => {
    const parentBone = bones[parent];
    const bindLength = bind && parentBone?.bind ? Math.hypot(...subtract(bind.position, parentBone.bind.position)) : 0;
    return parentBone && bindLength > 0
      ? [Math.hypot(...subtract(current.position, parentBone.current.position)) / bindLength]
      : [];
  });
  return ratios.sort((a, b) => a - b)[ratios.length >> 1] || 1;
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

/** Converts a rest pose to the joints of a clip. */
function toJoints({ bones, metresPerUnit }: RestPose): MotionJoint[] {
  return bones.map(({ name, parent, moves, position }) => {
    const parentBone = bones[parent];
    const offset = scaleBy(parentBone ? subtract(position, parentBone.position) : position, metresPerUnit);
    return { name, parent, offset: [...offset], moves };
  });
}

/** Creates motion data, and the function `put` that sets a frame of it from world transforms of the bones. */
export function createMotionWriter(
  rest: RestPose,
  fps: number,
  frames: number,
): { data: MotionData; put(frame: number, pose: readonly Transform[]): void } {
  const { bones, metresPerUnit } = rest;
  const moving = bones.flatMap(({ moves }, i) => (moves ? [i] : []));
  const rotations = new Float32Array(frames * bones.length * 4);
  const translations = new Float32Array(frames * moving.length * 3);
  const put = (frame: number, pose: readonly Transform[]): void => {
    const worldRotations = bones.map(({ rotation }, i) => multiply((pose[i] as Transform).rotation, invert(rotation)));
    worldRotations.forEach((worldRotation, i) => {
      const parentRotation = worldRotations[(bones[i] as RestBone).parent];
      rotations.set(
        parentRotation ? multiply(invert(parentRotation), worldRotation) : worldRotation,
        (frame * bones.length + i) * 4,
      );
    });
    moving.forEach((bone, slot) => {
      const { parent } = bones[bone] as RestBone;
      const { position } = pose[bone] as Transform;
      const parentRotation = worldRotations[parent];
      const local = parentRotation
        ? rotate(invert(parentRotation), subtract(position, (pose[parent] as Transform).position))
        : position;
      translations.set(scaleBy(local, metresPerUnit), (frame * moving.length + slot) * 3);
    });
  };
  return { data: { fps, joints: toJoints(rest), rotations, translations }, put };
}

/** Creates the motion of bones from their world transforms per frame. */
export function createMotion(rest: RestPose, fps: number, frames: readonly (readonly Transform[])[]): MotionData {
  const { data, put } = createMotionWriter(rest, fps, frames.length);
  frames.forEach((pose, frame) => put(frame, pose));
  return data;
}

/** Creates a motion of one frame at rest, its lowest point on the ground, as a target for retargeting. */
export function createRestMotion(rest: RestPose, lowest: number): MotionData {
  const { bones } = rest;
  return createMotion(rest, 30, [
    bones.map(({ position: [x, y, z], rotation }) => ({ position: [x, y - lowest, z], rotation })),
  ]);
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
