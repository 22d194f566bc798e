/** Where each clip stands on the timeline, in frames of the result. */
import type { App } from "../app/app";
import type { Item } from "../app/project";
import type { Take } from "../app/stitcher";

export interface Block {
  item: Item;
  index: number;
  /** First frame, and frames long, in the result's rate. */
  start: number;
  length: number;
  /** Frames of the result a frame of the file takes. */
  ratio: number;
  /** Frames of the file. */
  total: number;
}

/** Places the items: as the result has them where it is up to date, else by the same overlaps as before. */
export function blocks(app: App): { blocks: Block[]; frames: number } {
  const take: Take | undefined = app.shownTake();
  const rate = app.project.fps ?? take?.motion.fps;
  const placed: Block[] = [];
  let next = 0;
  app.project.items.forEach((item, index) => {
    const info = app.sourceOf(item)?.info;
    if (!info) return;
    const at = take?.items.findIndex((other) => other.id === item.id) ?? -1;
    const known = take && at >= 0 ? take : undefined;
    const fresh = known !== undefined && same(known.items[at], item);
    const ratio = (rate ?? info.fps) / info.fps;
    const used = (item.trim?.to ?? info.frames) - (item.trim?.from ?? 0);
    const length = (fresh ? known.aligned[at]?.frames : undefined) ?? Math.max(1, Math.round(used * ratio));
    const before = at > 0 ? known : undefined;
    const overlap = before ? overlapBefore(before, at) : 0;
    const start = placed.length === 0 ? 0 : Math.max(0, next - overlap);
    placed.push({ item, index, start, length, ratio, total: info.frames });
    next = start + length;
  });
  return { blocks: placed, frames: Math.max(1, next) };
}

const same = (a: Item | undefined, b: Item): boolean => a?.trim?.from === b.trim?.from && a?.trim?.to === b.trim?.to;

function overlapBefore(take: Take, at: number): number {
  const end = (take.starts[at - 1] ?? 0) + (take.aligned[at - 1]?.frames ?? 0);
  return end - (take.starts[at] ?? end);
}

/** Steps for the ruler: about `wanted` numbers, on round frames. */
export function ticks(frames: number, wanted: number): number[] {
  const rough = frames / Math.max(1, wanted);
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000].find((size) => size >= rough) ?? 100_000;
  return Array.from({ length: Math.floor((frames - 1) / step) + 1 }, (_, i) => i * step);
}
