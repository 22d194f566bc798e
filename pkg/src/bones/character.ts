/** A character made of bones, from a file or a scene, and the conversion of motions to its bones. */
import { freeAfterAsync } from "../core/error.js";
import type { Clip, JointInfo, RigEdits, WorkerClip } from "../core/types.js";
import { nextTask } from "../core/next-task.js";
import type { RootMotion } from "./root-motion.js";
import { computeTransforms, type Transform, type RestPose, createRestMotion } from "./rest.js";
import { invert, subtract, add, scaleBy, multiply, rotate, type Rotation, type Vector } from "./rotation.js";

/** Position, rotation and scale of a node, relative to its parent or in the world. */
export interface ScaledTransform extends Transform {
  scale: Vector;
}

/** The bones of a character in a file or a scene: their rest pose, and values that convert motions to these bones. */
export interface Character {
  rest: RestPose;
  /** World transform of the parent node of each root bone; `undefined` for other bones. */
  rootParents: readonly (ScaledTransform | undefined)[];
  /** World scale of each bone. */
  scales: readonly Vector[];
  /** Height of the lowest point of the body at rest, in units of the positions. */
  lowest: number;
}

/** Number of frames computed between two pauses; they take some milliseconds. */
const FRAMES_PER_SLICE = 200;

/** Bones count as equal if their offsets differ by at most this fraction of the longest bone. */
const EQUAL_LENGTH = 1e-3;

/**
 * Maximum distance from its rest position at which a bone counts as constant in a motion of the character itself,
 * metres; smaller distances are due to rounding of world positions.
 */
const MAX_ROUNDING = 5e-5;

/**
 * Maximum distance at which a bone counts as still, metres: from its position in the first frame of a clip, or from its
 * rest position in a single pose.
 */
const MAX_DRIFT = 1e-3;

/** Local rotations and positions of bones, per frame. */
export interface BoneTracks {
  fps: number;
  frames: number;
  /** Quaternions x, y, z, w: [bones][frames × 4]. */
  rotations: Float32Array[];
  /** [bones][frames × 3]; `undefined` for bones with a constant position in their parent. */
  positions: (Float32Array | undefined)[];
}

/**
 * Retargets a clip to a character, and returns the tracks of its bones. `rig`: corrections to the character's bone
 * mapping. A motion of the character itself, which may be any kind of body, changes only by `rootMotion`.
 */
export async function computeTracks(
  clip: Clip | WorkerClip,
  target: Character,
  rootMotion: RootMotion,
  rig: RigEdits = {},
): Promise<BoneTracks> {
  const isOwnMotion = isSameBody((await clip.info()).joints, target.rest);
  // A motion of the character itself may translate any bone.
  const rest = isOwnMotion
    ? { ...target.rest, bones: target.rest.bones.map((bone) => ({ ...bone, moves: true })) }
    : target.rest;
  const character = { ...target, rest };
  const retargeted = await (clip as WorkerClip).retarget({
    ...createRestMotion(rest, target.lowest),
    ...(Object.keys(rig).length > 0 && { rig }),
  });
  const { frames, fps } = retargeted;
  const [info, rotations, positions] = await freeAfterAsync(retargeted, () =>
    Promise.all([retargeted.info(), retargeted.rotations(), retargeted.positions()]),
  );
  const { bones } = rest;
  const hips = Math.max(
    0,
    bones.findIndex(({ name }) => name === info.rig.Hips),
  );
  const stillCarriers = isOwnMotion ? [] : findStillCarriers(bones, hips, positions, frames);
  const rotationTracks = bones.map(() => new Float32Array(frames * 4));
  const positionTracks = bones.map(({ moves }) => (moves ? new Float32Array(frames * 3) : undefined));
  for (let frame = 0; frame < frames; frame++) {
    if (frame % FRAMES_PER_SLICE === FRAMES_PER_SLICE - 1) await nextTask();
    const pose = computeTransforms(rest, rotations, positions, frame);
    const travel = moveCarriers(rest, pose, hips, stillCarriers);
    const removedTravel: Vector = rootMotion === "inPlace" ? travel : [0, 0, 0];
    computeLocals(character, pose, removedTravel, (bone, rotation, position) => {
      const track = rotationTracks[bone] as Float32Array;
      track.set(matchSign(rotation, track, frame), frame * 4);
      if (position) positionTracks[bone]?.set(position, frame * 3);
    });
  }
  if (isOwnMotion) removeConstantPositions(character, target.rest, positionTracks);
  return { fps, frames, rotations: rotationTracks, positions: positionTracks };
}

/** Removes the position tracks of bones that stay at their rest position. */
function removeConstantPositions(
  character: Character,
  { bones, metresPerUnit }: RestPose,
  positionTracks: (Float32Array | undefined)[],
): void {
  computeLocals(character, character.rest.bones, [0, 0, 0], (bone, _, restPosition) => {
    const { moves, parent } = bones[bone] as RestPose["bones"][number];
    const tolerance =
      MAX_ROUNDING / metresPerUnit / Math.max(...(character.scales[parent] ?? [1]).map(Math.abs), Number.MIN_VALUE);
    if (
      !moves &&
      restPosition &&
      positionTracks[bone]?.every((value, i) => Math.abs(value - (restPosition[i % 3] as number)) < tolerance)
    )
      positionTracks[bone] = undefined;
  });
}

/** Converts a name like the loaders of three.js (`PropertyBinding.sanitizeNodeName`): "Spine_2.001" to "Spine_2001". */
const sanitizeName = (name: string): string => name.replace(/\s/g, "_").replace(/[[\].:/]/g, "");

