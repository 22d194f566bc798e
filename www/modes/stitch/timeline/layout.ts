/** Position of each clip on the timeline, in frames of the result. */
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";
import { resultFps, tooShortItems } from "../stitchable";

/** A clip on the timeline. */
export interface Block {
  item: Item;
  /** Index of the item in the document. */
  index: number;
  /** First frame and number of frames, at the result's frame rate. */
  start: number;
  length: number;
  /** Frames of the result per frame of the file. */
  ratio: number;
  /** Number of frames of the file. */
  total: number;
  /** Whether the clip is left out of the result because it is too short. */
  isLeftOut: boolean;
}

/** Blocks of the timeline. */
export interface Layout {
  blocks: Block[];
  /** Number of frames up to the end of the last block; at least 1. */
  frames: number;
}

/**
 * Lays out the items of the document. Lengths and overlaps are those of the displayed result, with two exceptions: an
 * item whose trim has changed since then has its new length, and an item that is not in the result overlaps none.
 */
export function layOut(mode: Stitch): Layout {
  const result = mode.shownResult();
  // The document may already have another frame rate than the displayed result.
  const fps = result?.motion.fps ?? resultFps(mode.project, mode.app.library);
  const resultIndices = new Map(result?.items.map((item, i) => [item.id, i]));
  const shortItems = tooShortItems(mode.project, mode.app.library);
  const blocks: Block[] = [];
  let nextStart = 0;
  mode.project.items.forEach((item, index) => {
    const info = mode.sourceOf(item)?.info;
    if (!info) return;
    const resultIndex = resultIndices.get(item.id);
    const ratio = (fps ?? info.fps) / info.fps;
    const usedFrames = (item.trim?.to ?? info.frames) - (item.trim?.from ?? 0);
    let length = Math.max(1, Math.round(usedFrames * ratio));
    let overlap = 0;
    if (result && resultIndex !== undefined) {
      if (haveSameTrim(result.items[resultIndex], item)) length = result.aligned[resultIndex]?.frames ?? length;
      if (resultIndex > 0) overlap = overlapBefore(result, resultIndex);
    }
    const start = blocks.length === 0 ? 0 : Math.max(0, nextStart - overlap);
    const isLeftOut = shortItems.has(item);
    blocks.push({ item, index, start, length, ratio, total: info.frames, isLeftOut });
    // Clips that are left out take no time.
    if (!isLeftOut) nextStart = start + length;
  });
  return { blocks, frames: Math.max(1, ...blocks.map(({ start, length }) => start + length)) };
}

const haveSameTrim = (a: Item, b: Item): boolean => a.trim?.from === b.trim?.from && a.trim?.to === b.trim?.to;

/** Returns the overlap of a clip of the result with the previous clip, frames; negative if frames are inserted. */
function overlapBefore(result: StitchResult, index: number): number {
  const previousEnd = (result.starts[index - 1] ?? 0) + (result.aligned[index - 1]?.frames ?? 0);
  return previousEnd - (result.starts[index] ?? previousEnd);
}
