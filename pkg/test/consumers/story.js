// The same steps for all consumers, with entry points that each consumer's tool has resolved. All must give the same
// numbers.

/** Runs the steps with the functions of an entry point. Returns a stitched motion, and properties of the other results. */
async function runSteps({ init, load, stitch, inbetween }, settings) {
  await init({ ...settings, networks: { device: "cpu", ...settings.networks } });
  const [a, b] = await Promise.all([load("a.bvh"), load("b.bvh")]);
  const result = await stitch([a, b], { method: "inertialize" });
  const refined = await stitch([a, b], { method: "rmr" });
  const between = await inbetween(
    [
      { clip: a, frame: 5 },
      { clip: b, frame: 30 },
    ],
    { frames: 20 },
  );
  return { result, frames: result.frames, refined: refined.seams[0].method, between: between.frames };
}

/** Runs the steps on the page's thread. */
export async function onThread(entry, settings = {}) {
  const { result, ...report } = await runSteps(entry, settings);
  return { ...report, positions: result.positions().length };
}

/** Runs the steps in a worker. */
export async function inWorker(entry, settings = {}) {
  const { result, ...report } = await runSteps(entry, settings);
  return { ...report, positions: (await result.positions()).length };
}

/** Publishes the result or the error for the test. */
export function report(promise) {
  promise.then(
    (report) => (window.report = report),
    (error) => (window.report = String(error.stack)),
  );
}
