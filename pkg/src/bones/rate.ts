/** The frame rate of an animation whose keys stand at any times. */

const RATES = [24, 25, 30, 48, 50, 60, 90, 100, 120, 240];
/** Taken where no rate has a frame at every key. */
const PLAIN = 30;
/** A key is at a frame if it is nearer than this part of one. */
const AT_FRAME = 0.02;
/** More frames than this are refused. */
export const MAX_FRAMES = 500_000;

/** The lowest usual rate that has a frame at every one of these times, seconds; 30 where none has. */
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
