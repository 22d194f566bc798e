/** Options and results of `loop`. */
import type { Clip } from "./clip-types.js";
import type { Seam, StitchOptions } from "./stitch-types.js";
import type { TaskOptions } from "./task-types.js";

/** Rules by which `loop` chooses a cycle: the shortest cycle, such as two steps of a walk, or the longest cycle. */
export const cycleChoices = ["shortest", "longest"] as const;

/** One of {@link cycleChoices}. */
export type CycleChoice = (typeof cycleChoices)[number];

/** Options of `loop`. */
export interface LoopOptions extends TaskOptions, Pick<StitchOptions, "method" | "blend" | "footLock" | "name"> {
  /** Rule that chooses a cycle if the clip has several; default "shortest". */
  cycle?: CycleChoice;
  /** Minimum duration of the loop, seconds; default 0.4. */
  minSeconds?: number;
  /** Maximum duration of the loop, seconds; default: the clip's duration. */
  maxSeconds?: number;
  /**
   * Largest turn of one cycle, degrees, 0 to 360: a cycle that turns more is bent back evenly. Default: 5 if the clip
   * goes straight, no limit if it turns. `travel.heading` is the turn of the result.
   */
  maxTurn?: number;
  /** If true, removes the root motion, including the change of heading over a cycle; default false. */
  inPlace?: boolean;
}

/**
 * Root motion of one cycle: the next cycle is rotated by `heading` about the world's Y axis, then moved by x and z.
 */
export interface Travel {
  /** Movement along the world's x axis, metres. */
  x: number;
  /** Movement along the world's z axis, metres. */
  z: number;
  /** Rotation about +Y, radians. */
  heading: number;
}

/** Report of a loop. */
export interface LoopReport {
  /** Frames of the clip that form the loop; `to` is excluded. */
  readonly cycle: { from: number; to: number };
  /**
   * Root mean square distance of the joints between the beginning and the end of the cycle before it was closed,
   * centimetres. Joint positions are relative to the body.
   */
  readonly apartCm: number;
  /** Whether the clip was already a loop; then no frame was changed, except by `inPlace`. */
  readonly wasClosed: boolean;
  /** Root motion of one cycle; zero with `inPlace`. */
  readonly travel: Travel;
  /** The seam, in frames of the cycle stitched to itself; absent if `wasClosed`. */
  readonly seam?: Seam;
  /** Warnings of the `stitch` that joined the cycle to itself. */
  readonly warnings: string[];
}

/** Result of `loop`: a clip whose last frame is followed by its first. */
export interface LoopedClip extends Clip, LoopReport {}
