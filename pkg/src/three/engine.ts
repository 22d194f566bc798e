/** Prepares clips for `stitch`, and computes bridges between them. */
import type { AnimationClip, Object3D } from "three";
import { createRestMotion } from "../bones/rest.js";
import { nextTask } from "../core/next-task.js";
import type { MotionData, RigEdits, RigMap, JoinOptions, WorkerClip } from "../core/types.js";
import { Bridge, type Stitch } from "./bridge.js";
import type { Body, Pose } from "./body.js";
import { bestCut, ClipMotion, RATE } from "./clip-motion.js";

/** Preparation pauses after this many milliseconds, to keep frames smooth. */
const SLICE_MS = 2;
/** Number of samples of a clip that was not prepared: it is sampled within the current display frame. */
const COARSE_SAMPLES = 48;
/**
 * Durations that `stitch` gets: of the first clip before the exit, and of the second clip from the landing; seconds.
 */
const CONTEXT_BEFORE = 0.7;
const CONTEXT_AFTER = 2;
/** Shortest clip that is passed to `stitch`, frames. */
const SHORTEST_CLIP = 12;
/** Largest number of stored bridges per pair of clips. */
const MOST_BRIDGES = 64;

/** Functions of the package that transitions use, and corrections to the bone mapping. */
export interface EngineOptions {
  load?: (data: MotionData) => Promise<WorkerClip>;
  stitch?: Stitch;
  rig?: RigEdits;
}

/** A sampled clip; after `prepare` also its clip for `stitch`. */
interface PreparedClip {
  motion: ClipMotion;
  loaded?: Promise<WorkerClip>;
  clip?: WorkerClip;
}

/** A request for a bridge: leave `from` between two times and enter `into`. Seconds. */
export interface BridgeRequest {
  from: ClipMotion;
  to: ClipMotion;
  /** Earliest and latest exit time; both may exceed the duration of a loop. */
  now: number;
  until: number;
  /** Longest duration before `until` at which the exit may be, seconds. */
  maxCut: number;
  landing: number;
  join: JoinOptions | "auto";
}

/** Prepares the clips of a body for transitions, and computes bridges between them. */
export class Engine {
  readonly #body: Body;
  readonly #root: Object3D;
  readonly #home: Pose;
  readonly #options: EngineOptions;
  readonly #known = new Map<AnimationClip, PreparedClip>();
  readonly #bridges = new Map<ClipMotion, Map<ClipMotion, Bridge[]>>();
  #rig: Promise<RigMap> | undefined;
  /** Estimated computation time of a bridge, seconds. */
  latency = 0.12;

  constructor(body: Body, root: Object3D, home: Pose, options: EngineOptions) {
    this.#body = body;
    this.#root = root;
    this.#home = home;
    this.#options = options;
  }

  /** Returns the bone mapping of the model; empty if there is no `load`. */
  rig(): Promise<RigMap> {
    const { load, rig } = this.#options;
    const { rest, lowest } = this.#body.character;
    return (this.#rig ??= load
      ? load({ ...createRestMotion(rest, lowest), name: "rest", ...(rig && { rig }) }).then(async (clip) => {
          const found = (await clip.info()).rig;
          clip.free();
          return found;
        })
      : Promise.resolve({}));
  }

