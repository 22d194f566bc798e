/** Returns the frames that the ruler labels: frame 0 and the multiples of a round step, at most about `maxCount`. */
export function ticks(frames: number, maxCount: number): number[] {
  const minStep = frames / Math.max(1, maxCount);
  const step =
    [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000].find(
      (candidate) => candidate >= minStep,
    ) ?? 100_000;
  return Array.from({ length: Math.floor((frames - 1) / step) + 1 }, (_, i) => i * step);
}
