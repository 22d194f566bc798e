/** A character that one steers in a thread of its own: it waits for no stitch, and no stitch for it. */
import { KinestitchError } from "../core/error.js";
import type { Packed } from "../core/packed.js";
import type { ControlWant, KeyPlace, WorkerClip, WorkerController } from "../core/types.js";
import { RemoteClip } from "./clip.js";
import type { WorkerLink } from "./link.js";
import { STEERED, type Steered, type SteeringMethod } from "./protocol.js";

/** What the thread tells of a controller: all that stays as it is. */
export type Told = Omit<WorkerController, SteeringMethod | "free">;

/** What is told stands in it as it came. */
export interface RemoteController extends Told {}

export class RemoteController implements WorkerController {
  /** The thread of this session alone; clips of it belong to `clips`, which every other function asks. */
  readonly #link: WorkerLink;
  readonly #clips: WorkerLink;
  #freed = false;

  constructor(link: WorkerLink, clips: WorkerLink, told: Told) {
    this.#link = link;
    this.#clips = clips;
    Object.assign(this, told);
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
