/** Clips of the worker entry. */
import type { WorkerClipTools } from "./edit-types.js";
import type { MotionData } from "./motion-types.js";
import type { LimbPhases, PhaseOptions } from "./phase-types.js";
import type { Clip, ClipCurves, ClipInfo, NaturalnessOptions, RigEdits, Seam } from "./types.js";

/** Options of a clip's methods in the worker entry. */
export interface CallOptions {
  /** Ends the call when it aborts: the promise rejects with the code "aborted". */
  signal?: AbortSignal;
}

/**
 * A {@link Clip} of the worker entry: every method is computed there and returns a promise. An aborted computation
 * stops at once, and no motion is lost by it.
 */
export interface WorkerClip extends Disposable, WorkerClipTools {
  /** Name shown to people. */
  readonly name: string;
  /** Number of frames. */
  readonly frames: number;
  /** Frames a second. */
  readonly fps: number;
  /** See {@link Clip.info}. */
  info(options?: CallOptions): Promise<ClipInfo>;
  /** See {@link Clip.positions}. */
  positions(options?: CallOptions): Promise<Float32Array>;
  /** See {@link Clip.rotations}. */
  rotations(options?: CallOptions): Promise<Float32Array>;
  /** See {@link Clip.curves}. */
  curves(options?: CallOptions): Promise<ClipCurves>;
  /** See {@link Clip.phases}. */
  phases(phases?: PhaseOptions, options?: CallOptions): Promise<LimbPhases[]>;
  /** See {@link Clip.naturalness}. */
  naturalness(judge?: Pick<NaturalnessOptions, "set">, options?: CallOptions): Promise<Float32Array>;
  /** See {@link Clip.toBvh}. */
  toBvh(options?: CallOptions): Promise<string>;
  /** See {@link Clip.toGlb}. */
  toGlb(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** See {@link Clip.resample}. */
  resample(fps: number, options?: CallOptions): Promise<WorkerClip>;
  /** See {@link Clip.withRig}. */
  withRig(rig: RigEdits, options?: CallOptions): Promise<WorkerClip>;
  /** See {@link Clip.inPlace}. */
  inPlace(options?: CallOptions): Promise<WorkerClip>;
  /** See {@link Clip.retarget}. */
  retarget(target: Clip | WorkerClip | MotionData, options?: CallOptions): Promise<WorkerClip>;
  /** See {@link Clip.free}. */
  free(): void;
}

/** A {@link StitchedClip} of the worker entry. */
export interface WorkerStitchedClip extends WorkerClip {
  /** One entry for each pair of neighbouring clips. */
  readonly seams: Seam[];
  /** Doubts about the result, one sentence for people each. */
  readonly warnings: string[];
  /** Time that stitching took. */
  readonly milliseconds: number;
  /** See {@link StitchedClip.aligned}. */
  aligned(): Promise<WorkerClip[]>;
  /** The frame of the result at which each input begins. */
  readonly starts: number[];
}
