/** Motion as plain values, for `load` and for readers of other formats. */
import type { RigEdits } from "./rig-types.js";

/** A joint of {@link MotionData}. */
export interface MotionJoint {
  /** Name of the joint; no two joints have the same. */
  name: string;
  /** Index of the parent, smaller than its own; -1 for a root. */
  parent: number;
  /** Offset from its parent at rest, metres, Y up, world axes. */
  offset: [x: number, y: number, z: number];
  /** Whether it has positions in `translations`; roots always have. */
  moves?: boolean;
}

/** A motion as plain values. Joints have no rest rotation, as in a BVH file. */
export interface MotionData {
  /** Name shown to people; default "clip". */
  name?: string;
  /** Frame rate, frames per second. */
  fps: number;
  /** All joints, parents before children. */
  joints: MotionJoint[];
  /** Local rotations relative to rest, quaternions x, y, z, w: [frames × joints × 4]. */
  rotations: Float32Array;
  /** Local translations of the joints that move, in their order, metres: [frames × moving joints × 3]. */
  translations: Float32Array;
  /** Corrections to the automatic bone mapping. */
  rig?: RigEdits;
  /** Warnings, one sentence each. */
  warnings?: string[];
}
