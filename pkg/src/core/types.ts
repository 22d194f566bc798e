/// <reference lib="esnext.disposable" preserve="true" />
export * from "./control-types.js";
export type * from "./cut-types.js";
export * from "./edit-types.js";
export * from "./inbetween-types.js";
export type * from "./motion-types.js";
export * from "./network-types.js";
export * from "./phase-types.js";
export type * from "./worker-types.js";
import type { Cut } from "./cut-types.js";
import type { ClipTools } from "./edit-types.js";
import type { InbetweenMethod } from "./inbetween-types.js";
import type { MotionData } from "./motion-types.js";
import type { NetworkOptions } from "./network-types.js";
import type { LimbPhases, PhaseOptions } from "./phase-types.js";
import type { WorkerClip } from "./worker-types.js";

/** Inputs of `load`: BVH text, bytes, a File or Blob, or a URL, of BVH, GLB or glTF; or a motion as plain values. */
export type Input = string | URL | Blob | ArrayBuffer | Uint8Array | MotionData;

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

/** The canonical roles of a humanoid body, LAFAN1's names and order. */
export type Role =
  | "Hips"
  | "LeftUpLeg"
  | "LeftLeg"
  | "LeftFoot"
  | "LeftToe"
  | "RightUpLeg"
  | "RightLeg"
  | "RightFoot"
  | "RightToe"
  | "Spine"
  | "Spine1"
  | "Spine2"
  | "Neck"
  | "Head"
  | "LeftShoulder"
  | "LeftArm"
  | "LeftForeArm"
  | "LeftHand"
  | "RightShoulder"
  | "RightArm"
  | "RightForeArm"
  | "RightHand";

/** Joint name of each role; roles that are not mapped are absent. */
export type RigMap = Partial<Record<Role, string>>;

/** Corrections to a bone mapping: the name of a joint, or `null` to unmap the role. Other roles are not changed. */
export type RigEdits = Partial<Record<Role, string | null>>;

/**
 * Reads a file that a glTF document refers to, by its address in the document: "walk.bin", "../textures/skin.png",
 * "https://…". The document may be from a stranger: check the address before fetching it. `undefined` refuses it.
 */
export type ResolveFile = (address: string) => FileBytes | undefined | Promise<FileBytes | undefined>;
/** Contents of a file. */
export type FileBytes = Uint8Array | ArrayBuffer | Blob;

/** Options of all functions that read glTF files. */
export interface FileOptions extends TaskOptions {
  /**
   * Reads the files that a glTF document refers to. Default: `data:` addresses, and in Node files in the document's
   * folder and below; never the network.
   */
  resolve?: ResolveFile;
}

/** Options of `load`. */
export interface LoadOptions extends FileOptions {
  /** Display name; default: the file name without its extension. */
  name?: string;
  /** Corrections to the automatic bone mapping; `null` unmaps a role. */
  rig?: RigEdits;
  /** GLB and glTF: name of the animation; default: the first. See `animations`. */
  animation?: string;
}

/** A joint of a skeleton. */
export interface JointInfo {
  /** Name of the joint in its file. */
  name: string;
  /** Index of the parent, -1 for a root. */
  parent: number;
  /** Rest offset from the parent, metres. */
  offset: [number, number, number];
}

/** Facts about a clip and the file it came from. */
export interface ClipInfo {
  /** Name shown to people. */
  name: string;
  /** All joints, parents before children. */
  joints: JointInfo[];
  /** Number of frames. */
  frames: number;
  /** Frames a second. */
  fps: number;
  /** Duration: the time from the first frame to the last, and one frame more. */
  seconds: number;
  /** Unit of length of the file that was read. */
  unit: "cm" | "m" | "inch" | "other";
  /** Metres in one unit of the file. */
  metresPerUnit: number;
  /** The axis that points up in the file; in memory it is always Y. */
  upAxis: "Y" | "Z";
  /**
   * Kind of body, by the names and proportions of its joints; a "quadruped" can be the target of a dog's controller.
   */
  kind: "biped" | "quadruped" | "other";
  /** The joint that plays each role of the body. */
  rig: RigMap;
  /** Doubts about the file, one sentence for people each. */
  warnings: string[];
}

/** Names of the stitching methods. "auto" tries all ways of joining at each seam and keeps the most natural. */
export const methods = ["auto", "crossfade", "inertialize", "lscore", "rmr"] as const;
/** Name of a stitching method. */
export type Method = (typeof methods)[number];

/** A range of frames: `from` (inclusive) to `to` (exclusive), counted from 0. */
export interface FrameRange {
  /** First frame. */
  from: number;
  /** Frame after the last one. */
  to: number;
}

/** Rules that choose the frames where two clips meet. */
export const seamChoices = ["keep", "best", "phase"] as const;
/** How a cut is chosen: see {@link StitchOptions.seam}. */
export type SeamChoice = (typeof seamChoices)[number];

