/// <reference lib="esnext.disposable" preserve="true" />
export * from "./control-types.js";
export type * from "./cut-types.js";
export * from "./inbetween-types.js";
export type * from "./motion-types.js";
export * from "./network-types.js";
export * from "./phase-types.js";
export type * from "./worker-types.js";
import type { Cut } from "./cut-types.js";
import type { InbetweenMethod } from "./inbetween-types.js";
import type { MotionData } from "./motion-types.js";
import type { NetworkOptions } from "./network-types.js";
import type { LimbPhases, PhaseOptions } from "./phase-types.js";
import type { WorkerClip } from "./worker-types.js";

/** Anything `load` reads: BVH text, bytes, a File or Blob, or a URL to fetch, of BVH, GLB or glTF; or a motion as plain values. */
export type Input = string | URL | Blob | ArrayBuffer | Uint8Array | MotionData;

/** Progress of a long computation; `done` goes from 0 to 1 in each stage. "network" is the download that "rmr" needs once. */
export interface Progress {
  /** The part of the work that runs now. */
  stage: "fetch" | "parse" | "align" | "scan" | "blend" | "network" | "refine" | "foot-lock" | "write";
  /** How far this stage is, 0 to 1. */
  done: number;
  /** Stages "fetch" and "network": bytes that have come. */
  bytes?: number;
  /** Stage "network": bytes there are. */
  totalBytes?: number;
}

/** Options every long computation takes. */
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

/** Role → joint name; absent roles are not mapped. */
export type RigMap = Partial<Record<Role, string>>;

/** Corrections to a bone mapping: a joint's name, or `null` to unmap the role. Roles left out stay as they are. */
export type RigEdits = Partial<Record<Role, string | null>>;

/**
 * Reads a file that a glTF document names, by the address that stands in it: "walk.bin", "../textures/skin.png", "https://…". The document is a
 * stranger's: check the address before you fetch it. `undefined` refuses it.
 */
export type ResolveFile = (address: string) => FileBytes | undefined | Promise<FileBytes | undefined>;
/** A file. */
export type FileBytes = Uint8Array | ArrayBuffer | Blob;

/** Options of everything that reads glTF files. */
export interface FileOptions extends TaskOptions {
  /**
   * Reads the files that a glTF document names. Default: `data:` addresses, and in Node files in the document's folder and below; never the
   * network.
   */
  resolve?: ResolveFile;
}

/** Options of `load`. */
export interface LoadOptions extends FileOptions {
  /** Name shown to people; default: the file's name without its ending. */
  name?: string;
  /** Corrections to the automatic bone mapping; `null` unmaps a role. */
  rig?: RigEdits;
  /** GLB and glTF: the name of the animation to read; default: the first. See `animations`. */
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
  /** What it is by the names and proportions of its joints; a "quadruped" can be the target of a dog's controller. */
  kind: "biped" | "quadruped" | "other";
  /** The joint that plays each role of the body. */
  rig: RigMap;
  /** Doubts about the file, one sentence for people each. */
  warnings: string[];
}

/** Names of the stitching methods. "auto" tries every way of joining at each seam and keeps the most natural. */
export const methods = ["auto", "crossfade", "inertialize", "lscore", "rmr"] as const;
/** Name of a stitching method. */
export type Method = (typeof methods)[number];

/** Frames `from` (inclusive) to `to` (exclusive) of a clip are used. */
export interface Trim {
  /** First frame used, from 0. */
  from: number;
  /** Frame after the last one used. */
  to: number;
}

/** How the frames where two clips meet are chosen. */
export const seamChoices = ["keep", "best", "phase"] as const;
/** How a cut is chosen: see {@link StitchOptions.seam}. */
export type SeamChoice = (typeof seamChoices)[number];

/** One way of joining two clips. What is left out has the default of the method "inertialize". */
export interface Way {
  /** How the clips are joined; with `gap`, "rmr" alone matters. */
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
  /** How unnatural the motion around the seam is: lower is better. Scores of one seam can be compared, no others. */
  score: number;
  /** Horizontal foot travel while in contact, metres a frame. */
  footSkate: number;
  /** Largest joint jerk, m/s³. */
  peakJerk: number;
  /** Time that trying it took. */
  milliseconds: number;
}

