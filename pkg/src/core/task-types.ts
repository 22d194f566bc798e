/** Progress, common options and frame ranges of long computations. */

/** Progress of a long computation. The stage "network" is the download of networks. */
export interface Progress {
  /** Current stage of the computation. */
  stage: "fetch" | "parse" | "align" | "scan" | "blend" | "network" | "refine" | "foot-lock" | "write";
  /**
   * Completed fraction, 0 to 1: of this stage, or in `stitch` and `loop` of the computation. It may decrease when another
   * stage begins.
   */
  done: number;
  /** Number of received bytes; only in the stages "fetch" and "network". */
  bytes?: number;
  /** Total number of bytes; only in the stage "network". */
  totalBytes?: number;
}

/** Options of all long computations. */
export interface TaskOptions {
  /** Signal that ends the computation: the promise rejects with the code "aborted". */
  signal?: AbortSignal;
  /** Called repeatedly during the computation. */
  onProgress?: (progress: Progress) => void;
}

/** A range of frames: `from` (inclusive) to `to` (exclusive), counted from 0. */
export interface FrameRange {
  /** First frame. */
  from: number;
  /** Frame after the last one. */
  to: number;
}
