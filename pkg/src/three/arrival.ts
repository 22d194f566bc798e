/** How long a transition may take: until the model plays the next motion alone, and until it stands still. */
import { BRIDGE_FADE, type Bridge } from "./bridge.js";
import type { CheckedOptions } from "./checked-options.js";
import { RATE, type Motion } from "./clip-motion.js";

/** Default of `arriveWithin`: between two motions that travel, and between others; seconds. */
const TRAVEL_SECONDS = 0.4;
const OTHER_SECONDS = 1;
/** Time in which a model that travels comes to a stop, up to and above `FAST`; seconds. */
const STOP_SECONDS = 0.5;
const FAST_STOP_SECONDS = 1;
/** Speed above which a gait is a sprint, in heights of the hips per second: about 4.3 m/s. */
const FAST = 4.5;

/** Limits of a transition, in seconds from now. */
export interface Arrival {
  /** Time until the model plays the next motion alone. */
  seconds: number;
  /** Time until a model that travels stands still; `Infinity` if the next motion travels too. */
  stopSeconds: number;
  /** Maximum time until the model leaves its current motion by inertialization. */
  maxWait: number;
  /** Duration of the inertialization. */
  blend: number;
}

/** Returns the limits of a transition. `isCrossing`: whether the model is in a bridge, so that it leaves at once. */
export function arrivalOf(from: Motion, to: Motion, options: CheckedOptions, isCrossing: boolean): Arrival {
  const { within, arriveWithin, blend, isJoinGiven, isWithinGiven } = options;
  const isDefault = arriveWithin === undefined;
  // A wait that was asked for is kept.
  const least = isWithinGiven ? within + blend : 0;
  const byDefault = from.gait.travels && to.gait.travels ? TRAVEL_SECONDS : OTHER_SECONDS;
  // A join that was asked for takes the time it needs.
  const seconds = arriveWithin ?? (isJoinGiven ? Infinity : Math.max(byDefault, least));
  const stops = isDefault && !isJoinGiven && from.gait.travels && !to.gait.travels;
  const stopTime = Math.max(from.gait.speed > FAST ? FAST_STOP_SECONDS : STOP_SECONDS, least);
  const stopSeconds = stops ? stopTime : Infinity;
  const limit = Math.min(seconds, stopSeconds);
  const usedBlend = Math.min(blend, limit);
  return { seconds, stopSeconds, blend: usedBlend, maxWait: isCrossing ? 0 : Math.min(within, limit - usedBlend) };
}

/** Returns whether a bridge ends in time if it begins at `frame` after `wait` seconds. */
export function bridgeFits(bridge: Bridge, { seconds, stopSeconds }: Arrival, wait: number, frame: number): boolean {
  const start = Math.max(frame, bridge.range.from);
  // A frame of the display may be late.
  const allowed = (limit: number): number => limit - wait + 1 / RATE;
  if ((bridge.range.to - start) / RATE + BRIDGE_FADE > allowed(seconds)) return false;
  return stopSeconds === Infinity || (bridge.stopFrame - start) / RATE <= allowed(stopSeconds);
}
