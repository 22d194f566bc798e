/** Tracks of an animation: the keys of a node's translation, rotation or scale, evaluated at any time (glTF 2.0, 3.11). */
import { slerp, type Rotation, normalize } from "../bones/rotation.js";
import type { AccessorReader } from "./accessor.js";
import { componentCount } from "./accessor.js";
import { damagedFile } from "./check.js";
import type { GltfAnimation, GltfChannel } from "./document.js";

/** Properties of a node that a track animates, and the number of their components. */
const COMPONENTS = { translation: 3, rotation: 4, scale: 3 } as const;
/** An animated property of a node. */
export type TrackPath = keyof typeof COMPONENTS;

/** The keys of one property. In a cubic spline, a key has three elements: in-tangent, value, out-tangent. */
export interface Keys {
  /** Seconds, ascending. */
  times: Float32Array;
  values: Float32Array;
  interpolation: string;
}

/** A track of a node. */
export interface Track extends Keys {
  node: number;
  path: TrackPath;
}

/** The property that a channel animates; `undefined` for other channels. */
export interface ChannelTarget {
  node: number;
  path: string;
}

/** Distance of a time from a key within which it is the time of the key, seconds: keys are 32-bit floats. */
const ROUNDING = 1e-5;

/** Name of the extension for animations of any property. */
const POINTER = "KHR_animation_pointer";

/** Returns the JSON pointer of a channel of KHR_animation_pointer. */
export function pointerOf({ target }: GltfChannel): string | undefined {
  const extension = target.path === "pointer" ? target.extensions?.[POINTER] : undefined;
  const pointer = (extension as { pointer?: unknown } | undefined)?.pointer;
  return typeof pointer === "string" ? pointer : undefined;
}

/** Returns the node and the property that a channel animates, also by KHR_animation_pointer. */
export function channelTarget(channel: GltfChannel, nodeCount: number): ChannelTarget | undefined {
  const { node, path } = channel.target;
  if (path !== "pointer") return node === undefined ? undefined : { node, path };
  const match = /^\/nodes\/(\d{1,9})\/(translation|rotation|scale|weights)$/.exec(pointerOf(channel) ?? "");
  return match && Number(match[1]) < nodeCount ? { node: Number(match[1]), path: match[2] as string } : undefined;
}

/** Whether a property of a node is a part of its transform. */
export const isTransform = (path: string): path is TrackPath => Object.hasOwn(COMPONENTS, path);

/** Returns the last channel of each property of a node, because later channels override earlier ones. */
export function effectiveChannels(
  { channels }: GltfAnimation,
  nodeCount: number,
): { target: ChannelTarget; sampler: number }[] {
  const byProperty = new Map<string, { target: ChannelTarget; sampler: number }>();
  for (const channel of channels) {
    const target = channelTarget(channel, nodeCount);
    if (target) byProperty.set(`${target.node} ${target.path}`, { target, sampler: channel.sampler });
  }
  return [...byProperty.values()];
}

/**
 * Reads the tracks of an animation that move nodes.
 *
 * @throws {KinestitchError} `glb` if a channel has too few values, or values of another size.
 */
export function readTracks(animation: GltfAnimation, accessors: AccessorReader, nodeCount: number): Track[] {
  return effectiveChannels(animation, nodeCount).flatMap(({ target: { node, path }, sampler }): Track[] => {
    if (!isTransform(path)) return [];
    const keys = readKeys(animation, sampler, COMPONENTS[path], accessors);
    return keys ? [{ node, path, ...keys }] : [];
  });
}

/** Reads the keys of a sampler; `undefined` if it has none. `components`: of each value. Throws like `readTracks`. */
export function readKeys(
  { samplers }: GltfAnimation,
  sampler: number,
  components: number,
  accessors: AccessorReader,
): Keys | undefined {
  const { input, output, interpolation = "LINEAR" } = samplers[sampler] as GltfAnimation["samplers"][number];
  const [keyAccessor, valueAccessor] = [accessors.accessor(input as number), accessors.accessor(output as number)];
  const needed = keyAccessor.count * (interpolation === "CUBICSPLINE" ? 3 : 1);
  if (valueAccessor.count < needed)
    throw damagedFile(`an animation channel has ${valueAccessor.count} values; its keys need ${needed}`);
  if (componentCount(valueAccessor) !== components)
    throw damagedFile(`the values of an animation channel do not have ${components} components`);
  return {
    times: accessors.read(input as number),
    values: accessors.read(output as number).subarray(0, needed * components),
    interpolation,
  };
}

/** Creates a function that evaluates a track at a time, seconds; it is fastest for ascending times. */
export function createSampler({ times, values, interpolation, path }: Track): (time: number) => readonly number[] {
  const width = COMPONENTS[path];
  const isSpline = interpolation === "CUBICSPLINE";
  const element = (key: number, part: 0 | 1 | 2 = 1): number[] => {
    const start = isSpline ? (key * 3 + part) * width : key * width;
    const [x, y, z] = [values[start] as number, values[start + 1] as number, values[start + 2] as number];
    return width === 4 ? [x, y, z, values[start + 3] as number] : [x, y, z];
  };
  const last = times.length - 1;
  const ends = [element(0), element(last)].map((end) => finish(end, path));
  let key = 0;
  return (time) => {
    if (!(time > (times[0] as number))) return ends[0] as readonly number[];
    if (time >= (times[last] as number)) return ends[1] as readonly number[];
    key = findKey(times, time, key);
    // A frame within the rounding of the next key has the value of this key.
    if (interpolation === "STEP")
      return finish(element((times[key + 1] as number) - time < ROUNDING ? key + 1 : key), path);
    const span = (times[key + 1] as number) - (times[key] as number);
    const t = span > 0 ? (time - (times[key] as number)) / span : 1;
    if (isSpline)
      return finish(spline(element(key), element(key, 2), element(key + 1), element(key + 1, 0), t, span), path);
    const [from, to] = [element(key), element(key + 1)];
    if (path === "rotation") return slerp(from as unknown as Rotation, to as unknown as Rotation, t);
    return from.map((start, i) => start + ((to[i] as number) - start) * t);
  };
}

const finish = (value: number[], path: TrackPath): readonly number[] =>
  path === "rotation" ? normalize(value as unknown as Rotation) : value;

/** Returns the last key at or before a time between the first key and the last. `start`: a guess. */
function findKey(times: Float32Array, time: number, start: number): number {
  const holds = (key: number): boolean => (times[key] as number) <= time && time < (times[key + 1] as number);
  if (holds(start)) return start;
  if (start + 2 < times.length && holds(start + 1)) return start + 1;
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** Evaluates a cubic spline (appendix C). `leaving`, `arriving`: tangents per second; `t`: 0 to 1; `span`: seconds. */
function spline(
  from: number[],
  leaving: number[],
  to: number[],
  arriving: number[],
  t: number,
  span: number,
): number[] {
  const [t2, t3] = [t * t, t * t * t];
  const [a, b, c, d] = [2 * t3 - 3 * t2 + 1, span * (t3 - 2 * t2 + t), 3 * t2 - 2 * t3, span * (t3 - t2)];
  return from.map(
    (start, i) => a * start + b * (leaving[i] as number) + c * (to[i] as number) + d * (arriving[i] as number),
  );
}
