/** The session of a thread that steers a character: made once, asked step by step. */
import { KinestitchError } from "../core/error.js";
import type { Controller, ControllerOptions } from "../core/types.js";
import type { Told } from "./controller.js";
import { STEERED, type Steered, type SteeringMethod, steeringMethods } from "./protocol.js";

export class Steering {
  #controller: Controller | undefined;

  /** Makes the character; what it tells of itself. */
  async begin(make: ((options: ControllerOptions) => Promise<Controller>) | undefined, options: ControllerOptions): Promise<Told> {
    if (!make) throw new KinestitchError("option", 'this worker has no createController; import "kinestitch/worker"');
    const made = await make(options);
    this.#controller?.free();
    this.#controller = made;
    const { character, set, licence, skeleton, styles, actions, scale, fastest, varies, limbs, contactPoints } = made;
    return { character, set, licence, skeleton, styles, actions, scale, fastest, varies, limbs, contactPoints, ...steered(made) };
  }

  ask(method: SteeringMethod, args: unknown[]): unknown {
    const controller = this.#controller;
    if (!controller) throw new KinestitchError("wasm", "the thread that steered this character has ended; make another one");
    if (!steeringMethods.includes(method)) throw new KinestitchError("option", `a controller has no method "${String(method)}"`);
    const result = (controller[method] as (...args: unknown[]) => unknown).apply(controller, args);
    return method === "step" || method === "place" ? steered(controller) : result;
  }
}

/** Copies of the arrays, which move to the page. */
function steered(controller: Controller): Steered {
  return Object.fromEntries(STEERED.map((name) => [name, controller[name].slice()])) as unknown as Steered;
}