/** One way of joining two clips. Omitted properties have the defaults of the method "inertialize". */
export interface Way {
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

/** A way that "auto" tried at a seam. */
export interface Trial {
  /** The way of joining that was tried. */
  way: Way;
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
   * Default: the method set by `init({ method })` ("rmr" only for bipeds), else "auto". "auto" tries all ways at
   * each seam, with the networks named in `loadNetworks`, and keeps the most natural; without networks it tries the
   * plain ways. Ways of bipeds are compared by the judge of recorded motion if its file (0.1 MB) is at hand: in Node
   * always, in browsers with `kinestitch/networks` (or `kinestitch/networks/judge`), `init({ networks: { models } })`,
   * or `loadNetworks({ for: "judge" })`. Other ways are compared by foot slide and jerk. "rmr" loads its network;
   * bipeds only.
   */
  method?: Method;
  /** Ways of single seams, in order; `undefined` or a missing entry uses `method`. */
  seams?: (Way | undefined)[];
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
  /** Frame rate of the result, frames a second; default: that of the first clip. */
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
  edited: FrameRange;
  /**
   * Frames of the result in which `footSkate` and `peakJerk` are measured: a second to both sides
   * of `frame`, whatever the method, within the result.
   */
  measured: FrameRange;
  /** Horizontal foot travel during contact, metres per frame (RMR, Table 3). 0 without feet. */
  footSkate: number;
  /** Largest joint jerk, m/s³. */
  peakJerk: number;
  /** The cut; absent where the ends of the clips meet and nothing was scored. */
  cut?: Cut;
  /** "rmr" only: distance between the network's own path and that of the inputs, cm. The inputs' path is kept. */
  driftCm?: number;
  /** "rmr" only: reason why the seam keeps its draft by inertialization; absent where it was refined. */
  kept?: string;
  /** Number of frames inserted between the clips, if any; `method` was not used. */
  gap?: number;
  /** Method that made them. */
  gapMethod?: InbetweenMethod;
  /** "auto" only: the chosen way. As an entry of `seams` it reproduces this seam. */
  way?: Way;
  /** "auto" only: all tried ways, best first. */
  tried?: Trial[];
}

/** Curves for plots; all arrays have `frames` entries. */
export interface ClipCurves {
  /** Horizontal speed of left and right foot, m/s. Empty without feet. */
  footSpeed: [Float32Array, Float32Array];
  /** 1 where the foot touches the ground: left, right. Empty without feet. */
  contact: [Uint8Array, Uint8Array];
  /** Largest joint jerk of the frame, m/s³. */
  jerk: Float32Array;
}

/** Options of `naturalness` of a clip. */
export interface NaturalnessOptions extends TaskOptions {
  /** Training data of the judge: a `set` of the manifest. Default: as set in `loadNetworks`, else "open". */
  set?: string;
}

/**
 * One motion. It is stored in ordinary memory, and in wasm only during computations, so the garbage collector frees
 * it. In the worker entry every method returns a promise of the same value.
 */
export interface Clip extends Disposable, ClipTools {
  /** Name shown to people. */
  readonly name: string;
  /** Number of frames. */
  readonly frames: number;
  /** Frames a second. */
  readonly fps: number;
  /** Skeleton, bone mapping, length, unit and warnings. */
  info(): ClipInfo;
  /** World joint positions, metres, Y up: [frames × joints × 3]. */
  positions(): Float32Array;
  /** Local rotations, quaternions x, y, z, w: [frames × joints × 4]. */
  rotations(): Float32Array;
  /** Foot speed, foot contact and jerk of each frame. */
  curves(): ClipCurves;
  /** Local motion phases: the position of each limb in its cycle of contacts. */
  phases(options?: PhaseOptions): LimbPhases[];
  /**
   * Naturalness of each frame, [frames]: from 0; higher is less natural. Of recorded motion of people outside the
   * judge's training data, one frame in fifty exceeds 1. Loads the judge on first use. Bipeds only.
   */
  naturalness(options?: NaturalnessOptions): Promise<Float32Array>;
  /** The motion as a BVH file. */
  toBvh(): string;
  /** The motion as a GLB file: a skeleton with an animation, no mesh. */
  toGlb(): Uint8Array<ArrayBuffer>;
  /** The clip resampled to another rate. */
  resample(fps: number): Clip;
  /** The clip with corrections to its bone mapping. */
  withRig(rig: RigEdits): Clip;
  /**
   * The clip without its travel over the ground: the root keeps its horizontal position of the first frame. Height
   * and rotations do not change.
   */
  inPlace(): Clip;
  /**
   * The motion on the skeleton of another clip, scaled to its size: world rotations of the body parts are kept, and
   * feet stay on the ground. Both must be bipeds, or have the same skeleton.
   */
  retarget(target: Clip | WorkerClip | MotionData): Clip;
  /** Frees the motion now, and the aligned inputs of a stitched clip. Using it afterwards is an error. */
  free(): void;
}

/** Result of `stitch`: a clip, with a report on each seam. */
export interface StitchedClip extends Clip {
  /** One entry for each pair of neighbouring clips. */
  readonly seams: Seam[];
  /** Doubts about the result, one sentence for people each. */
  readonly warnings: string[];
  /** Time that stitching took. */
  readonly milliseconds: number;
  /**
   * The inputs as used by `stitch`: resampled, retargeted and placed on the ground; for display as ghosts. Frame 0
   * of input i is frame `starts[i]` of the result.
   */
  aligned(): Clip[];
  /** The frame of the result at which each input begins. */
  readonly starts: number[];
}

/** Stable identifiers of errors. */
export type ErrorCode =
  | "bvh"
  | "limit"
  | "skeleton"
  | "clip"
  | "too-short"
  | "rig"
  | "option"
  | "glb"
  | "file"
  | "weights"
  | "device"
  | "aborted"
  | "fetch"
  | "wasm";

/** A wasm file: its location, or its contents. */
export type WasmSource = URL | string | Response | ArrayBuffer | WebAssembly.Module;

/** Locations of files, where the default (beside the script) does not apply. */
export interface InitOptions {
  /** The module of clips and stitching. */
  wasm?: WasmSource;
  /** The module of in-betweening and of networks on the CPU, loaded on first need. */
  live?: WasmSource;
  /** Settings of the networks; nothing is loaded. */
  networks?: NetworkOptions;
  /** Default method of `stitch`; default "auto". */
  method?: Method;
}

/** Options of the worker entry's `init`. */
export interface WorkerInitOptions extends InitOptions {
  /** Location of `worker-host.js` of this package, for bundlers that do not copy it. */
  worker?: URL | string;
}
