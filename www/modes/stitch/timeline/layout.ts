/** Position of each clip on the timeline, in frames of the result. */
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { Take } from "../stitcher";
import { tooShort } from "../usable";

/** A clip on the timeline. */
export interface Block {
  item: Item;
  index: number;
  /** First frame, and frames long, in the result's rate. */
  start: number;
  length: number;
  /** Frames of the result per frame of the file. */
  ratio: number;
  /** Frames of the file. */
  total: number;
  /** Whether it is left out because it is too short. */
  left: boolean;
}

/** Positions of the items in the result if it is current, else with the previous overlaps. */
export function blocks(mode: Stitch): { blocks: Block[]; frames: number } {
  const take: Take | undefined = mode.shownTake();
  const rate = mode.project.fps ?? take?.motion.fps;
  const places = new Map(take?.items.map((item, at) => [item.id, at]));
  const short = tooShort(mode.project, mode.app.library);
  const placed: Block[] = [];
  let next = 0;
  mode.project.items.forEach((item, index) => {
    const info = mode.sourceOf(item)?.info;
    if (!info) return;
    const at = places.get(item.id) ?? -1;
    const known = take && at >= 0 ? take : undefined;
    const fresh = known !== undefined && same(known.items[at], item);
    const ratio = (rate ?? info.fps) / info.fps;
    const used = (item.trim?.to ?? info.frames) - (item.trim?.from ?? 0);
    const length = (fresh ? known.aligned[at]?.frames : undefined) ?? Math.max(1, Math.round(used * ratio));
    const before = at > 0 ? known : undefined;
    const overlap = before ? overlapBefore(before, at) : 0;
    const start = placed.length === 0 ? 0 : Math.max(0, next - overlap);
    const left = short.has(item);
    placed.push({ item, index, start, length, ratio, total: info.frames, left });
    // Clips that are left out take no time.
    if (!left) next = start + length;
  });
  return { blocks: placed, frames: Math.max(1, ...placed.map(({ start, length }) => start + length)) };
}

const same = (a: Item | undefined, b: Item): boolean => a?.trim?.from === b.trim?.from && a?.trim?.to === b.trim?.to;

function overlapBefore(take: Take, at: number): number {
  const end = (take.starts[at - 1] ?? 0) + (take.aligned[at - 1]?.frames ?? 0);
  return end - (take.starts[at] ?? end);
}
