/** Detects frame rates of animations whose keys are at arbitrary times. */

const COMMON_RATES = [24, 25, 30, 48, 50, 60, 90, 100, 120, 240];
/** Rate if no common rate has a frame at every key. */
const DEFAULT_RATE = 30;
/** A key counts as at a frame if their distance is below this fraction of a frame. */
const AT_FRAME = 0.02;
/** Largest number of frames. */
export const MAX_FRAMES = 500_000;

/** Returns the lowest common rate with a frame at each of these times (seconds); 30 if there is none. */
export function detectRate(times: Iterable<number>): number {
  const keys = [...new Set(times)];
  const fits = (fps: number): boolean =>
    keys.every((time) => Math.abs(time * fps - Math.round(time * fps)) < Math.max(AT_FRAME, 1e-4 * time * fps));
  return COMMON_RATES.find(fits) ?? DEFAULT_RATE;
}

/** Returns the times of the frames from the first to the last key, seconds. */
export function frameTimes(from: number, to: number, fps: number): number[] {
  const count = Math.min(MAX_FRAMES + 1, Math.max(1, Math.round((to - from) * fps) + 1));
  return Array.from({ length: count }, (_, frame) => from + frame / fps);
}
