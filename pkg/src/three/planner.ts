/** Plans transitions: when the model leaves its current motion, at which time it enters the next one, and how. */
import type { AnimationMixer } from "three";
import type { JoinOptions } from "../core/types.js";
import { arrivalOf, type Arrival, bridgeFits } from "./arrival.js";
import type { CheckedOptions } from "./checked-options.js";
import { bestCut, type Cut, RATE } from "./clip-motion.js";
import { type Engine, landingSamples } from "./engine.js";
import type { Playable } from "./playable.js";
import { findBridge, type PlannedTransition } from "./planned-transition.js";
import type { Player } from "./player.js";
import type { RunningTransition, TransitionJoin } from "./transition.js";

/** Minimum number of remaining frames of a bridge that is used. */
const MIN_BRIDGE_FRAMES = 3;
/** Minimum duration of a bridge that is worth requesting, seconds. */
const MIN_BRIDGE_SECONDS = 0.2;

/** The transition that waits for its exit. */
export class Planner {
  waiting: PlannedTransition | undefined;
  readonly #engine: Engine;
  readonly #player: Player;
  readonly #mixer: AnimationMixer;

  constructor(engine: Engine, player: Player, mixer: AnimationMixer) {
    this.#engine = engine;
    this.#player = player;
    this.#mixer = mixer;
  }

