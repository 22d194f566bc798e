// Two characters on the page in Chromium: time per frame on the page's thread, and its longest tasks. Runs without
// WebGL, which the processor would emulate on machines without a graphics card.
//
//     npm run build && node benchmarks/control-page.mjs
//
// Processor time is the time spent by the thread, independent of other load; wall time is elapsed time.
import { withSite } from "../scripts/chromium.mjs";

const SECONDS = 20;
/** Milliseconds per frame, and the limit of the longest task. */
const [FRAME, LONGEST] = [1000 / 60, 16];

const sorted = (values) => values.toSorted((a, b) => a - b);
const at = (values, part) => values[Math.floor(part * (values.length - 1))] ?? NaN;
const line = (what, values) =>
  `${what}: median ${at(values, 0.5).toFixed(2)}, 95 % ${at(values, 0.95).toFixed(2)}, longest ${at(values, 1).toFixed(2)} ms`;

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
    const both = page.getByLabel("The other comes along");
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
    console.log(`two characters, ${SECONDS} s: ${(frames.length / SECONDS).toFixed(1)} frames a second`);
    console.log(line("script of a frame, processor time", spent));
    console.log(line("script of a frame, wall time", wall));
    console.log(line("task of the page's thread, processor time", longest));
    const over = (values) => values.filter((value) => value > LONGEST).length;
    console.log(
      `tasks over ${LONGEST} ms: ${over(longest)} by processor time, ${over(times(tasks, "dur"))} by wall time, of ${tasks.length}`,
    );
    console.log(
      `of a frame at 60 a second: ${((100 * at(spent, 0.5)) / FRAME).toFixed(0)} % in the median, ${((100 * at(spent, 0.95)) / FRAME).toFixed(0)} % at 95 %`,
    );
  },
  ["--disable-3d-apis", "--disable-gpu"],
);
