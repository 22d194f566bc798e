// Time on the page's thread while the site shows two controlled characters in Chromium, ms: script of each animation
// frame, and each task. Peer: none. Runs without WebGL, because the processor would emulate it on machines without a
// graphics card.
//
//     npm run build && node research/benchmarks/control-page.mjs [--json FILE]
//
// Processor time is the time for which the thread ran, independent of other load; wall time is elapsed time.
import { withSite } from "../../scripts/chromium.mjs";
import { RunReport } from "../../scripts/run-report.mjs";

const SECONDS = 20;
/** Duration of a display frame at 60 Hz, rounded down, ms; the report counts longer times. */
const MAX_TASK_MS = 16;

const sorted = (values) => values.toSorted((a, b) => a - b);
const quantile = (values, fraction) => values[Math.floor(fraction * (values.length - 1))] ?? NaN;
const report = new RunReport("node research/benchmarks/control-page.mjs", process.argv.slice(2));
/** Adds a row. `values`: sorted times, ms. */
const reportRow = (name, values) => {
  const overLimit = values.filter((value) => value > MAX_TASK_MS).length;
  report.row(
    name,
    values.length,
    ...[0.5, 0.95, 1].map((fraction) => quantile(values, fraction).toFixed(2)),
    overLimit,
  );
};

/** Traces the page's thread for some seconds. Returns a function from the name of an event to its occurrences. */
async function traceThread(page, seconds) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    categories: "devtools.timeline,disabled-by-default-devtools.timeline",
  });
  await page.waitForTimeout(seconds * 1000);
  const done = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await done;
  // The page's thread is the one with animation frames.
  const { pid, tid } = events.find(({ name }) => name === "FireAnimationFrame");
  const threadEvents = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === "X");
  return (name) => threadEvents.filter((event) => event.name === name);
}

await withSite(
  async (chromium, url) => {
    const page = await chromium.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/#control`);
    const checkbox = page.getByLabel("Show both characters");
    await page.getByRole("button", { name: "Record" }).waitFor();
    await checkbox.check({ timeout: 60_000 });
    await page.waitForFunction(
      () =>
        document.querySelectorAll(".choice small").length === 2 &&
        [...document.querySelectorAll(".choice small")].every(({ textContent }) => textContent === "On the stage"),
    );
    await page.waitForTimeout(3000);
    const events = await traceThread(page, SECONDS);
    const [frames, tasks] = [events("FireAnimationFrame"), events("RunTask")];
    // Keys of an event: "dur" is its wall time, "tdur" its processor time, microseconds.
    const times = (list, key) => sorted(list.map((event) => (event[key] ?? 0) / 1000));
    const [frameWallTimes, frameTimes, taskTimes] = [times(frames, "dur"), times(frames, "tdur"), times(tasks, "tdur")];
    report.table(`Two characters on the page, ${SECONDS} s`, [
      "time",
      "number",
      "median, ms",
      "95 %, ms",
      "longest, ms",
      `over ${MAX_TASK_MS} ms`,
    ]);
    reportRow("script of a frame, processor time", frameTimes);
    reportRow("script of a frame, wall time", frameWallTimes);
    reportRow("task of the page's thread, processor time", taskTimes);
    reportRow("task of the page's thread, wall time", times(tasks, "dur"));
    report.note(`${(frames.length / SECONDS).toFixed(1)} frames a second`);
    report.save();
  },
  ["--disable-3d-apis", "--disable-gpu"],
);
