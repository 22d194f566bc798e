/** Options and results of `createController`. */
import type { Clip, JointInfo } from "./clip-types.js";
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
export type ActionName = "jump" | "sit" | "lie" | (string & {});

/**
 * Heights of uneven ground on a regular grid. Between grid points, heights are interpolated; outside the grid, the
 * ground continues at the height of the nearest edge.
 */
export interface HeightField {
  /** Position of the first grid point along x, metres. */
  x: number;
  /** Position of the first grid point along z, metres. */
  z: number;
  /** Distance between grid points, metres; steps of stairs need 0.05 or less. */
  spacing: number;
  /** Number of grid points along x, at least 2. */
  columns: number;
  /** Heights, metres, [rows × columns]: rows along x, one after the other along z; at most 4 million, within 10 km. */
  heights: Float32Array | readonly number[];
}

/** The user's own clips as a character: see {@link ControllerOptions.source}. */
export interface ClipSource {
  /**
   * Clips of one body, travelling or made in place; the character stands on the skeleton of the first. An idle, a walk
   * and a run make a good character; turns, starts and stops make it better. At most 400,000 frames at 30 a second,
   * mirrored copies included.
   */
  clips: readonly Clip[];
  /**
   * Use of each clip; default: by its name, so that "Walk", "Idle" or "TurnLeft" is steered and "Jump" or "Wave" is an
   * action, played once when `action` of a step requests it. If no name tells, all clips are steered.
   */
  uses?: readonly ("locomotion" | "action" | undefined)[];
  /** Whether mirrored copies are added where the body is symmetric; default true. */
  mirror?: boolean;
  /** Factor of the weight of the way ahead: higher follows the input more closely, lower joins more smoothly; default 1. */
  wayWeight?: number;
  /** Factor of the weight of the pose; default 1. */
  poseWeight?: number;
}

/** Motions of a character made of clips. */
export interface Coverage {
  /** Slowest and fastest locomotion, metres per second. */
  speeds: readonly [slowest: number, fastest: number];
  /** Fastest turns to the right and to the left, radians per second. */
  turns: readonly [right: number, left: number];
  /** Names of the clips that are steered. */
  locomotion: readonly string[];
  /** Names of the actions. */
  actions: readonly string[];
  /** Names of clips made in place, whose travel comes from their feet. */
  inPlace: readonly string[];
  /** Motions that are missing and clips to add, one sentence each. */
  missing: readonly string[];
}

/** The frame that a character made of clips plays. */
export interface Playing {
  /** Name of the clip; of a blend, the names of both clips and the share of the second. */
  clip: string;
  /** Time in the clip, seconds. */
  seconds: number;
  /** Cost of going on with this clip in the last search, without unit; 0: it does what the input asks for. */
  cost: number;
  /** Cost of the best frame found; below `cost` if the character joined it. */
  best: number;
}

/** Options of `createController`. */
export interface ControllerOptions extends TaskOptions {
  /**
   * Clips that the character is made of, by motion matching; default: a trained network. Without networks, so
   * `character`, `set`, `models`, `device`, `noise`, `seed` and `target` cannot be given beside it: the skeleton is
   * that of the first clip.
   */
  source?: ClipSource;
  /** Character to control; default "biped". */
  character?: CharacterName;
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
  /**
   * Device of the network. "auto" and "cpu" both use the CPU, which responds within a frame; "webgpu" causes the error
   * `device`.
   */
  device?: Device;
  /** Initial ground pose; default: the origin, facing +z. */
  at?: GroundPose;
  /**
   * A clip on your own skeleton, for example a single frame at rest. Every pose is retargeted to this skeleton, and all
   * lengths are in metres of the skeleton. A "biped" needs two legs, a "dog" a body that stands on four legs; joint
   * names do not matter. Clips of `kinestitch/worker` are accepted too. Default: the character's canonical body.
   */
  target?: Clip;
  /** Uneven ground, see {@link Controller.setGround}; default: level ground at height 0. */
  ground?: HeightField;
  /** Default of {@link ControlInput.noise} for every step; default 0: no variation. */
  noise?: number;
  /** Default of {@link ControlInput.seed} for every step; default 0. */
  seed?: number;
}

