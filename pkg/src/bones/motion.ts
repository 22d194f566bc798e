/** Builds the motion of bones from their world transforms in each frame. */
import type { MotionData } from "../core/motion-types.js";
import { type Matrices, positionOf, rotationOf } from "./matrix.js";
import type { RestPose, Transform } from "./rest.js";
import {
  IDENTITY,
  invert,
  length,
  multiply,
  rotate,
  type Rotation,
  scaleBy,
  subtract,
  type Vector,
} from "./rotation.js";

/** The world transforms of all bones in one frame. */
export interface Pose {
  /** Position of a bone. */
  position(bone: number): Vector;
  /** Rotation of a bone; `undefined` if it has none, because it is scaled to zero. */
  rotation(bone: number): Rotation | undefined;
}

/** Returns the pose in a list of world matrices, 16 numbers for each bone. */
export const matrixPose = (worlds: Matrices): Pose => ({
  position: (bone) => positionOf(worlds, bone * 16),
  rotation: (bone) => rotationOf(worlds, bone * 16),
});

/**
 * Ranges of the positions of bones relative to their parents, in the axes of the parents' rotations from rest. A bone
 * whose range is a point has a fixed offset.
 */
export class OffsetRanges {
  readonly #low: Float64Array;
  readonly #high: Float64Array;

  constructor(bones: number) {
    this.#low = new Float64Array(bones * 3).fill(Infinity);
    this.#high = new Float64Array(bones * 3).fill(-Infinity);
  }

  add(bone: number, offset: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const [at, value] = [bone * 3 + axis, offset[axis] as number];
      if (value < (this.#low[at] as number)) this.#low[at] = value;
      if (value > (this.#high[at] as number)) this.#high[at] = value;
    }
  }

  /** Returns the middle of a range, and the distance of its corners from there; `undefined` if nothing was added. */
  range(bone: number): { middle: Vector; radius: number } | undefined {
    const axes = [0, 1, 2].map((axis) => [this.#low[bone * 3 + axis], this.#high[bone * 3 + axis]] as [number, number]);
    if (!Number.isFinite(axes[0]?.[0])) return undefined;
    const middle = axes.map(([low, high]) => (low + high) / 2) as unknown as Vector;
    return { middle, radius: length(axes.map(([low, high]) => (high - low) / 2) as unknown as Vector) };
  }
}

/** Computes the rotations from rest of all bones in a pose, and their positions relative to their parents. */
export function relativePose(
  { bones }: RestPose,
  pose: Pose,
  put: (bone: number, rotation: Rotation, offset: Vector) => void,
): void {
  const worldRotations: Rotation[] = [];
  bones.forEach(({ parent, rotation: restRotation }, bone) => {
    const parentRotation = worldRotations[parent];
    const posed = pose.rotation(bone);
    // A bone without a rotation follows its parent.
    const world = posed ? multiply(posed, invert(restRotation)) : (parentRotation ?? IDENTITY);
    worldRotations.push(world);
    const position = pose.position(bone);
    if (!parentRotation) return put(bone, world, position);
    const inverse = invert(parentRotation);
    put(bone, multiply(inverse, world), rotate(inverse, subtract(position, pose.position(parent))));
  });
}

/** Collects the frames of a motion. */
export class MotionBuilder {
  readonly #rest: RestPose;
  readonly #rotations: Float32Array;
  /** Position of each bone relative to its parent, in all frames. */
  readonly #offsets: Float32Array;
  readonly #frames: number;

  constructor(rest: RestPose, frames: number) {
    this.#rest = rest;
    this.#frames = frames;
    this.#rotations = new Float32Array(frames * rest.bones.length * 4);
    this.#offsets = new Float32Array(frames * rest.bones.length * 3);
  }

  /** Sets a frame. `ranges` gets the offsets of the bones. */
  put(frame: number, pose: Pose, ranges?: OffsetRanges): void {
    const start = frame * this.#rest.bones.length;
    relativePose(this.#rest, pose, (bone, rotation, offset) => {
      this.#rotations.set(rotation, (start + bone) * 4);
      this.#offsets.set(scaleBy(offset, this.#rest.metresPerUnit), (start + bone) * 3);
      ranges?.add(bone, offset);
    });
  }

  /** Sets a frame from the transforms of the bones. */
  putTransforms(frame: number, pose: readonly Transform[]): void {
    this.put(frame, {
      position: (bone) => (pose[bone] as Transform).position,
      rotation: (bone) => (pose[bone] as Transform).rotation,
    });
  }

  /**
   * Returns the motion. `moves`: whether each bone has translations; roots always have. `offsets`: offset of each bone
   * from its parent, in the units of the rest pose; default: as in the rest pose.
   */
  finish(fps: number, moves: readonly boolean[], offsets: readonly Vector[] = restOffsets(this.#rest)): MotionData {
    const { bones, metresPerUnit } = this.#rest;
    const moving = bones.flatMap(({ parent }, bone) => (moves[bone] === true || parent < 0 ? [bone] : []));
    const translations = new Float32Array(this.#frames * moving.length * 3);
    for (let frame = 0; frame < this.#frames; frame++) {
      moving.forEach((bone, slot) => {
        const start = (frame * bones.length + bone) * 3;
        translations.set(this.#offsets.subarray(start, start + 3), (frame * moving.length + slot) * 3);
      });
    }
    const joints = bones.map(({ name, parent }, bone) => ({
      name,
      parent,
      offset: [...scaleBy(offsets[bone] as Vector, metresPerUnit)] as [number, number, number],
      moves: moves[bone] === true || parent < 0,
    }));
    return { fps, joints, rotations: this.#rotations, translations };
  }
}

/** Returns the offset of each bone from its parent at rest, in world axes. */
export const restOffsets = ({ bones }: RestPose): Vector[] =>
  bones.map(({ parent, position }) => {
    const parentBone = bones[parent];
    return parentBone ? subtract(position, parentBone.position) : position;
  });

/** Creates a motion of one frame at rest, its lowest point on the ground, as a target for retargeting. */
export function createRestMotion(rest: RestPose, lowest: number): MotionData {
  const builder = new MotionBuilder(rest, 1);
  builder.putTransforms(
    0,
    rest.bones.map(({ position: [x, y, z], rotation }) => ({ position: [x, y - lowest, z], rotation })),
  );
  return builder.finish(
    30,
    rest.bones.map(({ moves }) => moves),
  );
}
