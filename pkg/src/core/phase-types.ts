import type { Device, NetworkSet } from "./network-types.js";
import type { TaskOptions } from "./types.js";

/** What `phases` is to find. */
export interface PhaseOptions {
  /**
   * Joints, by their names or the roles they play; they touch the object where there is one, else the ground. Default: the
   * feet on the ground (of animals on four legs all four), and both hands on the object.
   */
  joints?: readonly string[];
  /** A ball or a box that moves beside the body. */
  object?: PhaseObject;
}

/** An object that hands or feet touch. */
export interface PhaseObject {
  /** World position in every frame of the clip, metres, Y up: [frames × 3]. */
  positions: Float32Array;
  /** A joint, or the end of its bone, nearer than this touches it, metres; the object's own radius included. */
  radius: number;
  /** Largest speed to it that still counts as touching, m/s; default 1. */
  speed?: number;
}

/** Local motion phase of one joint (Starke et al. 2020, section 5); all arrays by frame. */
export interface LimbPhases {
  /** As asked for; else the role, or where there is none the joint. */
  name: string;
  /** Name of the joint. */
  joint: string;
  /** What its contacts are with. */
  touches: "ground" | "object";
  /** 1 where it touches. */
  contact: Uint8Array;
  /** The contacts, normalised within a second (eq. 5) and low-passed (eq. 6): what is fitted. */
  filtered: Float32Array;
  /** Value of the fitted sinusoid (eq. 3). */
  fit: Float32Array;
  /** φ of eq. 7, radians, 0 to 2π; a quarter turn is the middle of a contact. */
  phase: Float32Array;
  /** Cycles a second; 0 where contacts do not change. */
  frequency: Float32Array;
  /** Amplitude of the sinusoid; 0 where contacts do not change. */
  amplitude: Float32Array;
  /** Phase vector of eq. 8, m/s: greatest speed within a cycle × amplitude × (sin φ, cos φ), [frames × 2]. */
  vector: Float32Array;
}

/** Options of `livePhases`. */
export interface LivePhasesOptions extends TaskOptions {
  /** Which training data: a `set` of the manifest. Default: "open" where there is one, else the first. Mind its licence. */
  set?: NetworkSet;
  /** Folder of `manifest.json` and the weights, as in `loadNetworks`; default: what `init` and `kinestitch/networks` say. */
  models?: URL | string;
  /** Where the network runs: always the CPU, which is "auto", too. "webgpu" gives the error `device`. */
  device?: Device;
}

/**
 * Where a whole body is in its cycles: what it does over two seconds as waves amplitude · sin(2π · frequency · t + phase) + offset, t in
 * seconds from the moment asked for (periodic autoencoder, Starke et al. 2022, DeepPhase). Synchronous, on the calling thread; call
 * `free` in the end.
 */
export interface LivePhases {
  /** Waves, ten as a rule. */
  readonly channels: number;
  /** Set of weights, and what they may be used for, in words. */
  readonly set: string;
  /** Terms of use of the weights, for people. */
  readonly licence: string;
  /**
   * Fills an array of yours, [channels × 4], with amplitude, frequency (hertz), phase (radians, −π to π) and offset of each wave around a
   * moment of the clip; to the nearest thirtieth of a second.
   */
  at(seconds: number, into: Float32Array): void;
  /** Frees the wasm memory. */
  free(): void;
}
