// Frame times of transitions in Chromium: `transitionTo` and `update` of a character of boxes with five generated
// clips, a transition every 0.7 s. Nothing is drawn, so that only our own work is measured.
//
//     npm run build && node benchmarks/transitions-page.mjs [SECONDS]
//
// Wall time is the time elapsed in our calls. Processor time is the time spent by the page's thread in the whole frame,
// independent of other load.
import { join } from "node:path";
import { launch, packageFolder, root, serve } from "../pkg/test/support.mjs";

const SECONDS = Number(process.argv[2] ?? 30);
const sorted = (values) => values.toSorted((a, b) => a - b);
const at = (values, part) => values[Math.min(values.length - 1, Math.floor(part * values.length))] ?? NaN;
const line = (what, values) =>
  `${what}: ${values.length} frames; median ${at(values, 0.5).toFixed(2)}, 95 % ${at(values, 0.95).toFixed(2)}, 99 % ${at(values, 0.99).toFixed(2)}, longest ${at(values, 1).toFixed(2)} ms; over 4 ms: ${values.filter((value) => value > 4).length}, over 16 ms: ${values.filter((value) => value > 16).length}`;

/** Trace events of the page's thread during `work`. */
async function traced(page, work) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    categories: "devtools.timeline,disabled-by-default-devtools.timeline",
  });
  const result = await work();
  const done = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await done;
  const { pid, tid } = events.find(({ name }) => name === "FireAnimationFrame");
  const own = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === "X");
  return { result, spent: (name) => own.filter((event) => event.name === name).map(({ tdur = 0 }) => tdur / 1000) };
}

const server = await serve({
  "/": join(root, "benchmarks"),
  "/three/": join(root, "node_modules", "three"),
  "/dist/": join(packageFolder, "dist"),
  "/wasm/": join(packageFolder, "wasm"),
  "/models/": join(packageFolder, "models"),
  "/test/": join(packageFolder, "test"),
  "/fixtures/": join(root, "tests", "fixtures"),
});
const browser = await launch();
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  await page.goto(`${server.url}/transitions-page.html`);
  await page.waitForFunction(() => window.ready);
  // Names of networks stay loaded: what tries them all comes last.
  for (const kind of ["plain", "auto", "delta", "dcmoe", "networks"]) {
    const { result, spent } = await traced(page, () =>
      page.evaluate(([s, kind]) => window.measure(s, kind), [kind === "plain" ? 5 : SECONDS, kind]),
    );
    console.log(kind === "plain" ? "mixer.update alone" : `transitions, ${kind}; ways: ${JSON.stringify(result.ways)}`);
    console.log(line("  wall time of our calls", sorted(result.took)));
    console.log(line("  processor time of frames", sorted(spent("FireAnimationFrame"))));
    const tasks = sorted(spent("RunTask"));
    console.log(
      `  longest task of the thread, with loading and prepare: ${at(tasks, 1).toFixed(1)} ms of processor time`,
    );
  }
} finally {
  await browser.close();
  await server.close();
}
