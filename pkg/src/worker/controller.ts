/** A character controlled in a thread of its own, so that other work does not delay it. */
import { aborted, KinestitchError } from "../core/error.js";
import type { Packed } from "../core/packed.js";
import type { ControlInput, GroundPose, WorkerClip, WorkerController } from "../core/types.js";
import { RemoteClip } from "./clip.js";
import type { WorkerLink } from "./link.js";
import { STEERED, type Steered, type SteeringMethod } from "./protocol.js";
import type { Seat } from "./seats.js";

/** Constant properties of a controller, as sent by the thread. */
export type ControllerProperties = Omit<WorkerController, SteeringMethod | "free">;

/** The constant properties are copied to the object. */
export interface RemoteController extends ControllerProperties {}

/** Frees controllers after garbage collection, whenever that happens. */
const dropped = /* @__PURE__ */ new FinalizationRegistry<Seat>((seat) => seat.leave());

export class RemoteController implements WorkerController {
  readonly #seat: Seat;
  /** Clips belong to the worker of the other functions. */
  readonly #clips: WorkerLink;
  #freed = false;

  constructor(seat: Seat, clips: WorkerLink, properties: ControllerProperties) {
    this.#seat = seat;
    this.#clips = clips;
    Object.assign(this, properties);
    dropped.register(this, seat, this);
  }

  async step(want: ControlInput, seconds: number): Promise<void> {
    this.#fill(await this.#ask<Steered>("step", [want, seconds]));
  }

  async place(at: GroundPose): Promise<void> {
    this.#fill(await this.#ask<Steered>("place", [at]));
  }

  async record(): Promise<void> {
    await this.#ask("record", []);
  }

  async clip(): Promise<WorkerClip | undefined> {
    const made = await this.#ask<RemoteClip | undefined>("clip", []);
    if (!made) return undefined;
    const clip = new RemoteClip(this.#clips, RemoteClip.sent(made)?.$clip as Packed);
    // The clip's bytes are on the page; the thread need not keep it.
    made.free();
    return clip;
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    dropped.unregister(this);
    this.#seat.leave();
  }

  #fill(steered: Steered): void {
    for (const name of STEERED) this[name].set(steered[name]);
  }

  async #ask<T>(method: SteeringMethod, args: unknown[]): Promise<T> {
    if (this.#freed) throw new KinestitchError("option", "this controller was freed; create a new one");
    const answer = (await this.#seat.ask({ do: "steered", session: this.#seat.session, method, args }, {})) as T;
    if (this.#freed) throw aborted();
    return answer;
  }
}
