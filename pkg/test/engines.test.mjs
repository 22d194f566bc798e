// The package in browsers other than Chromium, if installed: without a bundler, in the page and in a worker, without
// and with networks.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { engines, until } from "../../scripts/engines.mjs";
import { noWeights, packageFolder, serve, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-engines-"));
/** Expected report of the steps in consumers/story.js. */
const storyReport = { frames: 110, positions: 110 * 66, refined: "rmr", between: 22 };
let server;

before(async () => {
  cpSync(join(packageFolder, "test", "consumers", "plain"), folder, { recursive: true });
  cpSync(join(packageFolder, "test", "consumers", "story.js"), join(folder, "story.js"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(packageFolder, join(folder, "node_modules", "kinestitch"));
  writeFileSync(join(folder, "a.bvh"), walk({ frames: 60 }));
  writeFileSync(join(folder, "b.bvh"), walk({ frames: 50, speed: 1.6 }));
  cpSync(join(packageFolder, "test", "engines"), join(folder, "engines"), { recursive: true });
  server = await serve({ "/": folder });
});
after(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

for (const [name, { missing, start }] of Object.entries(engines)) {
  if (missing) console.log(`skipped: ${name}: ${missing}`);
  describe(name, { skip: missing, timeout: 240_000 }, () => {
    let browser;
    before(async () => (browser = await start()));
    after(() => browser?.close());

    const openReport = async (path) => {
      const page = await browser.open(`${server.url}/${path}`);
      try {
        return JSON.parse(await until(page, "window.report && JSON.stringify(window.report)", 100_000));
      } finally {
        await page.close();
      }
    };

    it("runs the entry points without and with networks", { skip: noWeights }, async () => {
      assert.deepEqual(await openReport("index.html"), { thread: storyReport, worker: storyReport, slim: 60 });
    });

    it("throws typed errors, stops after aborts, and keeps its memory below 100 MB", async () => {
      const { memory, ...report } = await openReport("engines/index.html");
      assert.deepEqual(report, {
        errors: ["bvh", "option", "fetch", "too-short"],
        aborted: ["aborted", "aborted", "aborted"],
        framesAfterAborts: 110,
        between: [22, 22],
        glb: ["glTF", "glTF"],
        phases: 2,
      });
      assert.ok(memory > 0 && memory < 100, `${memory} MB`);
    });
  });
}
