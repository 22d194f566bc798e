/** Conversion of motions to the bones of a character, from a file or a scene. */
import { freeAfterAsync } from "../core/error.js";
import type { Clip, ClipInfo, Ground, JointInfo, RigEdits } from "../core/types.js";
import { nextTask } from "../core/next-task.js";
import { type Character, computeLocals, parentScale } from "./pose.js";
import type { RootMotion } from "./root-motion.js";
import { createRestMotion } from "./motion.js";
import { computeTransforms, type Transform, type RestPose } from "./rest.js";
import { subtract, add, scaleBy, type Rotation, type Vector } from "./rotation.js";

export type { Character, ScaledTransform } from "./pose.js";

/** Number of frames computed between two pauses; they take some milliseconds. */
const FRAMES_PER_SLICE = 200;

/** Bones count as equal if their offsets differ by at most this fraction of the longest bone. */
const EQUAL_LENGTH = 1e-3;

/**
 * Fraction of the bones whose offsets must be equal in the same body: an animation may show other offsets for some bones
 * than the rest pose has.
 */
const MIN_EQUAL = 0.5;

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
  /** Motion that the bones cannot show, and a move to another floor, one sentence each. */
  warnings?: string[];
}

/**
 * Retargets a clip to a character, and returns the tracks of its bones. `rig`: corrections to the character's bone
 * mapping. A motion of the character itself, which may be any kind of body, changes only by `rootMotion`.
 */
export async function computeTracks(
  clip: Clip,
  target: Character,
  rootMotion: RootMotion,
  rig: RigEdits = {},
  ground: Ground = "level",
): Promise<BoneTracks> {
  const own = matchJoints(await clip.info(), target.rest);
  // A motion of the character itself may translate any bone.
  const rest = own
    ? { ...target.rest, bones: target.rest.bones.map((bone) => ({ ...bone, moves: true })) }
    : target.rest;
  const character = { ...target, rest };
  const motion = own
    ? await onGround(await ownMotion(clip, own), clip, character, { rig, ground })
    : await retargetedMotion(clip, character, { rig, ground });
  // Retargeting checks the corrections; a motion of the character itself needs none.
  if (own && Object.keys(rig).length > 0) await retargetedMotion(clip, character, { rig, ground });
  const { frames, fps, rotations, positions, hips, warnings } = motion;
  const { bones } = rest;
  const stillCarriers = own ? [] : findStillCarriers(bones, hips, positions, frames);
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
  if (own) removeConstantPositions(character, target.rest, positionTracks);
  return { fps, frames, rotations: rotationTracks, positions: positionTracks, warnings };
}

/** A motion on the bones of a character: local rotations from rest and world positions, as of a clip. */
interface CharacterMotion {
  fps: number;
  frames: number;
  /** [frames × bones × 4]. */
  rotations: Float32Array;
  /** Metres, [frames × bones × 3]. */
  positions: Float32Array;
  /** Index of the hips bone; 0 if it is unknown. */
  hips: number;
  /** Motion that the bones cannot show, and a move to another floor, one sentence each. */
  warnings: string[];
}

/** Corrections to the character's bone mapping, and the option `ground`. */
interface RetargetSettings {
  rig: RigEdits;
  ground: Ground;
}

/** A warning about the floor of a motion, and one about motion that the bones cannot show. */
const [FLOOR_WARNING, PROP_WARNING] = [/stands on another floor/, /is left out/];

/** Retargets a clip to a character. */
async function retargetedMotion(
  clip: Clip,
  { rest, lowest }: Character,
  { rig, ground }: RetargetSettings,
): Promise<CharacterMotion> {
  const restMotion = { ...createRestMotion(rest, lowest), ...(Object.keys(rig).length > 0 && { rig }) };
  const retargeted = await clip.retarget(restMotion, { ground });
  const { frames, fps } = retargeted;
  const [info, rotations, positions] = await freeAfterAsync(retargeted, () =>
    Promise.all([retargeted.info(), retargeted.rotations(), retargeted.positions()]),
  );
  const hips = rest.bones.findIndex(({ name }) => name === info.rig.Hips);
  const warnings = info.warnings.filter((warning) => FLOOR_WARNING.test(warning) || PROP_WARNING.test(warning));
  return { fps, frames, rotations, positions, hips: Math.max(0, hips), warnings };
}

