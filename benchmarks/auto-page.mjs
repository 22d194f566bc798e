// Time of one seam by `method: "auto"` in Chromium, two clips of 300 frames, after networks are loaded: without networks
// and with four in-between networks and the refiner, beside inertialization of the same clips in the same run.
//
//     npm run build && node benchmarks/auto-page.mjs [FOLDER FILE.bvh FILE.bvh …] [--json FILE]
//
// Without files: fixtures of the repository, repeated to 300 frames. With files of a folder: each with the next.
// Processor time is that of the page's thread, independent of other load.
import { join, resolve } from "node:path";
import { launch, packageFolder, root, serve } from "../pkg/test/support.mjs";
import { RunReport } from "../scripts/run-report.mjs";

const report = new RunReport("node benchmarks/auto-page.mjs", process.argv.slice(2));
const [folder, ...files] = report.rest;
const ROUNDS = 5;
const sorted = (values) => values.toSorted((a, b) => a - b);
const at = (values, part) => values[Math.min(values.length - 1, Math.floor(part * values.length))] ?? NaN;

const server = await serve({
  "/": join(root, "benchmarks"),
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
  /** Processor time of the page's thread, ms. */
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const run = async (what, method) => {
    await page.evaluate(([method, files]) => window.measure(method, files), [method, files]);
    const clock = [];
    const processor = [];
    let trials = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const before = await spent();
      const rows = await page.evaluate(([method, files]) => window.measure(method, files), [method, files]);
      processor.push(((await spent()) - before) / rows.length);
      clock.push(...rows.map(({ took }) => took));
      trials = Math.max(...rows.map(({ trials }) => trials));
    }
    const [wall, cpu] = [sorted(clock), sorted(processor)];
    report.row(
      what,
      ...[cpu, wall].flatMap((times) => [at(times, 0.5), at(times, 1)]).map((ms) => ms.toFixed(1)),
      trials,
    );
    return at(cpu, 0.5);
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
  const peer = await run("inertialize", "inertialize");
  const plain = await run("auto without networks", "auto");
  await page.evaluate(([names, files]) => window.prepare(names, files), [["delta", "manifold", "dcmoe", "rmr"], files]);
  const all = await run("auto, all networks, refiner", "auto");
  report.note(
    `auto takes ${(plain / peer).toFixed(1)} and ${(all / peer).toFixed(1)} times as long as inertialization`,
  );
  report.save();
} finally {
  await browser.close();
  await server.close();
}
