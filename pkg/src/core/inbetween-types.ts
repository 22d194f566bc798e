/** Options and results of `inbetween`. */
import type { InbetweenMethodName, InbetweenMethodOptions } from "./generated/methods.js";
import type { Clip, WorkerClip } from "./clip-types.js";
import type { Device, StyleName } from "./network-types.js";
import type { FrameRange, TaskOptions } from "./task-types.js";

export {
  inbetweenMethods,
  type InbetweenMethodOptions,
  methodDefaults,
  type MethodText,
  methodTexts,
  type NetworkMethodName,
  networkMethods,
  usualNetwork,
} from "./generated/methods.js";
/** Name of a method that fills a gap between keys. */
export type InbetweenMethod = InbetweenMethodName;

/** A method by name, or an object of the name and the method's own options: `{ name, style: "elderly" }`. */
export type InbetweenChoice =
  | InbetweenMethod
  | { [Name in InbetweenMethod]: { name: Name } & OwnOptions<InbetweenMethodOptions[Name]> }[InbetweenMethod];

/** Options of a method, all optional; editors suggest the styles of this package's networks. */
export type OwnOptions<Options> = {
  [Option in keyof Options]?: Option extends "style" ? StyleName | null : Options[Option];
};

/** Duration class of a path among all paths from one key to the next. */
export const inbetweenSpeeds = ["slow", "medium", "fast"] as const;
/** Name of a duration class. */
export type InbetweenSpeed = (typeof inbetweenSpeeds)[number];

/** Points on the ground from one key to the next: x and z of each, metres. */
export type GroundPath = readonly (readonly [x: number, z: number])[];

/** Ground pose of a key: position of its root, metres, and heading, radians about +Y, 0 along +z. */
export interface GroundPose {
  /** Metres along the world's x axis. */
  x: number;
  /** Metres along the world's z axis. */
  z: number;
  /** Direction it faces: radians about +Y, 0 along +z. */
  heading: number;
}

/**
 * Frames that a motion passes through: one, or `from` (inclusive) to `to` (exclusive). Frames around them give the
 * velocity.
 */
export type KeyFrames = { frame: number; from?: never; to?: never } | { frame?: never; from: number; to: number };

/**
 * A pose, or a range of a clip, that a motion passes through. Without `at`, two keys of one clip keep their relative
 * position, and a key of another clip is placed by extrapolating the motion.
 */
export type InbetweenKey<C = Clip> = KeyFrames & { clip: C; at?: GroundPose };

/** Options of `inbetween` and `liveInbetween`. */
export interface InbetweenOptions extends TaskOptions {
  /**
   * Number of frames between two keys, without the keys' own, 1 to 480; one number for all gaps, or one for each.
   * Default 30.
   */
  frames?: number | readonly number[];
  /**
   * Method that fills the gaps: "auto", a name, or an object of a method's name and its own options
   * ({@link InbetweenMethodOptions}). A network is loaded when its name is given; networks are for bipeds. "auto" tries every method
   * without a network, and every network that `loadNetworks` has loaded, and fills each gap with the most natural motion
   * (`gaps[i].tried`); motions are compared as the ways of {@link stitch}. Default: the usual network if `loadNetworks` named it and all keys
   * are of bipeds, else "inertialize".
   */
  method?: InbetweenChoice | "auto";
  /** Pins feet that touch the ground, by two-bone inverse kinematics; default true. Bipeds only. Keys never change. */
  footLock?: boolean;
  /**
   * Device of the method's network in this call; default: that of `loadNetworks`. `liveInbetween` always uses the
   * CPU.
   */
  device?: Device;
  /** With `candidates`: seed of the search. */
  seed?: number;
  /**
   * The points of the method's `path` are evenly spaced in time, a thirtieth of a second apart like those of a
   * result, so that the motion keeps that timing, unless `frames` is given. Default: the path is only a line,
   * followed at an eased speed.
   */
  paced?: boolean;
  /**
   * Methods with a path, two keys: duration class, relative to all recorded paths that lead there. Not together with
   * `frames`.
   */
  speed?: InbetweenSpeed;
  /**
   * Methods with a path, two keys: largest number of results, 1 to 64. Each has a path of its own, or all follow
   * `path`, and each has its own duration unless `frames` is given. "auto", two keys: motions of all methods, the
   * most natural first.
   */
  candidates?: number;
  /** With `candidates`: prefers paths near this one (`path` of a result), instead of paths far from each other. */
  like?: GroundPath;
  /** Frame rate of the result, frames a second; default: that of the first key's clip. */
  fps?: number;
  /** Name of the result; default: the clips' names joined by " + ". */
  name?: string;
}

