import type { TaskOptions, FrameRange } from "./task-types.js";

/** Options of all functions that score cuts between two clips. */
export interface SeamOptions extends TaskOptions {
  /** Number of frames used on each side of the cut; default 5, at least 3. */
  window?: number;
  /** Smallest number of frames to inject between take-off and landing; default 0. */
  minInject?: number;
  /** Largest number of frames to inject; default 15. */
  maxInject?: number;
  /** Usable frames of the first and the second clip; default: all. */
  trim?: [(FrameRange | undefined)?, (FrameRange | undefined)?];
}

/** Options of `lscore`. */
export interface LscoreOptions extends SeamOptions {
  /** Last frame used of the first clip; default: its last. */
  takeoff?: number;
  /** First frame used of the second clip; default: its first. */
  landing?: number;
}

/** Options of `bestSeam`. */
export interface BestSeamOptions extends SeamOptions {
  /** Largest number of cuts; default 5. */
  count?: number;
  /** Smallest distance between two cuts, in frames of both clips; default 10. */
  apart?: number;
  /** Largest part of each clip that may be cut away, seconds; default 2. */
  maxCut?: number;
}

/** As {@link BestSeamOptions}, except that without `maxCut` every pair of frames is scored. */
export interface SeamMapOptions extends BestSeamOptions {}

/** A cut from one clip to another. Each frame is counted in the clip that it belongs to. */
export interface Cut {
  /** Last frame used of the first clip. */
  takeoff: number;
  /** First frame used of the second clip. */
  landing: number;
  /** Number of frames to inject between them, chosen for the lowest score. */
  inject: number;
  /** Elastic L-score: work of the transition, in (leg lengths)² per frame². Lower is better. */
  score: number;
  /** Windowed Euclidean distance of the two frames, leg lengths; for comparison with most other tools. */
  euclidean: number;
}

/** A cut with its score for each number of injected frames. */
export interface ScoredCut extends Cut {
  /** Score for each number of injected frames, from `minInject` to `maxInject`. */
  curve: Float32Array;
}

/** Options of `lscorePath`. */
export interface PathOptions extends Omit<SeamOptions, "trim"> {
  /** Number of points per frame; default 1. */
  points?: number;
  /** Last frame used of the first path; default: its last. */
  takeoff?: number;
  /** First frame used of the second path; default: the cheapest. */
  landing?: number;
}

/** A cut between two paths of points. Scores are in squared units of the paths. */
export interface PathCut extends ScoredCut {
  /**
   * The smoothed path through the cut: `window` frames before, `inject` in between, `window` after, [frames × points
   * × 3].
   */
  path: Float32Array;
}

/** Scores of all cuts between two clips. */
export interface SeamMap {
  /** Take-offs of the rows. */
  takeoffs: FrameRange;
  /** Landings of the columns. */
  landings: number[];
  /** Scores, [take-offs × landings]. */
  scores: Float32Array;
  /** Numbers of frames to inject, [take-offs × landings]. */
  injects: Uint8Array;
  /** The cheapest cuts, best first. */
  best: Cut[];
}
