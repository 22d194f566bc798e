import type { Device, NetworkSet } from "./network-types.js";
import type { TaskOptions } from "./task-types.js";

/** Options of `phases`. */
export interface PhaseOptions {
  /**
   * Names or roles of the joints; with `object`, they touch the object, otherwise the ground. Default: the feet (all
   * four of a four-legged animal), which touch the ground, and with `object` also both hands, which touch the
   * object. An empty list gives no phases.
   */
  joints?: readonly string[];
  /** An object that the body touches, such as a ball or a box. */
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
  /** Name as in `joints`; by default the role, or the name of a joint without a role. */
  name: string;
  /** Name of the joint. */
  joint: string;
  /** What the joint touches. */
  touches: "ground" | "object";
  /** 1 in frames in which the joint touches the ground or the object, otherwise 0. */
  contact: Uint8Array;
  /** The signal that is fitted: contacts, normalised over one second (eq. 5) and low-pass filtered (eq. 6). */
  filtered: Float32Array;
  /** Value of the fitted sinusoid (eq. 3). */
  fit: Float32Array;
  /** φ of eq. 7, radians, 0 to 2π; the middle of a contact has the phase π/2. */
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
  /**
   * Name of the set of weights: a `set` of the manifest. Default: the set of `init` or `loadNetworks` if the network
   * has it, else "open" if listed, else the first set. Observe the licence of the set.
   */
  set?: NetworkSet;
  /**
   * Folder of `manifest.json` and the weights, as in `loadNetworks`; default: the location set by `init` or
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
  /** Name of the set of weights, such as "open": a `set` of the manifest. */
  readonly set: string;
  /** Licence of the weights, as text for people. */
  readonly licence: string;
  /**
   * Fills an array, [channels × 4], with amplitude, frequency (hertz), phase (radians, −π to π) and offset of each
   * wave at a time of the clip, rounded to a thirtieth of a second and limited to the clip.
   */
  at(seconds: number, into: Float32Array): void;
  /** Frees the wasm memory. */
  free(): void;
}
