// The networks' wasm module alone, in Chromium: both devices, the choice between them, and all that can go wrong. WebGPU is
// SwiftShader's here: correct, and so slow that a few frames must do.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { launch, noWeights, packageFolder, root, serve } from "./support.mjs";

describe("networks on their devices", { timeout: 600_000, skip: noWeights }, async () => {
  const folders = { "/": join(packageFolder, "test", "device"), "/wasm/": join(packageFolder, "wasm"), "/models/": join(root, "models") };
  const [browser, server] = await Promise.all([launch(), serve(folders)]);
  after(() => Promise.all([browser.close(), server.close()]));

  /** Runs one of the page's tests in a page of its own, `before` before everything. */
  async function inPage(name, args = [], before = () => {}) {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    try {
      await page.addInitScript(before);
      await page.goto(server.url);
      await page.waitForFunction(() => window.report === "ready", undefined, { timeout: 60_000 });
      const found = await page.evaluate(([name, args]) => window.tests[name](...args), [name, args]);
      assert.deepEqual(errors, []);
      return found;
    } finally {
      await page.close();
    }
  }

  it("both compute the same", async (test) => {
    const { difference, change, used, reason } = await inPage("agreement", [4]);
    test.diagnostic(`largest difference ${difference.toExponential(1)}, largest change ${change.toFixed(1)} normalised units; ${reason}`);
    assert.deepEqual(used, ["cpu", "webgpu"]);
    assert.ok(difference < 1e-3, `${difference}`);
    assert.ok(change > 0.1, "the network changes something");
  });

  it("prints how quick the CPU is", async (test) => {
    for (const frames of [60, 180]) test.diagnostic(`${frames} frames in ${(await inPage("speed", [frames, "cpu"])).toFixed(1)} ms`);
  });

  const withoutWebGpu = () => Object.defineProperty(Navigator.prototype, "gpu", { value: undefined });
  const withoutAdapter = () => Object.assign(GPU.prototype, { requestAdapter: () => Promise.resolve(null) });

  for (const [name, before] of Object.entries({ withoutWebGpu, withoutAdapter })) {
    it(`${name}: asked for it is an error, auto takes the CPU`, async () => {
      const { code, message } = await inPage("loadFailure", ["webgpu"], before);
      assert.equal(code, "device");
      assert.match(message, /no WebGPU/);
      const { asked, used, reason, cpuMilliseconds } = await inPage("load", ["auto"], before);
      assert.deepEqual([asked, used, cpuMilliseconds], ["auto", "cpu", undefined]);
      assert.match(reason, /no WebGPU/);
    });
  }

  it("auto knows an emulated GPU", async () => {
    const { used, reason } = await inPage("load", ["auto"]);
    assert.equal(used, "cpu");
    assert.match(reason, /emulates WebGPU/);
  });

  it("auto measures any other, once, and keeps the faster", async (test) => {
    const disguised = () => {
      for (const [key, value] of [["architecture", "disguised"], ["isFallbackAdapter", false]]) {
        Object.defineProperty(GPUAdapterInfo.prototype, key, { value });
      }
    };
    const { used, reason, cpuMilliseconds, webgpuMilliseconds } = await inPage("load", ["auto"], disguised);
    test.diagnostic(reason);
    assert.equal(used, "cpu");
    assert.match(reason, /the CPU is faster: 60 frames in \d+ ms, where WebGPU took \d+ ms for 1 \(google disguised\)/);
    assert.ok(cpuMilliseconds > 0);
    assert.equal(webgpuMilliseconds, undefined);
  });

  it("two loads at the same time share the device", async () => {
    assert.deepEqual(await inPage("loadTwice"), ["webgpu", "webgpu"]);
  });

  const failures = { before: /Device was destroyed/, during: /./, silently: /invalid/i };
  for (const [when, reason] of Object.entries(failures)) {
    it(`a GPU that fails ${when === "silently" ? when : `${when} the work`}: the CPU finishes it`, async (test) => {
      const found = await inPage("lost", [when, 2]);
      test.diagnostic(found.reason);
      assert.deepEqual([found.before, found.after, found.same], ["webgpu", "cpu", true]);
      assert.match(found.reason, /^WebGPU failed: /);
      assert.match(found.reason, reason);
    });
  }

  it("weights that are wrong are typed errors", async () => {
    const found = await inPage("wrongWeights");
    assert.deepEqual(Object.keys(found), ["empty", "foreign", "truncated", "damaged", "layout"]);
    for (const [name, { code }] of Object.entries(found)) assert.equal(code, "weights", name);
    assert.match(found.layout.message, /layout version 65 where 1 is needed/);
  });

  it("rows and seams that are wrong are typed errors, and the module lives on", async () => {
    const { found, still } = await inPage("wrongRows");
    for (const name of ["empty", "width", "hole", "seam"]) assert.equal(found[name].code, "option", name);
    assert.equal(found.aborted.code, "aborted");
    assert.equal(found.thrown.message, "mine");
    assert.ok(still, "one frame without a seam comes back as it is");
  });
});
