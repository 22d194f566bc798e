/** What `createController` takes and gives. */
import type { Device, NetworkSet, StyleName } from "./network-types.js";
import type { Clip, JointInfo, KeyPlace, TaskOptions, WorkerClip } from "./types.js";

/** Bodies that can be steered. */
export const characters = ["biped", "dog"] as const;
/** Name of a body that can be steered. */
export type CharacterName = (typeof characters)[number];

/** Something to do: what characters of this package know is named; `actions` of a controller lists what its own network knows. */
export type ActionName = "sit" | "lie" | (string & {});

/** Options of `createController`. */
export interface ControllerOptions extends TaskOptions {
  /** Default "biped". */
  character?: CharacterName;
  /** Which training data: a `set` of the manifest. Default: "open" where there is one, else the first. Mind its licence. */
  set?: NetworkSet;
  /** Folder of `manifest.json` and the weights, as in `loadNetworks`; default: what `init` and `kinestitch/networks` say. */
  models?: URL | string;
  /** Where the network runs: always the CPU, which is "auto", too, for it answers within a frame. "webgpu" gives the error `device`. */
  device?: Device;
  /** Where it stands at first; default: the origin, facing +z. */
  at?: KeyPlace;
  /**
   * A clip on a skeleton of your own, at least its rest pose: every pose is retargeted to it, and all metres are its own. A "biped"
   * needs two legs, a "dog" a body that stands on four, whatever its joints are called. Default: the character's canonical body. Clips
   * of `kinestitch/worker` are taken as they are.
   */
  target?: Clip | WorkerClip;
  /** `noise` and `seed` of every step that does not say its own. Defaults: 0, which varies nothing, and 0. */
  noise?: number;
  /** See {@link ControlWant.seed}. */
  seed?: number;
}

/** What a character is asked to do, world space. What is not finite counts as not said. */
export interface ControlWant {
  /** Where to go on the ground, [x, z]; its length does not matter. [0, 0]: stay. */
  direction: readonly [x: number, z: number];
  /** Where to look, radians about +Y, 0 along +z; default: where it goes, or where it looks. */
  facing?: number;
  /** Metres a second; what is beyond the character's `fastest` counts as that. */
  speed: number;
  /** One of `styles`; default: the first. */
  style?: StyleName;
  /** One of `actions`; default: what the speed says. */
  action?: ActionName;
  /**
   * How far its ways vary as recorded ones do, 0 to 1: it sways, hurries and lingers, and still goes where it is asked. A quarter to three
   * quarters look like people; nothing where the character does not vary (`varies`). Default: that of `createController`.
   */
  noise?: number;
  /** Which ways those are, a whole number: a behaviour of its own, always the same. Default: that of `createController`. */
  seed?: number;
}

/** A character that one steers in a worker of its own: the functions of {@link Controller} as promises. */
export interface WorkerController extends Omit<Controller, "step" | "place" | "record" | "clip"> {
  /** As `step` of {@link Controller}; the arrays are filled once it resolves. */
  step(want: ControlWant, seconds: number): Promise<void>;
  /** See {@link Controller.place}. */
  place(at: KeyPlace): Promise<void>;
  /** See {@link Controller.record}. */
  record(): Promise<void>;
  /** See {@link Controller.clip}. */
  clip(): Promise<WorkerClip | undefined>;
}

/** A character that one steers, synchronous, on the calling thread. Call `free` in the end. */
export interface Controller {
  /** The body that is steered. */
  readonly character: CharacterName;
  /** Set of weights, and what they may be used for, in words. */
  readonly set: string;
  /** Terms of use of the weights, for people. */
  readonly licence: string;
  /** Joints of the canonical body, or of the `target`, parents first. */
  readonly skeleton: readonly JointInfo[];
  /** Ways to move that the network knows; the first is the usual one. */
  readonly styles: readonly string[];
  /** What it can do when it is asked: "sit", "lie", …; without asking it stands and moves. */
  readonly actions: readonly string[];
  /** Metres of the `target`'s in one of the character's: its strides are as much longer; 1 without. */
  readonly scale: number;
  /** Whether its weights can vary its ways: see `noise` of {@link ControlWant}. */
  readonly varies: boolean;
  /** Fastest speed it was trained for, metres a second. */
  readonly fastest: number;
  /** Names of the joints whose limbs `phases` tells of, and of those that `contacts` tells of; a `target` may lack toes, and its feet stand for them. */
  readonly limbs: readonly string[];
  /** Names of the joints that `contacts` tells of, in its order. */
  readonly contactPoints: readonly string[];
  /** World positions of all joints, [joints × 3], metres, after the last step; the same array each time. */
  readonly positions: Float32Array;
  /** Local rotations x, y, z, w, [joints × 4]; the root's is its world rotation. */
  readonly rotations: Float32Array;
  /** Phase vectors of the limbs, [limbs × 2]: they turn once a cycle, and shrink to nothing at rest. */
  readonly phases: Float32Array;
  /** Probability that each contact point touches the ground, [contactPoints]. */
  readonly contacts: Float32Array;
  /** The path on the ground, a second back to a second ahead, [13 × 4]: x, z, and where it faces, as a unit vector x, z. */
  readonly trajectory: Float32Array;
  /**
   * Goes on by `seconds` (0 changes nothing; more than a quarter of a second counts as that: a hidden tab is a pause) and fills
   * the arrays above. The network runs at a fixed rate; poses are interpolated to any display's.
   */
  step(want: ControlWant, seconds: number): void;
  /** Puts it somewhere else, at rest. */
  place(at: KeyPlace): void;
  /** Begins to record what `step` makes, from nothing. */
  record(): void;
  /** Ends recording; what was recorded as a clip, or `undefined` where nothing was. */
  clip(): Clip | undefined;
  /** Frees the wasm memory. */
  free(): void;
}
