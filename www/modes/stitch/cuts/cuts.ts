/** The map of cuts between the two clips of a seam: scored in the worker while its panel is open. */
import type { Cut, SeamMap, FrameRange } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../../core/operation";
import { posesOf, problemOf, seamMap, type Problem, type WorkerClip } from "../../../core/engine";
import { loopAround, nearestMark } from "../../../core/marks";
import type { Poses } from "../../../viewer/poses";
import { trim, type Item } from "../project";
import { stitchableItems } from "../stitchable";
import type { Stitch } from "../stitch";

/** Frames of a map on either side of the current cut; and the step by which it follows the cut, frames. */
const MARGIN = 260;
const STRIDE = 100;
/** Maximum number of stored maps. */
const MAX_MAPS = 4;

/** Two clips, and the scores of cuts near the current one. */
export interface CutsView {
  /** Index of the seam in the result. */
  seam: number;
  items: [Item, Item];
  names: [string, string];
  map: SeamMap;
  /** Poses of both files, for the figures. */
  poses: [Poses, Poses];
}

/** Frames of a cut: the last frame used of the first file, and the first frame used of the second. */
export interface CutFrames {
  takeoff: number;
  landing: number;
}

/** The map of cuts at one seam. */
export class Cuts {
  view: CutsView | undefined;
  busy: Operation | undefined;
  problem: Problem | undefined;
  #key = "";
  /** Index of the seam whose map is shown or being scored. */
  #seam = 0;
  #abort: AbortController | undefined;
  /** Maps by their keys, so that nothing is scored twice. */
  #maps = new Map<string, { map: SeamMap; poses: [Poses, Poses] }>();
  #poses = new WeakMap<WorkerClip, Promise<Poses>>();

