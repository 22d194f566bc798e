/** Evaluates channels of glTF animations (glTF 2.0, section 3.11 and appendix C). */
import { slerp, IDENTITY, type Rotation, normalize } from "../bones/rotation.js";
import { damagedFile } from "./check.js";
import type { Accessor, AnimationChannel } from "./library.js";

/**
 * Throws if a channel has too few values, or values of another size. Returns the number of elements per key: a key of a
 * cubic spline has an in-tangent, a value and an out-tangent.
 */
function checkValues(channel: AnimationChannel, output: Accessor, keyCount: number): 1 | 3 {
  const elementsPerKey = channel.getSampler()?.getInterpolation() === "CUBICSPLINE" ? 3 : 1;
  const [count, needed] = [output.getCount(), keyCount * elementsPerKey];
  if (count < needed) throw damagedFile(`an animation channel has ${count} values; its keys need ${needed}`);
  const components = channel.getTargetPath() === "rotation" ? 4 : 3;
  if (output.getElementSize() !== components)
    throw damagedFile(`the values of an animation channel do not have ${components} components`);
  return elementsPerKey;
}

/** The keys of a channel. Normalized integers are converted to floats. */
export interface Keys {
  times: Float32Array;
  values: Float32Array;
  interpolation: string;
}

/** Reads the keys of a channel; `undefined` if it has none. Throws like {@link createReader}. */
export function readKeys(channel: AnimationChannel): Keys | undefined {
  const sampler = channel.getSampler();
  const [times, output] = [sampler?.getInput()?.getArray() ?? [], sampler?.getOutput()];
  if (!sampler || !output || times.length === 0) return undefined;
  const elements = times.length * checkValues(channel, output, times.length);
  const size = output.getElementSize();
  const values = new Float32Array(elements * size);
  for (let i = 0; i < elements; i++) values.set(output.getElement(i, []), i * size);
  return { times: Float32Array.from(times), values, interpolation: sampler.getInterpolation() };
}

/**
 * Creates a function that evaluates a channel of a translation, rotation or scale at a time, seconds. Throws if the
 * channel has too few values, or values of another size.
 */
export function createReader(channel: AnimationChannel): (time: number) => readonly number[] {
  const sampler = channel.getSampler();
  const [keys, output, kind] = [
    sampler?.getInput()?.getArray() ?? [],
    sampler?.getOutput(),
    sampler?.getInterpolation(),
  ];
  const isRotation = channel.getTargetPath() === "rotation";
  if (!output || keys.length === 0) return () => (isRotation ? IDENTITY : [0, 0, 0]);
  const elementsPerKey = checkValues(channel, output, keys.length);
  /** Position of the value among the elements of a key. */
  const value = elementsPerKey === 3 ? 1 : 0;
  const element = (key: number, part: number): number[] => output.getElement(key * elementsPerKey + part, []);
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
      const mixed = evaluateSpline(from, element(low, 2), to, element(high, 0), t, span);
      return isRotation ? normalize(mixed as unknown as Rotation) : mixed;
    }
    if (isRotation) return slerp(from as unknown as Rotation, to as unknown as Rotation, t);
    return from.map((start, i) => start + ((to[i] ?? 0) - start) * t);
  };
}

/** Evaluates a cubic spline. `leaving` and `arriving`: tangents per second; `t`: 0 to 1; `span`: seconds. */
function evaluateSpline(
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
