/** Checks the options of `transitionTo`. */
import { anything, checkOptions, oneOf, secondsUpTo, wrongOption } from "../core/options.js";
import { methods } from "../core/types.js";
import type { CheckedOptions } from "./checked-options.js";
import type { TransitionOptions } from "./transition.js";

/** Maximum of `within`, `arriveWithin` and `blend`, seconds. A larger value is probably in milliseconds. */
const MAX_SECONDS = 60;
/** Maximum of `at` and `ahead`, seconds. */
const MAX_TIME = 1e6;
/** Minimum distance of transitions that are computed ahead, seconds. */
const MIN_AHEAD = 1 / 30;

/** Returns whether two requests for the same action differ at most in `within`. */
export const isSameJoin = (a: CheckedOptions, b: CheckedOptions): boolean =>
  a.blend === b.blend &&
  a.at === b.at &&
  a.arriveWithin === b.arriveWithin &&
  JSON.stringify(a.join) === JSON.stringify(b.join);

/** Checks the options of `transitionTo` and adds defaults. */
export function checkTransitionOptions(options: TransitionOptions | undefined): CheckedOptions {
  const duration = secondsUpTo(MAX_SECONDS);
  const {
    within = 0.25,
    arriveWithin,
    method = "auto",
    blend = 0.3,
    at,
  } = checkOptions<TransitionOptions>(
    "transitionTo",
    {
      within: duration,
      arriveWithin: duration,
      method: anything as never,
      blend: duration,
      at: secondsUpTo(MAX_TIME),
    },
    options,
  );
  const isJoin = typeof method === "object" && (method as unknown) !== null && !Array.isArray(method);
  if (!isJoin && !oneOf(methods).is(method))
    throw wrongOption("method", `method must be one of ${methods.join(", ")}, or a join such as { gap: 12 }`);
  const join = typeof method === "object" || method === "auto" || method === "inertialize" ? method : { method };
  const isWithinGiven = options?.within !== undefined;
  return { within, isWithinGiven, arriveWithin, blend, at, join, isJoinGiven: typeof join === "object" };
}

/** Checks the options of `prepare`. */
export function checkPrepareOptions(options: unknown): { ahead?: number; signal?: AbortSignal } {
  const checked = checkOptions<{ ahead?: number; signal?: AbortSignal }>(
    "prepare",
    { ahead: secondsUpTo(MAX_TIME) } as never,
    options,
  );
  if (checked.ahead !== undefined && checked.ahead < MIN_AHEAD)
    throw wrongOption("ahead", `ahead must be at least 1/30 s, not ${checked.ahead}`);
  return checked;
}
