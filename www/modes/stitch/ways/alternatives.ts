/** Other ways of joining at a seam: what "Automatic" tried there, and a second of motion to both sides of each, made when it is looked at. */
import type { Trial, Trim, Way } from "kinestitch/worker";
import { posesOf, problemOf, stitch, type Problem, type WorkerClip } from "../../../core/engine";
import type { Poses } from "../../../viewer/poses";
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { Take } from "../stitcher";
import { textOf } from "./way";

/** Ways that are shown beside the one that was chosen. */
export const SHOWN = 5;
/** Motion of each clip that a preview is made of, beside what may be cut away, seconds. */
const ENDS_SECS = 3;
/** Seams whose ways are remembered. */
const KEPT = 600;

/** A motion around a seam. */
export interface Preview {
  poses: Poses;
  /** First frame of the incoming clip. */
  frame: number;
}

/** What is known of a seam's ways. */
export interface Tried {
  trials?: readonly Trial[];
  previews: Map<string, Preview | "making" | "failed">;
  busy: boolean;
  problem?: Problem;
}

export class Alternatives {
  #known = new Map<string, Tried>();
  #queue: (() => Promise<void>)[] = [];
  #running = false;
  #mode: Stitch;

  constructor(mode: Stitch) {
    this.#mode = mode;
  }

  /** What is known of the ways between two clips as they are now. */
  of(before: Item, after: Item): Tried {
    const key = this.#key(before, after);
    const known = this.#known.get(key) ?? { previews: new Map(), busy: false };
    this.#known.set(key, known);
    for (const old of this.#known.keys()) if (this.#known.size > KEPT) this.#known.delete(old);
    return known;
  }

  /** Remembers what a result's search tried: the ways stay when one of them is taken. */
  learn({ items, seams }: Take): void {
    seams.forEach(({ tried }, i) => {
      const [before, after] = [items[i], items[i + 1]];
      if (before && after && tried?.length) this.of(before, after).trials = tried;
    });
  }

  /** Tries ways at one seam whose result was made by hand. */
  search(before: Item, after: Item): void {
    const tried = this.of(before, after);
    if (tried.busy) return;
    tried.busy = true;
    delete tried.problem;
    this.#soon(async () => {
      try {
        const made = await this.#join(before, after, undefined);
        tried.trials = made.seams[0]?.tried ?? [];
        made.free();
      } catch (error) {
        tried.problem = problemOf(error);
      }
      tried.busy = false;
    });
  }

  /** The motion around a seam in one way; made now where it is not there yet. */
  preview(before: Item, after: Item, way: Way): Preview | undefined {
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

  /** One at a time, and after the results themselves. */
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

  /** The ends of two clips that meet, joined in a way, or in the most natural one. */
  async #join(before: Item, after: Item, way: Way | undefined): ReturnType<typeof stitch> {
    const { project, app } = this.#mode;
    const ends = (item: Item, isLast: boolean): Trim => {
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

  /** The result's own rate: that of its first clip. */
  #rate(): number {
    return this.#mode.shownTake()?.motion.fps ?? 30;
  }
}
