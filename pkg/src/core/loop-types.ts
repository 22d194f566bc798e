/** Options and results of `loop`. */
import type { Clip, WorkerClip } from "./clip-types.js";
import type { Seam, StitchOptions } from "./stitch-types.js";
import type { TaskOptions } from "./task-types.js";

/**
 * Which of several returns of a motion `loop` takes: one turn (two steps of a walk), or as much of the motion as
 * there is.
 */
export const cycleChoices = ["shortest", "longest"] as const;

/** One of {@link cycleChoices}. */
export type CycleChoice = (typeof cycleChoices)[number];

/** Options of `loop`. */
export interface LoopOptions extends TaskOptions, Pick<StitchOptions, "method" | "blend" | "footLock" | "name"> {
  /** Default "shortest". */
  cycle?: CycleChoice;
  /** Shortest loop, seconds; default 0.4. */
  minSeconds?: number;
  /** Longest loop, seconds; default: the clip's length. */
  maxSeconds?: number;
  /** Takes the way over the ground out, and the turn that a whole cycle makes; default false. */
  inPlace?: boolean;
}

/**
 * Where a turn of a loop leads: the next one is turned by `heading` about the vertical through the origin, then moved
 * by x and z.
 */
export interface Travel {
  /** Metres. */
  x: number;
  /** Metres. */
  z: number;
  /** Radians. */
  heading: number;
}

/** Report of a loop. */
export interface LoopReport {
  /** Frames of the clip that the loop was made of; `to` is excluded. */
  readonly cycle: { from: number; to: number };
  /**
   * Mean distance of joints between end and beginning of the cycle before it was closed, centimetres, seen from the
   * body.
   */
  readonly apartCm: number;
  /** The clip was a loop as it is: no frame was changed. */
  readonly wasClosed: boolean;
  /** Where a turn leads; nowhere in place. */
  readonly travel: Travel;
  /** How it was closed, in frames of the cycle stitched to itself; absent where it was closed. */
  readonly seam?: Seam;
}

/** Result of `loop`: after its last frame comes its first. */
export interface LoopedClip extends Clip, LoopReport {}

/** A {@link LoopedClip} of the worker entry. */
export interface WorkerLoopedClip extends WorkerClip, LoopReport {}
