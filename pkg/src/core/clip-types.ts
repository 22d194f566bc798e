/** Clips of all entries: {@link Clip} computes on the calling thread, {@link WorkerClip} in a worker. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { MotionData } from "./motion-types.js";
import type { LimbPhases, PhaseOptions } from "./phase-types.js";
import type { Ground } from "./ground-types.js";
import type { RigEdits, RigMap } from "./rig-types.js";
import type { TaskOptions } from "./task-types.js";

/** A joint of a skeleton. */
export interface JointInfo {
  /** Name of the joint in its file. */
  name: string;
  /** Index of the parent joint; -1 for a root. */
  parent: number;
  /** Rest offset from the parent, metres. */
  offset: [number, number, number];
}

/** Properties of a clip and of the file that it was read from. */
export interface ClipInfo {
  /** Display name. */
  name: string;
  /** All joints, parents before children. */
  joints: JointInfo[];
  /** Number of frames. */
  frames: number;
  /** Frames per second. */
  fps: number;
  /** Duration, seconds: `frames` / `fps`. */
  seconds: number;
  /** Unit of length in the file. */
  unit: "cm" | "m" | "inch" | "other";
  /** Metres per unit of the file. */
  metresPerUnit: number;
  /** Axis that points up in the file. In memory, Y always points up. */
  upAxis: "Y" | "Z";
  /**
   * Kind of body, detected by the names and proportions of the joints. A "quadruped" can be the `target` of a
   * controller of the character "dog".
   */
  kind: "biped" | "quadruped" | "other";
  /** Bone mapping: name of the joint for each role of the body. */
  rig: RigMap;
  /** Warnings about the file for the user; each is one sentence. */
  warnings: string[];
}

/** Curves for plots; all arrays have one value per frame. */
export interface ClipCurves {
  /** Horizontal speed of the feet, m/s: left, right. Empty if the rig has no feet. */
  footSpeed: [Float32Array, Float32Array];
  /** 1 in frames in which the foot touches the ground: left, right. Empty if the rig has no feet. */
  contact: [Uint8Array, Uint8Array];
  /** Largest jerk of any joint in each frame, m/s³. */
  jerk: Float32Array;
}

/** Options of a clip's `naturalness`. */
export interface NaturalnessOptions extends TaskOptions {
  /**
   * Name of the judge's set of weights: a `set` of the manifest. Default: the set that `init` or `loadNetworks` has set
   * for all networks, if it has a judge; else "open" if listed, else the first set.
   */
  set?: string;
}

/** A pose of a clip's skeleton. */
export interface Pose {
  /** World joint positions, metres, Y up: [joints × 3]. */
  positions: Float32Array;
  /** Local rotations, quaternions x, y, z, w: [joints × 4]. */
  rotations: Float32Array;
}

/** A clip without its root motion, and the removed root motion. */
export interface RootMotion<AnyClip = Clip> {
  /** The motion in place, as returned by `inPlace`. */
  clip: AnyClip;
  /** Horizontal positions of the root relative to the first frame, metres: x and z, [frames × 2]. */
  path: Float32Array;
}

/** Edits of a single clip. Each returns a new clip on the same skeleton; fingers and props are kept. */
export interface ClipTools {
  /**
   * Returns the part of the clip from `from` to `to` (excluded), seconds, with unchanged frames. Adjacent slices,
   * concatenated, give the clip.
   */
  slice(from: number, to: number): Clip;
  /** Returns the clip with its frames in reverse order. */
  reverse(): Clip;
  /**
   * Returns the clip with left and right exchanged, as in a mirror on the plane x = 0. Bodies other than bipeds and
   * recognized dogs need joints with opposite names (left, right) and a symmetric rest pose.
   */
  mirror(): Clip;
  /** Returns the clip at `factor` times its speed (`timeScale` of three.js), 0.01 to 100, at the same frame rate. */
  timeScale(factor: number): Clip;
  /** Returns the pose at a time, seconds. Poses between frames are interpolated along Catmull-Rom curves. */
  at(seconds: number): Pose;
  /**
   * Returns the clip followed by other clips on the same skeleton, without a blend, at the frame rate of this clip. To
   * join clips whose poses differ, use `stitch`.
   */
  concat(...others: (Clip | WorkerClip)[]): Clip;
  /** Returns the clip without its root motion, and the root motion. `inPlace` returns only the clip. */
  rootMotion(): RootMotion;
  /**
   * Returns the clip with root motion computed from its feet, for clips recorded in place: feet on the ground stay at
   * their positions. Bipeds only.
   */
  rootMotionFromFeet(): Clip;
}

