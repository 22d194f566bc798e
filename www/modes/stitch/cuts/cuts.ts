/** The map of cuts between the two clips of a seam: scored in the worker while its panel is open. */
import type { Cut, SeamMap, FrameRange } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../../core/operation";
import { posesOf, problemOf, seamMap, type Problem, type Clip } from "../../../core/engine";
import { loopAround, nearestMark } from "../../../core/marks";
import type { Poses } from "../../../viewer/poses";
import { setJoinOptions } from "../joins/join-options";
import { trim, type Item } from "../project";
import { frameStep, minFrames, resultFps, stitchableItems } from "../stitchable";
import type { Stitch } from "../stitch";

/** A map contains at least this many frames on either side of the current cut, as far as the clips have them. */
const MARGIN = 260;
/** The range of a map moves in steps of this many frames, so that small changes of the cut keep the map. */
const STRIDE = 100;
/** Number of frames that the score compares on each side of a cut: the default of the package. */
const WINDOW = 5;
/** Maximum number of stored maps. */
const MAX_MAPS = 4;

/** The shown map: two clips, and the scores of cuts near the current one. */
export interface ShownMap {
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
  shown: ShownMap | undefined;
  busy: Operation | undefined;
  problem: Problem | undefined;
  #key = "";
  /** Index of the seam whose map is shown or being scored. */
  #seam = 0;
  #abort: AbortController | undefined;
  /** The last maps, by key. */
  #maps = new Map<string, { map: SeamMap; poses: [Poses, Poses] }>();
  #poses = new WeakMap<Clip, Promise<Poses>>();

