/** Controllers of a thread: each is created once and advanced step by step. */
import { aborted, KinestitchError } from "../core/error.js";
import type { Controller, ControllerOptions } from "../core/types.js";
import type { ControllerProperties } from "./controller.js";
import { STEP_ARRAYS, type StepArrays, type ControllerMethod, controllerMethods } from "./protocol.js";

/** Controllers of a thread, by session number. */
export class ControllerHost {
  readonly #controllers = new Map<number, Controller>();
  /** Numbers of the sessions that were released before their controller was created. */
  readonly #releasedEarly = new Set<number>();

  /** Creates a controller; returns its constant properties and its arrays. */
  async create(
    session: number,
    createController: ((options: ControllerOptions) => Promise<Controller>) | undefined,
    options: ControllerOptions,
  ): Promise<ControllerProperties> {
    if (!createController)
      throw new KinestitchError("option", 'this worker has no createController; import "kinestitch/worker"');
    const controller = await createController(options);
    if (this.#releasedEarly.delete(session)) {
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
      ...copyArrays(controller),
    };
  }

  /** Calls a method of a controller; returns the controller's arrays if the method has changed them. */
  call(session: number, method: ControllerMethod, args: unknown[]): unknown {
    const controller = this.#controllers.get(session);
    if (!controller) throw new KinestitchError("wasm", "the thread of this controller has ended; create a new one");
    if (!controllerMethods.includes(method))
      throw new KinestitchError("option", `a controller has no method "${String(method)}"`);
    const result = (controller[method] as (...args: unknown[]) => unknown).apply(controller, args);
    return method === "step" || method === "place" ? copyArrays(controller) : result;
  }

  /** Frees a controller. */
  release(session: number): void {
    const controller = this.#controllers.get(session);
    controller?.free();
    if (!this.#controllers.delete(session)) this.#releasedEarly.add(session);
  }
}

/** Returns copies of a controller's arrays, which are transferred to the page. */
function copyArrays(controller: Controller): StepArrays {
  return Object.fromEntries(STEP_ARRAYS.map((name) => [name, controller[name].slice()])) as unknown as StepArrays;
}
