/**
 * Alternative ways of a seam: those tried by "Automatic", with a preview of a second of motion to both sides,
 * computed on first need.
 */
import type { Trial, FrameRange, JoinOptions } from "kinestitch/worker";
import { posesOf, problemOf, stitch, type Problem, type WorkerClip } from "../../../core/engine";
import type { Poses } from "../../../viewer/poses";
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { Take } from "../stitcher";
import { textOf } from "./way";

/** Number of alternatives shown beside the chosen way. */
export const SHOWN = 5;
/** Duration of each clip in a preview, in addition to the part that may be cut away, seconds. */
const ENDS_SECS = 3;
/** Number of seams whose ways are stored. */
const KEPT = 600;

/** A motion around a seam. */
export interface Preview {
  poses: Poses;
  /** First frame of the incoming clip. */
  frame: number;
}

/** State of a seam's ways. */
export interface Tried {
  trials?: readonly Trial[];
  previews: Map<string, Preview | "making" | "failed">;
  busy: boolean;
  problem?: Problem;
}

/** Ways tried at seams, and previews of them. */
export class Alternatives {
  #known = new Map<string, Tried>();
  #queue: (() => Promise<void>)[] = [];
  #running = false;
  #mode: Stitch;

  constructor(mode: Stitch) {
    this.#mode = mode;
  }

  /** State of the ways between two clips in their present state. */
  of(before: Item, after: Item): Tried {
    const key = this.#key(before, after);
    const known = this.#known.get(key) ?? { previews: new Map(), busy: false };
    this.#known.set(key, known);
    for (const old of this.#known.keys()) if (this.#known.size > KEPT) this.#known.delete(old);
    return known;
  }

  /** Stores the ways tried for a result, so that they remain after one is chosen. */
  learn({ items, seams }: Take): void {
    seams.forEach(({ trials }, i) => {
      const [before, after] = [items[i], items[i + 1]];
      if (before && after && trials?.length) this.of(before, after).trials = trials;
    });
  }

  /** Tries ways at one seam whose result was stitched by hand. */
  search(before: Item, after: Item): void {
    const alternatives = this.of(before, after);
    if (alternatives.busy) return;
    alternatives.busy = true;
    delete alternatives.problem;
    this.#soon(async () => {
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

  /** The motion around a seam for one way; computed if necessary. */
  preview(before: Item, after: Item, way: JoinOptions): Preview | undefined {
    const { previews } = this.of(before, after);
    const text = textOf(way);
    const known = previews.get(text);
    if (known === undefined) {
      previews.set(text, "making");
      this.#soon(async () => {
        try {
          const clip = await this.#join(before, after, way);
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

  /** Runs jobs one at a time, after the results themselves. */
  #soon(job: () => Promise<void>): void {
    this.#queue.push(job);
    if (!this.#running) void this.#work();
  }

  async #work(): Promise<void> {
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

  /** The adjacent ends of two clips, joined in a given way, or in the most natural one. */
  async #join(before: Item, after: Item, way: JoinOptions | undefined): ReturnType<typeof stitch> {
    const { project, app } = this.#mode;
    const ends = (item: Item, isLast: boolean): FrameRange => {
      const info = this.#mode.sourceOf(item)?.info;
      const { from, to } = item.trim ?? { from: 0, to: info?.frames ?? 0 };
      const most = Math.ceil((ENDS_SECS + project.maxCut) * (info?.fps ?? 30));
      return isLast ? { from: Math.max(from, to - most), to } : { from, to: Math.min(to, from + most) };
    };
    const clips: WorkerClip[] = [];
    for (const { source } of [before, after]) clips.push((await app.library.clip(source, project.rigs[source])).clip);
    return stitch(clips, {
      method: way ? "inertialize" : "auto",
      ...(way && { seams: [way] }),
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
