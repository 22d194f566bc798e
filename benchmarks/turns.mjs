// Two ways to do something, timed while they take turns, so that a busy machine slows both alike.

/** Medians of the times of `ways`, functions that may be asynchronous, in milliseconds; the first `warm` rounds do not count. */
export async function turns(ways, { rounds, warm }) {
  const taken = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -warm; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const started = performance.now();
      await way();
      if (round >= 0) taken[name].push(performance.now() - started);
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, times.sort((a, b) => a - b)[rounds >> 1]]));
}
