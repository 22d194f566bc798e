/** What `inbetween` takes and gives. */
import type { StyleName } from "./network-types.js";
import type { Clip, Device, TaskOptions, WorkerClip } from "./types.js";

import type { InbetweenMethodName } from "./generated/methods.js";

export { inbetweenMethods } from "./generated/methods.js";
/** Name of a method that fills a gap between keys. */
export type InbetweenMethod = InbetweenMethodName;

/** How fast a way is among all that lead from one key to the next. */
export const inbetweenSpeeds = ["slow", "medium", "fast"] as const;
/** Speed of a way, relative to all ways that lead there. */
export type InbetweenSpeed = (typeof inbetweenSpeeds)[number];

/** Points on the ground from one key to the next: x and z of each, metres. */
export type GroundPath = readonly (readonly [x: number, z: number])[];

/** Where a key stands on the ground: its root, metres, and where it faces, radians about +Y, 0 along +z. */
export interface KeyPlace {
  /** Metres along the world's x axis. */
  x: number;
  /** Metres along the world's z axis. */
  z: number;
  /** Direction it faces: radians about +Y, 0 along +z. */
  heading: number;
}

/** Which frames a motion passes through: one, or `from` (inclusive) to `to` (exclusive). Frames around them tell how fast it moves. */
export type KeyFrames = { frame: number; from?: never; to?: never } | { frame?: never; from: number; to: number };

/**
 * A pose or a piece of a clip that a motion passes through. Where `at` is not given, two keys of one clip keep their place to
 * each other, and a key of another clip stands where the motion would lead.
 */
export type InbetweenKey<C = Clip> = KeyFrames & { clip: C; at?: KeyPlace };

/** Options of `inbetween` and `liveInbetween`. */
export interface InbetweenOptions extends TaskOptions {
  /** Frames between two keys, the keys' own not counted, 1 to 480; one number for all gaps, or one for each. Default 30. */
  frames?: number | readonly number[];
  /**
   * "linear": slerp and straight lines. "inertialize": the same with the speed of both keys carried in. "manifold", "delta" and "dcmoe"
   * are networks, for bipeds only, and said aloud they load what they need: "manifold" goes frame by frame, and each `seed` is another
   * answer; "delta" makes the whole gap at once; "dcmoe" goes frame by frame in a `style`, along a `path`. Default: "delta" where it is loaded (`loadNetworks({ for: "inbetween" })`) and every
   * key is a biped's, else "inertialize".
   */
  method?: InbetweenMethod;
  /** Pins feet that touch the ground by two-bone IK; default true. Bipeds only. Keys are never touched. */
  footLock?: boolean;
  /**
   * Where the method's network runs, as in `loadNetworks`, whose setting it is from then on. Only "delta" runs on "webgpu"; keys that are
   * dragged (`liveInbetween`) stay on the CPU.
   */
  device?: Device;
  /** Which of its answers "manifold" gives, a whole number; its mean without one. With `candidates`: which ways are found. */
  seed?: number;
  /**
   * "manifold": where on its manifold of motions it goes. Added to the components of its latent variable, as many as its recipe says (32),
   * in deviations: whole in the middle of each gap, less towards its ends. Those left out count as 0.
   */
  latent?: readonly number[];
  /** "dcmoe": how it moves, one of `styles()`; default: the usual way. */
  style?: StyleName;
  /** "dcmoe", two keys: where it goes, a line of two points or more. Its ends are drawn onto the keys. */
  path?: GroundPath;
  /**
   * The points of `path` are evenly spaced in time, as those of a result are: a thirtieth of a second apart, so that its way takes the time it
   * took, unless `frames` says another. Default: they are a line, walked at an eased pace.
   */
  paced?: boolean;
  /** "dcmoe", two keys: how fast, among all ways that lead there as people went. Not together with `frames`. */
  speed?: InbetweenSpeed;
  /**
   * "dcmoe", two keys: makes up to so many results, 1 to 64, each on a way of its own, or all along `path`, and each in its own time
   * where `frames` does not say one.
   */
  candidates?: number;
  /** With `candidates`: ways near this one (`path` of a result), instead of ways far from each other. */
  like?: GroundPath;
  /** Frames a second of the result; default: the first key's clip's. */
  fps?: number;
  /** Name of the result; default: the clips' names joined by " + ". */
  name?: string;
}

/** What happened between two keys. */
export interface Gap {
  /** The method that filled the gap. */
  method: InbetweenMethod;
  /** Its frames in the result: [first, last). */
  edited: [number, number];
  /** How far the joints would have missed the next key without correction: mean distance, cm. 0 for methods that aim at it. */
  arrivalCm: number;
  /** Likewise the mean angle, degrees. */
  arrivalDegrees: number;
  /** Horizontal foot travel while in contact, metres a frame. 0 without feet. */
  footSkate: number;
  /** Largest joint jerk, both ends included, m/s³. */
  peakJerk: number;
}

/** What `inbetween` tells of its result. */
export interface InbetweenReport {
  /** Frames of the result that are each key's own: [first, last). */
  readonly keys: [number, number][];
  /** Where each key's first frame stands. */
  readonly places: KeyPlace[];
  /** One entry for each pair of neighbouring keys. */
  readonly gaps: Gap[];
  /** Doubts about the result, one sentence for people each. */
  readonly warnings: string[];
}

/** The way that a result of "dcmoe" took, where it was asked for one. */
export interface InbetweenWay {
  /** Points on the ground, evenly spaced in time, from key to key. */
  readonly path?: [x: number, z: number][];
  /** How fast the way is, among all that lead there. */
  readonly speed?: InbetweenSpeed;
  /** The style that was asked for. */
  readonly style?: string;
}

/** Result of `inbetween`: a clip on the first key's skeleton, with what happened in each gap. */
export interface InbetweenClip extends Clip, InbetweenReport, InbetweenWay {
  /** Time that the motion took to make. */
  readonly milliseconds: number;
}

/** Options of `styles`. */
export interface StylesOptions extends TaskOptions {}

/**
 * Keys that are dragged, on the calling thread: `place`, `setFrames`, `setMethod`, `setSeed` and others change them, `solve` makes the motion anew in
 * a few milliseconds. Memory does not grow from one solution to the next. Call `free` in the end.
 */
export interface LiveInbetween {
  /** Moves a key; `undefined` lets it stand where its clip has it, or where the motion leads. */
  place(key: number, at: KeyPlace | undefined): void;
  /** Frames of a gap, 1 to 480. */
  setFrames(gap: number, frames: number): void;
  /** To "manifold", "delta" or "dcmoe" only where that network was loaded when the session was made (`loadNetworks`). */
  setMethod(method: InbetweenMethod): void;
  /** Which of its answers "manifold" gives; `undefined` is its mean. */
  setSeed(seed: number | undefined): void;
  /** Where on its manifold "manifold" goes; `undefined`, or nothing but zeros, is where it goes by itself. */
  setLatent(latent: readonly number[] | undefined): void;
  /** How "dcmoe" moves; `undefined` is the usual way. */
  setStyle(style: string | undefined): void;
  /** Where "dcmoe" goes: points evenly spaced in time; `undefined` lets it find its way. */
  setPath(path: GroundPath | undefined): void;
  /** Where each key stands now. */
  places(): KeyPlace[];
  /** Makes the motion; returns its number of frames. */
  solve(): number;
  /** Writes the world positions of the last solution, [frames × joints × 3], to the beginning of an array; returns its frames. */
  positions(into: Float32Array): number;
  /** Likewise the local rotations x, y, z, w, [frames × joints × 4]. */
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