/** Moves a motion of the character itself to the ground of the character, if it stands on another floor. */
async function onGround(
  motion: CharacterMotion,
  clip: Clip,
  character: Character,
  { rig, ground }: RetargetSettings,
): Promise<CharacterMotion> {
  if (ground === "asInFile" || motion.frames === 0 || (await clip.info()).kind !== "biped") return motion;
  const level = await retargetedMotion(clip, character, { rig, ground });
  const warnings = level.warnings.filter((warning) => FLOOR_WARNING.test(warning));
  if (warnings.length === 0) return motion;
  const asInFile = await retargetedMotion(clip, character, { rig, ground: "asInFile" });
  const heightOf = ({ positions, hips }: CharacterMotion): number => positions[hips * 3 + 1] as number;
  const height = heightOf(level) - heightOf(asInFile);
  const positions = motion.positions.map((value, i) => (i % 3 === 1 ? value + height : value));
  return { ...motion, positions, warnings };
}

/** Returns the motion of a clip of the character itself. `joints`: index of the clip's joint of each bone. */
async function ownMotion(clip: Clip, joints: readonly number[]): Promise<CharacterMotion> {
  const { frames, fps } = clip;
  const [info, rotations, positions] = await Promise.all([clip.info(), clip.rotations(), clip.positions()]);
  const pick = (values: Float32Array, width: number): Float32Array => {
    const count = info.joints.length;
    if (joints.length === count && joints.every((joint, bone) => joint === bone)) return values;
    const picked = new Float32Array(frames * joints.length * width);
    for (let frame = 0; frame < frames; frame++)
      joints.forEach((joint, bone) => {
        const start = (frame * count + joint) * width;
        picked.set(values.subarray(start, start + width), (frame * joints.length + bone) * width);
      });
    return picked;
  };
  const hips = joints.findIndex((joint) => info.joints[joint]?.name === info.rig.Hips);
  const motion = { rotations: pick(rotations, 4), positions: pick(positions, 3), hips: Math.max(0, hips) };
  return { fps, frames, ...motion, warnings: [] };
}

/** Removes the position tracks of bones that stay at their position in the file. */
function removeConstantPositions(
  character: Character,
  { bones, metresPerUnit }: RestPose,
  positionTracks: (Float32Array | undefined)[],
): void {
  bones.forEach(({ moves }, bone) => {
    const tolerance = MAX_ROUNDING / metresPerUnit / parentScale(character, bone);
    const { translation } = character.bones[bone] as Character["bones"][number];
    const track = positionTracks[bone];
    if (!moves && track?.every((value, i) => Math.abs(value - (translation[i % 3] as number)) < tolerance))
      positionTracks[bone] = undefined;
  });
}

/** Converts a name like the loaders of three.js (`PropertyBinding.sanitizeNodeName`): "Spine_2.001" to "Spine_2001". */
const sanitizeName = (name: string): string => name.replace(/\s/g, "_").replace(/[[\].:/]/g, "");

/**
 * Returns the index of the joint of each bone of a rest pose, if the joints are those of the same body: same names and
 * parents, and equal offsets except for rounding. Further joints, such as props that an animation moves, are ignored, and
 * so are the positions of roots.
 */
function matchJoints({ joints }: ClipInfo, { bones, metresPerUnit }: RestPose): number[] | undefined {
  if (joints.length < bones.length) return undefined;
  const byName = new Map<string, number>();
  joints.forEach(({ name }, joint) => byName.set(sanitizeName(name), byName.has(sanitizeName(name)) ? -1 : joint));
  const hasSameName = (bone: number, joint: number): boolean =>
    joint >= 0 &&
    sanitizeName((joints[joint] as JointInfo).name) === sanitizeName((bones[bone] as RestPose["bones"][number]).name);
  const isSameOrder = joints.length === bones.length && bones.every((_, bone) => hasSameName(bone, bone));
  const matched = bones.map(({ name }, bone) => (isSameOrder ? bone : (byName.get(sanitizeName(name)) ?? -1)));
  const isSameTree = bones.every(({ parent }, bone) => {
    const joint = joints[matched[bone] as number];
    return joint !== undefined && joint.parent === (parent < 0 ? -1 : (matched[parent] as number));
  });
  if (!isSameTree) return undefined;
  const longest = Math.max(...joints.map(({ parent, offset }) => (parent < 0 ? 0 : Math.hypot(...offset))));
  const children = bones.flatMap(({ parent }, bone) => (parent < 0 ? [] : [bone]));
  const equal = children.filter((bone) => {
    const { parent, position } = bones[bone] as RestPose["bones"][number];
    const offset = subtract(position, (bones[parent] as RestPose["bones"][number]).position);
    const { offset: shown } = joints[matched[bone] as number] as JointInfo;
    return Math.hypot(...subtract(scaleBy(offset, metresPerUnit), shown)) <= EQUAL_LENGTH * longest;
  });
  return equal.length >= MIN_EQUAL * children.length ? matched : undefined;
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
