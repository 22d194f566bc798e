/**
 * Controllers run in worker threads of their own. These threads run nothing else, so other computations do not delay a
 * controller.
 */
import { aborted } from "../core/error.js";
import { wrongOption } from "../core/options.js";
import type { Clip, Controller, ControlInput, Coverage, GroundPose, HeightField, Playing } from "../core/types.js";
import { KinestitchClip } from "../core/clip.js";
import type { WorkerLink } from "./link.js";
import { STEP_ARRAYS, type StepArrays, type ControllerMethod } from "./protocol.js";
import type { Session } from "./session-pool.js";

/** Properties of a new controller, as sent by the thread: constants, and the arrays that steps fill. */
export type ControllerProperties = Omit<Controller, ControllerMethod | "free">;

/** Properties of {@link RemoteController} that its constructor copies from the thread's controller. */
export interface RemoteController extends ControllerProperties {}

/** Ends the sessions of controllers that were garbage collected without `free`. */
const abandoned = /* @__PURE__ */ new FinalizationRegistry<Session>((session) => session.end());

/** A controller whose steps are computed in a worker thread. */
export class RemoteController implements Controller {
  readonly #session: Session;
  /** Link to the main worker, which computes the methods of recorded clips. */
  readonly #clipWorker: WorkerLink;
  #freed = false;

  constructor(session: Session, clipWorker: WorkerLink, properties: ControllerProperties) {
    this.#session = session;
    this.#clipWorker = clipWorker;
    Object.assign(this, properties);
    abandoned.register(this, session, this);
  }

  async step(input: ControlInput, seconds: number): Promise<void> {
    this.#fill(await this.#call<StepArrays>("step", [input, seconds]));
  }

  async place(at: GroundPose): Promise<void> {
    this.#fill(await this.#call<StepArrays>("place", [at]));
  }

  async setGround(ground: HeightField | undefined): Promise<void> {
    await this.#call("setGround", [ground]);
  }

  async coverage(): Promise<Coverage | undefined> {
    return this.#call("coverage", []);
  }

  async playing(): Promise<Playing | undefined> {
    return this.#call("playing", []);
  }

  async record(): Promise<void> {
    await this.#call("record", []);
  }

  async clip(): Promise<Clip | undefined> {
    const recorded = await this.#call<KinestitchClip | undefined>("clip", []);
    if (!recorded) return undefined;
    const clip = new KinestitchClip(this.#clipWorker, KinestitchClip.packedOf(recorded, "the recording"));
    // The calling thread has the bytes of the recording, so the controller's thread can forget it.
    recorded.free();
    return clip;
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    abandoned.unregister(this);
    this.#session.end();
  }

  #fill(stepArrays: StepArrays): void {
    for (const name of STEP_ARRAYS) this[name].set(stepArrays[name]);
  }

  async #call<T>(method: ControllerMethod, args: unknown[]): Promise<T> {
    if (this.#freed) throw wrongOption("controller", "this controller was freed; create a new one");
    const result = (await this.#session.send(
      { do: "controllerMethod", session: this.#session.id, method, args },
      {},
    )) as T;
    if (this.#freed) throw aborted();
    return result;
  }
}