  /** Scores the seam near the playhead, unless already scored. */
  update(mode: Stitch): void {
    const { project } = mode;
    // The items of the result: a clip that is left out has no seam.
    const items = stitchableItems(project, mode.app.library);
    // During playback the map stays at one seam, although the playhead passes many.
    const wantedSeam = mode.clock.playing && this.view ? this.#seam : nearestMark(mode);
    const seam = Math.min(Math.max(0, wantedSeam), items.length - 2);
    const [a, b] = [items[seam], items[seam + 1]];
    if (!a || !b) return this.#clear();
    const cut = this.currentCut(mode, seam, a, b);
    const trims = [
      rangeAround(cut.takeoff, mode.sourceOf(a)?.info?.frames ?? 0),
      rangeAround(cut.landing, mode.sourceOf(b)?.info?.frames ?? 0),
    ];
    const version = (item: Item): unknown[] => [item.source, mode.sourceOf(item)?.version, project.rigs[item.source]];
    const key = JSON.stringify([version(a), version(b), trims]);
    this.#seam = seam;
    // Until its map is scored, another pair of files leaves the view as it is: the shown map is of the previous pair.
    if (this.view?.items[0].source === a.source && this.view.items[1].source === b.source)
      Object.assign(this.view, { seam, items: [a, b] });
    if (key === this.#key) return;
    this.#key = key;
    this.#abort?.abort();
    const stored = this.#maps.get(key);
    if (stored) {
      this.view = { seam, items: [a, b], names: this.#names(mode, [a, b]), ...stored };
      this.busy = this.problem = undefined;
      return;
    }
    this.#abort = new AbortController();
    void this.#score(mode, key, [a, b], seam, trims as [FrameRange, FrameRange], this.#abort.signal);
  }

  /** Returns the current cut of a seam, in frames of the files. */
  currentCut(mode: Stitch, seam: number, a: Item, b: Item): CutFrames {
    const cut = mode.project.seam !== "keep" ? mode.stitcher.jobs.a.result?.seams[seam]?.cut : undefined;
    const frames = mode.sourceOf(a)?.info?.frames ?? 1;
    return cut ?? { takeoff: (a.trim?.to ?? frames) - 1, landing: b.trim?.from ?? 0 };
  }

  cancel(mode: Stitch): void {
    this.#abort?.abort();
    this.problem = { code: "aborted", message: "scoring was cancelled" };
    this.busy = undefined;
    mode.app.requestUpdate();
  }

  retry(mode: Stitch): void {
    this.#key = "";
    mode.app.requestUpdate();
  }

  /** Cuts both clips at these frames for the L-score transition, and plays the result around the seam. */
  apply(mode: Stitch, { takeoff, landing }: CutFrames): void {
    if (!this.view) return;
    const {
      seam,
      items: [a, b],
    } = this.view;
    if (!mode.item(a.id) || !mode.item(b.id)) return;
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
    this.busy = beginOperation("scan", () => mode.app.requestUpdate());
    const isCurrent = (): boolean => this.#key === key && !signal.aborted;
    try {
      const clips: WorkerClip[] = [];
      for (const { source } of items) clips.push((await mode.app.library.clip(source, mode.project.rigs[source])).clip);
      const [a, b] = clips as [WorkerClip, WorkerClip];
      const map = await seamMap(a, b, {
        trim: trims,
        signal,
        onProgress: (progress) => {
          if (!isCurrent() || !this.busy) return;
          this.busy.progress = progress;
          mode.app.requestUpdate();
        },
      });
      const poses = await Promise.all([this.#posesOf(a), this.#posesOf(b)]);
      if (!isCurrent()) return;
      this.#maps.set(key, { map, poses });
      for (const oldest of this.#maps.keys()) if (this.#maps.size > MAX_MAPS) this.#maps.delete(oldest);
      this.view = { seam, items, names: this.#names(mode, items), map, poses };
    } catch (error) {
      if (!isCurrent()) return;
      this.view = undefined;
      this.problem = problemOf(error);
    }
    this.busy = undefined;
    mode.app.requestUpdate();
  }

  #names(mode: Stitch, items: [Item, Item]): [string, string] {
    return items.map((item) => mode.sourceOf(item)?.name ?? "") as [string, string];
  }

  #posesOf(clip: WorkerClip): Promise<Poses> {
    const stored = this.#poses.get(clip);
    if (stored) return stored;
    const poses = posesOf(clip);
    this.#poses.set(clip, poses);
    // After an error, "Compute scores" tries again.
    poses.catch(() => this.#poses.delete(clip));
    return poses;
  }
}

/** Returns the frames of a file that the map contains: all frames of a short file. */
function rangeAround(frame: number, frames: number): FrameRange {
  if (frames <= 2 * MARGIN) return { from: 0, to: frames };
  const from = Math.max(0, Math.floor((frame - MARGIN) / STRIDE) * STRIDE);
  return { from, to: Math.min(frames, from + 2 * MARGIN + STRIDE) };
}

/** Returns the cell of a cut, rounded to the nearest column; `undefined` outside the map. */
export function cellOf(map: SeamMap, { takeoff, landing }: CutFrames): { row: number; column: number } | undefined {
  const row = takeoff - map.takeoffs.from;
  let column = 0;
  map.landings.forEach((frame, i) => {
    if (Math.abs(frame - landing) < Math.abs((map.landings[column] ?? 0) - landing)) column = i;
  });
  const [firstLanding = Infinity, lastLanding = -1] = [map.landings[0], map.landings.at(-1)];
  const isInside = row >= 0 && takeoff < map.takeoffs.to && landing >= firstLanding && landing <= lastLanding;
  return isInside ? { row, column } : undefined;
}

/** Returns the cut of a cell. */
export function cutAt(map: SeamMap, row: number, column: number): Omit<Cut, "euclidean"> {
  const cell = row * map.landings.length + column;
  return {
    takeoff: map.takeoffs.from + row,
    landing: map.landings[column] ?? 0,
    inject: map.injects[cell] ?? 0,
    score: map.scores[cell] ?? NaN,
  };
}
