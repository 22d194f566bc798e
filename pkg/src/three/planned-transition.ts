/** Planned transitions: the time until the model leaves its current motion, and the time at which it enters the next. */
import type { Arrival } from "./arrival.js";
import type { Bridge } from "./bridge.js";
import { type Motion, RATE } from "./clip-motion.js";
import type { Playable } from "./playable.js";
import type { RunningTransition } from "./transition.js";
import type { CheckedOptions } from "./checked-options.js";

/** A transition before it leaves the current motion. */
export interface PlannedTransition {
  transition: RunningTransition;
  next: Playable;
  /** Real time until the model leaves its current motion, seconds: not scaled by the mixer or the action. */
  realSecondsLeft: number;
  /** Real time until the model must have left its current motion, seconds; a request that replaces this one keeps it. */
  deadline: number;
  /** Time in the current clip, seconds of the clip; in a loop it may exceed the duration. */
  clipTime: number;
  /** Time in the next clip at which it is entered, seconds of the clip. */
  landing: number;
  /** Whether the caller specified the landing time. */
  isFixedLanding: boolean;
  arrival: Arrival;
  bridge?: Bridge;
}

/**
 * Returns the options of a request that replaces the transition `waiting`, which does not extend the wait. Otherwise
 * requests for changing targets that come faster than `within` would never leave the current motion.
 */
export const limitWait = (options: CheckedOptions, waiting: PlannedTransition | undefined): CheckedOptions =>
  waiting ? { ...options, within: Math.min(options.within, Math.max(0, waiting.deadline)) } : options;

/**
 * Finds the bridge with the earliest exit from a clip. `clipTime`: current time in the clip. `maxRealWait`: maximum
 * time until the exit, real seconds. `speed`: seconds of the clip per real second. `fits`: whether a bridge with this
 * wait, real seconds, ends in time.
 */
export function findBridge(
  bridges: readonly Bridge[],
  from: Motion,
  clipTime: number,
  { maxRealWait, speed, fits }: { maxRealWait: number; speed: number; fits(bridge: Bridge, wait: number): boolean },
): Pick<PlannedTransition, "bridge" | "clipTime" | "realSecondsLeft"> | undefined {
  let best: { bridge: Bridge; clipTime: number; realSecondsLeft: number } | undefined;
  for (const bridge of bridges) {
    const exit = (bridge.from + bridge.range.from) / RATE;
    const clipWait = from.loops ? from.wrapTime(exit - clipTime) : exit - clipTime;
    const realWait = clipWait / speed;
    const isBetter = realWait >= 0 && realWait <= maxRealWait && (!best || realWait < best.realSecondsLeft);
    if (isBetter && fits(bridge, realWait)) best = { bridge, clipTime: exit - clipWait, realSecondsLeft: realWait };
  }
  return best;
}
