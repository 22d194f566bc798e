/** Clips looked at and handed to the engine, and the bridges between them. */
import type { AnimationClip, Object3D } from "three";
import { standing } from "../bones/rest.js";
import { nextTask } from "../core/next-task.js";
import type { MotionData, RigEdits, RigMap, Way, WorkerClip } from "../core/types.js";
import { Bridge, type Stitch } from "./bridge.js";
import type { Body, Pose } from "./body.js";
import { bestCut, ClipMotion, RATE } from "./clip-motion.js";

/** Work beside frames pauses after so many milliseconds. */
const SLICE = 2;
/** A clip that was not prepared is looked at in so few frames, within the frame. */
const HASTY = 48;
/** Seconds before the moment of leaving, and after that of landing, which the engine sees. */
const CONTEXT = 0.7;
const AFTER = 2;
/** The engine joins clips of so many frames. */
const FEWEST = 12;
/** Bridges kept between two clips. */
const KEPT = 64;

export interface EngineOptions {
  load?: (data: MotionData) => Promise<WorkerClip>;
  stitch?: Stitch;
  rig?: RigEdits;
}

interface Known {
  motion: ClipMotion;
  loaded?: Promise<WorkerClip>;
  clip?: WorkerClip;
}

/** A question for a bridge: to leave `from` between two moments, into `to`. Seconds. */
export interface Question {
  from: ClipMotion;
  to: ClipMotion;
  /** Now, and until when it may go on; both count on beyond a loop's end. */
  now: number;
  until: number;
  /** How much earlier than `until` it may be left. */
  maxCut: number;
  landing: number;
  way: Way | "auto";
}

export class Engine {
  readonly #body: Body;
  readonly #root: Object3D;
  readonly #home: Pose;
  readonly #options: EngineOptions;
  readonly #known = new Map<AnimationClip, Known>();
  readonly #bridges = new Map<ClipMotion, Map<ClipMotion, Bridge[]>>();
  #rig: Promise<RigMap> | undefined;
  /** Seconds that an answer takes, about. */
  latency = 0.12;

  constructor(body: Body, root: Object3D, home: Pose, options: EngineOptions) {
    this.#body = body;
    this.#root = root;
    this.#home = home;
    this.#options = options;
  }

  /** Which bones play which roles; empty without `load`. */
  rig(): Promise<RigMap> {
    const { load, rig } = this.#options;
    const { rest, lowest } = this.#body.character;
    return (this.#rig ??= load
      ? load({ ...standing(rest, lowest), name: "rest", ...(rig && { rig }) }).then(async (clip) => {
          const found = (await clip.info()).rig;
          clip.free();
          return found;
        })
      : Promise.resolve({}));
  }

  /** A clip looked at: as it was prepared, or hastily now. */
  motionOf(clip: AnimationClip, loops: boolean): ClipMotion {
    const known = this.#known.get(clip);
    if (known && known.motion.loops === loops) return known.motion;
    const motion = new ClipMotion(this.#body, this.#root, clip, this.#home, loops, HASTY);
    for (const _ of motion.look());
    this.#known.set(clip, { motion });
    return motion;
  }

  /** Looks at a clip, and hands it to the engine, in slices of time. */
  async prepare(clip: AnimationClip, loops: boolean): Promise<ClipMotion> {
    const before = this.#known.get(clip);
    if (before?.loaded && before.motion.loops === loops) {
      await before.loaded;
      return before.motion;
    }
    const motion = await sliced(new ClipMotion(this.#body, this.#root, clip, this.#home, loops).look());
    const known: Known = { motion };
    this.#known.set(clip, known);
    const { load, rig } = this.#options;
    if (!load) return motion;
    known.loaded = sliced(motion.motion()).then((data) => load({ ...data, ...(rig && { rig }) }));
    known.clip = await known.loaded;
    return motion;
  }

  /** Whether a bridge between two clips can be asked for. */
  canAsk(from: ClipMotion, to: ClipMotion): boolean {
    const ready = (motion: ClipMotion): boolean => this.#known.get(motion.clip)?.clip !== undefined;
    return this.#options.stitch !== undefined && ready(from) && ready(to);
  }

  /** Bridges computed before, from one clip to another. */
  bridges(from: ClipMotion, to: ClipMotion): readonly Bridge[] {
    return this.#bridges.get(from)?.get(to) ?? [];
  }

  /** A bridge, by `stitch`; `undefined` where what is left of a clip is too short for one. */
  async ask(
    { from, to, now, until, maxCut, landing, way }: Question,
    signal?: AbortSignal,
  ): Promise<Bridge | undefined> {
    const [a, b] = [from, to].map(({ clip }) => this.#known.get(clip)?.clip) as [WorkerClip, WorkerClip];
    const first = { from: Math.floor((now - CONTEXT) * RATE), to: Math.floor(until * RATE) + 1 };
    const start = to.loops ? Math.round(landing * RATE) : Math.floor(landing * RATE);
    const second = { from: start, to: start + Math.ceil(AFTER * RATE) };
    const trim: [typeof first, typeof first] = [within(first, a.frames), within(second, b.frames)];
    if (trim.some((part) => part.to - part.from < FEWEST)) return undefined;
    const stitch = this.#options.stitch as Stitch;
    const started = performance.now();
    const bridge = await Bridge.made(stitch, this.#body, this.#home, {
      clips: [a, b],
      trim,
      maxCut,
      way,
      ...(signal && { signal }),
    });
    const took = (performance.now() - started) / 1000;
    this.latency += (took - this.latency) * (took > this.latency ? 0.5 : 0.2);
    if (way === "auto") this.#keep(from, to, bridge);
    return bridge;
  }

  #keep(from: ClipMotion, to: ClipMotion, bridge: Bridge): void {
    const all = this.#bridges.get(from) ?? new Map<ClipMotion, Bridge[]>();
    this.#bridges.set(from, all.set(to, [bridge, ...(all.get(to) ?? [])].slice(0, KEPT)));
  }

  /** Computes bridges from one clip to another, for leaving at any time: one each `every` seconds. */
  async ahead(from: ClipMotion, to: ClipMotion, every: number, signal?: AbortSignal): Promise<void> {
    if (!this.canAsk(from, to)) return;
    const landings = landingsOf(to);
    for (let exit = every; exit < from.seconds + every; exit += every) {
      signal?.throwIfAborted();
      const at = Math.min(exit, from.seconds);
      const { landing } = bestCut(from, [from.frameAt(at)], to, landings);
      // A loop is seen from its second round: there is a way that leads to its beginning.
      const now = from.loops && at < CONTEXT + every ? at + from.seconds : at;
      await this.ask({ from, to, now: now - every / 2, until: now, maxCut: every / 2, landing, way: "auto" }, signal);
      await nextTask();
    }
  }

  /** Lets go of the engine's clips. */
  free(): void {
    for (const { clip } of this.#known.values()) clip?.free();
    this.#known.clear();
    this.#bridges.clear();
  }
}

/** Frames of a clip that it may be entered at: any of a loop, the first of others. */
export const landingsOf = (motion: ClipMotion): number[] =>
  motion.loops ? Array.from({ length: motion.count - 1 }, (_, frame) => frame) : [0];

const within = ({ from, to }: { from: number; to: number }, frames: number): { from: number; to: number } => ({
  from: Math.max(0, Math.min(from, frames - 1)),
  to: Math.max(1, Math.min(to, frames)),
});

/** Runs what pauses often enough that no frame waits for it. */
async function sliced<T>(steps: Generator<void, T>): Promise<T> {
  let turn = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - turn < SLICE) continue;
    await nextTask();
    turn = performance.now();
  }
}