/** User input of a character, in world space. Numbers that are not finite are ignored. */
export interface ControlInput {
  /** Direction of movement on the ground, [x, z]; the length is ignored. [0, 0] stops the character. */
  direction: readonly [x: number, z: number];
  /** Facing direction, radians about +Y, 0 along +z. Default: the direction of movement; at rest, unchanged. */
  facing?: number;
  /** Speed, metres per second; limited to the character's `fastest`. */
  speed: number;
  /** One of the controller's `styles`; default: the first. */
  style?: StyleName;
  /**
   * One of the controller's `actions`; default: standing or moving, depending on the speed. "jump" starts a complete
   * jump at the current speed, even if it is requested for one step only. Other actions stop the character, and last as
   * long as they are requested.
   */
  action?: ActionName;
  /**
   * Amplitude of variations, 0 to 1: like people in recordings, the character sways and changes its speed, but keeps
   * the requested direction. Values from 0.25 to 0.75 look natural. No effect if the character has no variations
   * (`varies`). Default: the value given to `createController`.
   */
  noise?: number;
  /**
   * Seed of the variations, an integer; a seed always gives the same variations. Default: the seed of
   * `createController`.
   */
  seed?: number;
}

/**
 * An interactively controlled character. In `kinestitch`, its methods have ended when they return, and their promises are
 * already resolved; in `kinestitch/worker`, they have ended when their promises resolve. Call `free` at the end.
 */
export interface Controller {
  /** Name of the character; "clips" for one made of clips. */
  readonly character: CharacterName | "clips";
  /** Name of the set of weights, such as "open": a `set` of the manifest; "" for a character made of clips. */
  readonly set: string;
  /** Licence of the weights, as text for people. */
  readonly licence: string;
  /** Joints of the `target`, by default of the canonical body; parents before children. */
  readonly skeleton: readonly JointInfo[];
  /** Names of the styles; the first is the default. */
  readonly styles: readonly string[];
  /**
   * Names of the actions: "jump" of a person, "sit" and "lie" of a dog. Without an action, the character stands or
   * moves.
   */
  readonly actions: readonly string[];
  /** Scale of lengths: metres of the `target` per metre of the canonical body; 1 without a target. */
  readonly scale: number;
  /** Whether the weights support variations: see {@link ControlInput.noise}. */
  readonly varies: boolean;
  /** Highest speed that can be requested, metres per second. */
  readonly fastest: number;
  /** Names of the joints of `phases`, in the same order. If a `target` has no toes, they are its feet. */
  readonly limbs: readonly string[];
  /** Names of the joints of `contacts`, in the same order; feet in place of missing toes. */
  readonly contactPoints: readonly string[];
  /** World positions of all joints after the last step, metres, [joints × 3]. Every step fills the same array. */
  readonly positions: Float32Array;
  /** Local rotations, quaternions x, y, z, w, [joints × 4]; for the root, its world rotation. */
  readonly rotations: Float32Array;
  /** Phase vectors of the limbs, [limbs × 2]: each rotates once per cycle, and has length 0 at rest. */
  readonly phases: Float32Array;
  /** Probability that each contact point touches the ground, [contactPoints]. */
  readonly contacts: Float32Array;
  /**
   * Path on the ground from one second in the past to one second ahead, [13 × 4]: position x, z in metres, and facing
   * direction as a unit vector x, z.
   */
  readonly trajectory: Float32Array;
  /**
   * Advances the character by `seconds` and fills the arrays above. 0 changes nothing. A step advances at most a
   * quarter of a second, so that the character pauses in a hidden tab. The network runs at a fixed rate; poses are
   * interpolated to any display rate.
   */
  step(input: ControlInput, seconds: number): Promise<void>;
  /** Places the character at a ground pose, at rest. */
  place(at: GroundPose): Promise<void>;
  /**
   * Sets the ground, in metres of the `target`; `undefined`: level ground at height 0. Feet stand on the ground, rise
   * before its edges and tilt with its slopes, and the body follows. Path and speed are the same as on level ground, so
   * walls do not stop the character.
   */
  setGround(ground: HeightField | undefined): Promise<void>;
  /** Reports the motions of a character made of clips; `undefined` for networks. */
  coverage(): Promise<Coverage | undefined>;
  /** Returns the frame that a character made of clips plays; `undefined` for networks. */
  playing(): Promise<Playing | undefined>;
  /** Starts a new recording of the poses of `step`. */
  record(): Promise<void>;
  /** Ends the recording and returns it as a clip; `undefined` if it is empty. */
  clip(): Promise<Clip | undefined>;
  /** Frees the wasm memory. */
  free(): void;
}
