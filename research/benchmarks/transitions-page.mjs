// Time per frame of transitions of a three.js character on the page's thread in Chromium, ms: a character of 22 bones,
// five generated clips, a transition every 0.7 s. Nothing is drawn, so that only `transitionTo` and `update` are
// measured. Peer: `mixer.update` of three.js without transitions.
//
//     npm run build && node research/benchmarks/transitions-page.mjs [SECONDS] [--json FILE]
//
// SECONDS: duration for each kind of transition, default 30. Wall time is the time elapsed in our calls. Processor time
// is the time for which the page's thread ran in the whole frame, independent of other load.
import { join } from "node:path";
import { launch, packageFolder, root, serve } from "../../pkg/test/support.mjs";
import { RunReport } from "../../scripts/run-report.mjs";

const report = new RunReport("node research/benchmarks/transitions-page.mjs", process.argv.slice(2));
const SECONDS = Number(report.rest[0] ?? 30);
const sorted = (values) => values.toSorted((a, b) => a - b);
const quantile = (values, fraction) => values[Math.min(values.length - 1, Math.floor(fraction * values.length))] ?? NaN;
/** Adds a row. `values`: sorted times, ms. */
const reportRow = (kind, label, values) => {
  const overLimits = [4, 16].map((limit) => values.filter((value) => value > limit).length);
  report.row(
    kind,
    label,
    values.length,
    ...[0.5, 0.95, 0.99, 1].map((fraction) => quantile(values, fraction).toFixed(2)),
    ...overLimits,
  );
};

/**
 * Runs `work` and traces the page's thread. Returns its result, and a function that gives the processor times of the
 * events of a name.
 */
async function traceThread(page, work) {
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
  const threadEvents = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === "X");
  return {
    result,
    processorTimes: (name) => threadEvents.filter((event) => event.name === name).map(({ tdur = 0 }) => tdur / 1000),
  };
}

const server = await serve({
  "/": join(root, "research", "benchmarks"),
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
  report.table("Transitions, a character of 22 bones, one every 0.7 s", [
    "networks",
    "what",
    "number",
    "median, ms",
    "95 %, ms",
    "99 %, ms",
    "longest, ms",
    "over 4 ms",
    "over 16 ms",
  ]);
  const joins = [];
  // The kinds are described in transitions-page.html. Networks stay loaded, so "auto" comes before those with networks.
  for (const kind of ["plain", "auto", "delta", "dcmoe", "networks"]) {
    const { result, processorTimes } = await traceThread(page, () =>
      page.evaluate(([seconds, kind]) => window.measure(seconds, kind), [kind === "plain" ? 5 : SECONDS, kind]),
    );
    const name = kind === "plain" ? "mixer.update alone" : kind;
    reportRow(name, "our calls, wall time", sorted(result.callTimes));
    reportRow(name, "frame, processor time", sorted(processorTimes("FireAnimationFrame")));
    reportRow(name, "task, with loading and prepare, processor time", sorted(processorTimes("RunTask")));
    if (kind !== "plain") joins.push(`${kind}: joins ${JSON.stringify(result.joins)}`);
  }
  for (const text of joins) report.note(text);
  report.save();
} finally {
  await browser.close();
  await server.close();
}