/**
 * A motion on a skeleton. It is stored in JavaScript memory and copied to wasm only for computations, so the garbage
 * collector frees it. In the worker entry, every method returns a promise ({@link WorkerClip}).
 */
export interface Clip extends Disposable, ClipTools {
  /** Display name. */
  readonly name: string;
  /** Number of frames. */
  readonly frames: number;
  /** Frames per second. */
  readonly fps: number;
  /** Returns the clip's skeleton, bone mapping, length, unit and warnings. */
  info(): ClipInfo;
  /** Returns world joint positions, metres, Y up: [frames × joints × 3]. */
  positions(): Float32Array;
  /** Returns local rotations, quaternions x, y, z, w: [frames × joints × 4]. */
  rotations(): Float32Array;
  /** Returns foot speed, foot contact and jerk per frame. */
  curves(): ClipCurves;
  /** Computes local motion phases: the position of each limb in its cycle of contacts. */
  phases(options?: PhaseOptions): LimbPhases[];
  /**
   * Scores each frame, [frames]: 0 or more; higher is less natural. In recordings of people who are not in the judge's
   * training data, at most one frame in fifty has a score above 1. Loads the judge on first use. Bipeds only.
   */
  naturalness(options?: NaturalnessOptions): Promise<Float32Array>;
  /** Returns the motion as the text of a BVH file. */
  toBvh(): string;
  /** Returns the motion as a GLB file: a skeleton with an animation, without a mesh. */
  toGlb(): Uint8Array<ArrayBuffer>;
  /** Returns the clip resampled to another frame rate, frames per second. */
  resample(fps: number): Clip;
  /** Returns the clip with corrections to its bone mapping. */
  withRig(rig: RigEdits): Clip;
  /**
   * Returns the clip without its movement over the ground: in every frame, the root has the horizontal position of the
   * first frame. Height and rotations do not change.
   */
  inPlace(): Clip;
  /**
   * Returns the motion on the skeleton of another clip, scaled to the size of its body. World rotations of the body
   * parts are kept, and feet stay on the ground of the target. Both clips must be of bipeds, or have the same skeleton.
   * `info().warnings` of the result names bones whose motion the other skeleton cannot show.
   */
  retarget(target: Clip | WorkerClip | MotionData, options?: RetargetOptions): Clip;
  /** Frees the motion, and the aligned inputs of a stitched clip. Later calls of the clip's methods throw. */
  free(): void;
}

/** Options of `retarget`. */
export interface RetargetOptions {
  /** Whether the motion is moved to the floor of the target, default "level". */
  ground?: Ground;
}

/** Options of a clip's methods in the worker entry. */
export interface CallOptions {
  /** Signal that ends the call: the promise rejects with the code "aborted". */
  signal?: AbortSignal;
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
 * A {@link Clip} of the worker entry: every method runs in the worker and returns a promise. An abort stops the
 * computation at once; no motion is lost.
 */
export interface WorkerClip extends Disposable, WorkerClipTools {
  /** Display name. */
  readonly name: string;
  /** Number of frames. */
  readonly frames: number;
  /** Frames per second. */
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
  retarget(target: Clip | WorkerClip | MotionData, options?: RetargetOptions & CallOptions): Promise<WorkerClip>;
  /** See {@link Clip.free}. */
  free(): void;
}
