/**
 * Alternative joins of a seam: the joins that "Automatic" tried, each with a preview of the motion around
 * the seam, computed when it is first shown.
 */
import type { Trial, FrameRange, JoinOptions } from "kinestitch/worker";
import { posesOf, problemOf, stitch, type Problem, type Clip } from "../../../core/engine";
import type { Poses } from "../../../viewer/poses";
import type { Item, Project } from "../project";
import type { Stitch } from "../stitch";
import { resultFps } from "../stitchable";
import type { StitchResult } from "../stitcher";
import { textOf } from "./join-options";

/** Number of alternatives that are shown beside the chosen join. */
export const MAX_ALTERNATIVES = 5;
/** Maximum duration of each clip in a preview, without the part that may be cut away (`maxCut`), seconds. */
const PREVIEW_SECS = 3;
/** Maximum number of seams whose joins are stored; the oldest are removed first. */
const MAX_SEAMS = 600;

/** A motion around a seam. */
export interface Preview {
  poses: Poses;
  /** Frame of `poses` at which the incoming clip begins. */
  frame: number;
}

/** Joins tried at one seam. */
export interface TriedJoins {
  /** Best first; absent until they are known. */
  trials?: readonly Trial[];
  /** Previews by the text of the join options, see {@link textOf}. */
  previews: Map<string, Preview | "computing" | "failed">;
  /** Whether a search is queued or running. */
  busy: boolean;
  /** Error of the last search. */
  problem?: Problem;
}

/** Joins tried at seams, and their previews. */
export class Alternatives {
  /** Tried joins by the key of the seam, oldest first. */
  #tried = new Map<string, TriedJoins>();
  #queue: (() => Promise<void>)[] = [];
  #running = false;
  #mode: Stitch;

  constructor(mode: Stitch) {
    this.#mode = mode;
  }

  /** Returns the joins tried between two clips, as they are now and with the current settings. */
  of(outgoing: Item, incoming: Item): TriedJoins {
    const key = this.#key(outgoing, incoming);
    const tried = this.#tried.get(key) ?? { previews: new Map(), busy: false };
    this.#tried.set(key, tried);
    for (const old of this.#tried.keys()) if (this.#tried.size > MAX_SEAMS) this.#tried.delete(old);
    return tried;
  }

  /** Stores the joins tried for a result: once the user has chosen one, later results lack the trials of its seam. */
  store({ items, seams }: StitchResult): void {
    seams.forEach(({ trials }, i) => {
      const [outgoing, incoming] = [items[i], items[i + 1]];
      if (outgoing && incoming && trials?.length) this.of(outgoing, incoming).trials = trials;
    });
  }

  /** Tries all joins at one seam and stores them; needed if the result was not made by "auto". */
  search(outgoing: Item, incoming: Item): void {
    const tried = this.of(outgoing, incoming);
    if (tried.busy) return;
    const { project } = this.#mode;
    tried.busy = true;
    delete tried.problem;
    this.#enqueue(async () => {
      try {
        const stitched = await this.#join(project, outgoing, incoming, undefined);
        tried.trials = stitched.seams[0]?.trials ?? [];
        stitched.free();
      } catch (error) {
        tried.problem = problemOf(error);
      }
      tried.busy = false;
    });
  }

  /**
   * Returns the motion around a seam for one join; `undefined` while it is computed, and if that failed. The first call
   * starts the computation.
   */
  preview(outgoing: Item, incoming: Item, options: JoinOptions): Preview | undefined {
    const { previews } = this.of(outgoing, incoming);
    const text = textOf(options);
    const preview = previews.get(text);
    if (preview === undefined) {
      const { project } = this.#mode;
      previews.set(text, "computing");
      this.#enqueue(async () => {
        try {
          const clip = await this.#join(project, outgoing, incoming, options);
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

  /** Returns a key of a seam: clips, trims, rigs, and the settings on which the trials and previews depend. */
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
      resultFps(project, app.library),
      project.footLock,
      project.maxCut,
      app.auto.version,
    ]);
  }

  /** Queues a job. Jobs run one at a time; each starts only while no result of the document is being computed. */
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

  /**
   * Joins the end of one clip and the start of the next by `options`, or by "auto" if `options` is `undefined`.
   * `project`: the document at the time of the request, because it may be edited while the job is queued.
   */
  async #join(
    project: Project,
    outgoing: Item,
    incoming: Item,
    options: JoinOptions | undefined,
  ): ReturnType<typeof stitch> {
    const { library } = this.#mode.app;
    const previewRange = (item: Item, isOutgoing: boolean): FrameRange => {
      const info = this.#mode.sourceOf(item)?.info;
      const { from, to } = item.trim ?? { from: 0, to: info?.frames ?? 0 };
      const maxFrames = Math.ceil((PREVIEW_SECS + project.maxCut) * (info?.fps ?? 30));
      return isOutgoing ? { from: Math.max(from, to - maxFrames), to } : { from, to: Math.min(to, from + maxFrames) };
    };
    const clips: Clip[] = [];
    for (const { source } of [outgoing, incoming]) clips.push((await library.clip(source, project.rigs[source])).clip);
    return stitch(clips, {
      // A seam with join options ignores `method`.
      method: options ? "inertialize" : "auto",
      ...(options && { seams: [options] }),
      trim: [previewRange(outgoing, true), previewRange(incoming, false)],
      maxCut: project.maxCut,
      footLock: project.footLock,
      fps: resultFps(project, library) ?? 30,
    });
  }
}
