/** `createController`: an interactively controlled character, synchronous, on the calling thread. */
import { type ControlSession, DatabaseBuilder, type MatchingSession } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { clipOf } from "../core/clip-methods.js";
import { callWasm, release } from "../core/error.js";
import {
  anything,
  clipSource,
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
import { runWithProgress } from "../core/progress.js";
import { task } from "../core/task.js";
import {
  characters,
  devices,
  type CharacterName,
  type Clip,
  type ClipSource,
  type Controller,
  type ControllerOptions,
  type ControlInput,
  type Coverage,
  type HeightField,
  type JointInfo,
  type GroundPose,
  type NetworkOptions,
  type Playing,
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

/** A character in wasm: moved by a network, or made of clips. */
type Session = ControlSession | MatchingSession;

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
    source: clipSource,
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
  async run({ networks }, { source, at, ground, ...options }) {
    const controller = source
      ? await fromClips(source, options)
      : await fromNetwork(options, (wanted) => networks().controller(wanted, options));
    if (ground) await controller.setGround(ground);
    if (at || ground) await controller.place(at ?? { x: 0, z: 0, heading: 0 });
    return controller;
  },
});

/** Creates a character that a network moves. */
async function fromNetwork(
  { character = "biped", set, models, device, target, noise = 0, seed = 0 }: ControllerOptions,
  load: (wanted: { character: CharacterName } & NetworkOptions) => Promise<ControllerNetwork>,
): Promise<KinestitchController> {
  const targetBytes = target === undefined ? undefined : KinestitchClip.packedOf(target, "the target").bytes;
  const { model, cpu } = await load({ character, ...pickNetworkOptions({ set, models, device }) });
  const session = callWasm(() => (targetBytes ? cpu.onto(targetBytes) : cpu.session()));
  return new KinestitchController(session, { character, set: model.set, licence: model.licence }, [noise, seed]);
}

/** Options of networks, which a character made of clips does not have. */
const NETWORK_ONLY = ["character", "set", "models", "device", "target", "noise", "seed"] as const;

/** Creates a character made of clips. */
async function fromClips(
  { clips, uses = [], ...values }: ClipSource,
  options: ControllerOptions,
): Promise<KinestitchController> {
  const ignored = NETWORK_ONLY.find((name) => options[name] !== undefined);
  if (ignored)
    throw wrongOption(ignored, `${ignored} is an option of networks; a character made of clips has no such option`);
  if (uses.length > clips.length)
    throw wrongOption("source", `source.uses has ${uses.length} entries for ${clips.length} clips`);
  const packed = Array.from(clips, (clip, index) => KinestitchClip.packedOf(clip, `clip ${index} of source.clips`));
  const builder = callWasm(() => new DatabaseBuilder());
  for (const [index, { bytes }] of packed.entries()) {
    const use = uses[index];
    callWasm(() => builder.add(bytes, use === undefined ? undefined : use === "action"));
  }
  const session = runWithProgress(options, (report) => builder.build(values, report));
  return new KinestitchController(session, { character: "clips", set: "", licence: "" }, [0, 0]);
}

class KinestitchController implements Controller {
  readonly character: CharacterName | "clips";
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
  #session: Session | undefined;
  /** Amplitude and seed of the variations of a step whose input does not set them. */
  readonly #noise: readonly [noise: number, seed: number];

  constructor(
    session: Session,
    { character, set, licence }: Pick<Controller, "character" | "set" | "licence">,
    noise: readonly [noise: number, seed: number],
  ) {
    this.#noise = noise;
    this.#session = session;
    const { skeleton, styles, actions, scale, fastest, varies, limbs, contacts } = callWasm(() =>
      session.about(),
    ) as ControllerProperties;
    this.character = character;
    this.set = set;
    this.licence = licence;
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

  async coverage(): Promise<Coverage | undefined> {
    return this.#withSession((session) => ("coverage" in session ? (session.coverage() as Coverage) : undefined));
  }

  async playing(): Promise<Playing | undefined> {
    return this.#withSession((session) => ("playing" in session ? (session.playing() as Playing) : undefined));
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

  #withSession<T>(use: (session: Session) => T): T {
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
