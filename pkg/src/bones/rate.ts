/** Frame rates of animations, from the times of their keys. */

/** A grid of frames that holds the keys of an animation. */
export interface FrameGrid {
  /** Frames per second. */
  fps: number;
  /** Number of frames; the first is at the first key. */
  frames: number;
  /** Whether the keys are not one for each frame: they are sparse or uneven. */
  isResampled: boolean;
  /** Largest distance of a key from its frame, seconds. */
  error: number;
}

/** Keys nearer to each other than this are one key, seconds: files round their times. */
const SAME_KEY = 1e-4;
/** Fraction of the distances between keys that must agree, and within which relative tolerance. */
const [AGREEING, TOLERANCE] = [0.9, 0.02];
/** Lowest rate of keys that are one for each frame, frames per second; slower keys are sparse. */
const MIN_DENSE_RATE = 10;
/** Lowest rate at which sparse or uneven keys are sampled, frames per second. */
const MIN_SAMPLED_RATE = 24;
/** Largest distance of a sparse or uneven key from its frame, seconds. */
const MAX_KEY_DISTANCE = 1e-3;
/** Rates at which sparse and uneven keys are sampled, frames per second, the preferred ones first. */
const COMMON_RATES = [
  24,
  25,
  30,
  50,
  60,
  24_000 / 1_001,
  30_000 / 1_001,
  60_000 / 1_001,
  48,
  72,
  90,
  100,
  120,
  144,
  150,
  200,
  240,
];
/** At this rate, any key is within a millisecond of a frame. */
const FINEST_RATE = 500;
/** Relative difference at which a measured rate is a common one: times are rounded to 32-bit floats. */
const SAME_RATE = 2e-4;
/** Maximum number of frames of an animation. */
export const MAX_FRAMES = 500_000;

/**
 * Returns the grid of frames for keys at these times, seconds. Keys that are one for each frame give their own rate, the
 * median distance of the keys. Sparse or uneven keys, such as those of reduced curves, give the lowest common rate that
 * holds every key within a millisecond. `maxFrames`: largest number of frames; a grid that would have more holds its
 * keys less exactly.
 */
export function findGrid(times: Iterable<number>, maxFrames = MAX_FRAMES): FrameGrid {
  const keys = distinctKeys(times);
  const [from = 0, to = 0] = [keys[0], keys.at(-1)];
  const gridOf = (fps: number, isResampled: boolean): FrameGrid => ({
    fps,
    frames: Math.max(1, Math.round((to - from) * fps) + 1),
    isResampled,
    error: keyDistance(keys, fps),
  });
  if (keys.length < 2) return gridOf(30, false);
  const rate = evenRate(keys);
  if (rate !== undefined && rate >= MIN_DENSE_RATE) return gridOf(rate, false);
  const candidates = [...COMMON_RATES, ...(rate === undefined ? [] : [Math.ceil(MIN_SAMPLED_RATE / rate) * rate])];
  const fits = (fps: number): boolean => fps >= 23.9 && keyDistance(keys, fps) <= MAX_KEY_DISTANCE;
  const grid = gridOf(candidates.find(fits) ?? lowestFitting(fits) ?? FINEST_RATE, true);
  if (grid.frames <= maxFrames) return grid;
  const affordable = COMMON_RATES.filter((fps) => (to - from) * fps + 1 <= maxFrames);
  return affordable.length > 0 ? gridOf(Math.max(...affordable), true) : gridOf(MIN_SAMPLED_RATE, true);
}

/** Returns the times in ascending order, without those that are equal except for rounding. */
function distinctKeys(times: Iterable<number>): number[] {
  const sorted = Float64Array.from(times).sort();
  const keys: number[] = [];
  for (const time of sorted) {
    const tolerance = Math.max(SAME_KEY, Math.abs(time) * 1e-6);
    if (keys.length === 0 || time - (keys.at(-1) as number) > tolerance) keys.push(time);
  }
  return keys;
}

/** Returns the rate of keys at even distances; `undefined` if the distances differ. */
function evenRate(keys: readonly number[]): number | undefined {
  const distances = keys.slice(1).map((time, i) => time - (keys[i] as number));
  const sorted = [...distances].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] as number;
  const agreeing = distances.filter((distance) => Math.abs(distance - median) <= TOLERANCE * median);
  if (agreeing.length < AGREEING * distances.length) return undefined;
  // The mean is more exact than one distance of rounded times.
  return nearestCommonRate(agreeing.length / agreeing.reduce((a, b) => a + b));
}

/** Returns the whole or video rate that a measured rate equals except for rounding, else the measured rate. */
function nearestCommonRate(rate: number): number {
  const video = [24_000 / 1_001, 30_000 / 1_001, 60_000 / 1_001, 120_000 / 1_001];
  const common = [Math.round(rate), ...video].find((fps) => Math.abs(fps / rate - 1) <= SAME_RATE);
  return common || rate;
}

/** Returns the lowest whole rate that fits. */
function lowestFitting(fits: (fps: number) => boolean): number | undefined {
  for (let fps = MIN_SAMPLED_RATE; fps < FINEST_RATE; fps++) if (fits(fps)) return fps;
  return undefined;
}

/** Returns the largest distance of a key from the nearest frame, seconds. */
function keyDistance(keys: readonly number[], fps: number): number {
  const from = keys[0] ?? 0;
  return keys.reduce((largest, time) => {
    const frame = (time - from) * fps;
    return Math.max(largest, Math.abs(frame - Math.round(frame)) / fps);
  }, 0);
}

/**
 * Returns the times of the frames from the first key to the last key, seconds; at most {@link MAX_FRAMES} + 1 times.
 */
export function frameTimes(from: number, to: number, fps: number): number[] {
  const count = Math.min(MAX_FRAMES + 1, Math.max(1, Math.round((to - from) * fps) + 1));
  return Array.from({ length: count }, (_, frame) => from + frame / fps);
}

/** Describes a grid whose frames are not the keys of the file. */
export function describeGrid({ fps, isResampled, error }: FrameGrid): string[] {
  const rate = `${Math.round(fps * 1000) / 1000} frames per second`;
  const distance = `${Math.round(error * 1e4) / 10} ms`;
  if (isResampled)
    return [`its keys are sparse or uneven, and are sampled at ${rate}; every key is within ${distance} of a frame`];
  return error > 1e-3 ? [`its keys are at ${rate}, but some are up to ${distance} from a frame`] : [];
}
