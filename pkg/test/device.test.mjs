// The WebGPU module alone, in Chromium, beside the CPU's: what it computes, and all that can go wrong. WebGPU is SwiftShader's
// here: correct, and so slow that a few frames must do.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { madeNetwork, makeModels } from "./made-network.mjs";
import { launch, packageFolder, serve } from "./support.mjs";

const isBuilt = statSync(join(packageFolder, "wasm", "networks_bg.wasm"), { throwIfNoEntry: false })?.size > 0;

describe("the WebGPU module", { timeout: 600_000, skip: !isBuilt && "it is not built: npm run build" }, async () => {
  if (!isBuilt) return;
  const made = mkdtempSync(join(tmpdir(), "kinestitch-device-"));
  makeModels(made);
  writeFileSync(join(made, "older"), madeNetwork({ set: "open", layout: 65 }));
  const folders = { "/": join(packageFolder, "test", "device"), "/wasm/": join(packageFolder, "wasm"), "/made/": made };
  const [browser, server] = await Promise.all([launch(), serve(folders)]);
  after(() => Promise.all([browser.close(), server.close()]).then(() => rmSync(made, { recursive: true })));

  /** Runs one of the page's tests in a page of its own. */
  async function inPage(name, ...args) {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    try {
      await page.goto(server.url);
      await page.waitForFunction(() => window.report === "ready", undefined, { timeout: 60_000 });
      const found = await page.evaluate(([name, args]) => window.tests[name](...args), [name, args]);
      assert.deepEqual(errors, []);
      return found;
    } finally {
      await page.close();
    }
  }

  it("computes what the CPU does", async (test) => {
    const { difference, change } = await inPage("agreement", 4);
    test.diagnostic(`largest difference ${difference.toExponential(1)}, largest change ${change.toFixed(2)}`);
    assert.ok(difference < 2e-3, `${difference}`);
    assert.ok(change > 0.05, "the network changes something");
  });

  it("prints how quick the CPU is", async (test) => {
    for (const frames of [60, 180]) test.diagnostic(`${frames} frames in ${(await inPage("speed", frames)).toFixed(1)} ms`);
  });

  it("two loads at the same time share the device", async () => {
    assert.equal(await inPage("loadTwice"), 2);
  });

  const failures = { before: /Device was destroyed/, during: /./, silently: /invalid/i };
  for (const [when, reason] of Object.entries(failures)) {
    it(`a GPU that fails ${when === "silently" ? when : `${when} the work`} is an error`, async (test) => {
      const { code, message } = await inPage("lost", when, 2);
      test.diagnostic(message);
      assert.equal(code, "device");
      assert.match(message, reason);
    });
  }

  it("weights that are wrong are typed errors", async () => {
    const found = await inPage("wrongWeights");
    for (const [name, { code }] of Object.entries(found)) assert.equal(code, "weights", name);
    assert.match(found.layout.message, /layout version 65 where \d+ is needed/);
  });

  it("rows and seams that are wrong are typed errors, and the module lives on", async () => {
    const { found, still } = await inPage("wrongRows");
    for (const name of ["empty", "width", "hole", "seam"]) assert.equal(found[name].code, "option", name);
    assert.equal(found.aborted.code, "aborted");
    assert.equal(found.thrown.message, "mine");
    assert.ok(still, "one frame without a seam comes back as it is");
  });
});
