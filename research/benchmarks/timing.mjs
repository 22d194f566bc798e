// Interleaved timing of several implementations, so that a busy machine slows all alike. For the benchmarks in Node.

/**
 * Calls each function once per round. Returns the median and the lowest time of each function, milliseconds. Functions
 * may be asynchronous. `warmupRounds`: additional rounds at the beginning that are not counted.
 */
export async function timeInterleaved(functions, { rounds, warmupRounds }) {
  const timesByName = Object.fromEntries(Object.keys(functions).map((name) => [name, []]));
  for (let round = -warmupRounds; round < rounds; round++) {
    for (const [name, work] of Object.entries(functions)) {
      const start = performance.now();
      await work();
      if (round >= 0) timesByName[name].push(performance.now() - start);
    }
  }
  for (const times of Object.values(timesByName)) times.sort((a, b) => a - b);
  return Object.fromEntries(
    Object.entries(timesByName).map(([name, times]) => [name, { median: times[rounds >> 1], best: times[0] }]),
  );
}