/** Options of `stitch`. */
export interface StitchOptions extends TaskOptions {
  /**
   * Default: what `init({ method })` said ("rmr" of it for bipeds alone), else "auto". "auto" tries every way at each seam, with the
   * networks that `loadNetworks` has named, and keeps the most natural; without networks it chooses among the plain ways.
   * "rmr" loads what it needs; bipeds only.
   */
  method?: Method;
  /** Ways of single seams, in order; `undefined` or absent leaves a seam to `method`. */
  seams?: (Way | undefined)[];
  /** "auto" only: keeps every frame of every clip; default false. */
  keep?: boolean;
  /** Length of each blend, seconds; default 2/3. "lscore" chooses its own, "rmr" takes half a second. */
  blend?: number;
  /**
   * "keep": the last frame of one clip meets the first of the next. "best": the cheapest cut. "phase": where the feet are in
   * step, by their phases. Default "keep".
   */
  seam?: SeamChoice;
  /**
   * Frames put between two clips, 1 to 480, instead of a blend: both keep every frame, and their speed carries on into the gap.
   * "auto": as many as the cheapest cut injects, or as the clips need at their own speed, whichever is more. Not with "rmr".
   */
  gap?: number | "auto";
  /**
   * How the frames of `gap` are made, as the `method` of {@link inbetween}; default "inertialize". A network is said aloud, loads what
   * it needs, and is for bipeds only.
   */
  gapMethod?: InbetweenMethod;
  /** Longest stretch, seconds, of each clip that "auto", "best" and "phase" may cut away at a seam; default 0.5. */
  maxCut?: number;
  /** Frames looked at on each side of a cut; default 5, at least 3. */
  window?: number;
  /** Fewest frames "lscore" injects; default 0. */
  minInject?: number;
  /** Most frames "lscore" injects; default 15. */
  maxInject?: number;
  /** Pins feet that touch the ground by two-bone IK; default true. Bipeds only. */
  footLock?: boolean;
  /** Per clip; `undefined` or absent uses the whole clip. */
  trim?: (Trim | undefined)[];
  /** Frames a second of the result; default: the first clip's. */
  fps?: number;
  /** Name of the result; default: the inputs' names joined by " + ". */
  name?: string;
}

/** What happened at one seam. */
export interface Seam {
  /** First frame of the incoming clip, in frames of the result. */
  frame: number;
  /** The method that joined the clips. */
  method: Method;
  /** Frames whose poses differ from the aligned inputs because of the blend: [first, last). */
  edited: [number, number];
  /**
   * Frames of the result, `end` not included, that `footSkate` and `peakJerk` are measured over: a second to both sides of
   * `frame`, whatever the method, as far as the result reaches.
   */
  measured: { start: number; end: number };
  /** Horizontal foot travel while in contact, metres a frame (RMR, Table 3). 0 without feet. */
  footSkate: number;
  /** Largest joint jerk, m/s³. */
  peakJerk: number;
  /** Where the inputs were cut; absent where their ends meet and nothing was scored. */
  cut?: Cut;
  /** "rmr" only: how far the network's own way leads from the input's, cm. The input's way is kept. */
  driftCm?: number;
  /** "rmr" only: why the seam was left as drafted, by inertialization; absent where it was refined. */
  kept?: string;
  /** Frames that were put between the clips, where there are any; `method` was not used. */
  gap?: number;
  /** How they were made. */
  gapMethod?: InbetweenMethod;
  /** "auto" only: the way that was chosen. As an entry of `seams` it gives this seam again. */
  way?: Way;
  /** "auto" only: every way that was tried, best first. */
  tried?: Trial[];
}

/** Per-frame curves for plots; all arrays have `frames` entries. */
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
  /** Which recordings the judge knows: a `set` of the manifest. Default: as `loadNetworks` said, else "open". */
  set?: string;
}

/**
 * One motion. It lies in ordinary memory, and in wasm's only while something is computed from it; the garbage collector
 * takes it like all else. In the worker entry every method returns a promise of the same value.
 */
export interface Clip extends Disposable {
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
  /** Where limbs are in their cycles of contacts: local motion phases, a limb each. */
  phases(options?: PhaseOptions): LimbPhases[];
  /**
   * How natural each frame is, [frames]: 0 and more. 1 is exceeded by one frame in fifty of recorded motion of people the judge does
   * not know; the higher, the less any recording is like it. Loads the judge the first time. People only.
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
  /** The clip without its way over the ground: the body stays where it is in the first frame; heights and turns stay as they are. */
  inPlace(): Clip;
  /**
   * The motion on the skeleton of another clip, whose size it takes on: world rotations of the parts of the body, feet on the ground. Both
   * bipeds, or of one skeleton.
   */
  retarget(target: Clip | WorkerClip | MotionData): Clip;
  /** Lets go of the motion now, with the aligned inputs where it is a stitched one. Using it afterwards is an error. */
  free(): void;
}

/** Result of `stitch`: a clip, with what happened at each seam. */
export interface StitchedClip extends Clip {
  /** One entry for each pair of neighbouring clips. */
  readonly seams: Seam[];
  /** Doubts about the result, one sentence for people each. */
  readonly warnings: string[];
  /** Time that stitching took. */
  readonly milliseconds: number;
  /** The inputs, resampled, retargeted and placed on the ground as stitch used them; for ghosts. First frame of
   *  input i stands at frame `starts[i]` of the result. */
  aligned(): Clip[];
  /** The frame of the result at which each input begins. */
  readonly starts: number[];
}

/** Stable words for programs. */
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

/** A wasm file: its place, or itself. */
export type WasmSource = URL | string | Response | ArrayBuffer | WebAssembly.Module;

/** Where the files lie, when the default (beside the script) does not fit. */
export interface InitOptions {
  /** The module of clips and stitching. */
  wasm?: WasmSource;
  /** The module of in-betweening and of networks on the CPU, fetched when it is first needed. */
  live?: WasmSource;
  /** Settings of the networks; nothing is loaded yet. */
  networks?: NetworkOptions;
  /** The method of calls of `stitch` that name none; default "auto". */
  method?: Method;
}

/** Options of the worker entry's `init`. */
export interface WorkerInitOptions extends InitOptions {
  /** Where `worker-host.js` of this package lies, for bundlers that do not copy it. */
  worker?: URL | string;
}
