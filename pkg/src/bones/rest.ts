/**
 * Rest poses of bones. In glTF and three.js a bone may have any rest rotation; in the skeleton of a clip, as in a BVH
 * file, all rest rotations are the identity. The rest pose, stored beside the clip, converts between the two without
 * loss.
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
} from "./turn.js";

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
  /** World transform of its node in the file or the scene. */
  current: Transform;
  /** World transform at which the skin was bound; absent if there is no skin. */
  bind?: Transform;
  /** Whether its position relative to its parent changes between frames. */
  moves: boolean;
}

/** Bones at rest: the reference for converting motions with and without rest rotations. */
export interface RestPose {
  bones: readonly (Pick<Bone, "name" | "parent" | "moves"> & Transform)[];
  /** Metres per unit of the positions. */
  metresPerUnit: number;
}

/** Rotations that differ by less than half a degree count as equal: the cosine of half this angle. */
const EQUAL_COSINE = Math.cos(((0.5 / 2) * Math.PI) / 180);
/** A body larger than this is in centimetres; metres. */
const MOST_METRES = 20;

/** Computes the rest pose of bones: the bind pose of the skin, rotated so that it is upright in the world. */
export function createRestPose(bones: readonly Bone[]): RestPose {
  const resting = restTransforms(bones);
  const coordinates = resting.flatMap(({ position }) => [...position]);
  const extent = Math.max(...coordinates) - Math.min(...coordinates);
  return { bones: markCarriers(resting), metresPerUnit: extent > MOST_METRES ? 0.01 : 1 };
}

type RestBone = RestPose["bones"][number];

function restTransforms(bones: readonly Bone[]): RestBone[] {
  const first = bones.find(({ bind }) => bind);
  const turnOf = ({ current, bind }: Bone): Rotation | undefined =>
    bind && multiply(current.rotation, invert(bind.rotation));
  const wholeRotation = first && turnOf(first);
  const isPosed =
    wholeRotation &&
    bones.some((bone) => bone.bind && halfAngleCosine(turnOf(bone) as Rotation, wholeRotation) < EQUAL_COSINE);
  if (!isPosed) return bones.map(({ name, parent, moves, current }) => ({ name, parent, moves, ...current }));
  // The file was saved in the middle of a motion. The bind pose is known except for a rotation of the whole body;
  // programs use right angles for it.
  const worldRotation = roundToRightAngles(wholeRotation);
  const scale = measureScale(bones);
  const rest: RestBone[] = [];
  for (const { name, parent, moves, current, bind } of bones) {
    const above = bones[parent];
    const resting = rest[parent];
    if (bind)
      rest.push({
        name,
        parent,
        moves,
        position: scaleBy(rotate(worldRotation, bind.position), scale),
        rotation: multiply(worldRotation, bind.rotation),
      });
    else if (!above || !resting) rest.push({ name, parent, moves, ...current });
    else {
      // A bone without a skin keeps its transform relative to its parent.
      const aside = multiply(resting.rotation, invert(above.current.rotation));
      rest.push({
        name,
        parent,
        moves,
        position: add(resting.position, rotate(aside, subtract(current.position, above.current.position))),
        rotation: multiply(aside, current.rotation),
      });
    }
  }
  return rest;
}

/**
 * Returns the ratio of current to bound bone lengths: the median, because a motion may move some bones away from their
 * parents.
 */
function measureScale(bones: readonly Bone[]): number {
  const ratios = bones.flatMap(({ current, bind, parent }) => {
    const above = bones[parent];
    const bound = bind && above?.bind ? Math.hypot(...subtract(bind.position, above.bind.position)) : 0;
    return above && bound > 0 ? [Math.hypot(...subtract(current.position, above.current.position)) / bound] : [];
  });
  return ratios.sort((a, b) => a - b)[ratios.length >> 1] || 1;
}

/**
 * Marks the bones from the root to the first joint with several children as moving, so that the skeleton
 * does not depend on the file's motion.
 */
function markCarriers(bones: readonly RestBone[]): RestBone[] {
  const marked = bones.map((bone) => ({ ...bone, moves: bone.moves || bone.parent < 0 }));
  const children = new Map<number, number[]>();
  marked.forEach(({ parent }, i) => children.set(parent, [...(children.get(parent) ?? []).slice(-1), i]));
  const childrenOf = (joint: number): number[] => children.get(joint) ?? [];
  let joint = 0;
  for (let below = childrenOf(joint); below.length === 1; below = childrenOf(joint)) {
    joint = below[0] as number;
    (marked[joint] as RestBone).moves = true;
  }
  return marked;
}

/** Converts a rest pose to the joints of a clip. */
function toJoints({ bones, metresPerUnit }: RestPose): MotionJoint[] {
  return bones.map(({ name, parent, moves, position }) => {
    const above = bones[parent];
    const offset = scaleBy(above ? subtract(position, above.position) : position, metresPerUnit);
    return { name, parent, offset: [...offset], moves };
  });
}

/** Creates motion data that `put` fills frame by frame from world transforms of the bones. */
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
      const above = worldRotations[(bones[i] as RestBone).parent];
      rotations.set(above ? multiply(invert(above), worldRotation) : worldRotation, (frame * bones.length + i) * 4);
    });
    moving.forEach((bone, slot) => {
      const { parent } = bones[bone] as RestBone;
      const { position } = pose[bone] as Transform;
      const above = worldRotations[parent];
      const local = above ? rotate(invert(above), subtract(position, (pose[parent] as Transform).position)) : position;
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
 * clip; `positions`: world positions of the clip.
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
    const at = frame * bones.length + i;
    const local = rotations.subarray(at * 4, at * 4 + 4) as unknown as Rotation;
    const above = worldRotations[parent];
    const wholeRotation = above
      ? multiply(above, [local[0], local[1], local[2], local[3]])
      : ([local[0], local[1], local[2], local[3]] as const);
    worldRotations.push(wholeRotation);
    const [x = 0, y = 0, z = 0] = positions.subarray(at * 3, at * 3 + 3);
    return { position: scaleBy([x, y, z], 1 / metresPerUnit), rotation: multiply(wholeRotation, rotation) };
  });
}
