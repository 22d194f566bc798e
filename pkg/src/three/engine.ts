/** Prepares clips for `stitch`, and computes bridges between them. */
import type { AnimationClip, Object3D } from "three";
import { createRestMotion } from "../bones/motion.js";
import { throwIfAborted } from "../core/error.js";
import { nextTask } from "../core/next-task.js";
import type { Clip, MotionData, RigEdits, RigMap, JoinOptions } from "../core/types.js";
import { Bridge, type Stitch } from "./bridge.js";
import type { Body, Pose } from "./body.js";
import { bestCut, ClipMotion, type Motion, RATE } from "./clip-motion.js";
import type { Heading } from "./gait.js";

/** Time after which the preparation pauses, so that no display frame is late; milliseconds. */
const SLICE_MS = 2;
/** Maximum number of samples of a clip that was not prepared, because it is sampled within one display frame. */
const MAX_UNPREPARED_SAMPLES = 48;
/**
 * Durations of the clips that are passed to `stitch`: of the first clip before the exit, and of the second clip from
 * the landing; seconds.
 */
const CONTEXT_BEFORE = 0.7;
const CONTEXT_AFTER = 2;
/** Minimum number of frames of a clip that is passed to `stitch`. */
const MIN_CLIP_FRAMES = 12;
/** Maximum number of stored bridges per pair of clips, besides those computed ahead. */
const MAX_REQUESTED_BRIDGES = 64;

/** Functions of the package that transitions use, and corrections to the bone mapping. */
export interface EngineOptions {
  load?: (data: MotionData) => Promise<Clip>;
  stitch?: Stitch;
  rig?: RigEdits;
  heading?: Heading;
  /** Whether no bridge is requested during playback. */
  deterministic?: boolean;
}

/** A sampled clip; after `prepare`, with the clip for `stitch`. */
interface PreparedClip {
  motion: ClipMotion;
  /** Whether it was sampled by `prepare`. */
  isComplete?: boolean;
  loaded?: Promise<Clip>;
  clip?: Clip;
}

/** A request for a bridge from the clip `from` to the clip `to`. Times and durations are in seconds of the clips. */
export interface BridgeRequest {
  from: Motion;
  to: Motion;
  /** Earliest exit time in the first clip; may exceed the duration of a loop. */
  now: number;
  /** Latest exit time in the first clip; may exceed the duration of a loop. */
  until: number;
  /** Maximum duration between the exit and `until`, seconds. */
  maxCut: number;
  /** Time in the second clip at which it is entered. */
  landing: number;
  join: JoinOptions | "auto";
}

/** Stored bridges between two clips. */
interface StoredBridges {
  /** Bridges computed ahead. */
  ahead: Bridge[];
  /** Bridges requested by transitions, the newest first. */
  requested: Bridge[];
}

/** Prepares the clips of a body for transitions, and computes bridges between them. */
export class Engine {
  readonly #body: Body;
  readonly #root: Object3D;
  readonly #restPose: Pose;
  readonly #options: EngineOptions;
  readonly #prepared = new Map<AnimationClip, PreparedClip>();
  readonly #bridges = new Map<Motion, Map<Motion, StoredBridges>>();
  #rig: Promise<RigMap> | undefined;
  #isFreed = false;
  /** Estimated computation time of a bridge, real seconds. */
  latency = 0.12;

  constructor(body: Body, root: Object3D, restPose: Pose, options: EngineOptions) {
    this.#body = body;
    this.#root = root;
    this.#restPose = restPose;
    this.#options = options;
  }

