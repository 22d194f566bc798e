/** Options and results of `stitch`. */
import type { Clip, WorkerClip } from "./clip-types.js";
import type { Cut } from "./cut-types.js";
import type { InbetweenMethod } from "./inbetween-types.js";
import type { FrameRange, TaskOptions } from "./task-types.js";

/** Names of the stitching methods. "auto" tries all joins at each seam and keeps the most natural one. */
export const methods = ["auto", "crossfade", "inertialize", "lscore", "rmr"] as const;

/** Name of a stitching method. */
export type Method = (typeof methods)[number];

/** Rules that choose the frames where two clips meet. */
export const seamChoices = ["keep", "best", "phase"] as const;

/** How a cut is chosen: see {@link StitchOptions.seam}. */
export type SeamChoice = (typeof seamChoices)[number];

/** Options of the join at one seam. Omitted properties have the defaults of the method "inertialize". */
export interface JoinOptions {
  /** The join; with `gap`, it is ignored except for "rmr". */
  method?: Exclude<Method, "auto">;
  /** See {@link StitchOptions.blend}. */
  blend?: number;
  /** See {@link StitchOptions.seam}. */
  seam?: SeamChoice;
  /** See {@link StitchOptions.gap}. */
  gap?: number | "auto";
  /** See {@link StitchOptions.gapMethod}. */
  gapMethod?: InbetweenMethod;
}

/** A join that "auto" tried at a seam. */
export interface Trial {
  /** Settings that reproduce the trial. */
  options: JoinOptions;
  /** Unnaturalness of the motion around the seam: lower is better. Only scores of the same seam are comparable. */
  score: number;
  /** Horizontal foot travel during contact, metres per frame. */
  footSkate: number;
  /** Largest joint jerk, m/s³. */
  peakJerk: number;
  /** Duration of the trial. */
  milliseconds: number;
}

/** Options of `stitch`. */
export interface StitchOptions extends TaskOptions {
  /**
   * Default: the method set by `init({ method })` ("rmr" only for bipeds), else "auto". "auto" tries all joins at
   * each seam, with the networks named in `loadNetworks`, and keeps the most natural; without networks it tries the
   * plain joins. Joins of bipeds are compared by the judge of recorded motion if its file (0.1 MB) is at hand: in Node
   * always, in browsers with `kinestitch/networks` (or `kinestitch/networks/judge`), `init({ networks: { models } })`,
   * or `loadNetworks({ for: "judge" })`. Other joins are compared by foot slide and jerk. "rmr" loads its network;
   * bipeds only.
   */
  method?: Method;
  /** Options of single seams, in order; `undefined` or a missing entry uses `method`. */
  seams?: (JoinOptions | undefined)[];
  /** "auto" only: keep every frame of every clip; default false. */
  keep?: boolean;
  /**
   * Length of each blend, seconds; default 2/3. Ignored by "lscore", which chooses its own, and by "rmr", which uses
   * half a second.
   */
  blend?: number;
  /**
   * "keep": the last frame of one clip meets the first of the next. "best": the cheapest cut. "phase": the cut with
   * the feet in step. Default "keep".
   */
  seam?: SeamChoice;
  /**
   * Number of frames inserted between two clips, 1 to 480, instead of a blend: both clips keep every frame, and
   * their velocities continue into the gap. "auto": the number that the cheapest cut injects, or that the clips need
   * at their own speed, whichever is more. Not with "rmr".
   */
  gap?: number | "auto";
  /**
   * Method that makes the frames of `gap`, as the `method` of {@link inbetween}; default "inertialize". Networks are
   * loaded when named, and are for bipeds only.
   */
  gapMethod?: InbetweenMethod;
  /** Largest part of each clip that "auto", "best" and "phase" may cut away at a seam, seconds; default 0.5. */
  maxCut?: number;
  /** Number of frames used on each side of a cut; default 5, at least 3. */
  window?: number;
  /** Smallest number of frames that "lscore" injects; default 0. */
  minInject?: number;
  /** Largest number of frames that "lscore" injects; default 15. */
  maxInject?: number;
  /** Pins feet that touch the ground, by two-bone inverse kinematics; default true. Bipeds only. */
  footLock?: boolean;
  /** Range of frames used of each clip; `undefined` or a missing entry for the whole clip. */
  trim?: (FrameRange | undefined)[];
  /** Frame rate of the result, frames per second; default: the rate of the first clip. */
  fps?: number;
  /** Name of the result; default: the inputs' names joined by " + ". */
  name?: string;
}

/** Report on one seam. */
export interface Seam {
  /** First frame of the incoming clip, in frames of the result. */
  frame: number;
  /** The method that joined the clips. */
  method: Method;
  /** Frames whose poses differ from the aligned inputs. */
  editedRange: FrameRange;
  /**
   * Frames of the result in which `footSkate` and `peakJerk` are measured: a second to both sides
   * of `frame`, whatever the method, within the result.
   */
  measuredRange: FrameRange;
  /** Horizontal foot travel during contact, metres per frame (RMR, Table 3). 0 without feet. */
  footSkate: number;
  /** Largest joint jerk, m/s³. */
  peakJerk: number;
  /** The cut; absent if the ends of the clips meet and nothing was scored. */
  cut?: Cut;
  /** "rmr" only: distance of the path that the network predicts from the path of the inputs, cm. The latter is kept. */
  driftCm?: number;
  /** "rmr" only: reason why the seam keeps its draft by inertialization; absent if it was refined. */
  fallbackReason?: string;
  /** Number of frames inserted between the clips, if any; `method` was not used. */
  gap?: number;
  /** Method that made the inserted frames. */
  gapMethod?: InbetweenMethod;
  /** "auto" only: options of the chosen join. As an entry of `seams` it reproduces this seam. */
  options?: JoinOptions;
  /** "auto" only: all joins that were tried, best first. */
  trials?: Trial[];
}

/** Result of `stitch`: a clip, with a report on each seam. */
export interface StitchedClip extends Clip {
  /** One entry for each pair of neighbouring clips. */
  readonly seams: Seam[];
  /** Warnings about the result for people, one sentence each. */
  readonly warnings: string[];
  /** Computation time. */
  readonly milliseconds: number;
  /**
   * The inputs as used by `stitch`: resampled, retargeted and placed on the ground; for display as ghosts. Frame 0
   * of input i is frame `starts[i]` of the result.
   */
  aligned(): Clip[];
  /** The frame of the result at which each input begins. */
  readonly starts: number[];
}

/** A {@link StitchedClip} of the worker entry. */
export interface WorkerStitchedClip extends WorkerClip {
  /** One entry for each pair of neighbouring clips. */
  readonly seams: Seam[];
  /** Warnings about the result for people, one sentence each. */
  readonly warnings: string[];
  /** Computation time. */
  readonly milliseconds: number;
  /** See {@link StitchedClip.aligned}. */
  aligned(): Promise<WorkerClip[]>;
  /** The frame of the result at which each input begins. */
  readonly starts: number[];
}
