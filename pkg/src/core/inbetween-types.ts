/** Options and results of `inbetween` and `liveInbetween`. */
import type { InbetweenMethodName, InbetweenMethodOptions } from "../generated/methods.js";
import type { Clip } from "./clip-types.js";
import type { Ground } from "./ground-types.js";
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
  defaultNetwork,
} from "../generated/methods.js";
/** Name of a gap filler: a method that fills a gap between keys. */
export type InbetweenMethod = InbetweenMethodName;

/** A method by name, or an object with the name and the method's own options: `{ name, style: "elderly" }`. */
export type InbetweenChoice =
  | InbetweenMethod
  | { [Name in InbetweenMethod]: { name: Name } & PartialMethodOptions<InbetweenMethodOptions[Name]> }[InbetweenMethod];

/** Options of a method, all optional; editors suggest the styles of this package's networks. */
export type PartialMethodOptions<Options> = {
  [Option in keyof Options]?: Option extends "style" ? StyleName | null : Options[Option];
};

/** Duration classes of paths: slow, medium or fast, compared with all recorded paths from one key to the next. */
export const inbetweenSpeeds = ["slow", "medium", "fast"] as const;
/** Name of a duration class. */
export type InbetweenSpeed = (typeof inbetweenSpeeds)[number];

/** Path on the ground from one key to the next: points [x, z], metres. */
export type GroundPath = readonly (readonly [x: number, z: number])[];

/** Ground pose of a key or a character: position of its root on the ground, and heading. */
export interface GroundPose {
  /** Metres along the world's x axis. */
  x: number;
  /** Metres along the world's z axis. */
  z: number;
  /** Facing direction, radians about +Y, 0 along +z. */
  heading: number;
}

/**
 * Frames of a clip that are used as a key: one frame, or `from` (inclusive) to `to` (exclusive). Neighbouring frames
 * determine the velocity at the key.
 */
export type KeyFrames = { frame: number; from?: never; to?: never } | { frame?: never; from: number; to: number };

/**
 * A pose, or a range of a clip, that a motion passes through. `at` is the ground pose of the key's first frame. If it
 * is omitted, consecutive keys of one clip keep their relative position, and a key of another clip is placed by
 * extrapolating the motion.
 */
export type InbetweenKey = KeyFrames & { clip: Clip; at?: GroundPose };

/** Options of `inbetween` and `liveInbetween`. */
export interface InbetweenOptions extends TaskOptions {
  /**
   * Number of frames between two keys, not counting the keys' frames, 1 to 480: one number for all gaps, or one number
   * per gap. Default 30.
   */
  frames?: number | readonly number[];
  /**
   * Method that fills the gaps: "auto", a method's name, or an object with the name and options of the method
   * ({@link InbetweenMethodOptions}). A network is loaded when its name is given; networks are for bipeds only. "auto"
   * tries every method without a network, and every network that `loadNetworks` has loaded, and fills each gap with the
   * most natural motion; networks are not tried in gaps that are too long for them. `gaps[i].trials` lists the trials,
   * ranked as in {@link stitch}. Default: the default network if `loadNetworks` has loaded it, all keys are of bipeds
   * and no gap is longer than 8 seconds, else "inertialize".
   */
  method?: InbetweenChoice | "auto";
  /**
   * If true (default), pins feet that touch the ground and hands that support the body, and keeps the body above the
   * floor, by two-bone inverse kinematics. Bipeds only. Key frames are not modified.
   */
  footLock?: boolean;
  /**
   * Whether clips that stand on different floors are moved to one floor ("level", the default): the floor at height 0 if
   * a clip stands there, else that of the first clip. A warning names each clip that was moved.
   */
  ground?: Ground;
  /**
   * Device of the method's network in this call; default: the device of `loadNetworks`. `liveInbetween` always uses the
   * CPU.
   */
  device?: Device;
  /** Random seed of the search for paths; only with `candidates`, `speed` or `similarTo`. */
  seed?: number;
  /**
   * If true, the method's `path` has 30 points per second, like the `path` of a result, and the motion keeps this
   * timing unless `frames` is given. If false (default), the path is a curve without timing, which the motion follows
   * with eased speed.
   */
  timedPath?: boolean;
  /**
   * Duration class of the path, compared with all recorded paths between the keys. Only for exactly two keys, and for
   * "auto" or methods with a path. Cannot be combined with `frames`, or with a path that has timing (`timedPath`).
   */
  speed?: InbetweenSpeed;
  /**
   * Maximum number of results, 1 to 64. Only for exactly two keys, and for "auto" or methods with a path. With a
   * method, each result follows a different path, or all follow `path`; durations differ unless `frames` is given. With
   * "auto", the results are motions of all methods, the most natural first.
   */
  candidates?: number;
  /**
   * Path that the results shall resemble, such as the `path` of a result. Only for exactly two keys, and for "auto" or
   * methods with a path. Without it, the paths of `candidates` are far from each other.
   */
  similarTo?: GroundPath;
  /** Frame rate of the result, frames per second; default: the rate of the first key's clip. */
  fps?: number;
  /** Name of the result; default: the clips' names joined by " + ". */
  name?: string;
}

