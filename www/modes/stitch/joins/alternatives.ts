/**
 * Alternative joins of a seam: the joins that "Automatic" tried, each with a preview of the motion around
 * the seam, computed when it is first shown.
 */
import type { Trial, FrameRange, JoinOptions } from "kinestitch/worker";
import { posesOf, problemOf, stitch, type Problem, type WorkerClip } from "../../../core/engine";
import type { Poses } from "../../../viewer/poses";
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { Take } from "../stitcher";
import { textOf } from "./join-options";

/** Number of alternatives shown beside the chosen join. */
export const SHOWN = 5;
/** Duration of each clip in a preview, in addition to the part that may be cut away, seconds. */
const ENDS_SECS = 3;
/** Number of seams whose joins are stored. */
const KEPT = 600;

/** A motion around a seam. */
export interface Preview {
  poses: Poses;
  /** First frame of the incoming clip. */
  frame: number;
}

/** State of the joins tried at a seam. */
export interface Tried {
  trials?: readonly Trial[];
  previews: Map<string, Preview | "making" | "failed">;
  busy: boolean;
  problem?: Problem;
}

/** Joins tried at seams, and their previews. */
export class Alternatives {
  #known = new Map<string, Tried>();
  #queue: (() => Promise<void>)[] = [];
  #running = false;
  #mode: Stitch;

  constructor(mode: Stitch) {
    this.#mode = mode;
  }

  /** Returns the joins tried between two clips, for their present version, trim and rig. */
  of(before: Item, after: Item): Tried {
    const key = this.#key(before, after);
    const known = this.#known.get(key) ?? { previews: new Map(), busy: false };
    this.#known.set(key, known);
    for (const old of this.#known.keys()) if (this.#known.size > KEPT) this.#known.delete(old);
    return known;
  }

  /** Stores the joins that were tried for a result, so that they remain after one of them is chosen. */
  learn({ items, seams }: Take): void {
    seams.forEach(({ trials }, i) => {
      const [before, after] = [items[i], items[i + 1]];
      if (before && after && trials?.length) this.of(before, after).trials = trials;
    });
  }

  /** Tries joins at one seam for which no tried joins are stored. */
  search(before: Item, after: Item): void {
    const alternatives = this.of(before, after);
    if (alternatives.busy) return;
    alternatives.busy = true;
    delete alternatives.problem;
    this.#enqueue(async () => {
      try {
        const stitched = await this.#join(before, after, undefined);
        alternatives.trials = stitched.seams[0]?.trials ?? [];
        stitched.free();
      } catch (error) {
        alternatives.problem = problemOf(error);
      }
      alternatives.busy = false;
    });
  }

  /** Returns the motion around a seam for one join. Starts its computation and returns `undefined` if it is not there yet. */
  preview(before: Item, after: Item, options: JoinOptions): Preview | undefined {
    const { previews } = this.of(before, after);
    const text = textOf(options);
    const known = previews.get(text);
    if (known === undefined) {
      previews.set(text, "making");
      this.#enqueue(async () => {
        try {
          const clip = await this.#join(before, after, options);
          const frame = clip.seams[0]?.frame ?? 0;
          previews.set(text, { poses: await posesOf(clip), frame });
          clip.free();
        } catch {
          previews.set(text, "failed");
        }
      });
    }
    return typeof known === "object" ? known : undefined;
  }

  #key(before: Item, after: Item): string {
    const { project, app } = this.#mode;
    const part = ({ source, trim }: Item): unknown => [
      source,
      app.library.sources.get(source)?.version,
      trim,
      project.rigs[source],
    ];
    return JSON.stringify([part(before), part(after), project.fps, project.footLock, project.maxCut, app.auto.version]);
  }

  /** Queues a job. Jobs run one at a time, while no result is being computed. */
  #enqueue(job: () => Promise<void>): void {
    this.#queue.push(job);
    if (!this.#running) void this.#runQueue();
  }

  async #runQueue(): Promise<void> {
    this.#running = true;
    for (;;) {
      if (this.#mode.stitcher.busy) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        continue;
      }
      const job = this.#queue.shift();
      if (!job) break;
      await job();
      this.#mode.app.changed();
    }
    this.#running = false;
  }

  /** Joins the adjacent ends of two clips: by `options`, else by the most natural join. */
  async #join(before: Item, after: Item, options: JoinOptions | undefined): ReturnType<typeof stitch> {
    const { project, app } = this.#mode;
    const ends = (item: Item, isLast: boolean): FrameRange => {
      const info = this.#mode.sourceOf(item)?.info;
      const { from, to } = item.trim ?? { from: 0, to: info?.frames ?? 0 };
      const maxFrames = Math.ceil((ENDS_SECS + project.maxCut) * (info?.fps ?? 30));
      return isLast ? { from: Math.max(from, to - maxFrames), to } : { from, to: Math.min(to, from + maxFrames) };
    };
    const clips: WorkerClip[] = [];
    for (const { source } of [before, after]) clips.push((await app.library.clip(source, project.rigs[source])).clip);
    return stitch(clips, {
      method: options ? "inertialize" : "auto",
      ...(options && { seams: [options] }),
      trim: [ends(before, true), ends(after, false)],
      maxCut: project.maxCut,
      footLock: project.footLock,
      fps: project.fps ?? this.#rate(),
    });
  }

  /** Frame rate of the result: the rate of its first clip. */
  #rate(): number {
    return this.#mode.shownTake()?.motion.fps ?? 30;
  }
}
