/** Controller sessions of a thread: each is created once and advanced step by step. */
import { aborted, KinestitchError } from "../core/error.js";
import type { Controller, ControllerOptions } from "../core/types.js";
import type { ControllerProperties } from "./controller.js";
import { STEERED, type Steered, type SteeringMethod, steeringMethods } from "./protocol.js";

/** Controllers of a thread, by session number. */
export class Steering {
  readonly #controllers = new Map<number, Controller>();
  /** Sessions that were released before their character was loaded. */
  readonly #left = new Set<number>();

  /** Creates a character; returns its constant properties. */
  async begin(
    session: number,
    make: ((options: ControllerOptions) => Promise<Controller>) | undefined,
    options: ControllerOptions,
  ): Promise<ControllerProperties> {
    if (!make) throw new KinestitchError("option", 'this worker has no createController; import "kinestitch/worker"');
    const controller = await make(options);
    if (this.#left.delete(session)) {
      controller.free();
      throw aborted();
    }
    this.#controllers.set(session, controller);
    const { character, set, licence, skeleton, styles, actions, scale, fastest, varies, limbs, contactPoints } =
      controller;
    return {
      character,
      set,
      licence,
      skeleton,
      styles,
      actions,
      scale,
      fastest,
      varies,
      limbs,
      contactPoints,
      ...steered(controller),
    };
  }

  ask(session: number, method: SteeringMethod, args: unknown[]): unknown {
    const controller = this.#controllers.get(session);
    if (!controller) throw new KinestitchError("wasm", "the thread of this controller has ended; create a new one");
    if (!steeringMethods.includes(method))
      throw new KinestitchError("option", `a controller has no method "${String(method)}"`);
    const result = (controller[method] as (...args: unknown[]) => unknown).apply(controller, args);
    return method === "step" || method === "place" ? steered(controller) : result;
  }

  /** Frees an unused character. */
  release(session: number): void {
    const controller = this.#controllers.get(session);
    controller?.free();
    if (!this.#controllers.delete(session)) this.#left.add(session);
  }
}

/** Copies of the arrays, which are transferred to the page. */
function steered(controller: Controller): Steered {
  return Object.fromEntries(STEERED.map((name) => [name, controller[name].slice()])) as unknown as Steered;
}
