/** Motion as plain values, for `load` and for readers of other formats. */
import type { MorphTrack } from "./morphs.js";
import type { RigEdits } from "./rig-types.js";

export type { MorphTrack } from "./morphs.js";

/** A joint of {@link MotionData}. */
export interface MotionJoint {
  /** Unique name of the joint. */
  name: string;
  /** Index of the parent, smaller than the joint's own index; -1 for a root. */
  parent: number;
  /** Offset from the parent in the rest pose, metres, along the world axes, Y up. */
  offset: [x: number, y: number, z: number];
  /** Whether `translations` has values for this joint; for roots it always has. Default false. */
  moves?: boolean;
}

/** A motion as plain values. Joints have no rest rotation, as in a BVH file. */
export interface MotionData {
  /** Display name; default "clip". */
  name?: string;
  /** Frame rate, frames per second. */
  fps: number;
  /** All joints, parents before children. */
  joints: MotionJoint[];
  /** Local rotations relative to rest, quaternions x, y, z, w: [frames × joints × 4]. */
  rotations: Float32Array;
  /**
   * Positions relative to the parent, which replace `offset`, of the joints that move (roots, and joints with `moves`)
   * in the order of `joints`, metres: [frames × moving joints × 3].
   */
  translations: Float32Array;
  /** Corrections to the automatic bone mapping. */
  rig?: RigEdits;
  /** Warnings for the user; each is one sentence. */
  warnings?: string[];
  /** Tracks of morph targets, for characters with the same meshes. */
  morphs?: readonly MorphTrack[];
  /** Contents of the source that the motion lacks, for `info`; each is one phrase. */
  leftOut?: string[];
}
