/** Maps frames between the results of two methods: their lengths differ, and seams should match. */
import type { Take } from "./stitcher";

/** Duration around a seam in which both motions run at the same speed, seconds. */
const STEADY_SECS = 1.2;

type Pairs = [number, number][];

/** Computed once for two results: plots map every frame of one of them. */
const known = new WeakMap<Take, WeakMap<Take, Pairs>>();

function anchors(from: Take, to: Take): Pairs {
  const others = known.get(from) ?? new WeakMap<Take, Pairs>();
  known.set(from, others);
  const pairs = others.get(to) ?? anchorsOf(from, to);
  others.set(to, pairs);
  return pairs;
}

/** Pairs of corresponding frames, ascending. */
function anchorsOf(from: Take, to: Take): Pairs {
  const pairs: Pairs = [[0, 0]];
  const ends: [number, number] = [from.motion.frames - 1, to.motion.frames - 1];
  const steady = Math.round(STEADY_SECS * from.motion.fps);
  from.seams.forEach((seam, i) => {
    const other = to.seams[i];
    if (!other) return;
    const before = pairs.at(-1) ?? [0, 0];
    const next = from.seams[i + 1]?.frame ?? ends[0];
    const otherNext = to.seams[i + 1]?.frame ?? ends[1];
    // Margins on either side, at most half of the way to the neighbours, in both.
    const left = Math.min(steady, Math.floor((seam.frame - before[0]) / 2), Math.floor((other.frame - before[1]) / 2));
    const right = Math.min(steady, Math.floor((next - seam.frame) / 2), Math.floor((otherNext - other.frame) / 2));
    pairs.push([seam.frame - left, other.frame - left], [seam.frame + right, other.frame + right]);
  });
  pairs.push(ends);
  return pairs;
}

/** Index of the first pair that is not before a frame; -1 if all are. */
function firstFrom(pairs: Pairs, frame: number): number {
  let [low, high] = [0, pairs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pairs[middle] as [number, number])[0] >= frame) high = middle;
    else low = middle + 1;
  }
  return low < pairs.length ? low : -1;
}

/** A frame of `to` for a frame of `from`; exact around seams, linear between them. */
export function matchFrame(from: Take | undefined, to: Take | undefined, frame: number): number {
  if (!from || !to || from === to) return frame;
  const pairs = anchors(from, to);
  const at = Math.max(1, firstFrom(pairs, frame));
  const [a, b] = [pairs[at - 1], pairs[at]];
  if (frame >= b[0] && at === pairs.length - 1) return b[1];
  const share = b[0] > a[0] ? (frame - a[0]) / (b[0] - a[0]) : 0;
  return a[1] + share * (b[1] - a[1]);
}