  /** Scores the seam near the playhead, unless already scored. */
  update(mode: Stitch): void {
    const { project } = mode;
    // Clips that are too short or not loaded are left out of the result, so they have no seam.
    const items = stitchableItems(project, mode.app.library);
    // During playback the map stays at one seam, although the playhead passes many.
    const wantedSeam = mode.clock.playing && this.shown ? this.#seam : nearestMark(mode);
    const seam = Math.min(Math.max(0, wantedSeam), items.length - 2);
    const [a, b] = [items[seam], items[seam + 1]];
    if (!a || !b) return this.#clear();
    const ranges = mapRanges(mode, [a, b], this.currentCut(mode, seam, a, b));
    const version = (item: Item): unknown[] => [item.source, mode.sourceOf(item)?.version, project.rigs[item.source]];
    const key = JSON.stringify([version(a), version(b), ranges]);
    this.#seam = seam;
    // If the seam has other files, the previous pair is shown until the new map is scored.
    if (this.shown?.items[0].source === a.source && this.shown.items[1].source === b.source)
      Object.assign(this.shown, { seam, items: [a, b] });
    if (key === this.#key) return;
    this.#key = key;
    this.#abort?.abort();
    const stored = this.#maps.get(key);
    if (stored) {
      this.shown = { seam, items: [a, b], names: this.#names(mode, [a, b]), ...stored };
      this.busy = this.problem = undefined;
      return;
    }
    this.#abort = new AbortController();
    void this.#score(mode, key, [a, b], seam, ranges, this.#abort.signal);
  }

  /** Returns the current cut of a seam, in frames of the files. */
  currentCut(mode: Stitch, seam: number, a: Item, b: Item): CutFrames {
    const { result } = mode.stitcher.jobs.a;
    // Until an edit is stitched, the result is that of the previous clips and trims.
    const isCurrent = [a, b].every((item, side) => usesSameFrames(item, result?.items[seam + side]));
    const cut = isCurrent ? result?.seams[seam]?.cut : undefined;
    return cut ?? { takeoff: usedRange(mode, a).to - 1, landing: usedRange(mode, b).from };
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

  /**
   * Trims both clips to this cut, selects the L-score transition and uncut ends for all seams, and plays the result
   * around the seam.
   */
  apply(mode: Stitch, { takeoff, landing }: CutFrames): void {
    if (!this.shown) return;
    const { seam, items } = this.shown;
    const [a, b] = [mode.item(items[0].id), mode.item(items[1].id)];
    if (!a || !b) return;
    // After a trim, the previous map is shown until the new one is scored.
    const { firstTakeoff, lastLanding } = cutLimits(mode, a, b);
    if (takeoff < firstTakeoff || landing > lastLanding) return;
    mode.edit(`cut from frame ${takeoff + 1} to ${landing + 1}`, ({ gap: _, gapMethod: __, ...project }) => {
      const trimmedFirst = trim(project, a.id, framesOf(mode, a), { to: takeoff + 1 });
      const trimmed = trim(trimmedFirst, b.id, framesOf(mode, b), { from: landing });
      return {
        ...setJoinOptions(trimmed, a, b, undefined),
        seam: "keep",
        method: "lscore",
        compare: project.compare === "lscore" ? project.method : project.compare,
      };
    });
    mode.onceStitched(() => {
      mode.clock.setRange(undefined);
      loopAround(mode, seam);
    });
  }

  #clear(): void {
    this.#abort?.abort();
    this.#key = "";
    this.shown = this.busy = this.problem = undefined;
  }

  async #score(
    mode: Stitch,
    key: string,
    items: [Item, Item],
    seam: number,
    ranges: [FrameRange, FrameRange],
    signal: AbortSignal,
  ): Promise<void> {
    this.problem = undefined;
    this.busy = beginOperation("scan", () => mode.app.requestUpdate());
    const isCurrent = (): boolean => this.#key === key && !signal.aborted;
    try {
      const clips: Clip[] = [];
      for (const { source } of items) clips.push((await mode.app.library.clip(source, mode.project.rigs[source])).clip);
      const [a, b] = clips as [Clip, Clip];
      const map = await seamMap(a, b, {
        trim: ranges,
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
      this.shown = { seam, items, names: this.#names(mode, items), map, poses };
    } catch (error) {
      if (!isCurrent()) return;
      this.shown = undefined;
      this.problem = problemOf(error);
    }
    this.busy = undefined;
    mode.app.requestUpdate();
  }

  #names(mode: Stitch, items: [Item, Item]): [string, string] {
    return items.map((item) => mode.sourceOf(item)?.name ?? "") as [string, string];
  }

  #posesOf(clip: Clip): Promise<Poses> {
    const stored = this.#poses.get(clip);
    if (stored) return stored;
    const poses = posesOf(clip);
    this.#poses.set(clip, poses);
    // After an error, "Compute scores" tries again.
    poses.catch(() => this.#poses.delete(clip));
    return poses;
  }
}

const framesOf = (mode: Stitch, item: Item): number => mode.sourceOf(item)?.info?.frames ?? 0;
const fpsOf = (mode: Stitch, item: Item): number => mode.sourceOf(item)?.info?.fps ?? 30;
const usedRange = (mode: Stitch, item: Item): FrameRange => item.trim ?? { from: 0, to: framesOf(mode, item) };

/** Whether two items use the same frames of one file. */
const usesSameFrames = (item: Item, other: Item | undefined): boolean =>
  item.source === other?.source && item.trim?.from === other.trim?.from && item.trim?.to === other.trim?.to;

/** Returns the first take-off of `a` and the last landing of `b` that leave enough frames of both clips. */
function cutLimits(mode: Stitch, a: Item, b: Item): { firstTakeoff: number; lastLanding: number } {
  const fps = resultFps(mode.project, mode.app.library);
  return {
    firstTakeoff: usedRange(mode, a).from + minFrames(fpsOf(mode, a), fps) - 1,
    lastLanding: usedRange(mode, b).to - minFrames(fpsOf(mode, b), fps),
  };
}

/**
 * Returns the frames of both files that the map contains. A cut replaces the end of `a` and the start of `b`; the start
 * of `a` and the end of `b` stay. The windows of the score lie within the ranges, at the frame rate of `a`.
 */
function mapRanges(mode: Stitch, [a, b]: [Item, Item], { takeoff, landing }: CutFrames): [FrameRange, FrameRange] {
  const { firstTakeoff, lastLanding } = cutLimits(mode, a, b);
  const margin = (WINDOW - 1) * frameStep(fpsOf(mode, b), fpsOf(mode, a));
  // At least one complete window.
  const to = Math.max(lastLanding + Math.floor(margin), Math.ceil(margin)) + 1;
  return [
    rangeAround(takeoff, { from: firstTakeoff - WINDOW + 1, to: framesOf(mode, a) }),
    rangeAround(landing, { from: 0, to: Math.min(to, usedRange(mode, b).to) }),
  ];
}

/** Returns the part of the possible frames that the map contains: all frames of a short clip. */
function rangeAround(frame: number, possible: FrameRange): FrameRange {
  if (possible.to - possible.from <= 2 * MARGIN) return possible;
  const from = Math.max(possible.from, Math.floor((frame - MARGIN) / STRIDE) * STRIDE);
  return { from, to: Math.min(possible.to, from + 2 * MARGIN + STRIDE) };
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