  /** Returns the bone mapping of the model; empty if there is no `load`. */
  rig(): Promise<RigMap> {
    return (this.#rig ??= this.#readRig().catch((error: unknown) => {
      // The next call tries again.
      this.#rig = undefined;
      throw error;
    }));
  }

  async #readRig(): Promise<RigMap> {
    const { load, rig } = this.#options;
    if (!load) return {};
    const { rest, lowest } = this.#body.character;
    const clip = await load({ ...createRestMotion(rest, lowest), name: "rest", ...(rig && { rig }) });
    try {
      return (await clip.info()).rig;
    } finally {
      clip.free();
    }
  }

  /** Returns the motion of a clip: the prepared motion, or a motion that is sampled now, at few times. */
  motionOf(clip: AnimationClip, loops: boolean): ClipMotion {
    const prepared = this.#find(clip, loops);
    if (prepared) return prepared.motion;
    const motion = this.#sampled(clip, loops, MAX_UNPREPARED_SAMPLES);
    for (const _ of motion.measure());
    this.#store(clip, { motion });
    return motion;
  }

  #sampled(clip: AnimationClip, loops: boolean, maxSamples = Infinity): ClipMotion {
    const { heading = "auto" } = this.#options;
    return new ClipMotion(this.#body, this.#root, clip, this.#restPose, { loops, heading, maxSamples });
  }

  /** Returns the sampled clip, unless it was sampled for the other kind of playback: repeated or played once. */
  #find(clip: AnimationClip, loops: boolean): PreparedClip | undefined {
    const prepared = this.#prepared.get(clip);
    // A clip with a single pose does not loop.
    if (!prepared) return undefined;
    return prepared.motion.loops === (loops && prepared.motion.seconds > 0) ? prepared : undefined;
  }

  /** Stores a sampled clip, and frees the one that it replaces. */
  #store(clip: AnimationClip, prepared: PreparedClip): void {
    this.#prepared.get(clip)?.clip?.free();
    this.#prepared.set(clip, prepared);
  }

  /** Samples a clip and loads it for `stitch`, in time slices. */
  async prepare(clip: AnimationClip, loops: boolean): Promise<ClipMotion> {
    const previous = this.#find(clip, loops);
    if (previous?.loaded) {
      await previous.loaded;
      return previous.motion;
    }
    const motion = await runInSlices(this.#sampled(clip, loops).measure());
    if (this.#isFreed) return motion;
    const prepared: PreparedClip = { motion, isComplete: true };
    this.#store(clip, prepared);
    const { load, rig } = this.#options;
    if (!load) return motion;
    prepared.loaded = runInSlices(motion.motion()).then((data) => load({ ...data, ...(rig && { rig }) }));
    try {
      prepared.clip = await prepared.loaded;
    } catch (error) {
      // The motion can be used, and the next call loads it again.
      if (this.#prepared.get(clip) === prepared) this.#prepared.set(clip, { motion, isComplete: true });
      throw error;
    }
    // Meanwhile the engine may have been freed, or the clip may have been prepared again.
    if (this.#prepared.get(clip) !== prepared) prepared.clip.free();
    return motion;
  }

  /** Returns whether a bridge between two clips can be computed. */
  canRequest(from: Motion, to: Motion): boolean {
    if (!this.#options.stitch) return false;
    return [from, to].every((motion) => this.#clipOf(motion) !== undefined);
  }

  /** Whether bridges are requested during playback. */
  get isLive(): boolean {
    return !this.#options.deterministic;
  }

  /** Returns whether a clip was prepared. */
  isPrepared(clip: AnimationClip): boolean {
    return this.#prepared.get(clip)?.isComplete === true;
  }

  /** Returns the loaded clip of a motion; `undefined` for a blend space, and for a clip that is not prepared. */
  #clipOf(motion: Motion): Clip | undefined {
    return motion instanceof ClipMotion ? this.#prepared.get(motion.clip)?.clip : undefined;
  }

  /** Returns the stored bridges from one clip to another. */
  bridges(from: Motion, to: Motion): readonly Bridge[] {
    const { requested = [], ahead = [] } = this.#bridges.get(from)?.get(to) ?? {};
    return [...requested, ...ahead];
  }

  /** Computes and stores a bridge; `undefined` if too few frames of a clip remain. */
  async requestBridge(request: BridgeRequest, signal?: AbortSignal): Promise<Bridge | undefined> {
    const bridge = await this.#computeBridge(request, signal);
    if (bridge && request.join === "auto") {
      const stored = this.#storedBridges(request.from, request.to);
      stored.requested = [bridge, ...stored.requested].slice(0, MAX_REQUESTED_BRIDGES);
    }
    return bridge;
  }

  /** Computes a bridge with `stitch`; `undefined` if too few frames of a clip remain. */
  async #computeBridge(
    { from, to, now, until, maxCut, landing, join }: BridgeRequest,
    signal?: AbortSignal,
  ): Promise<Bridge | undefined> {
    const [firstClip, secondClip] = [from, to].map((motion) => this.#clipOf(motion)) as [Clip, Clip];
    const first = { from: Math.floor((now - CONTEXT_BEFORE) * RATE), to: Math.floor(until * RATE) + 1 };
    const start = to.loops ? Math.round(landing * RATE) : Math.floor(landing * RATE);
    const second = { from: start, to: start + Math.ceil(CONTEXT_AFTER * RATE) };
    const trim: [typeof first, typeof first] = [
      clampRange(first, firstClip.frames),
      clampRange(second, secondClip.frames),
    ];
    if (trim.some((range) => range.to - range.from < MIN_CLIP_FRAMES)) return undefined;
    const stitch = this.#options.stitch as Stitch;
    const started = performance.now();
    const bridge = await Bridge.create(stitch, this.#body, this.#restPose, {
      clips: [firstClip, secondClip],
      trim,
      maxCut,
      join,
      ...(signal && { signal }),
    });
    const elapsed = (performance.now() - started) / 1000;
    this.latency += (elapsed - this.latency) * (elapsed > this.latency ? 0.5 : 0.2);
    return bridge;
  }

  #storedBridges(from: Motion, to: Motion): StoredBridges {
    const bridgesByTarget = this.#bridges.get(from) ?? new Map<Motion, StoredBridges>();
    const stored = bridgesByTarget.get(to) ?? { ahead: [], requested: [] };
    this.#bridges.set(from, bridgesByTarget.set(to, stored));
    return stored;
  }

  /**
   * Computes bridges in advance, one per `interval` seconds of the first clip. They replace the bridges that an earlier
   * call has computed, and are kept until the engine is freed.
   */
  async computeAhead(from: ClipMotion, to: ClipMotion, interval: number, signal?: AbortSignal): Promise<void> {
    if (!this.canRequest(from, to)) return;
    const landings = landingSamples(to);
    const ahead: Bridge[] = [];
    this.#storedBridges(from, to).ahead = ahead;
    for (let exit = interval; exit < from.seconds + interval; exit += interval) {
      throwIfAborted(signal);
      // Meanwhile the engine may have been freed, or a clip may have been replaced.
      if (!this.canRequest(from, to)) return;
      const exitTime = Math.min(exit, from.seconds);
      const { landing } = bestCut(from, from.exitsBetween(exitTime, 0, 0), to, landings);
      // Near its start, a loop is left in its second cycle, so that there is motion before the exit.
      const now = from.loops && exitTime < CONTEXT_BEFORE + interval ? exitTime + from.seconds : exitTime;
      const bridge = await this.#computeBridge(
        { from, to, now: now - interval / 2, until: now, maxCut: interval / 2, landing, join: "auto" },
        signal,
      );
      if (bridge) ahead.push(bridge);
      await nextTask();
    }
  }

  /** Frees the engine's clips. Clips that are still being prepared are freed when they are loaded. */
  free(): void {
    this.#isFreed = true;
    for (const { clip } of this.#prepared.values()) clip?.free();
    this.#prepared.clear();
    this.#bridges.clear();
  }
}

/** Returns the samples at which a clip may be entered: all samples of a loop, the first sample of another clip. */
export const landingSamples = (motion: Motion): number[] =>
  motion.loops ? Array.from({ length: motion.count - 1 }, (_, sample) => sample) : [0];

const clampRange = ({ from, to }: { from: number; to: number }, frames: number): { from: number; to: number } => ({
  from: Math.max(0, Math.min(from, frames - 1)),
  to: Math.max(1, Math.min(to, frames)),
});

/** Runs a generator in time slices, so that no display frame is delayed. */
async function runInSlices<T>(steps: Generator<void, T>): Promise<T> {
  let sliceStart = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await nextTask();
    sliceStart = performance.now();
  }
}
