/** `createController`: an interactively controlled character, synchronous, on the calling thread. */
import type { ControlSession } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { clipOf } from "../core/clip-methods.js";
import { callWasm, release } from "../core/error.js";
import {
  anything,
  heightField,
  oneOf,
  fraction,
  url,
  seed as seedKind,
  formatValue,
  groundPose,
  text,
  wrongOption,
} from "../core/options.js";
import { task } from "../core/task.js";
import {
  characters,
  devices,
  type Clip,
  type Controller,
  type ControllerOptions,
  type ControlInput,
  type HeightField,
  type JointInfo,
  type GroundPose,
  type NetworkModel,
} from "../core/types.js";
import type { ControllerNetwork } from "../networks/loaded.js";
import { pickNetworkOptions } from "./networks.js";

/** Properties of a controller, from wasm. */
interface ControllerProperties {
  skeleton: JointInfo[];
  styles: string[];
  actions: string[];
  scale: number;
  fastest: number;
  varies: boolean;
  limbs: string[];
  contacts: string[];
}

/** Number of points of the trajectory, from one second before the present to one second after it. */
const TRAJECTORY_POINTS = 13;

/**
 * Creates a character controlled by user input; loads its network on first use.
 *
 * @function
 * @example
 * ```js
 * const person = await createController();
 * person.step({ direction: [0, 1], speed: 1.4 }, 1 / 60); // along +z, metres per second
 * console.log(person.positions); // [joints × 3]
 * ```
 */
export const createController = /* @__PURE__ */ task<(options?: ControllerOptions) => Promise<Controller>>({
  name: "createController",
  resultKind: "value",
  argumentCount: 0,
  options: {
    character: /* @__PURE__ */ oneOf(characters),
    set: text,
    models: url,
    device: /* @__PURE__ */ oneOf(devices),
    at: groundPose,
    target: anything,
    ground: heightField,
    noise: fraction,
    seed: seedKind,
  },
  async run(
    { networks },
    { character = "biped", set, models, device, at, target, ground, noise = 0, seed = 0, ...options },
  ) {
    const targetBytes = target === undefined ? undefined : KinestitchClip.packedOf(target, "the target").bytes;
    const controller = new KinestitchController(
      character,
      await networks().controller({ character, ...pickNetworkOptions({ set, models, device }) }, options),
      targetBytes,
      [noise, seed],
    );
    if (ground) await controller.setGround(ground);
    if (at || ground) await controller.place(at ?? { x: 0, z: 0, heading: 0 });
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
  readonly trajectory = new Float32Array(TRAJECTORY_POINTS * 4);
  #session: ControlSession | undefined;
  /** Amplitude and seed of the variations of a step whose input does not set them. */
  readonly #noise: readonly [noise: number, seed: number];

  constructor(
    character: (typeof characters)[number],
    { model, cpu }: { model: NetworkModel; cpu: ControllerNetwork["cpu"] },
    target: Uint8Array | undefined,
    noise: readonly [noise: number, seed: number],
  ) {
    this.#noise = noise;
    const session = callWasm(() => (target ? cpu.onto(target) : cpu.session()));
    this.#session = session;
    const { skeleton, styles, actions, scale, fastest, varies, limbs, contacts } = callWasm(() =>
      session.about(),
    ) as ControllerProperties;
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
    this.#fill();
  }

  async step(input: ControlInput, seconds: number): Promise<void> {
    checkInput(input);
    if (typeof seconds !== "number")
      throw wrongOption("seconds", `seconds must be a number, not ${formatValue(seconds)}`);
    const { direction, facing, speed, style, action, noise = this.#noise[0], seed = this.#noise[1] } = input;
    const heading = facing !== undefined && Number.isFinite(facing) ? facing : undefined;
    const [x, z] = direction;
    const indices = [
      indexOfName("style", this.styles, style) ?? 0,
      indexOfName("action", this.actions, action),
    ] as const;
    this.#step(x, z, heading, speed, ...indices, noise, seed, seconds);
  }

  #step(...args: Parameters<ControlSession["step"]>): void {
    this.#withSession((session) => {
      session.step(...args);
      session.fill(this.positions, this.rotations, this.phases, this.contacts, this.trajectory);
    });
  }

  /** Fills the arrays with the current pose: a step of zero seconds changes nothing. */
  #fill(): void {
    this.#step(0, 0, undefined, 0, 0, undefined, 0, 0, 0);
  }

  async place(at: GroundPose): Promise<void> {
    if (!groundPose.is(at)) throw wrongOption("at", `at must be ${groundPose.description}, not ${formatValue(at)}`);
    this.#withSession((session) => session.place(at.x, at.z, at.heading));
    this.#fill();
  }

  async setGround(ground: HeightField | undefined): Promise<void> {
    if (ground !== undefined && !heightField.is(ground))
      throw wrongOption("ground", `ground must be ${heightField.description}, not ${formatValue(ground)}`);
    this.#withSession((session) => {
      if (!ground) return session.levelGround();
      const { x, z, spacing, columns, heights } = ground;
      session.setGround(x, z, spacing, columns, Float32Array.from(heights));
    });
  }

  async record(): Promise<void> {
    this.#withSession((session) => session.record());
  }

  async clip(): Promise<Clip | undefined> {
    const handle = this.#withSession((session) => session.recorded());
    return handle && clipOf(handle);
  }

  free(): void {
    release(this.#session);
    this.#session = undefined;
  }

  #withSession<T>(use: (session: ControlSession) => T): T {
    const session = this.#session;
    if (!session) throw wrongOption("controller", "this controller was freed; create a new one");
    return callWasm(() => use(session));
  }
}

/** Checks the types of the input. Numbers that are not finite are accepted, and are ignored later. */
function checkInput(input: ControlInput): void {
  if (typeof input !== "object" || input === null)
    throw wrongOption("input", `a step needs { direction, speed }, not ${formatValue(input)}`);
  const { direction, facing, speed, noise, seed } = input;
  const isPair =
    (Array.isArray(direction) || ArrayBuffer.isView(direction)) &&
    [direction[0], direction[1]].every((number) => typeof number === "number");
  if (!isPair) throw wrongOption("direction", `direction must be [x, z], two numbers, not ${formatValue(direction)}`);
  if (typeof speed !== "number")
    throw wrongOption("speed", `speed must be a number of metres a second, not ${formatValue(speed)}`);
  for (const [name, value] of Object.entries({ facing, noise, seed })) {
    if (value !== undefined && typeof value !== "number")
      throw wrongOption(name, `${name} must be a number, not ${formatValue(value)}`);
  }
}

/** Returns the index of `name` in `names`; `undefined` if no name is given. Throws if it is not in `names`. */
function indexOfName(option: string, names: readonly string[], name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const index = names.indexOf(name);
  if (index >= 0) return index;
  const advice =
    names.length > 0
      ? `must be one of ${names.join(", ")}, not ${formatValue(name)}`
      : "must be left out: this controller has none";
  throw wrongOption(option, `${option} ${advice}`);
}
