// Thousands of random transitions between the locomotion clips of GLB packs, in Chromium: joints that are too fast, the
// heading of the model without steering, memory, time per frame. Peer: the clips played alone.
//
//     npm run build && node research/benchmarks/packs-page.mjs FOLDER [TRANSITIONS] [--json FILE]
//
// TRANSITIONS: of all packs together, default 3000. Each pack is played as it is, and with the travel of its feet
// (`rootMotionFromFeet`). Frames of 1/60 s follow each other without waiting. "fastest": largest speed of a joint,
// divided by twice the largest speed in all clips of the pack. "memory": used heap of the page after a garbage
// collection, after each quarter of the transitions.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { launch, packageFolder, root, serve } from "../../pkg/test/support.mjs";
import { RunReport } from "../../scripts/run-report.mjs";

const report = new RunReport("node research/benchmarks/packs-page.mjs", process.argv.slice(2));
const [folder, total = 3000] = report.rest;
if (!folder) throw new Error("usage: node research/benchmarks/packs-page.mjs FOLDER [TRANSITIONS] [--json FILE]");
const files = readdirSync(folder).filter((name) => name.endsWith(".glb"));
const quantile = (values, fraction) => values.toSorted((a, b) => a - b)[Math.floor(fraction * (values.length - 1))];

const server = await serve({
  "/": join(root, "research", "benchmarks"),
  "/three/": join(root, "node_modules", "three"),
  "/dist/": join(packageFolder, "dist"),
  "/wasm/": join(packageFolder, "wasm"),
  "/models/": join(packageFolder, "models"),
  "/folder/": folder,
});
const browser = await launch();
try {
  report.table(`${total} random transitions in packs`, [
    "pack",
    "transitions, of them computed",
    "frames",
    "fastest",
    "frames that are too fast",
    "largest heading, °",
    "time per update: 50 %, 95 %, longest, ms",
    "memory, MB",
  ]);
  for (const file of files)
    for (const travels of [false, true]) {
      const page = await browser.newPage();
      page.on("pageerror", (error) => console.error(error.message));
      await page.goto(`${server.url}/packs-page.html`);
      await page.waitForFunction(() => window.ready);
      const session = await page.context().newCDPSession(page);
      await page.evaluate(([name, moves]) => window.open(name, moves), [file, travels]);
      const count = Math.round(total / files.length / 2 / 4);
      const quarters = [];
      for (let quarter = 0; quarter < 4; quarter++) {
        const result = await page.evaluate((number) => window.play(number), count);
        await session.send("HeapProfiler.collectGarbage");
        const { usedSize } = await session.send("Runtime.getHeapUsage");
        quarters.push({ ...result, megabytes: usedSize / 2 ** 20 });
      }
      const sum = (pick) => quarters.reduce((value, quarter) => value + pick(quarter), 0);
      const times = quarters.flatMap((quarter) => quarter.times);
      report.row(
        `${file.replace(".glb", "")}${travels ? ", travel of the feet" : ""}`,
        `${count * 4}, ${sum(({ joins }) => joins.computed ?? 0)}`,
        sum(({ frames }) => frames),
        Math.max(...quarters.map(({ largest }) => largest)).toFixed(2),
        sum(({ fast }) => fast),
        Math.max(...quarters.map(({ heading }) => heading)).toFixed(1),
        [0.5, 0.95, 1].map((fraction) => quantile(times, fraction).toFixed(2)).join(", "),
        quarters.map(({ megabytes }) => megabytes.toFixed(1)).join(", "),
      );
      for (const fault of quarters.flatMap(({ faults }) => faults)) console.log(`  ${fault}`);
      await page.close();
    }
  report.save();
} finally {
  await browser.close();
  await server.close();
}
