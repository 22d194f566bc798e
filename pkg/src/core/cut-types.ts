import type { TaskOptions, Trim } from "./types.js";

/** Options of everything that scores cuts from one clip to another. */
export interface SeamOptions extends TaskOptions {
  /** Frames looked at on each side of the cut; default 5, at least 3. */
  window?: number;
  /** Fewest frames to inject between take-off and landing; default 0. */
  minInject?: number;
  /** Most frames to inject; default 15. */
  maxInject?: number;
  /** Frames of the first and the second clip that may be used; default: all. */
  trim?: [(Trim | undefined)?, (Trim | undefined)?];
}

/** Options of `lscore`. */
export interface LscoreOptions extends SeamOptions {
  /** Last frame used of the first clip; default: the last there is. */
  takeoff?: number;
  /** First frame used of the second clip; default: the first there is. */
  landing?: number;
}

/** Options of `bestSeam`. */
export interface BestSeamOptions extends SeamOptions {
  /** How many cuts; default 5. */
  count?: number;
  /** Cuts nearer to a better one than this many frames, in both clips, are left out; default 10. */
  apart?: number;
  /** Longest stretch of each clip that may be cut away, seconds; default 2. */
  maxCut?: number;
}

/** As {@link BestSeamOptions}, but without `maxCut` every pair of frames is scored. */
export interface SeamMapOptions extends BestSeamOptions {}

/** A cut from one clip to another. Frames are those of each clip. */
export interface Cut {
  /** Last frame used of the first clip. */
  takeoff: number;
  /** First frame used of the second clip. */
  landing: number;
  /** Frames to inject between them, as cheap as can be. */
  inject: number;
  /** Elastic L-score: work of the transition, in (leg lengths)² a frame². Less is lazier. */
  score: number;
  /** Windowed Euclidean distance of the two frames, leg lengths: what most tools use, for comparison. */
  euclidean: number;
}

/** A cut with its score for each number of injected frames. */
export interface ScoredCut extends Cut {
  /** Score for each number of injected frames, from `minInject` to `maxInject`. */
  curve: Float32Array;
}

/** Options of `lscorePath`. */
export interface PathOptions extends Omit<SeamOptions, "trim"> {
  /** Points in a frame; default 1. */
  points?: number;
  /** Last frame used of the first path; default: the last there is. */
  takeoff?: number;
  /** First frame used of the second path; default: the cheapest. */
  landing?: number;
}

/** A cut between two paths of bare points. Scores are in the square of the paths' unit. */
export interface PathCut extends ScoredCut {
  /** The smoothed way through the cut: `window` frames before, `inject` in between, `window` after, [frames × points × 3]. */
  path: Float32Array;
}

/** Every cut between two clips, scored. */
export interface SeamMap {
  /** Take-off of each row. */
  takeoffs: Trim;
  /** Landing of each column. */
  landings: number[];
  /** Scores, [take-offs × landings]. */
  scores: Float32Array;
  /** Frames to inject, [take-offs × landings]. */
  injects: Uint8Array;
  /** The cheapest cuts, best first. */
  best: Cut[];
}
