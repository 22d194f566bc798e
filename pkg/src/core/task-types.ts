/** Progress and options that long computations have in common. */

/** Progress of a long computation; `done` runs from 0 to 1 in each stage. "network" is the download of networks. */
export interface Progress {
  /** The part of the work that runs now. */
  stage: "fetch" | "parse" | "align" | "scan" | "blend" | "network" | "refine" | "foot-lock" | "write";
  /** How far this stage is, 0 to 1. */
  done: number;
  /** Stages "fetch" and "network": bytes received. */
  bytes?: number;
  /** Stage "network": total bytes. */
  totalBytes?: number;
}

/** Options of all long computations. */
export interface TaskOptions {
  /** Ends the work when it aborts: the promise rejects with the code "aborted". */
  signal?: AbortSignal;
  /** Called now and then while the work goes on. */
  onProgress?: (progress: Progress) => void;
}

/** A range of frames: `from` (inclusive) to `to` (exclusive), counted from 0. */
export interface FrameRange {
  /** First frame. */
  from: number;
  /** Frame after the last one. */
  to: number;
}
