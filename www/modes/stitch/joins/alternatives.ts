/**
 * Alternative joins of a seam: the joins that "Automatic" tried, each with a preview of the motion around
 * the seam, computed when it is first shown.
 */
import type { Trial, FrameRange, JoinOptions } from "kinestitch/worker";
import { posesOf, problemOf, stitch, type Problem, type WorkerClip } from "../../../core/engine";
import type { Poses } from "../../../viewer/poses";
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";
import { textOf } from "./join-options";

/** Number of alternatives that are shown beside the chosen join. */
export const MAX_ALTERNATIVES = 5;
/** Duration of each clip in a preview, in addition to the frames that may be cut away, seconds. */
const PREVIEW_SECS = 3;
/** Maximum number of seams whose joins are stored. */
const MAX_SEAMS = 600;

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
  #tried = new Map<string, Tried>();
  #queue: (() => Promise<void>)[] = [];
  #running = false;
  #mode: Stitch;

  constructor(mode: Stitch) {
    this.#mode = mode;
  }

  /** Returns the joins tried between two clips, for their current versions, trims and rigs. */
  of(outgoing: Item, incoming: Item): Tried {
    const key = this.#key(outgoing, incoming);
    const tried = this.#tried.get(key) ?? { previews: new Map(), busy: false };
    this.#tried.set(key, tried);
    for (const old of this.#tried.keys()) if (this.#tried.size > MAX_SEAMS) this.#tried.delete(old);
    return tried;
  }

  /** Stores the joins that were tried for a result, so that they remain after one of them is chosen. */
  store({ items, seams }: StitchResult): void {
    seams.forEach(({ trials }, i) => {
      const [outgoing, incoming] = [items[i], items[i + 1]];
      if (outgoing && incoming && trials?.length) this.of(outgoing, incoming).trials = trials;
    });
  }

  /** Tries joins at one seam for which no tried joins are stored. */
  search(outgoing: Item, incoming: Item): void {
    const alternatives = this.of(outgoing, incoming);
    if (alternatives.busy) return;
    alternatives.busy = true;
    delete alternatives.problem;
    this.#enqueue(async () => {
      try {
        const stitched = await this.#join(outgoing, incoming, undefined);
        alternatives.trials = stitched.seams[0]?.trials ?? [];
        stitched.free();
      } catch (error) {
        alternatives.problem = problemOf(error);
      }
      alternatives.busy = false;
    });
  }

  /** Returns the motion around a seam for one join. Starts its computation and returns `undefined` if it is not computed yet. */
  preview(outgoing: Item, incoming: Item, options: JoinOptions): Preview | undefined {
    const { previews } = this.of(outgoing, incoming);
    const text = textOf(options);
    const preview = previews.get(text);
    if (preview === undefined) {
      previews.set(text, "making");
      this.#enqueue(async () => {
        try {
          const clip = await this.#join(outgoing, incoming, options);
          const frame = clip.seams[0]?.frame ?? 0;
          previews.set(text, { poses: await posesOf(clip), frame });
          clip.free();
        } catch {
          previews.set(text, "failed");
        }
      });
    }
    return typeof preview === "object" ? preview : undefined;
  }

  #key(outgoing: Item, incoming: Item): string {
    const { project, app } = this.#mode;
    const versionOf = ({ source, trim }: Item): unknown => [
      source,
      app.library.sources.get(source)?.version,
      trim,
      project.rigs[source],
    ];
    return JSON.stringify([
      versionOf(outgoing),
      versionOf(incoming),
      project.fps,
      project.footLock,
      project.maxCut,
      app.auto.version,
    ]);
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
      this.#mode.app.requestUpdate();
    }
    this.#running = false;
  }

  /** Joins the adjacent ends of two clips by `options`; if absent, by the most natural join. */
  async #join(outgoing: Item, incoming: Item, options: JoinOptions | undefined): ReturnType<typeof stitch> {
    const { project, app } = this.#mode;
    const previewRange = (item: Item, isOutgoing: boolean): FrameRange => {
      const info = this.#mode.sourceOf(item)?.info;
      const { from, to } = item.trim ?? { from: 0, to: info?.frames ?? 0 };
      const maxFrames = Math.ceil((PREVIEW_SECS + project.maxCut) * (info?.fps ?? 30));
      return isOutgoing ? { from: Math.max(from, to - maxFrames), to } : { from, to: Math.min(to, from + maxFrames) };
    };
    const clips: WorkerClip[] = [];
    for (const { source } of [outgoing, incoming])
      clips.push((await app.library.clip(source, project.rigs[source])).clip);
    return stitch(clips, {
      method: options ? "inertialize" : "auto",
      ...(options && { seams: [options] }),
      trim: [previewRange(outgoing, true), previewRange(incoming, false)],
      maxCut: project.maxCut,
      footLock: project.footLock,
      fps: project.fps ?? this.#resultFps(),
    });
  }

  /** Frame rate of the shown result. */
  #resultFps(): number {
    return this.#mode.shownResult()?.motion.fps ?? 30;
  }
}
