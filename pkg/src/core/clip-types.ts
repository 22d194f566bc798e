/** Clips of all entries. */
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
  unit: LengthUnit | "other";
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
  /** Contents of the file that the clip lacks, such as scales or a second body; each is one phrase. */
  leftOut: string[];
  /** Decisions about properties that a BVH file does not state, with their reasons; absent for other sources. */
  guesses?: FileGuesses;
  /** Names of the bodies in the file if it holds several, for the option `root` of `load`; absent otherwise. */
  bodies?: string[];
}

/** A unit of length. */
export type LengthUnit = "m" | "dm" | "cm" | "mm" | "inch" | "ft";

/** Decisions about a BVH file; each is the value and its reason: "cm: 228 units from tip to tip make a body of 2.28 m". */
export interface FileGuesses {
  /** Unit of length. */
  unit: string;
  /** Axis that points up. */
  up: string;
  /** Whether the root's position channels replace its OFFSET or are added to it. */
  rootOffset: string;
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
export interface RootMotion {
  /** The motion in place, as returned by `inPlace`. */
  clip: Clip;
  /** Horizontal positions of the root relative to the first frame, metres: x and z, [frames × 2]. */
  path: Float32Array;
}

/** Options of a clip's methods. */
export interface CallOptions {
  /** Signal that ends the call: the promise rejects with the code "aborted". In a worker, the computation stops. */
  signal?: AbortSignal;
}

/** Options of `retarget`. */
export interface RetargetOptions extends CallOptions {
  /** Whether the motion is moved to the floor of the target, default "level". */
  ground?: Ground;
}

/** Edits of a single clip. Each resolves to a new clip on the same skeleton; fingers and props are kept. */
export interface ClipTools {
  /**
   * Returns the part of the clip from `from` to `to` (excluded), seconds, with unchanged frames. Adjacent slices,
   * concatenated, give the clip.
   */
  slice(from: number, to: number, options?: CallOptions): Promise<Clip>;
  /** Returns the clip with its frames in reverse order. */
  reverse(options?: CallOptions): Promise<Clip>;
  /**
   * Returns the clip with left and right exchanged, as in a mirror on the plane x = 0. Bodies other than bipeds and
   * recognized dogs need joints with opposite names (left, right) and a symmetric rest pose.
   */
  mirror(options?: CallOptions): Promise<Clip>;
  /** Returns the clip at `factor` times its speed (`timeScale` of three.js), 0.01 to 100, at the same frame rate. */
  timeScale(factor: number, options?: CallOptions): Promise<Clip>;
  /** Returns the pose at a time, seconds. Poses between frames are interpolated along Catmull-Rom curves. */
  at(seconds: number, options?: CallOptions): Promise<Pose>;
  /**
   * Returns the clip followed by other clips on the same skeleton, without a blend, at the frame rate of this clip. To
   * join clips whose poses differ, use `stitch`.
   */
  concat(...others: Clip[]): Promise<Clip>;
  /** Returns the clip without its root motion, and the root motion. `inPlace` returns only the clip. */
  rootMotion(options?: CallOptions): Promise<RootMotion>;
  /**
   * Returns the clip with root motion computed from its feet, for clips recorded in place: feet on the ground stay at
   * their positions. Bipeds only.
   */
  rootMotionFromFeet(options?: CallOptions): Promise<Clip>;
}

/**
 * A motion on a skeleton. It is stored in JavaScript memory and copied to wasm only for computations, so the garbage
 * collector frees it. Methods that compute in wasm return promises: on the calling thread in `kinestitch`, in a worker
 * in `kinestitch/worker`. Functions of each entry accept clips of the other.
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
  curves(options?: CallOptions): Promise<ClipCurves>;
  /** Computes local motion phases: the position of each limb in its cycle of contacts. */
  phases(options?: PhaseOptions): Promise<LimbPhases[]>;
  /**
   * Scores each frame, [frames]: 0 or more; higher is less natural. In recordings of people who are not in the judge's
   * training data, at most one frame in fifty has a score above 1. Loads the judge on first use. Bipeds only.
   */
  naturalness(options?: NaturalnessOptions): Promise<Float32Array>;
  /** Returns the motion as the text of a BVH file. */
  toBvh(options?: CallOptions): Promise<string>;
  /** Returns the motion as a GLB file: a skeleton with an animation, without a mesh. */
  toGlb(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the clip resampled to another frame rate, frames per second. */
  resample(fps: number, options?: CallOptions): Promise<Clip>;
  /** Returns the clip with corrections to its bone mapping. */
  withRig(rig: RigEdits, options?: CallOptions): Promise<Clip>;
  /**
   * Returns the clip without its movement over the ground: in every frame, the root has the horizontal position of the
   * first frame. Height and rotations do not change.
   */
  inPlace(options?: CallOptions): Promise<Clip>;
  /**
   * Returns the motion on the skeleton of another clip, scaled to the size of its body. World rotations of the body
   * parts are kept, and feet stay on the ground of the target. Both clips must be of bipeds or of four-legged bodies, or
   * have the same skeleton. `info().warnings` of the result names bones whose motion the other skeleton cannot show.
   */
  retarget(target: Clip | MotionData, options?: RetargetOptions): Promise<Clip>;
  /** Frees the motion, and the aligned inputs of a stitched clip. Later calls of the clip's methods throw. */
  free(): void;
}
