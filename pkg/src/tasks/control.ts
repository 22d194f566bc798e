/** `createController`: a character that one steers, synchronous, on the calling thread. */
import type { ControlSession } from "../../wasm/live.js";
import { KinestitchClip, packed } from "../core/clip.js";
import { guarded, release } from "../core/error.js";
import { anything, oneOf, part, seed as count, standing, text } from "../core/options.js";
import { task } from "../core/task.js";
import {
  characters,
  type Clip,
  type Controller,
  type ControllerOptions,
  type ControlWant,
  type JointInfo,
  type KeyPlace,
  type NetworkModel,
} from "../core/types.js";
import type { Steering } from "../networks/networks.js";

/** What the network tells of itself. */
interface About {
  skeleton: JointInfo[];
  styles: string[];
  actions: string[];
  scale: number;
  fastest: number;
  varies: boolean;
  limbs: string[];
  contacts: string[];
}

/** Samples of the path: a second back to a second ahead. */
const SAMPLES = 13;

/**
 * A character that one steers: loads its network, the first time.
 *
 * @function
 */
export const createController = /* @__PURE__ */ task<[], ControllerOptions, Controller>({
  name: "createController",
  makes: "value",
  takes: 0,
  options: { character: /* @__PURE__ */ oneOf(characters), set: text, at: standing, target: anything, noise: part, seed: count },
  async run({ networks }, { character = "biped", set, at, target, noise = 0, seed = 0, ...options }) {
    const onto = target === undefined ? undefined : KinestitchClip.packedOf(target, "the target").bytes;
    const controller = new KinestitchController(character, await networks().controller(character, set, options), onto, [noise, seed]);
    if (at) controller.place(at);
    return controller;
  },
});

class KinestitchController implements Controller {
  readonly character;
  readonly set: string;
  readonly licence: string;
  readonly skeleton: readonly JointInfo[];
  readonly styles: readonly string[];
  readonly actions: readonly string[];
  readonly scale: number;
  readonly fastest: number;
  readonly varies: boolean;
  readonly limbs: readonly string[];
  readonly contactPoints: readonly string[];
  readonly positions: Float32Array;
  readonly rotations: Float32Array;
  readonly phases: Float32Array;
  readonly contacts: Float32Array;
  readonly trajectory = new Float32Array(SAMPLES * 4);
  readonly #session: ControlSession;
  /** Noise and seed of steps that do not say their own. */
  readonly #ways: readonly [noise: number, seed: number];

  constructor(
    character: (typeof characters)[number],
    { model, cpu }: { model: NetworkModel; cpu: Steering["cpu"] },
    target: Uint8Array | undefined,
    ways: readonly [number, number],
  ) {
    this.#ways = ways;
    this.#session = guarded(() => (target ? cpu.onto(target) : cpu.session()));
    const { skeleton, styles, actions, scale, fastest, varies, limbs, contacts } = guarded(() => this.#session.about()) as About;
    this.character = character;
    this.set = model.set;
    this.licence = model.licence;
    this.skeleton = skeleton;
    this.styles = styles;
    this.actions = actions;
    this.scale = scale;
    this.fastest = fastest;
    this.varies = varies;
    this.limbs = limbs;
    this.contactPoints = contacts;
    this.positions = new Float32Array(skeleton.length * 3);
    this.rotations = new Float32Array(skeleton.length * 4);
    this.phases = new Float32Array(limbs.length * 2);
    this.contacts = new Float32Array(contacts.length);
    this.#step(0, 0, undefined, 0, 0, undefined, 0, 0, 0);
  }

  step({ direction, facing, speed, style, action, noise = this.#ways[0], seed = this.#ways[1] }: ControlWant, seconds: number): void {
    const known = (names: readonly string[], name: string | undefined): number | undefined => {
      const index = name === undefined ? -1 : names.indexOf(name);
      return index < 0 ? undefined : index;
    };
    const look = typeof facing === "number" && Number.isFinite(facing) ? facing : undefined;
    const [x, z] = direction;
    this.#step(x, z, look, speed, known(this.styles, style) ?? 0, known(this.actions, action), noise, seed, seconds);
  }

  #step(...asked: Parameters<ControlSession["step"]>): void {
    guarded(() => {
      this.#session.step(...asked);
      this.#session.fill(this.positions, this.rotations, this.phases, this.contacts, this.trajectory);
    });
  }

  place({ x, z, heading }: KeyPlace): void {
    guarded(() => this.#session.place(x, z, heading));
    this.#step(0, 0, undefined, 0, 0, undefined, 0, 0, 0);
  }

  record(): void {
    guarded(() => this.#session.record());
  }

  clip(): Clip | undefined {
    const handle = guarded(() => this.#session.recorded());
    return handle && new KinestitchClip(packed(handle));
  }

  free(): void {
    release(this.#session);
  }
}