  /** Returns the motion of a clip: the prepared one, or else one that is coarsely sampled now. */
  motionOf(clip: AnimationClip, loops: boolean): ClipMotion {
    const known = this.#known.get(clip);
    if (known && known.motion.loops === loops) return known.motion;
    const motion = new ClipMotion(this.#body, this.#root, clip, this.#home, loops, COARSE_SAMPLES);
    for (const _ of motion.measure());
    this.#known.set(clip, { motion });
    return motion;
  }

  /** Samples a clip and loads it for `stitch`, in time slices. */
  async prepare(clip: AnimationClip, loops: boolean): Promise<ClipMotion> {
    const before = this.#known.get(clip);
    if (before?.loaded && before.motion.loops === loops) {
      await before.loaded;
      return before.motion;
    }
    const motion = await runInSlices(new ClipMotion(this.#body, this.#root, clip, this.#home, loops).measure());
    const known: PreparedClip = { motion };
    this.#known.set(clip, known);
    const { load, rig } = this.#options;
    if (!load) return motion;
    known.loaded = runInSlices(motion.motion()).then((data) => load({ ...data, ...(rig && { rig }) }));
    known.clip = await known.loaded;
    return motion;
  }

  /** Whether a bridge between two clips can be computed. */
  canRequest(from: ClipMotion, to: ClipMotion): boolean {
    const ready = (motion: ClipMotion): boolean => this.#known.get(motion.clip)?.clip !== undefined;
    return this.#options.stitch !== undefined && ready(from) && ready(to);
  }

  /** Returns the stored bridges from one clip to another. */
  bridges(from: ClipMotion, to: ClipMotion): readonly Bridge[] {
    return this.#bridges.get(from)?.get(to) ?? [];
  }

  /** Computes a bridge with `stitch`; `undefined` if too few frames of a clip remain. */
  async requestBridge(
    { from, to, now, until, maxCut, landing, join }: BridgeRequest,
    signal?: AbortSignal,
  ): Promise<Bridge | undefined> {
    const [a, b] = [from, to].map(({ clip }) => this.#known.get(clip)?.clip) as [WorkerClip, WorkerClip];
    const first = { from: Math.floor((now - CONTEXT_BEFORE) * RATE), to: Math.floor(until * RATE) + 1 };
    const start = to.loops ? Math.round(landing * RATE) : Math.floor(landing * RATE);
    const second = { from: start, to: start + Math.ceil(CONTEXT_AFTER * RATE) };
    const trim: [typeof first, typeof first] = [clampRange(first, a.frames), clampRange(second, b.frames)];
    if (trim.some((part) => part.to - part.from < SHORTEST_CLIP)) return undefined;
    const stitch = this.#options.stitch as Stitch;
    const started = performance.now();
    const bridge = await Bridge.create(stitch, this.#body, this.#home, {
      clips: [a, b],
      trim,
      maxCut,
      join,
      ...(signal && { signal }),
    });
    const elapsed = (performance.now() - started) / 1000;
    this.latency += (elapsed - this.latency) * (elapsed > this.latency ? 0.5 : 0.2);
    if (join === "auto") this.#storeBridge(from, to, bridge);
    return bridge;
  }

  #storeBridge(from: ClipMotion, to: ClipMotion, bridge: Bridge): void {
    const all = this.#bridges.get(from) ?? new Map<ClipMotion, Bridge[]>();
    this.#bridges.set(from, all.set(to, [bridge, ...(all.get(to) ?? [])].slice(0, MOST_BRIDGES)));
  }

  /** Computes bridges in advance, one per `every` seconds of the first clip. */
  async computeAhead(from: ClipMotion, to: ClipMotion, every: number, signal?: AbortSignal): Promise<void> {
    if (!this.canRequest(from, to)) return;
    const landings = landingFrames(to);
    for (let exit = every; exit < from.seconds + every; exit += every) {
      signal?.throwIfAborted();
      const at = Math.min(exit, from.seconds);
      const { landing } = bestCut(from, [from.frameAt(at)], to, landings);
      // A loop is left in its second round, so that there is motion before its start.
      const now = from.loops && at < CONTEXT_BEFORE + every ? at + from.seconds : at;
      await this.requestBridge(
        { from, to, now: now - every / 2, until: now, maxCut: every / 2, landing, join: "auto" },
        signal,
      );
      await nextTask();
    }
  }

  /** Frees the engine's clips. */
  free(): void {
    for (const { clip } of this.#known.values()) clip?.free();
    this.#known.clear();
    this.#bridges.clear();
  }
}

/** Returns the frames at which a clip may be entered: all frames of a loop, the first frame of another clip. */
export const landingFrames = (motion: ClipMotion): number[] =>
  motion.loops ? Array.from({ length: motion.count - 1 }, (_, frame) => frame) : [0];

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
