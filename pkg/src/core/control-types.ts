/** Options and results of `createController`. */
import type { Clip, JointInfo, WorkerClip } from "./clip-types.js";
import type { GroundPose } from "./inbetween-types.js";
import type { Device, NetworkSet, StyleName } from "./network-types.js";
import type { TaskOptions } from "./task-types.js";

/** Kinds of characters that can be controlled. */
export const characters = ["biped", "dog"] as const;
/** Name of a character that can be controlled. */
export type CharacterName = (typeof characters)[number];

/**
 * Name of an action. Editors suggest the actions of this package's characters; `actions` of a controller lists the
 * actions of its network.
 */
export type ActionName = "sit" | "lie" | (string & {});

/** Options of `createController`. */
export interface ControllerOptions extends TaskOptions {
  /** Default "biped". */
  character?: CharacterName;
  /** Training data: a `set` of the manifest. Default: "open" if there is one, else the first. Mind its licence. */
  set?: NetworkSet;
  /**
   * Folder of `manifest.json` and the weights, as in `loadNetworks`; default: as set by `init` or
   * `kinestitch/networks`.
   */
  models?: URL | string;
  /**
   * Device of the network: always the CPU, for "auto" too, because it responds within a frame. "webgpu" causes the
   * error `device`.
   */
  device?: Device;
  /** Initial ground pose; default: the origin, facing +z. */
  at?: GroundPose;
  /**
   * A clip on a skeleton of your own, at least its rest pose: every pose is retargeted to it, and all lengths are in
   * its metres. A "biped" needs two legs, a "dog" a body that stands on four; joint names do not matter. Clips of
   * `kinestitch/worker` are accepted too. Default: the character's canonical body.
   */
  target?: Clip | WorkerClip;
  /** Defaults of `noise` and `seed` for every step. Default: 0 (no variation) and 0. */
  noise?: number;
  /** See {@link ControlInput.seed}. */
  seed?: number;
}

/** Input of a character, world space. Values that are not finite count as omitted. */
export interface ControlInput {
  /** Direction of movement on the ground, [x, z]; its length is ignored. [0, 0]: stay. */
  direction: readonly [x: number, z: number];
  /** Facing direction, radians about +Y, 0 along +z; default: the direction of movement, or unchanged. */
  facing?: number;
  /** Speed, metres per second; limited to the character's `fastest`. */
  speed: number;
  /** One of `styles`; default: the first. */
  style?: StyleName;
  /** One of `actions`; default: standing or moving, chosen by the speed. */
  action?: ActionName;
  /**
   * Amplitude of variations, 0 to 1: the character sways, hurries and lingers like people in recordings, but still
   * goes in the requested direction. Values from .25 to .75 look natural. No effect if the character has no
   * variations (`varies`). Default: the value given to `createController`.
   */
  noise?: number;
  /** Seed of the variations, an integer; each seed is a fixed behaviour. Default: the seed of `createController`. */
  seed?: number;
}

/** A character controlled in a worker: the functions of {@link Controller} as promises. */
export interface WorkerController extends Omit<Controller, "step" | "place" | "record" | "clip"> {
  /** As `step` of {@link Controller}; the arrays are filled once it resolves. */
  step(want: ControlInput, seconds: number): Promise<void>;
  /** See {@link Controller.place}. */
  place(at: GroundPose): Promise<void>;
  /** See {@link Controller.record}. */
  record(): Promise<void>;
  /** See {@link Controller.clip}. */
  clip(): Promise<WorkerClip | undefined>;
}

/** An interactively controlled character, synchronous, on the calling thread. Call `free` at the end. */
export interface Controller {
  /** Name of the character. */
  readonly character: CharacterName;
  /** Training data of the weights, and their permitted use, in words. */
  readonly set: string;
  /** Terms of use of the weights, for people. */
  readonly licence: string;
  /** Joints of the canonical body or the `target`, parents first. */
  readonly skeleton: readonly JointInfo[];
  /** Names of the styles; the first is the default. */
  readonly styles: readonly string[];
  /** Names of the actions: "sit", "lie", …; without one it stands or moves. */
  readonly actions: readonly string[];
  /** Metres of the `target` per metre of the character; strides scale by it. 1 without a target. */
  readonly scale: number;
  /** Whether its weights support variations: see `noise` of {@link ControlInput}. */
  readonly varies: boolean;
  /** Highest speed of its training data, metres per second. */
  readonly fastest: number;
  /** Names of the joints of `phases` and `contacts`. If a `target` lacks toes, its feet stand in for them. */
  readonly limbs: readonly string[];
  /** Names of the joints of `contacts`, in its order. */
  readonly contactPoints: readonly string[];
  /** World positions of all joints, [joints × 3], metres, after the last step; the same array each time. */
  readonly positions: Float32Array;
  /** Local rotations x, y, z, w, [joints × 4]; for the root, its world rotation. */
  readonly rotations: Float32Array;
  /** Phase vectors of the limbs, [limbs × 2]: one rotation per cycle, length zero at rest. */
  readonly phases: Float32Array;
  /** Probability that each contact point touches the ground, [contactPoints]. */
  readonly contacts: Float32Array;
  /**
   * The path on the ground, from a second back to a second ahead, [13 × 4]: x, z, and the facing direction as a unit
   * vector x, z.
   */
  readonly trajectory: Float32Array;
  /**
   * Advances by `seconds` and fills the arrays above. 0 changes nothing; the step is limited to a quarter of a
   * second, so that a hidden tab is a pause. The network runs at a fixed rate; poses are interpolated to any display
   * rate.
   */
  step(want: ControlInput, seconds: number): void;
  /** Places the character at another ground pose, at rest. */
  place(at: GroundPose): void;
  /** Starts a new recording of the results of `step`. */
  record(): void;
  /** Ends the recording and returns it as a clip; `undefined` if it is empty. */
  clip(): Clip | undefined;
  /** Frees the wasm memory. */
  free(): void;
}
