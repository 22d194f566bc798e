// Two characters on the page in Chromium: time per frame on the page's thread, and its longest tasks. Runs without
// WebGL, which the processor would emulate on machines without a graphics card.
//
//     npm run build && node benchmarks/control-page.mjs [--json FILE]
//
// Processor time is the time spent by the thread, independent of other load; wall time is elapsed time.
import { withSite } from "../scripts/chromium.mjs";
import { RunReport } from "../scripts/run-report.mjs";

const SECONDS = 20;
/** Limit of the longest task, ms. */
const LONGEST = 16;

const sorted = (values) => values.toSorted((a, b) => a - b);
const at = (values, part) => values[Math.floor(part * (values.length - 1))] ?? NaN;
const report = new RunReport("node benchmarks/control-page.mjs", process.argv.slice(2));
const line = (what, values) => {
  const over = values.filter((value) => value > LONGEST).length;
  report.row(what, values.length, ...[0.5, 0.95, 1].map((part) => at(values, part).toFixed(2)), over);
};

/** Traces the page's thread for some seconds: all tasks, and all scripts run for a frame. */
async function traced(page, seconds) {
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
  const own = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === "X");
  return (name) => own.filter((event) => event.name === name);
}

await withSite(
  async (chromium, url) => {
    const page = await chromium.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/#control`);
    const both = page.getByLabel("Show both characters");
    await page.getByRole("button", { name: "Record" }).waitFor();
    await both.check({ timeout: 60_000 });
    await page.waitForFunction(
      () =>
        document.querySelectorAll(".choice small").length === 2 &&
        [...document.querySelectorAll(".choice small")].every(({ textContent }) => textContent === "On the stage"),
    );
    await page.waitForTimeout(3000);
    const events = await traced(page, SECONDS);
    const [frames, tasks] = [events("FireAnimationFrame"), events("RunTask")];
    const times = (list, key) => sorted(list.map((event) => (event[key] ?? 0) / 1000));
    const [wall, spent, longest] = [times(frames, "dur"), times(frames, "tdur"), times(tasks, "tdur")];
    report.table(`Two characters on the page, ${SECONDS} s`, [
      "time",
      "number",
      "median, ms",
      "95 %, ms",
      "longest, ms",
      `over ${LONGEST} ms`,
    ]);
    line("script of a frame, processor time", spent);
    line("script of a frame, wall time", wall);
    line("task of the page's thread, processor time", longest);
    line("task of the page's thread, wall time", times(tasks, "dur"));
    report.note(`${(frames.length / SECONDS).toFixed(1)} frames a second`);
    report.save();
  },
  ["--disable-3d-apis", "--disable-gpu"],
);
