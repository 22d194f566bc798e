// `npm run bench`: measures the browser build in Chromium. Exit code 1 if a measure misses its target.
//
//     npm run bench [-- RECORDING.bvh … --json FILE]
//
// Measures with each RECORDING; without any, with a generated clip.
import { gzipSync } from "node:zlib";
import { measureRefining } from "./bench-refine.mjs";
import { build } from "./build.mjs";
import { RunReport } from "./run-report.mjs";
import { runScript } from "./shell.mjs";

/**
 * Opens a page and sums the sizes of the scripts, styles, wasm modules and pages that are loaded until `waitUntilReady`
 * resolves, compressed, bytes.
 */
async function measureFirstLoad(chromium, url, waitUntilReady) {
  const page = await chromium.newPage();
  const bodies = [];
  page.on("response", (response) =>
    bodies.push(
      response.body().then(
        (body) => [response.url(), gzipSync(body, { level: 9 }).length],
        () => ["", 0],
      ),
    ),
  );
  await page.goto(url, { waitUntil: "networkidle" });
  await waitUntilReady(page);
  const loaded = (await Promise.all(bodies)).filter(([responseUrl]) =>
    /(\.(js|css|html|wasm)|\/)$/.test(new URL(responseUrl || url).pathname),
  );
  await page.close();
  return loaded.reduce((sum, [, size]) => sum + size, 0);
}

/** Runs bench.html, with a recording or else a generated clip. Returns the rows of its table. */
async function measurePage(chromium, url, file) {
  const page = await chromium.newPage();
  await page.goto(url);
  if (file) await page.setInputFiles("#file", file);
  else await page.click("#start");
  const isFinished = () => /^(Done|The benchmark failed)/.test(document.querySelector("#status").textContent);
  await page.waitForFunction(isFinished, null, { timeout: 300_000 });
  const rows = await page.$$eval("#results tbody tr", (lines) =>
    lines.map((line) => [...line.cells].map((cell) => cell.textContent)),
  );
  const status = await page.textContent("#status");
  await page.close();
  if (!status.startsWith("Done")) rows.push([status, "", "", "", "no"]);
  return rows;
}

await runScript(import.meta, async (args) => {
  const report = new RunReport("npm run bench --", args);
  const recordings = report.rest;
  await build({ gpu: false });
  const { withSite } = await import("./chromium.mjs"); // needs packages that build() has installed
  const rows = await withSite(async (chromium, url) => {
    const rows = [];
    for (const file of recordings.length ? recordings : [null])
      rows.push(...(await measurePage(chromium, `${url}/bench.html`, file)));
    rows.push(...(await measureRefining(chromium, url)));
    const kb = (bytes) => `${(bytes / 1000).toFixed(0)} KB`;
    const wait = (page) => page.waitForTimeout(3000);
    const playerBytes = await measureFirstLoad(chromium, `${url}/docs-example.html`, wait);
    rows.push([
      "A page with <kinestitch-player>, script and wasm, gzip",
      kb(playerBytes),
      "",
      "under 400 KB",
      playerBytes < 400e3 ? "yes" : "no",
    ]);
    return rows;
  });
  report.table("Figures of the browser build", ["what", "measured", "peer", "target", "met"]);
  for (const row of rows) report.row(...row);
  report.save();
  if (rows.some((row) => row[4] !== "yes")) process.exit(1);
});
