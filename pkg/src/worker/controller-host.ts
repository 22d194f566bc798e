/** The thread's side of controllers in workers: creates controllers, calls their methods and frees them. */
import { aborted, KinestitchError } from "../core/error.js";
import { wrongOption } from "../core/options.js";
import type { Controller, ControllerOptions } from "../core/types.js";
import type { ControllerProperties } from "./controller.js";
import { STEP_ARRAYS, type StepArrays, type ControllerMethod, controllerMethods } from "./protocol.js";

/** Controllers of a thread, by session number. */
export class ControllerHost {
  readonly #controllers = new Map<number, Controller>();
  /** Numbers of the sessions whose controller is being created; `release` removes a number. */
  readonly #creating = new Set<number>();

  /**
   * Creates a controller; returns its constant properties and copies of its arrays. If the session is released before
   * the controller is created, frees the controller and throws `aborted`.
   */
  async create(
    session: number,
    createController: ((options: ControllerOptions) => Promise<Controller>) | undefined,
    options: ControllerOptions,
  ): Promise<ControllerProperties> {
    if (!createController)
      throw new KinestitchError("option", 'this worker has no createController; import "kinestitch/worker"');
    this.#creating.add(session);
    const controller = await createController(options).catch((error: unknown) => {
      this.#creating.delete(session);
      throw error;
    });
    if (!this.#creating.delete(session)) {
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

  /** Calls a method of a controller. Returns copies of the arrays if the method changes them, otherwise its result. */
  async call(session: number, method: ControllerMethod, args: unknown[]): Promise<unknown> {
    const controller = this.#controllers.get(session);
    // Its code is not "wasm", for which the page would end this worker with the controllers of other sessions.
    if (!controller)
      throw wrongOption("controller", "this controller was lost when its worker stopped: create it again");
    if (!controllerMethods.includes(method))
      throw new KinestitchError("option", `a controller has no method "${String(method)}"`);
    const result = await (controller[method] as (...args: unknown[]) => Promise<unknown>).apply(controller, args);
    return method === "step" || method === "place" ? copyArrays(controller) : result;
  }

  /** Frees a controller; one that is still being created is freed by {@link create}. */
  release(session: number): void {
    this.#controllers.get(session)?.free();
    this.#controllers.delete(session);
    this.#creating.delete(session);
  }
}

/** Copies a controller's arrays, because transferring an array to the page detaches it. */
function copyArrays(controller: Controller): StepArrays {
  return Object.fromEntries(STEP_ARRAYS.map((name) => [name, controller[name].slice()])) as unknown as StepArrays;
}
