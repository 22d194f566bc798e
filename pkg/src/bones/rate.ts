/** Detects frame rates of animations whose keys are at arbitrary times. */

/** Common frame rates of animations, frames per second. */
const COMMON_RATES = [24, 25, 30, 48, 50, 60, 90, 100, 120, 240];
/** Rate that is used if no common rate has a frame at every key, frames per second. */
const DEFAULT_RATE = 30;
/** Maximum distance of a key from the nearest frame at which the rate fits, in frames. */
const MAX_KEY_DISTANCE = 0.02;
/** The same for late keys, whose times are less exact: relative to the time from the first key. */
const MAX_RELATIVE_DISTANCE = 1e-4;
/** Maximum number of frames of an animation. */
export const MAX_FRAMES = 500_000;

/** Returns the lowest common rate with a frame at each of these times, seconds from the first key; 30 if none has. */
export function detectRate(times: Iterable<number>): number {
  const keys = [...new Set(times)];
  const fits = (fps: number): boolean =>
    keys
      .map((time) => time * fps)
      .every(
        (frame) => Math.abs(frame - Math.round(frame)) < Math.max(MAX_KEY_DISTANCE, MAX_RELATIVE_DISTANCE * frame),
      );
  return COMMON_RATES.find(fits) ?? DEFAULT_RATE;
}

/**
 * Returns the times of the frames from the first key to the last key, seconds; at most {@link MAX_FRAMES} + 1 times.
 */
export function frameTimes(from: number, to: number, fps: number): number[] {
  const count = Math.min(MAX_FRAMES + 1, Math.max(1, Math.round((to - from) * fps) + 1));
  return Array.from({ length: count }, (_, frame) => from + frame / fps);
}
