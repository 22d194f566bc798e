// Interleaved timing of several implementations, so that a busy machine slows all alike.

/**
 * Median and lowest time of each function in `ways` (may be asynchronous), milliseconds; the first `warm` rounds do not
 * count.
 */
export async function turns(ways, { rounds, warm }) {
  const taken = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -warm; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const started = performance.now();
      await way();
      if (round >= 0) taken[name].push(performance.now() - started);
    }
  }
  for (const times of Object.values(taken)) times.sort((a, b) => a - b);
  return Object.fromEntries(
    Object.entries(taken).map(([name, times]) => [name, { median: times[rounds >> 1], best: times[0] }]),
  );
}

/** Both times as text, divided by `count`. */
export const formatTime = ({ median, best }, count = 1) =>
  `${(median / count).toFixed(3)} ms (best ${(best / count).toFixed(3)})`;
