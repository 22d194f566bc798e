/**
 * Rest poses of bones. In glTF and three.js a bone may have any rest rotation; a clip's skeleton has none, like that
 * of a BVH file. The rest pose, kept beside the clip, converts from one to the other and back without loss.
 */
import type { MotionData, MotionJoint } from "../core/motion-types.js";
import { alike, back, minus, plus, scaled, squared, times, turned, type Turn, type Vector } from "./turn.js";

/** Position and rotation of a bone in the world. */
export interface Placed {
  place: Vector;
  turn: Turn;
}

/** A bone of a file or scene, with its transforms now and at rest. */
export interface Bone {
  name: string;
  /** Index of the parent, smaller than its own; -1 for a root. */
  parent: number;
  /** As its node is in the file or the scene. */
  now: Placed;
  /** As the skin was bound to it; absent without a skin. */
  bind?: Placed;
  /** Whether its position relative to its parent changes between frames. */
  moves: boolean;
}

/** Bones at rest, on which a motion without rest rotations can be expressed. */
export interface Rest {
  bones: readonly (Pick<Bone, "name" | "parent" | "moves"> & Placed)[];
  /** Metres per unit of the positions. */
  metresPerUnit: number;
}

/** Cosine of half the angle below which two rotations are equal: half a degree. */
const ALIKE = Math.cos(((0.5 / 2) * Math.PI) / 180);
/** A larger body is not in metres. */
const TALLEST = 20;

/** The rest pose of bones: as the skin was bound, with the world's up direction. */
export function restOf(bones: readonly Bone[]): Rest {
  const found = bound(bones);
  const heights = found.flatMap(({ place }) => [...place]);
  const reach = Math.max(...heights) - Math.min(...heights);
  return { bones: carriersMarked(found), metresPerUnit: reach > TALLEST ? 0.01 : 1 };
}

type Resting = Rest["bones"][number];

function bound(bones: readonly Bone[]): Resting[] {
  const first = bones.find(({ bind }) => bind);
  const turnOf = ({ now, bind }: Bone): Turn | undefined => bind && times(now.turn, back(bind.turn));
  const whole = first && turnOf(first);
  const isPosed = whole && bones.some((bone) => bone.bind && alike(turnOf(bone) as Turn, whole) < ALIKE);
  if (!isPosed) return bones.map(({ name, parent, moves, now }) => ({ name, parent, moves, ...now }));
  // The file was saved in the middle of a motion. The bind pose is known up to a rotation of the whole; programs
  // rotate by right angles.
  const turn = squared(whole);
  const scale = stretch(bones);
  const rest: Resting[] = [];
  for (const { name, parent, moves, now, bind } of bones) {
    const above = bones[parent];
    const resting = rest[parent];
    if (bind)
      rest.push({ name, parent, moves, place: scaled(turned(turn, bind.place), scale), turn: times(turn, bind.turn) });
    else if (!above || !resting) rest.push({ name, parent, moves, ...now });
    else {
      // As it is relative to its parent.
      const aside = times(resting.turn, back(above.now.turn));
      rest.push({
        name,
        parent,
        moves,
        place: plus(resting.place, turned(aside, minus(now.place, above.now.place))),
        turn: times(aside, now.turn),
      });
    }
  }
  return rest;
}

/**
 * Ratio of the bones' lengths to those when bound: the median, because a motion may move some bones away from their
 * parents.
 */
function stretch(bones: readonly Bone[]): number {
  const shares = bones.flatMap(({ now, bind, parent }) => {
    const above = bones[parent];
    const bound = bind && above?.bind ? Math.hypot(...minus(bind.place, above.bind.place)) : 0;
    return above && bound > 0 ? [Math.hypot(...minus(now.place, above.now.place)) / bound] : [];
  });
  return shares.sort((a, b) => a - b)[shares.length >> 1] || 1;
}

/**
 * Marks the bones that carry the body, from the root to the first joint with several children, so that the skeleton
 * does not depend on the file's motion.
 */