  /** Plans the exit time and the join of a transition from the current motion. */
  plan(transition: RunningTransition, next: Playable, options: CheckedOptions): void {
    const playing = this.#player.playing as Playable;
    const { motion: from } = playing;
    const { motion } = next;
    const { at, join, within } = options;
    const now = from.wrapTime(playing.time);
    const arrival = arrivalOf(from, motion, options, this.#player.isCrossing);
    const common = { transition, next, deadline: within, clipTime: now, isFixedLanding: at !== undefined, arrival };
    const speed = playing.rate * this.#mixer.timeScale;
    const landings = at === undefined ? landingSamples(motion) : [motion.sampleAt(at)];
    // In a bridge the model plays no clip, so it cannot wait for a better exit time.
    const isFree = !this.#player.isCrossing && join !== "inertialize" && within > 0 && playing.isRunning;
    if (!isFree || speed <= 0) {
      const { landing } = bestCut(from, from.exitsBetween(now, 0, 0), motion, landings);
      this.waiting = { ...common, realSecondsLeft: 0, landing: at ?? landing };
      return;
    }
    const untilEnd = from.loops ? Infinity : Math.max(0, (from.seconds - now) / Math.max(1e-6, speed));
    const waits = { maxRealWait: Math.min(arrival.maxWait, untilEnd), speed };
    const stored = this.#storedBridge(playing, next, options, { ...waits, maxRealWait: Math.min(within, untilEnd) });
    if (stored) {
      this.waiting = { ...common, ...stored, landing: 0 };
      return;
    }
    this.#planCut(common, playing, { ...waits, at, landings, join });
  }

  /** Finds a stored bridge that ends in time. */
  #storedBridge(
    { motion: from, time }: Playable,
    { motion }: Playable,
    options: CheckedOptions,
    waits: { maxRealWait: number; speed: number },
  ): Pick<PlannedTransition, "bridge" | "clipTime" | "realSecondsLeft"> | undefined {
    if (options.at !== undefined || options.join !== "auto") return undefined;
    const arrival = arrivalOf(from, motion, options, false);
    return findBridge(this.#engine.bridges(from, motion), from, from.wrapTime(time), {
      ...waits,
      fits: (bridge, wait) => bridgeFits(bridge, arrival, wait, bridge.range.from),
    });
  }

  /** Plans a cut by inertialization, and requests a bridge that may replace it. */
  #planCut(
    common: Omit<PlannedTransition, "realSecondsLeft" | "landing">,
    playing: Playable,
    {
      maxRealWait,
      speed,
      at,
      landings,
      join,
    }: {
      maxRealWait: number;
      speed: number;
      at: number | undefined;
      landings: readonly number[];
      join: JoinOptions | "auto" | "inertialize";
    },
  ): void {
    const { motion: from } = playing;
    const { motion } = common.next;
    const { latency } = this.#engine;
    const isInTime = latency < maxRealWait && latency + MIN_BRIDGE_SECONDS < common.arrival.seconds;
    const requestsBridge = isInTime && this.#engine.isLive && this.#engine.canRequest(from, motion);
    // Arguments in real seconds.
    const cut = (first: number, until: number): Cut =>
      bestCut(from, from.exitsBetween(common.clipTime, first * speed, until * speed), motion, landings);
    const { wait, landing } = cut(requestsBridge ? latency : 0, maxRealWait);
    const waiting: PlannedTransition = {
      ...common,
      realSecondsLeft: requestsBridge ? maxRealWait : wait / speed,
      landing: at ?? landing,
    };
    this.waiting = waiting;
    if (requestsBridge) this.#requestBridge(waiting, playing, { maxRealWait, speed }, join);
  }

  /** Requests a bridge whose exit is within `maxRealWait` real seconds. `speed`: seconds of the clip per real second. */
  #requestBridge(
    waiting: PlannedTransition,
    { motion: from }: Playable,
    { maxRealWait, speed }: { maxRealWait: number; speed: number },
    join: JoinOptions | "auto" | "inertialize",
  ): void {
    // In the first second of a loop, the frames before the current frame are at the end of the loop.
    if (from.loops && waiting.clipTime < 1) waiting.clipTime += from.seconds;
    const { clipTime, landing, next, transition } = waiting;
    const request = {
      from,
      to: next.motion,
      now: clipTime,
      until: clipTime + maxRealWait * speed,
      maxCut: Math.max(0, maxRealWait - this.#engine.latency) * speed,
      landing,
      join: join as JoinOptions | "auto",
    };
    this.#engine.requestBridge(request, transition.signal).then(
      (bridge) => bridge && (waiting.bridge = bridge),
      // The request was aborted, or the clips cannot be stitched: the transition uses inertialization.
      () => {},
    );
  }

  /** Leaves the current motion if the exit time is reached, and returns the join. `realSeconds`: duration of this frame. */
  leave(realSeconds: number): TransitionJoin | undefined {
    const { playing } = this.#player;
    const { waiting } = this;
    if (!waiting || !playing) return undefined;
    const join = this.#enterIfDue(waiting, playing);
    const { timeScale } = this.#mixer;
    // A paused mixer does not count down.
    if (timeScale !== 0) {
      waiting.realSecondsLeft -= realSeconds;
      waiting.deadline -= realSeconds;
      waiting.arrival = passed(waiting.arrival, realSeconds);
    }
    waiting.clipTime += realSeconds * timeScale * playing.rate;
    return join;
  }

  #enterIfDue(waiting: PlannedTransition, playing: Playable): TransitionJoin | undefined {
    const { bridge, arrival, next } = waiting;
    const frame = bridge ? waiting.clipTime * RATE - bridge.from : 0;
    const isUsable = bridge && frame <= bridge.range.to - MIN_BRIDGE_FRAMES && bridgeFits(bridge, arrival, 0, frame);
    if (bridge && isUsable && frame >= bridge.range.from) {
      this.waiting = undefined;
      this.#player.enterThrough(bridge, frame, next, arrival.blend);
      return bridge.join;
    }
    if (waiting.realSecondsLeft > 0 || (isUsable && frame < bridge.range.from)) return undefined;
    this.waiting = undefined;
    this.#player.enter(next, this.#landing(waiting, playing), arrival.blend);
    return "inertialize";
  }

  /** Returns the landing time of a transition that leaves now; the planned time is for a bridge that is not ready. */
  #landing({ next: { motion }, landing, isFixedLanding }: PlannedTransition, { motion: from, time }: Playable): number {
    if (isFixedLanding) return motion.wrapTime(landing);
    return bestCut(from, from.exitsBetween(time, 0, 0), motion, landingSamples(motion)).landing;
  }
}

const passed = (arrival: Arrival, seconds: number): Arrival => ({
  ...arrival,
  seconds: arrival.seconds - seconds,
  stopSeconds: arrival.stopSeconds - seconds,
});