/**
 * Returns whether the joints are the bones of a rest pose: same names and parents, and equal offsets except for
 * rounding. Positions of roots are ignored.
 */
function isSameBody(joints: readonly JointInfo[], { bones, metresPerUnit }: RestPose): boolean {
  if (joints.length !== bones.length) return false;
  const longest = Math.max(...joints.map(({ parent, offset }) => (parent < 0 ? 0 : Math.hypot(...offset))));
  return joints.every(({ name, parent, offset: [x, y, z] }, i) => {
    const bone = bones[i] as RestPose["bones"][number];
    const parentBone = bones[parent];
    if (sanitizeName(name) !== sanitizeName(bone.name) || parent !== bone.parent) return false;
    return (
      !parentBone ||
      Math.hypot(...subtract(scaleBy(subtract(bone.position, parentBone.position), metresPerUnit), [x, y, z])) <=
        EQUAL_LENGTH * longest
    );
  });
}

/**
 * Returns the horizontal travel of the hips from their rest position. Moves the bones `stillCarriers` of `pose` by this
 * travel.
 */
function moveCarriers({ bones }: RestPose, pose: Transform[], hips: number, stillCarriers: readonly number[]): Vector {
  const [x, , z] = (pose[hips] as Transform).position;
  const [restX, , restZ] = (bones[hips] as Transform).position;
  const travel: Vector = [x - restX, 0, z - restZ];
  for (const bone of stillCarriers) {
    const { position, rotation } = pose[bone] as Transform;
    pose[bone] = { position: add(position, travel), rotation };
  }
  return travel;
}

/**
 * Calls `put` with the rotation and the position of each bone relative to its parent; the position is `undefined` for
 * bones that do not move in their parent (`moves`). `removedTravel` is subtracted from the positions of root bones.
 */
function computeLocals(
  { rest, rootParents, scales }: Character,
  pose: readonly Transform[],
  removedTravel: Vector,
  put: (bone: number, rotation: Rotation, position: Vector | undefined) => void,
): void {
  rest.bones.forEach(({ parent, moves }, i) => {
    const parentTransform = rootParents[i] ?? { ...(pose[parent] as Transform), scale: scales[parent] as Vector };
    const { position, rotation } = pose[i] as Transform;
    const local = multiply(invert(parentTransform.rotation), rotation);
    if (!moves) return put(i, local, undefined);
    // The travel is removed from root bones only, because their children move with them.
    const worldPosition = parent < 0 ? subtract(position, removedTravel) : position;
    const [px, py, pz] = rotate(invert(parentTransform.rotation), subtract(worldPosition, parentTransform.position));
    put(i, local, [px / parentTransform.scale[0], py / parentTransform.scale[1], pz / parentTransform.scale[2]]);
  });
}

/**
 * Creates a function that converts the pose of one frame (local `rotations` and world `positions` of a clip with the
 * character's rest pose) to rotations and positions of the bones relative to their parents.
 */
export function createPoser(
  character: Character,
  hips: number,
): (
  rotations: Float32Array,
  positions: Float32Array,
  put: (bone: number, rotation: Rotation, position: Vector | undefined) => void,
) => void {
  const { rest, lowest } = character;
  const carriers = findCarriers(rest.bones, hips);
  const restPositions = rest.bones.map(({ position: [x, y, z] }): Vector => [x, y - lowest, z]);
  return (rotations, positions, put) => {
    const pose = computeTransforms(rest, rotations, positions, 0);
    moveCarriers(
      rest,
      pose,
      hips,
      carriers.filter(
        (bone) =>
          Math.hypot(...subtract((pose[bone] as Transform).position, restPositions[bone] as Vector)) *
            rest.metresPerUnit <
          MAX_DRIFT,
      ),
    );
    computeLocals(character, pose, [0, 0, 0], put);
  };
}

/** Returns the carriers: the ancestors of the hips, and all root bones except the hips. */
function findCarriers(bones: RestPose["bones"], hips: number): number[] {
  const ancestors = new Set<number>();
  for (
    let bone = (bones[hips] as RestPose["bones"][number]).parent;
    bone >= 0;
    bone = (bones[bone] as RestPose["bones"][number]).parent
  )
    ancestors.add(bone);
  return bones.flatMap(({ parent }, bone) => (bone !== hips && (parent < 0 || ancestors.has(bone)) ? [bone] : []));
}

/**
 * Returns the carriers that stay still during a motion, such as a root on the ground. {@link moveCarriers} moves them
 * with the hips over the ground, because skin may be attached to them.
 */
function findStillCarriers(bones: RestPose["bones"], hips: number, positions: Float32Array, frames: number): number[] {
  const isStill = (bone: number): boolean => {
    for (let frame = 1; frame < frames; frame++) {
      const start = (frame * bones.length + bone) * 3;
      for (let axis = 0; axis < 3; axis++)
        if (Math.abs((positions[start + axis] as number) - (positions[bone * 3 + axis] as number)) > MAX_DRIFT)
          return false;
    }
    return true;
  };
  return findCarriers(bones, hips).filter(isStill);
}

/** Returns the quaternion with the sign that is nearer to the quaternion of the previous frame of `track`. */
function matchSign(rotation: Rotation, track: Float32Array, frame: number): Rotation {
  if (frame === 0) return rotation;
  const previous = (frame - 1) * 4;
  const dot = rotation.reduce((sum, component, i) => sum + component * (track[previous + i] as number), 0);
  return dot < 0 ? [-rotation[0], -rotation[1], -rotation[2], -rotation[3]] : rotation;
}
