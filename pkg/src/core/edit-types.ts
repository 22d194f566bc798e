/** Clip tools: methods of clips, and the function `loop`. */
import type { Clip, Seam, StitchOptions, TaskOptions } from "./types.js";
import type { CallOptions, WorkerClip } from "./worker-types.js";

/** A pose of a clip's skeleton. */
export interface Pose {
  /** World joint positions, metres, Y up: [joints × 3]. */
  positions: Float32Array;
  /** Local rotations, quaternions x, y, z, w: [joints × 4]. */
  rotations: Float32Array;
}

/** A motion and the way over the ground that was in it. */
export interface RootMotion<AnyClip = Clip> {
  /** The motion in place, as of `inPlace`. */
  clip: AnyClip;
  /** Way of the root from its place in the first frame, metres: x and z, [frames × 2]. */
  path: Float32Array;
}

/** Edits of a single clip. Each gives a new clip on the same skeleton, with the same names, fingers and props. */
export interface ClipTools {
  /**
   * The clip from `from` up to `to`, excluded, seconds: its own frames. Slices with a common border put together are
   * the clip.
   */
  slice(from: number, to: number): Clip;
  /** The clip backwards. */
  reverse(): Clip;
  /**
   * The clip with left and right exchanged, as in a mirror on the plane x = 0. Bodies that are not people's need
   * joints with opposites by name (left, right) and a rest pose that is the same on both sides.
   */
  mirror(): Clip;
  /** The clip `factor` times as fast (as `timeScale` of three.js), 0.01 to 100, at the same frame rate. */
  timeScale(factor: number): Clip;
  /** The pose at a time, seconds; between frames on a curve through them. */
  at(seconds: number): Pose;
  /**
   * The clip, then others of the same body, without any blend: at this clip's rate. See `stitch` for clips that do
   * not follow on each other.
   */
  concat(...others: (Clip | WorkerClip)[]): Clip;
  /** Takes the motion and its way over the ground apart. `inPlace` gives the first alone. */
  rootMotion(): RootMotion;
  /**
   * The way over the ground of a clip that was made in place, found from its feet: one that stands on the ground
   * stays there. People only.
   */
  rootMotionFromFeet(): Clip;
}

/** {@link ClipTools} of the worker entry. */
export interface WorkerClipTools {
  /** See {@link ClipTools.slice}. */
  slice(from: number, to: number, options?: CallOptions): Promise<WorkerClip>;
  /** See {@link ClipTools.reverse}. */
  reverse(options?: CallOptions): Promise<WorkerClip>;
  /** See {@link ClipTools.mirror}. */
  mirror(options?: CallOptions): Promise<WorkerClip>;
  /** See {@link ClipTools.timeScale}. */
  timeScale(factor: number, options?: CallOptions): Promise<WorkerClip>;
  /** See {@link ClipTools.at}. */
  at(seconds: number, options?: CallOptions): Promise<Pose>;
  /** See {@link ClipTools.concat}. */
  concat(...others: (Clip | WorkerClip)[]): Promise<WorkerClip>;
  /** See {@link ClipTools.rootMotion}. */
  rootMotion(options?: CallOptions): Promise<RootMotion<WorkerClip>>;
  /** See {@link ClipTools.rootMotionFromFeet}. */
  rootMotionFromFeet(options?: CallOptions): Promise<WorkerClip>;
}

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
