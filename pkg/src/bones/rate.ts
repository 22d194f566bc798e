/** Frame rates of animations with keys at arbitrary times. */

const RATES = [24, 25, 30, 48, 50, 60, 90, 100, 120, 240];
/** Used where no rate has a frame at every key. */
const PLAIN = 30;
/** A key is at a frame if it is closer than this fraction of a frame. */
const AT_FRAME = 0.02;
/** Largest number of frames. */
export const MAX_FRAMES = 500_000;

/** The lowest usual rate with a frame at each of these times, seconds; 30 where there is none. */
export function rateOf(times: Iterable<number>): number {
  const keys = [...new Set(times)];
  const fits = (fps: number): boolean =>
    keys.every((time) => Math.abs(time * fps - Math.round(time * fps)) < Math.max(AT_FRAME, 1e-4 * time * fps));
  return RATES.find(fits) ?? PLAIN;
}

/** Times of the frames from the first to the last key, seconds. */
export function framesOf(from: number, to: number, fps: number): number[] {
  const count = Math.min(MAX_FRAMES + 1, Math.max(1, Math.round((to - from) * fps) + 1));
  return Array.from({ length: count }, (_, frame) => from + frame / fps);
}
