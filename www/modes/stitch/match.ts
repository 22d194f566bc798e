/** Maps frames between the results of two methods, whose lengths differ, so that their seams coincide. */
import type { StitchResult } from "./stitcher";

/** Duration before and after a seam in which both motions run at the same speed, seconds. */
const SAME_SPEED_SECS = 1.2;

/** Corresponding frames of two results, ascending. */
type FramePairs = [number, number][];

/** Pairs by the two results, computed once: plots map every frame. */
const pairsByResults = new WeakMap<StitchResult, WeakMap<StitchResult, FramePairs>>();

function cachedPairs(from: StitchResult, to: StitchResult): FramePairs {
  const pairsByTarget = pairsByResults.get(from) ?? new WeakMap<StitchResult, FramePairs>();
  pairsByResults.set(from, pairsByTarget);
  const pairs = pairsByTarget.get(to) ?? framePairs(from, to);
  pairsByTarget.set(to, pairs);
  return pairs;
}

/** Finds the corresponding frames: both ends of the motions, and both ends of a margin around each seam. */
function framePairs(from: StitchResult, to: StitchResult): FramePairs {
  const pairs: FramePairs = [[0, 0]];
  const lastFrames: [number, number] = [from.motion.frames - 1, to.motion.frames - 1];
  const margin = Math.round(SAME_SPEED_SECS * from.motion.fps);
  from.seams.forEach((seam, i) => {
    const otherSeam = to.seams[i];
    if (!otherSeam) return;
    const previous = pairs.at(-1) ?? [0, 0];
    const next = from.seams[i + 1]?.frame ?? lastFrames[0];
    const otherNext = to.seams[i + 1]?.frame ?? lastFrames[1];
    // In both results, the margins are at most half of the distance to the adjacent pairs.
    const left = Math.min(
      margin,
      Math.floor((seam.frame - previous[0]) / 2),
      Math.floor((otherSeam.frame - previous[1]) / 2),
    );
    const right = Math.min(margin, Math.floor((next - seam.frame) / 2), Math.floor((otherNext - otherSeam.frame) / 2));
    pairs.push([seam.frame - left, otherSeam.frame - left], [seam.frame + right, otherSeam.frame + right]);
  });
  pairs.push(lastFrames);
  return pairs;
}

/** Returns the index of the first pair at or after a frame; that of the last pair if all are before it. */
function firstPairFrom(pairs: FramePairs, frame: number): number {
  let [low, high] = [0, pairs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pairs[middle] as [number, number])[0] >= frame) high = middle;
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
