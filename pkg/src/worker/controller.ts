/** A character that one steers in a thread of its own: it waits for no stitch, and no stitch for it. */
import { KinestitchError } from "../core/error.js";
import type { Packed } from "../core/packed.js";
import type { ControlWant, JointInfo, KeyPlace, WorkerClip, WorkerController } from "../core/types.js";
import { RemoteClip } from "./clip.js";
import type { WorkerLink } from "./link.js";
import { STEERED, type Steered, type SteeringMethod } from "./protocol.js";

/** What the thread tells of a controller: all that stays as it is. */
export type Told = Omit<WorkerController, SteeringMethod | "free">;

export class RemoteController implements WorkerController {
  readonly character;
  readonly set: string;
  readonly licence: string;
  readonly skeleton: readonly JointInfo[];
  readonly styles: readonly string[];
  readonly actions: readonly string[];
  readonly scale: number;
  readonly fastest: number;
  readonly limbs: readonly string[];
  readonly contactPoints: readonly string[];
  readonly positions: Float32Array;
  readonly rotations: Float32Array;
  readonly phases: Float32Array;
  readonly contacts: Float32Array;
  readonly trajectory: Float32Array;
  /** The thread of this session alone; clips of it belong to `clips`, which every other function asks. */
  readonly #link: WorkerLink;
  readonly #clips: WorkerLink;
  #freed = false;

  constructor(link: WorkerLink, clips: WorkerLink, told: Told) {
    this.#link = link;
    this.#clips = clips;
    this.character = told.character;
    this.set = told.set;
    this.licence = told.licence;
    this.skeleton = told.skeleton;
    this.styles = told.styles;
    this.actions = told.actions;
    this.scale = told.scale;
    this.fastest = told.fastest;
    this.limbs = told.limbs;
    this.contactPoints = told.contactPoints;
    this.positions = told.positions;
    this.rotations = told.rotations;
    this.phases = told.phases;
    this.contacts = told.contacts;
    this.trajectory = told.trajectory;
  }

  async step(want: ControlWant, seconds: number): Promise<void> {
    this.#fill(await this.#ask<Steered>("step", [want, seconds]));
  }

  async place(at: KeyPlace): Promise<void> {
    this.#fill(await this.#ask<Steered>("place", [at]));
  }

  async record(): Promise<void> {
    await this.#ask("record", []);
  }

  async clip(): Promise<WorkerClip | undefined> {
    const clip = await this.#ask<object | undefined>("clip", []);
    return clip && new RemoteClip(this.#clips, RemoteClip.sent(clip)?.$clip as Packed);
  }

  free(): void {
    this.#freed = true;
    this.#link.end();
  }

  #fill(steered: Steered): void {
    for (const name of STEERED) this[name].set(steered[name]);
  }

  async #ask<T>(method: SteeringMethod, args: unknown[]): Promise<T> {
    if (this.#freed) throw new KinestitchError("wasm", "this controller was freed");
    return this.#link.turn({ do: "steered", method, args }, {}) as Promise<T>;
  }
}