/** Report on one gap. */
export interface Gap {
  /** The method that filled the gap. */
  method: InbetweenMethod;
  /** Its frames in the result. */
  edited: FrameRange;
  /**
   * Mean distance by which the joints would have missed the next key without correction, cm. 0 for methods without
   * such an error.
   */
  arrivalCm: number;
  /** The same for rotations: mean angle, degrees. */
  arrivalDegrees: number;
  /** Horizontal foot travel while in contact, metres a frame. 0 without feet. */
  footSkate: number;
  /** Largest joint jerk, both ends included, m/s³. */
  peakJerk: number;
  /** "auto" only: every method that was tried, best first. */
  tried?: GapTrial[];
}

/** A method that "auto" tried in a gap. */
export interface GapTrial {
  /** Name of the method that was tried. */
  method: InbetweenMethod;
  /** Score of the judge; lower is more natural. */
  score: number;
  /** Horizontal foot travel while in contact, metres a frame. */
  footSkate: number;
  /** Largest joint jerk, m/s³. */
  peakJerk: number;
  /** Time that the whole motion took. */
  milliseconds: number;
}

/** Report of `inbetween`. */
export interface InbetweenReport {
  /** Frames of each key in the result. */
  readonly keys: FrameRange[];
  /** Ground pose of each key's first frame. */
  readonly places: GroundPose[];
  /** One entry for each pair of neighbouring keys. */
  readonly gaps: Gap[];
  /** Warnings about the result, one sentence each. */
  readonly warnings: string[];
}

/** How a result was made, where a path or several candidates were requested. */
export interface InbetweenWay {
  /** Points on the ground, evenly spaced in time, from key to key. */
  readonly path?: [x: number, z: number][];
  /** Duration class of the path among all recorded paths from one key to the other. */
  readonly speed?: InbetweenSpeed;
  /** The requested style. */
  readonly style?: string;
  /** `candidates` of "auto": the method that made it, with its own options. */
  readonly method?: InbetweenChoice;
  /** `candidates` of "auto": score of the judge; lower is more natural. */
  readonly score?: number;
}

/** Result of `inbetween`: a clip on the first key's skeleton, with a report on each gap. */
export interface InbetweenClip extends Clip, InbetweenReport, InbetweenWay {
  /** Time that the motion took to make. */
  readonly milliseconds: number;
}

/** Options of `styles`. */
export interface StylesOptions extends TaskOptions {}

/**
 * Keys for dragging, on the calling thread: `place`, `setFrames` and `setMethod` change them, `solve` makes the motion
 * again in a few milliseconds. Memory does not grow between solutions. Call `free` at the end.
 */
export interface LiveInbetween {
  /** Moves a key; `undefined` places it as in its clip, or by extrapolating the motion. */
  place(key: number, at: GroundPose | undefined): void;
  /** Sets the number of frames of a gap, 1 to 480. */
  setFrames(gap: number, frames: number): void;
  /**
   * Sets the method; a network only if `loadNetworks` named it before the session was made, or if it is the session's
   * own.
   */
  setMethod(method: InbetweenChoice): void;
  /** Present ground pose of each key. */
  places(): GroundPose[];
  /** Makes the motion; returns its number of frames. */
  solve(): number;
  /**
   * Writes the world positions of the last solution, [frames × joints × 3], to the beginning of an array; returns
   * its number of frames.
   */
  positions(into: Float32Array): number;
  /** Writes the local rotations x, y, z, w, [frames × joints × 4], likewise. */
  rotations(into: Float32Array): number;
  /** Keys, gaps and warnings of the last solution. */
  report(): InbetweenReport;
  /** The last solution as a clip of its own. */
  clip(): Clip;
  /** Frees the wasm memory. */
  free(): void;
}

/** An {@link InbetweenClip} of the worker entry. */
export interface WorkerInbetweenClip extends WorkerClip, InbetweenReport, InbetweenWay {
  /** Time that the motion took to make. */
  readonly milliseconds: number;
}
