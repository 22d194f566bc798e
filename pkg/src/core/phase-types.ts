import type { Device, NetworkSet } from "./network-types.js";
import type { TaskOptions } from "./task-types.js";

/** Options of `phases`. */
export interface PhaseOptions {
  /**
   * Joints, by name or role; they touch the object if there is one, else the ground. Default: the feet on the ground
   * (of four-legged animals all four), and both hands on the object.
   */
  joints?: readonly string[];
  /** A ball or a box beside the body. */
  object?: PhaseObject;
}

/** An object that hands or feet touch. */
export interface PhaseObject {
  /** World position in every frame of the clip, metres, Y up: [frames × 3]. */
  positions: Float32Array;
  /**
   * Largest distance of a joint, or the end of its bone, that counts as touching, metres; includes the object's own
   * radius.
   */
  radius: number;
  /** Largest relative speed that counts as touching, m/s; default 1. */
  speed?: number;
}

/** Local motion phase of one joint (Starke et al. 2020, section 5); all arrays are per frame. */
export interface LimbPhases {
  /** Name as requested; else the role, or without one the joint. */
  name: string;
  /** Name of the joint. */
  joint: string;
  /** Partner of its contacts. */
  touches: "ground" | "object";
  /** 1 in frames in which the joint touches the ground. */
  contact: Uint8Array;
  /** The fitted signal: contacts, normalised within a second (eq. 5) and low-passed (eq. 6). */
  filtered: Float32Array;
  /** Value of the fitted sinusoid (eq. 3). */
  fit: Float32Array;
  /** φ of eq. 7, radians, 0 to 2π; the middle of a contact is at a quarter. */
  phase: Float32Array;
  /** Cycles per second; 0 if contacts do not change. */
  frequency: Float32Array;
  /** Amplitude of the sinusoid; 0 if contacts do not change. */
  amplitude: Float32Array;
  /** Phase vector of eq. 8, m/s: largest speed within a cycle × amplitude × (sin φ, cos φ), [frames × 2]. */
  vector: Float32Array;
}

/** Options of `livePhases`. */
export interface LivePhasesOptions extends TaskOptions {
  /** Training data: a `set` of the manifest. Default: "open" if there is one, else the first. Mind its licence. */
  set?: NetworkSet;
  /**
   * Folder of `manifest.json` and the weights, as in `loadNetworks`; default: as set by `init` or
   * `kinestitch/networks`.
   */
  models?: URL | string;
  /** Device of the network: always the CPU, for "auto" too. "webgpu" causes the error `device`. */
  device?: Device;
}

/**
 * Phases of a whole body: its motion over two seconds as sine waves amplitude · sin(2π · frequency · t + phase) +
 * offset, t in seconds from the requested time (periodic autoencoder, Starke et al. 2022, DeepPhase). Synchronous,
 * on the calling thread; call `free` at the end.
 */
export interface LivePhases {
  /** Number of waves, usually ten. */
  readonly channels: number;
  /** Training data of the weights, and their permitted use, in words. */
  readonly set: string;
  /** Terms of use of the weights, for people. */
  readonly licence: string;
  /**
   * Fills an array, [channels × 4], with amplitude, frequency (hertz), phase (radians, −π to π) and offset of each
   * wave at a time of the clip, rounded to a thirtieth of a second.
   */
  at(seconds: number, into: Float32Array): void;
  /** Frees the wasm memory. */
  free(): void;
}
