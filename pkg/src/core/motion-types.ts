/** Motion as plain values, for `load`: what readers of other formats make of theirs. */
import type { RigEdits } from "./types.js";

/** A joint of {@link MotionData}. */
export interface MotionJoint {
  /** Name of the joint; no two joints have the same. */
  name: string;
  /** Index of the parent, smaller than its own; -1 for a root. */
  parent: number;
  /** From its parent at rest, metres, Y up, along the axes of the world. */
  offset: [x: number, y: number, z: number];
  /** It has a place in `translations`. A root always has. */
  moves?: boolean;
}

/** A motion as plain values. Joints rest unturned, as in a BVH file. */
export interface MotionData {
  /** Name shown to people; default "clip". */
  name?: string;
  /** Frames a second. */
  fps: number;
  /** All joints, parents before children. */
  joints: MotionJoint[];
  /** Local rotations from rest, quaternions x, y, z, w: [frames × joints × 4]. */
  rotations: Float32Array;
  /** Local translations of the joints that move, in their order, metres: [frames × moving joints × 3]. */
  translations: Float32Array;
  /** Corrections to the automatic bone mapping. */
  rig?: RigEdits;
  /** What was doubtful, for people. */
  warnings?: string[];
}
