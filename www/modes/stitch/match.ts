/**
 * Maps frames between the results of two methods: both show the same frame of the same clip, where both leave it
 * unchanged. Between two clips, where the results differ in cut and length, frames are mapped linearly.
 */
import type { StitchResult } from "./stitcher";

/** A frame of one result and the corresponding frame of the other. */
type FramePair = [from: number, to: number];
/** Corresponding frames of two results, ascending. */
type FramePairs = FramePair[];

/** Pairs by the two results, computed once: plots map every frame. */
const pairsByResults = new WeakMap<StitchResult, WeakMap<StitchResult, FramePairs>>();

function cachedPairs(from: StitchResult, to: StitchResult): FramePairs {
  const pairsByTarget = pairsByResults.get(from) ?? new WeakMap<StitchResult, FramePairs>();
  pairsByResults.set(from, pairsByTarget);
  const pairs = pairsByTarget.get(to) ?? framePairs(from, to);
  pairsByTarget.set(to, pairs);
  return pairs;
}

/** Returns the frame of the result at which the first frame of a trimmed clip would be if no cut removed it. */
function clipStart({ motion, seams, starts, items, inputFps }: StitchResult, index: number): number {
  const landing = seams[index - 1]?.cut?.landing;
  if (landing === undefined) return starts[index] ?? NaN;
  const removed = landing - (items[index]?.trim?.from ?? 0);
  return (starts[index] ?? NaN) - Math.round((removed * motion.fps) / (inputFps[index] ?? NaN));
}

/** Returns the frames of a result that show a clip unchanged: [from, to), empty if `to` is not larger. */
function unchangedFrames({ seams, motion }: StitchResult, index: number): { from: number; to: number } {
  const [left, right] = [seams[index - 1], seams[index]];
  return {
    from: left ? Math.max(left.frame, left.editedRange.to) : 0,
    to: right ? Math.min(right.frame, right.editedRange.from) : motion.frames,
  };
}

/** Returns the ends of the frames in which both results show a clip unchanged; none if there are no such frames. */
function clipPairs(from: StitchResult, to: StitchResult, index: number): FramePairs {
  const offset = clipStart(to, index) - clipStart(from, index);
  const [shown, otherShown] = [unchangedFrames(from, index), unchangedFrames(to, index)];
  const first = Math.max(shown.from, otherShown.from - offset);
  const last = Math.min(shown.to, otherShown.to - offset) - 1;
  // False also for a clip that only one of the results has: its offset is NaN.
  if (!(first <= last)) return [];
  return [
    [first, first + offset],
    [last, last + offset],
  ];
}

/**
 * Finds the corresponding frames: both ends of the motions, and of the unchanged frames of each clip. A clip without such
 * frames has the seam before it.
 */
function framePairs(from: StitchResult, to: StitchResult): FramePairs {
  const pairs: FramePairs = [[0, 0]];
  const count = Math.min(from.seams.length, to.seams.length);
  for (let index = 0; index <= count; index++) {
    const clip = clipPairs(from, to, index);
    if (clip.length > 0) pairs.push(...clip);
    else if (index > 0) pairs.push([from.seams[index - 1].frame, to.seams[index - 1].frame]);
  }
  pairs.push([from.motion.frames - 1, to.motion.frames - 1]);
  return pairs;
}

/** Returns the index of the first pair at or after a frame; that of the last pair if all are before it. */
function firstPairFrom(pairs: FramePairs, frame: number): number {
  let [low, high] = [0, pairs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pairs[middle][0] >= frame) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the frame of `to` that corresponds to a frame of `from`: linear between pairs of corresponding frames. After
 * the last frame of `from`, it is the last frame of `to`.
 */
export function matchFrame(from: StitchResult | undefined, to: StitchResult | undefined, frame: number): number {
  if (!from || !to || from === to) return frame;
  const pairs = cachedPairs(from, to);
  const index = Math.max(1, firstPairFrom(pairs, frame));
  const [a, b] = [pairs[index - 1], pairs[index]];
  if (frame >= b[0] && index === pairs.length - 1) return b[1];
  const fraction = b[0] > a[0] ? (frame - a[0]) / (b[0] - a[0]) : 0;
  return a[1] + fraction * (b[1] - a[1]);
}
