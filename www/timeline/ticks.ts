/**
 * Returns the frames that the ruler labels, at most about `maxCount`. Labels count frames from 1: frame 0 has label 1, and
 * the others have the multiples of a round step.
 */
export function ticks(frames: number, maxCount: number): number[] {
  const minStep = frames / Math.max(1, maxCount);
  const step =
    [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000].find(
      (candidate) => candidate >= minStep,
    ) ?? 100_000;
  const multiples = Array.from({ length: Math.floor(frames / step) }, (_, i) => (i + 1) * step - 1);
  return multiples[0] === 0 ? multiples : [0, ...multiples];
}
