/** The map of cuts between the two clips of a seam: scored in the worker while its panel is open. */
import type { Cut, SeamMap, FrameRange } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../../core/operation";
import { posesOf, problemOf, seamMap, type Problem, type WorkerClip } from "../../../core/engine";
import { loopAround, nearestMark } from "../../../core/marks";
import type { Poses } from "../../../viewer/poses";
import { trim, type Item } from "../project";
import type { Stitch } from "../stitch";

/** Reach of a map on either side of the present cut, frames; and the step in which it moves along. */
const REACH = 260;
const STRIDE = 100;
/** Number of stored maps. */
const KEPT = 4;

/** Two clips, and the scores of cuts near the present one. */
export interface CutsView {
  /** Index of the seam in the result. */
  seam: number;
  items: [Item, Item];
  names: [string, string];
  map: SeamMap;
  /** Poses of both files, for the figures. */
  poses: [Poses, Poses];
}

/** A cut by its frames: the last used one of the first file, the first used one of the second. */
export interface Place {
  takeoff: number;
  landing: number;
}

/** The map of cuts at one seam. */
export class Cuts {
  view: CutsView | undefined;
  busy: Operation | undefined;
  problem: Problem | undefined;
  #key = "";
  #abort: AbortController | undefined;
  /** Maps of other seams, so that nothing is scored twice. */
  #known = new Map<string, { map: SeamMap; poses: [Poses, Poses] }>();
  #poses = new WeakMap<WorkerClip, Promise<Poses>>();

  /** Scores the seam near the playhead, unless already scored. */
  update(mode: Stitch): void {
    const { project } = mode;
    const items = project.items.filter((item) => mode.sourceOf(item)?.state === "ready");
    // During playback the map does not change: the playhead passes many seams.
    const near = mode.clock.playing && this.view ? this.view.seam : nearestMark(mode);
    const seam = Math.min(Math.max(0, near), items.length - 2);
    const [a, b] = [items[seam], items[seam + 1]];
    if (!a || !b) return this.#clear();
    const now = this.present(mode, seam, a, b);
    const trims = [
      around(now.takeoff, mode.sourceOf(a)?.info?.frames ?? 0),
      around(now.landing, mode.sourceOf(b)?.info?.frames ?? 0),
    ];
    const version = (item: Item): unknown[] => [item.source, mode.sourceOf(item)?.version, project.rigs[item.source]];
    const key = JSON.stringify([version(a), version(b), trims]);
    if (this.view) Object.assign(this.view, { seam, items: [a, b] });
    if (key === this.#key) return;
    this.#key = key;
    this.#abort?.abort();
    const known = this.#known.get(key);
    if (known) {
      this.view = { seam, items: [a, b], names: this.#names(mode, [a, b]), ...known };
      this.busy = this.problem = undefined;
      return;
    }
    this.#abort = new AbortController();
    void this.#score(mode, key, [a, b], seam, trims as [FrameRange, FrameRange], this.#abort.signal);
  }

  /** Present cut of a seam, in frames of the files. */
  present(mode: Stitch, seam: number, a: Item, b: Item): Place {
    const cut = mode.project.seam !== "keep" ? mode.stitcher.jobs.a.take?.seams[seam]?.cut : undefined;
    const frames = mode.sourceOf(a)?.info?.frames ?? 1;
    return cut ?? { takeoff: (a.trim?.to ?? frames) - 1, landing: b.trim?.from ?? 0 };
  }

  cancel(mode: Stitch): void {
    this.#abort?.abort();
    this.problem = { code: "aborted", message: "scoring was cancelled" };
    this.busy = undefined;
    mode.app.changed();
  }

  retry(mode: Stitch): void {
    this.#key = "";
    mode.app.changed();
  }

  /** Applies a cut with the map's number of injected frames, and plays the result around the seam. */
  use(mode: Stitch, { takeoff, landing }: Place): void {
    if (!this.view) return;
    const {
      seam,
      items: [a, b],
    } = this.view;
    const frames = (item: Item): number => mode.sourceOf(item)?.info?.frames ?? 0;
    mode.edit(`cut from frame ${takeoff + 1} to ${landing + 1}`, (project) => ({
      ...trim(trim(project, a.id, frames(a), { to: takeoff + 1 }), b.id, frames(b), { from: landing }),
      seam: "keep",
      method: "lscore",
      compare: project.compare === "lscore" ? project.method : project.compare,
    }));
    mode.onceStitched(() => {
      mode.clock.setRange(undefined);
      loopAround(mode, seam);
    });
  }

  #clear(): void {
    this.#abort?.abort();
    this.#key = "";
    this.view = this.busy = this.problem = undefined;
  }

  async #score(
    mode: Stitch,
    key: string,
    items: [Item, Item],
    seam: number,
    trims: [FrameRange, FrameRange],
    signal: AbortSignal,
  ): Promise<void> {
    this.problem = undefined;
    this.busy = beginOperation("scan", () => mode.app.changed());
    const current = (): boolean => this.#key === key && !signal.aborted;
    try {
      const clips: WorkerClip[] = [];
      for (const { source } of items) clips.push((await mode.app.library.clip(source, mode.project.rigs[source])).clip);
      const [a, b] = clips as [WorkerClip, WorkerClip];
      const map = await seamMap(a, b, {
        trim: trims,
        signal,
        onProgress: (progress) => {
          if (!current() || !this.busy) return;
          this.busy.progress = progress;
          mode.app.changed();
        },
      });
      const poses = await Promise.all([this.#posesOf(a), this.#posesOf(b)]);
      if (!current()) return;
      this.#known.set(key, { map, poses });
      for (const old of this.#known.keys()) if (this.#known.size > KEPT) this.#known.delete(old);
      this.view = { seam, items, names: this.#names(mode, items), map, poses };
    } catch (error) {
      if (!current()) return;
      this.view = undefined;
      this.problem = problemOf(error);
    }
    this.busy = undefined;
    mode.app.changed();
  }

  #names(mode: Stitch, items: [Item, Item]): [string, string] {
    return items.map((item) => mode.sourceOf(item)?.name ?? "") as [string, string];
  }

  #posesOf(clip: WorkerClip): Promise<Poses> {
    const known = this.#poses.get(clip) ?? posesOf(clip);
    this.#poses.set(clip, known);
    return known;
  }
}

/** Range of frames of a file in the map: all of a short one. */
function around(frame: number, frames: number): FrameRange {
  if (frames <= 2 * REACH) return { from: 0, to: frames };
  const from = Math.max(0, Math.floor((frame - REACH) / STRIDE) * STRIDE);
  return { from, to: Math.min(frames, from + 2 * REACH + STRIDE) };
}

/** Row and column of a cut in a map, rounded to the nearest column. */
export function cellOf(map: SeamMap, { takeoff, landing }: Place): { row: number; column: number } | undefined {
  const row = takeoff - map.takeoffs.from;
  let column = 0;
  map.landings.forEach((frame, at) => {
    if (Math.abs(frame - landing) < Math.abs((map.landings[column] ?? 0) - landing)) column = at;
  });
  const inside = row >= 0 && takeoff < map.takeoffs.to && landing <= (map.landings.at(-1) ?? -1);
  return inside ? { row, column } : undefined;
}

/** The cut of a cell. */
export function cutAt(map: SeamMap, row: number, column: number): Omit<Cut, "euclidean"> {
  const cell = row * map.landings.length + column;
  return {
    takeoff: map.takeoffs.from + row,
    landing: map.landings[column] ?? 0,
    inject: map.injects[cell] ?? 0,
    score: map.scores[cell] ?? NaN,
  };
}
