/** Checks the options of `transitionTo`. */
import { anything, checkOptions, oneOf, seconds, wrongOption } from "../core/options.js";
import { methods } from "../core/types.js";
import type { CheckedOptions } from "./checked-options.js";
import type { TransitionOptions } from "./transition.js";

/** Returns whether two requests for the same action differ at most in `within`. */
export const isSameJoin = (a: CheckedOptions, b: CheckedOptions): boolean =>
  a.blend === b.blend && a.at === b.at && JSON.stringify(a.join) === JSON.stringify(b.join);

/** Checks the options of `transitionTo` and adds defaults. */
export function checkTransitionOptions(options: TransitionOptions | undefined): CheckedOptions {
  const schema = { within: seconds, method: anything as never, blend: seconds, at: seconds };
  const {
    within = 0.25,
    method = "auto",
    blend = 0.3,
    at,
  } = checkOptions<TransitionOptions>("transitionTo", schema, options);
  const isJoin = typeof method === "object" && (method as unknown) !== null && !Array.isArray(method);
  if (!isJoin && !oneOf(methods).is(method))
    throw wrongOption("method", `method must be one of ${methods.join(", ")}, or a join such as { gap: 12 }`);
  const join = typeof method === "object" || method === "auto" || method === "inertialize" ? method : { method };
  return { within, blend, at, join };
}
