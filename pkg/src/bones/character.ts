/** A body made of bones, from a file or a scene, and motions on it. */
import type { Clip, JointInfo, RigEdits, WorkerClip } from "../core/types.js";
import { nextTask } from "../core/next-task.js";
import type { RootMotion } from "./root-motion.js";
import { placedOf, type Placed, type Rest, standing } from "./rest.js";
import { back, minus, plus, scaled, times, turned, type Turn, type Vector } from "./turn.js";

/** Position and rotation of a node, relative to its parent or in the world. */
export interface Local extends Placed {
  scale: Vector;
}

/** Bones of a character, with the nodes that hold its roots. */
export interface Character {
  rest: Rest;
  /** World transform of the node that holds each root; `undefined` for bones that are not roots. */
  held: readonly (Local | undefined)[];
  /** World scale of each bone. */
  scales: readonly Vector[];
  /** The lowest point of the body at rest. */
  lowest: number;
}

/** Number of frames computed without a pause: some milliseconds. */
const AT_ONCE = 200;

/** Relative difference in length below which bones are equal, as a fraction of the longest bone. */
const SAME_BONE = 1e-3;

/**
 * A bone of one's own body that stays closer than this to its rest position does not move, metres: rounding of world
 * positions.
 */
const AT_HOME = 5e-5;

/** A bone that stays closer than this to its first position does not move, metres. */
const STILL = 1e-3;

/** Local rotations and positions of bones, frame after frame. */
export interface BoneTracks {
  fps: number;
  frames: number;
  /** [bones][frames × 4] */
  turns: Float32Array[];
  /** [bones][frames × 3]; `undefined` for bones with a constant position in their parent. */
  places: (Float32Array | undefined)[];
}

/**
 * A clip's motion on a character: the tracks of each of its bones. `rig`: corrections to the character's bone
 * mapping. A motion of the character itself is returned unchanged, whatever its body.
 */
export async function tracksOf(
  clip: Clip | WorkerClip,
  of: Character,
  root: RootMotion,
  rig: RigEdits = {},
): Promise<BoneTracks> {
  const own = isBodyOf((await clip.info()).joints, of.rest);
  // Only the motion knows which bones it moves, so all may.
  const rest = own ? { ...of.rest, bones: of.rest.bones.map((bone) => ({ ...bone, moves: true })) } : of.rest;
  const character = { ...of, rest };
  const onto = await (clip as WorkerClip).retarget({
    ...standing(rest, of.lowest),
    ...(Object.keys(rig).length > 0 && { rig }),
  });
  const [info, rotations, positions] = await Promise.all([onto.info(), onto.rotations(), onto.positions()]);
  const { frames, fps } = onto;
  onto.free();
  const { bones } = rest;
  const hips = Math.max(
    0,
    bones.findIndex(({ name }) => name === info.rig.Hips),
  );
  const left = own ? [] : leftBehind(bones, hips, positions, frames);
  const turns = bones.map(() => new Float32Array(frames * 4));
  const places = bones.map(({ moves }) => (moves ? new Float32Array(frames * 3) : undefined));
  for (let frame = 0; frame < frames; frame++) {
    if (frame % AT_ONCE === AT_ONCE - 1) await nextTask();
    const pose = placedOf(rest, rotations, positions, frame);
    const away = carry(rest, pose, hips, left);
    const aside: Vector = root === "inPlace" ? away : [0, 0, 0];
    locals(character, pose, aside, (bone, local, place) => {
      const [kept, into] = [turns[bone] as Float32Array, places[bone]];
      kept.set(near(local, kept, frame), frame * 4);
      if (into && place) into.set(place, frame * 3);
    });
  }
  if (own) keptAtHome(character, of.rest, places);
  return { fps, frames, turns, places };
}

/** Removes the positions of bones that never leave their rest position. */
function keptAtHome(character: Character, { bones, metresPerUnit }: Rest, places: (Float32Array | undefined)[]): void {
  locals(character, character.rest.bones, [0, 0, 0], (bone, _, home) => {
    const { moves, parent } = bones[bone] as Rest["bones"][number];
    const least =
      AT_HOME / metresPerUnit / Math.max(...(character.scales[parent] ?? [1]).map(Math.abs), Number.MIN_VALUE);
    if (!moves && home && places[bone]?.every((value, i) => Math.abs(value - (home[i % 3] as number)) < least))
      places[bone] = undefined;
  });
}

/** A name as loaders of three.js write it (`PropertyBinding.sanitizeNodeName`): "Spine_2.001" of a file is "Spine_2001" of its model. */
const plain = (name: string): string => name.replace(/\s/g, "_").replace(/[[\].:/]/g, "");

