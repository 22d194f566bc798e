/** Options and results of `lscore`, `bestSeam`, `seamMap` and `lscorePath`. */
import type { TaskOptions, FrameRange } from "./task-types.js";

/** Options of all functions that score cuts between two clips. */
export interface SeamOptions extends TaskOptions {
  /** Number of frames that are compared on each side of the cut, 3 to 30; default 5. */
  window?: number;
  /** Minimum number of frames to inject between take-off and landing; default 0. */
  minInject?: number;
  /** Maximum number of frames to inject, at most 120; default 15. */
  maxInject?: number;
  /** Ranges of usable frames of the first and of the second clip; default: all frames. */
  trim?: [(FrameRange | undefined)?, (FrameRange | undefined)?];
}

/** Options of `lscore`. */
export interface LscoreOptions extends SeamOptions {
  /** Last frame used of the first clip; default: its last frame. */
  takeoff?: number;
  /** First frame used of the second clip; default: its first frame. */
  landing?: number;
}

/** Options of `bestSeam`. */
export interface BestSeamOptions extends SeamOptions {
  /** Maximum number of cuts; default 5. */
  count?: number;
  /** Minimum distance between two cuts, in frames of both clips; default 10. */
  apart?: number;
  /** Maximum duration that may be cut off each clip, seconds; default 2. */
  maxCut?: number;
}

/** Options of `seamMap`: {@link BestSeamOptions}, except that without `maxCut` every pair of frames is scored. */
export interface SeamMapOptions extends BestSeamOptions {}

/** A cut from one clip to another. Frame indices are indices of the clip that the frame belongs to. */
export interface Cut {
  /** Last frame used of the first clip. */
  takeoff: number;
  /** First frame used of the second clip. */
  landing: number;
  /** Number of frames to inject between take-off and landing, chosen for the lowest score. */
  inject: number;
  /** Elastic L-score: work of the transition, in (leg lengths)² per frame². Lower is better. */
  score: number;
  /** Windowed Euclidean distance of the two frames, leg lengths: the measure that most other tools use. */
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
  /** Last frame used of the first path; default: its last frame. */
  takeoff?: number;
  /** First frame used of the second path; default: the frame with the lowest score. */
  landing?: number;
}

/** A cut between two paths of points. Scores are in (units of the paths)² per frame². */
export interface PathCut extends ScoredCut {
  /**
   * Smoothed path through the cut, [frames × points × 3]: `window` frames before the cut, `inject` frames, and `window`
   * frames after the cut.
   */
  path: Float32Array;
}

/** Scores of all cuts between two clips. */
export interface SeamMap {
  /** Range of take-off frames, one per row. */
  takeoffs: FrameRange;
  /** Landing frames, one per column. */
  landings: number[];
  /** Scores, [take-offs × landings]. */
  scores: Float32Array;
  /** Number of frames to inject for each cut, [take-offs × landings]. */
  injects: Uint8Array;
  /** Cuts with the lowest scores, best first. */
  best: Cut[];
}
