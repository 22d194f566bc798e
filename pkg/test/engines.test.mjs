// The package in browsers other than Chromium, if installed: without a bundler, in the page and in a worker, without
// and with networks.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { engines, until } from "../../scripts/engines.mjs";
import { noWeights, packageFolder, root, serve, walk } from "./support.mjs";

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

it("ends the virtual screen if Firefox does not start", { skip: process.platform === "win32" && "no Xvfb" }, () => {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const xvfb = '#!/bin/sh\necho 99 >&3\nexec "$NODE" -e "setTimeout(() => {}, 30000)"\n';
  writeFileSync(join(programs, "Xvfb"), xvfb, { mode: 0o755 });
  writeFileSync(join(programs, "firefox"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const program = `
    import { engines } from ${JSON.stringify(join(root, "scripts", "engines.mjs"))};
    await engines.firefox.start().catch((error) => console.log("failed:", error.message));`;
  // The program cannot end while the screen runs.
  const { stdout, signal } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, NODE: process.execPath, PATH: programs, FIREFOX: join(programs, "firefox") },
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.equal(signal, null);
  assert.match(stdout, /^failed: /);
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