/**
 * Whether joints are those of a rest pose: the same names and parents, and equal lengths up to rounding. Positions
 * of roots are ignored.
 */
function isBodyOf(joints: readonly JointInfo[], { bones, metresPerUnit }: Rest): boolean {
  if (joints.length !== bones.length) return false;
  const longest = Math.max(...joints.map(({ parent, offset }) => (parent < 0 ? 0 : Math.hypot(...offset))));
  return joints.every(({ name, parent, offset: [x, y, z] }, i) => {
    const bone = bones[i] as Rest["bones"][number];
    const above = bones[parent];
    if (plain(name) !== plain(bone.name) || parent !== bone.parent) return false;
    return (
      !above ||
      Math.hypot(...minus(scaled(minus(bone.place, above.place), metresPerUnit), [x, y, z])) <= SAME_BONE * longest
    );
  });
}

/** Horizontal displacement of the hips from their rest position; bones in `left` move along in `pose`. */
function carry({ bones }: Rest, pose: Placed[], hips: number, left: readonly number[]): Vector {
  const [x, , z] = (pose[hips] as Placed).place;
  const [homeX, , homeZ] = (bones[hips] as Placed).place;
  const away: Vector = [x - homeX, 0, z - homeZ];
  for (const bone of left) {
    const { place, turn } = pose[bone] as Placed;
    pose[bone] = { place: plus(place, away), turn };
  }
  return away;
}

/**
 * Writes each bone's rotation and position relative to its parent, a position only where it moves. Bones that stand
 * on the ground are moved back by `aside`.
 */
function locals(
  { rest, held, scales }: Character,
  pose: readonly Placed[],
  aside: Vector,
  put: (bone: number, turn: Turn, place: Vector | undefined) => void,
): void {
  rest.bones.forEach(({ parent, moves }, i) => {
    const above = held[i] ?? { ...(pose[parent] as Placed), scale: scales[parent] as Vector };
    const { place, turn } = pose[i] as Placed;
    const local = times(back(above.turn), turn);
    if (!moves) return put(i, local, undefined);
    // Children of a bone that was set aside move along with it.
    const from = parent < 0 ? minus(place, aside) : place;
    const [px, py, pz] = turned(back(above.turn), minus(from, above.place));
    put(i, local, [px / above.scale[0], py / above.scale[1], pz / above.scale[2]]);
  });
}

/**
 * Poses a character frame by frame: rotations and positions of its bones relative to their parents, from a pose on
 * its rest pose.
 */
export function poser(
  character: Character,
  hips: number,
): (
  rotations: Float32Array,
  positions: Float32Array,
  put: (bone: number, turn: Turn, place: Vector | undefined) => void,
) => void {
  const { rest, lowest } = character;
  const above = carriers(rest.bones, hips);
  const home = rest.bones.map(({ place: [x, y, z] }): Vector => [x, y - lowest, z]);
  return (rotations, positions, put) => {
    const pose = placedOf(rest, rotations, positions, 0);
    carry(
      rest,
      pose,
      hips,
      above.filter(
        (bone) => Math.hypot(...minus((pose[bone] as Placed).place, home[bone] as Vector)) * rest.metresPerUnit < STILL,
      ),
    );
    locals(character, pose, [0, 0, 0], put);
  };
}

/** Bones that carry the body, or are their siblings. */
function carriers(bones: Rest["bones"], hips: number): number[] {
  const above = new Set<number>();
  for (
    let bone = (bones[hips] as Rest["bones"][number]).parent;
    bone >= 0;
    bone = (bones[bone] as Rest["bones"][number]).parent
  )
    above.add(bone);
  return bones.flatMap(({ parent }, bone) => (bone !== hips && (parent < 0 || above.has(bone)) ? [bone] : []));
}

/**
 * Carriers that no motion moves, such as a root on the ground. They are moved along below the hips, because skin may
 * be attached to them.
 */
function leftBehind(bones: Rest["bones"], hips: number, positions: Float32Array, frames: number): number[] {
  const isStill = (bone: number): boolean => {
    for (let frame = 1; frame < frames; frame++) {
      const at = (frame * bones.length + bone) * 3;
      for (let axis = 0; axis < 3; axis++)
        if (Math.abs((positions[at + axis] as number) - (positions[bone * 3 + axis] as number)) > STILL) return false;
    }
    return true;
  };
  return carriers(bones, hips).filter(isStill);
}

/** The rotation with the sign nearer to that of the frame before. */
function near(turn: Turn, before: Float32Array, frame: number): Turn {
  if (frame === 0) return turn;
  const at = (frame - 1) * 4;
  const dot = turn.reduce((sum, part, i) => sum + part * (before[at + i] as number), 0);
  return dot < 0 ? [-turn[0], -turn[1], -turn[2], -turn[3]] : turn;
}
