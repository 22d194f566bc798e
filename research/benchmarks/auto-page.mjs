// Time to stitch two clips by `method: "auto"` on the page's thread in Chromium, ms per seam: without networks, and
// with three in-between networks and the refiner. Peer: inertialization of the same clips in the same run. The loading
// of clips and networks is not measured.
//
//     npm run build && node research/benchmarks/auto-page.mjs [FOLDER FILE.bvh FILE.bvh …] [--json FILE]
//
// Without files: four pairs of fixtures, each repeated to 300 frames. With files: each file of FOLDER is stitched to
// the next one, in full length. Processor time is that of the page's thread, mean of all pairs of a round; the load of
// other processes does not change it.
import { join, resolve } from "node:path";
import { launch, packageFolder, root, serve } from "../../pkg/test/support.mjs";
import { RunReport } from "../../scripts/run-report.mjs";

const report = new RunReport("node research/benchmarks/auto-page.mjs", process.argv.slice(2));
const [folder, ...files] = report.rest;
/** Measured rounds; in each, every pair is stitched once. */
const ROUNDS = 5;
const sorted = (values) => values.toSorted((a, b) => a - b);
const quantile = (values, fraction) => values[Math.min(values.length - 1, Math.floor(fraction * values.length))] ?? NaN;

const server = await serve({
  "/": join(root, "research", "benchmarks"),
  "/dist/": join(packageFolder, "dist"),
  "/wasm/": join(packageFolder, "wasm"),
  "/models/": join(packageFolder, "models"),
  "/fixtures/": join(root, "tests", "fixtures"),
  ...(folder && { "/recordings/": resolve(folder) }),
});
const browser = await launch();
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  await page.goto(`${server.url}/auto-page.html`);
  await page.waitForFunction(() => window.ready);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  /** Returns the processor time of the page's thread, ms. */
  const processorTime = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  /** Measures a method and adds its row. Returns the median of the processor time, ms. */
  const run = async (label, method) => {
    // Warm-up round, not counted.
    await page.evaluate(([method, files]) => window.measure(method, files), [method, files]);
    const wallTimes = [];
    const processorTimes = [];
    let trials = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const start = await processorTime();
      const rows = await page.evaluate(([method, files]) => window.measure(method, files), [method, files]);
      processorTimes.push(((await processorTime()) - start) / rows.length);
      wallTimes.push(...rows.map(({ wallTime }) => wallTime));
      trials = Math.max(...rows.map(({ trials }) => trials));
    }
    const [processor, wall] = [processorTimes, wallTimes].map(sorted);
    report.row(
      label,
      ...[processor, wall].flatMap((times) => [quantile(times, 0.5), quantile(times, 1)]).map((ms) => ms.toFixed(1)),
      trials,
    );
    return quantile(processor, 0.5);
  };
  report.table("A seam of two clips of 300 frames in Chromium", [
    "method",
    "processor, median, ms",
    "processor, longest, ms",
    "clock, median, ms",
    "clock, longest, ms",
    "joins tried, at most",
  ]);
  await page.evaluate(([names, files]) => window.prepare(names, files), [[], files]);
  const inertialize = await run("inertialize", "inertialize");
  const withoutNetworks = await run("auto without networks", "auto");
  await page.evaluate(([names, files]) => window.prepare(names, files), [["delta", "manifold", "dcmoe", "rmr"], files]);
  const withNetworks = await run("auto, all networks, refiner", "auto");
  const [ratioWithout, ratioWith] = [withoutNetworks, withNetworks].map((time) => (time / inertialize).toFixed(1));
  report.note(`auto takes ${ratioWithout} and ${ratioWith} times as long as inertialization`);
  report.save();
} finally {
  await browser.close();
  await server.close();
}