function carriersMarked(bones: readonly Resting[]): Resting[] {
  const marked = bones.map((bone) => ({ ...bone, moves: bone.moves || bone.parent < 0 }));
  const children = new Map<number, number[]>();
  marked.forEach(({ parent }, i) => children.set(parent, [...(children.get(parent) ?? []).slice(-1), i]));
  const childrenOf = (joint: number): number[] => children.get(joint) ?? [];
  let joint = 0;
  for (let below = childrenOf(joint); below.length === 1; below = childrenOf(joint)) {
    joint = below[0] as number;
    (marked[joint] as Resting).moves = true;
  }
  return marked;
}

/** The joints of a rest pose, for a clip. */
function joints({ bones, metresPerUnit }: Rest): MotionJoint[] {
  return bones.map(({ name, parent, moves, place }) => {
    const above = bones[parent];
    const offset = scaled(above ? minus(place, above.place) : place, metresPerUnit);
    return { name, parent, offset: [...offset], moves };
  });
}

/** Writer of the motion of bones, filled frame by frame with their world transforms. */
export function motionWriter(
  rest: Rest,
  fps: number,
  frames: number,
): { data: MotionData; put(frame: number, pose: readonly Placed[]): void } {
  const { bones, metresPerUnit } = rest;
  const moving = bones.flatMap(({ moves }, i) => (moves ? [i] : []));
  const rotations = new Float32Array(frames * bones.length * 4);
  const translations = new Float32Array(frames * moving.length * 3);
  const put = (frame: number, pose: readonly Placed[]): void => {
    const turns = bones.map(({ turn }, i) => times((pose[i] as Placed).turn, back(turn)));
    turns.forEach((turn, i) => {
      const above = turns[(bones[i] as Resting).parent];
      rotations.set(above ? times(back(above), turn) : turn, (frame * bones.length + i) * 4);
    });
    moving.forEach((bone, slot) => {
      const { parent } = bones[bone] as Resting;
      const { place } = pose[bone] as Placed;
      const above = turns[parent];
      const local = above ? turned(back(above), minus(place, (pose[parent] as Placed).place)) : place;
      translations.set(scaled(local, metresPerUnit), (frame * moving.length + slot) * 3);
    });
  };
  return { data: { fps, joints: joints(rest), rotations, translations }, put };
}

/** The motion of bones, from their world transforms in each frame. */
export function motionOf(rest: Rest, fps: number, frames: readonly (readonly Placed[])[]): MotionData {
  const { data, put } = motionWriter(rest, fps, frames.length);
  frames.forEach((pose, frame) => put(frame, pose));
  return data;
}

/** One frame at rest with its lowest point on the ground, as a target for retargeting. */
export function standing(rest: Rest, lowest: number): MotionData {
  const { bones } = rest;
  return motionOf(rest, 30, [bones.map(({ place: [x, y, z], turn }) => ({ place: [x, y - lowest, z], turn }))]);
}

/**
 * World transforms of bones in a frame of a clip on this rest pose. `rotations` are the clip's local rotations,
 * `positions` its world positions.
 */
export function placedOf(rest: Rest, rotations: Float32Array, positions: Float32Array, frame: number): Placed[] {
  const { bones, metresPerUnit } = rest;
  const turns: Turn[] = [];
  return bones.map(({ parent, turn }, i) => {
    const at = frame * bones.length + i;
    const local = rotations.subarray(at * 4, at * 4 + 4) as unknown as Turn;
    const above = turns[parent];
    const whole = above
      ? times(above, [local[0], local[1], local[2], local[3]])
      : ([local[0], local[1], local[2], local[3]] as const);
    turns.push(whole);
    const place = positions.subarray(at * 3, at * 3 + 3) as unknown as Vector;
    return { place: scaled([place[0], place[1], place[2]], 1 / metresPerUnit), turn: times(whole, turn) };
  });
}
