/** Channels of glTF animations (glTF 2.0, section 3.11 and appendix C). */
import { between, NO_TURN, type Turn, unit } from "../bones/turn.js";
import type { AnimationChannel } from "./library.js";

/** A channel's value at any time, seconds. */
export function reader(channel: AnimationChannel): (time: number) => readonly number[] {
  const sampler = channel.getSampler();
  const [keys, output, kind] = [
    sampler?.getInput()?.getArray() ?? [],
    sampler?.getOutput(),
    sampler?.getInterpolation(),
  ];
  const isTurn = channel.getTargetPath() === "rotation";
  if (!output || keys.length === 0) return () => (isTurn ? NO_TURN : [0, 0, 0]);
  // With tangents each key has three values: in-tangent, value, out-tangent.
  const [each, value] = kind === "CUBICSPLINE" ? [3, 1] : [1, 0];
  const element = (key: number, part: number): number[] => output.getElement(key * each + part, []);
  return (time) => {
    let [low, high] = [0, keys.length - 1];
    if (time <= (keys[low] as number)) return element(low, value);
    if (time >= (keys[high] as number)) return element(high, value);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((keys[middle] as number) <= time) low = middle;
      else high = middle;
    }
    const from = element(low, value);
    if (kind === "STEP") return from;
    const to = element(high, value);
    const span = (keys[high] as number) - (keys[low] as number);
    const t = (time - (keys[low] as number)) / span;
    if (kind === "CUBICSPLINE") {
      const mixed = splined(from, element(low, 2), to, element(high, 0), t, span);
      return isTurn ? unit(mixed as unknown as Turn) : mixed;
    }
    if (isTurn) return between(from as unknown as Turn, to as unknown as Turn, t);
    return from.map((start, i) => start + ((to[i] ?? 0) - start) * t);
  };
}

/** Cubic spline; `leaving` and `arriving` are tangents per second. */
function splined(
  from: number[],
  leaving: number[],
  to: number[],
  arriving: number[],
  t: number,
  span: number,
): number[] {
  const [t2, t3] = [t * t, t * t * t];
  const [a, b, c, d] = [2 * t3 - 3 * t2 + 1, span * (t3 - 2 * t2 + t), 3 * t2 - 2 * t3, span * (t3 - t2)];
  return from.map((start, i) => a * start + b * (leaving[i] ?? 0) + c * (to[i] ?? 0) + d * (arriving[i] ?? 0));
}
