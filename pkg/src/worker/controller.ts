/** Characters controlled in worker threads of their own, so that other work does not delay them. */
import { aborted, KinestitchError } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import type { ControlInput, GroundPose, HeightField, WorkerClip, WorkerController } from "../core/types.js";
import { RemoteClip } from "./clip.js";
import type { WorkerLink } from "./link.js";
import { STEERED, type Steered, type SteeringMethod } from "./protocol.js";
import type { Session } from "./session-pool.js";

/** Constant properties of a controller, as sent by the thread. */
export type ControllerProperties = Omit<WorkerController, SteeringMethod | "free">;

/** Properties of {@link RemoteController} that its constructor copies from the thread's controller. */
export interface RemoteController extends ControllerProperties {}

/** Frees controllers after garbage collection, whenever that happens. */
const unreachable = /* @__PURE__ */ new FinalizationRegistry<Session>((session) => session.end());

/** A controller whose steps are computed in a worker thread. */
export class RemoteController implements WorkerController {
  readonly #session: Session;
  /** Clips belong to the worker of the other functions. */
  readonly #clips: WorkerLink;
  #freed = false;

  constructor(session: Session, clips: WorkerLink, properties: ControllerProperties) {
    this.#session = session;
    this.#clips = clips;
    Object.assign(this, properties);
    unreachable.register(this, session, this);
  }

  async step(want: ControlInput, seconds: number): Promise<void> {
    this.#fill(await this.#call<Steered>("step", [want, seconds]));
  }

  async place(at: GroundPose): Promise<void> {
    this.#fill(await this.#call<Steered>("place", [at]));
  }

  async setGround(ground: HeightField | undefined): Promise<void> {
    await this.#call("setGround", [ground]);
  }

  async record(): Promise<void> {
    await this.#call("record", []);
  }

  async clip(): Promise<WorkerClip | undefined> {
    const recorded = await this.#call<RemoteClip | undefined>("clip", []);
    if (!recorded) return undefined;
    const clip = new RemoteClip(this.#clips, RemoteClip.sent(recorded)?.$clip as PackedMotion);
    // The clip's bytes are on the page; the thread need not keep it.
    recorded.free();
    return clip;
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    unreachable.unregister(this);
    this.#session.end();
  }

  #fill(steered: Steered): void {
    for (const name of STEERED) this[name].set(steered[name]);
  }

  async #call<T>(method: SteeringMethod, args: unknown[]): Promise<T> {
    if (this.#freed) throw new KinestitchError("option", "this controller was freed; create a new one");
    const answer = (await this.#session.send({ do: "steered", session: this.#session.id, method, args }, {})) as T;
    if (this.#freed) throw aborted();
    return answer;
  }
}