/** Report on one gap. */
export interface Gap {
  /** The method that filled the gap. */
  method: InbetweenMethod;
  /** Frames of the gap in the result. */
  range: FrameRange;
  /**
   * Position error at the next key before correction: mean distance of the joints, centimetres. 0 for methods that
   * reach keys exactly.
   */
  keyErrorCm: number;
  /** Rotation error at the next key before correction: mean angle, degrees. */
  keyErrorDegrees: number;
  /** Foot skate: horizontal foot travel during contact, metres per frame. 0 unless the body is a biped. */
  footSkate: number;
  /** Peak joint jerk over the gap, including the transitions at both keys, m/s³. */
  peakJerk: number;
  /** Only with "auto": every method that was tried, best first. */
  trials?: GapTrial[];
}

/** A trial of a method by "auto" in a gap. */
export interface GapTrial {
  /** Name of the method that was tried. */
  method: InbetweenMethod;
  /** Score of the judge; lower is more natural. */
  score: number;
  /** Foot skate: horizontal foot travel during contact, metres per frame. */
  footSkate: number;
  /** Peak joint jerk, m/s³. */
  peakJerk: number;
  /** Computation time of the trial, for the whole motion, milliseconds. */
  milliseconds: number;
}

/** Report of `inbetween`. */
export interface InbetweenReport {
  /** Frames of each key in the result. */
  readonly keys: FrameRange[];
  /** Ground pose of each key's first frame. */
  readonly groundPoses: GroundPose[];
  /** One entry for each pair of neighbouring keys. */
  readonly gaps: Gap[];
  /** Warnings about the result for the user; each is one sentence. */
  readonly warnings: string[];
}

/** Properties of a result for which a path or several candidates were requested. */
export interface InbetweenCandidate {
  /** Points on the ground, evenly spaced in time, from key to key. */
  readonly path?: [x: number, z: number][];
  /** Duration class of the path, compared with all recorded paths from one key to the other. */
  readonly speed?: InbetweenSpeed;
  /** The requested style, if any. */
  readonly style?: string;
  /** Only for `candidates` of "auto": the method, with its options. */
  readonly method?: InbetweenChoice;
  /** Only for `candidates` of "auto": score of the judge; lower is more natural. */
  readonly score?: number;
}

/** Result of `inbetween`: a clip on the first key's skeleton, with a report on each gap. */
export interface InbetweenClip extends Clip, InbetweenReport, InbetweenCandidate {
  /** Computation time, milliseconds. */
  readonly milliseconds: number;
}

/** Options of `styles`: only `signal` and `onProgress`. */
export interface StylesOptions extends TaskOptions {}

/**
 * An interactive session on the calling thread, for example to drag keys: `place`, `setFrames` and `setMethod` change
 * the keys, and `solve` computes the motion again in a few milliseconds, without growing memory. Call `free` at the
 * end.
 */
export interface LiveInbetween {
  /** Moves a key; `undefined` restores its default placement (see {@link InbetweenKey}). */
  place(key: number, at: GroundPose | undefined): void;
  /**
   * Sets the number of frames of a gap, 1 to 480. If no method is named, the session uses the default network only while
   * it supports the lengths of all gaps, as {@link inbetween} does.
   */
  setFrames(gap: number, frames: number): void;
  /**
   * Sets the method. If it is a network, `loadNetworks` must have loaded it before the session was created, or the
   * session must have been created with it.
   */
  setMethod(method: InbetweenChoice): void;
  /** Returns the current ground pose of each key. */
  groundPoses(): GroundPose[];
  /** Computes the motion; returns its number of frames. */
  solve(): number;
  /**
   * Writes the world positions of the last solution, [frames × joints × 3], to the beginning of `into`; returns the
   * number of frames written.
   */
  positions(into: Float32Array): number;
  /** Writes the local rotations, quaternions x, y, z, w, [frames × joints × 4], to `into`; see `positions`. */
  rotations(into: Float32Array): number;
  /** Returns the keys, gaps and warnings of the last solution. */
  report(): InbetweenReport;
  /** Returns the last solution as a new clip. */
  clip(): Clip;
  /** Frees the wasm memory. */
  free(): void;
}
