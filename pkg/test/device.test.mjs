// The WebGPU module in Chromium, compared with the CPU module: results and failures. In tests WebGPU is
// SwiftShader: correct, but so slow that only a few frames are computed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { refinerBytes, writeDelta, writeRefiners } from "./generated-networks.mjs";
import { launch, packageFolder, root, serve } from "./support.mjs";

const isBuilt = statSync(join(packageFolder, "wasm", "networks_bg.wasm"), { throwIfNoEntry: false })?.size > 0;

describe("the WebGPU module", {
  timeout: 600_000,
  skip: !isBuilt && "the module is not built: npm run build",
}, async () => {
  if (!isBuilt) return;
  const networksFolder = mkdtempSync(join(tmpdir(), "kinestitch-device-"));
  writeRefiners(networksFolder);
  writeFileSync(join(networksFolder, "older"), refinerBytes({ set: "open", layout: 65 }));
  writeDelta(join(networksFolder, "delta"));
  const folders = {
    "/": join(packageFolder, "test", "device"),
    "/wasm/": join(packageFolder, "wasm"),
    "/generated/": networksFolder,
    "/package/": packageFolder,
    "/motions/": join(root, "tests", "fixtures"),
  };
  const [browser, server] = await Promise.all([launch(), serve(folders)]);
  after(() => Promise.all([browser.close(), server.close()]).then(() => rmSync(networksFolder, { recursive: true })));

  /** Opens the test page. `errors`: messages of errors that nothing caught. */
  async function openPage() {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(server.url);
    await page.waitForFunction(() => window.report === "ready", undefined, { timeout: 60_000 });
    return { page, errors };
  }

  /** Runs one of the page's tests. */
  async function runIn({ page, errors }, name, ...args) {
    const result = await page.evaluate(([name, args]) => window.tests[name](...args), [name, args]);
    assert.deepEqual(errors, []);
    return result;
  }

  // One page for all tests that leave the GPU usable: compiling the module and its shaders takes seconds in each page.
  let sharedPage;
  const run = async (...test) => runIn(await (sharedPage ??= openPage()), ...test);

  async function runInNewPage(...test) {
    const opened = await openPage();
    try {
      return await runIn(opened, ...test);
    } finally {
      await opened.page.close();
    }
  }

  it("computes the same as the CPU", async (test) => {
    const { difference, passDifference, change } = await run("agreement", 4);
    test.diagnostic(`largest difference ${difference.toExponential(1)}, largest change ${change.toFixed(2)}`);
    assert.ok(difference < 2e-3 && passDifference < 2e-3, `${difference}, one pass ${passDifference}`);
    assert.ok(change > 0.05, "the network changes something");
  });

  it("gives equal results for two networks that were loaded at the same time", async () => {
    const difference = await run("loadTwice", 2);
    assert.ok(difference < 2e-3, `${difference}`);
  });

  const failures = { before: /Device was destroyed/, during: /Device was destroyed/, silently: /invalid/i };
  for (const [when, reason] of Object.entries(failures)) {
    it(`a GPU that fails ${when === "silently" ? when : `${when} the work`} is an error`, async (test) => {
      const { code, message } = await runInNewPage("lost", when, 2);
      test.diagnostic(message);
      assert.equal(code, "device");
      assert.match(message, reason);
    });
  }

  /** Runs a function with the package in a new page; `args` must be JSON values. */
  async function withPackage(callback, ...args) {
    const page = await browser.newPage();
    try {
      await page.goto(`${server.url}/package/package.json`);
      return await page.evaluate(
        `import("/package/dist/browser.js").then((package_) => (${callback})(package_, ...${JSON.stringify(args)}))`,
      );
    } finally {
      await page.close();
    }
  }

  it('"delta" fills gaps on the GPU as on the CPU, and continues on the CPU after the GPU is lost', async (test) => {
    const { difference, change, devices, differenceAfterLoss } = await withPackage(
      async ({ inbetween, init, load, loadNetworks, networkInfo }) => {
        const gpuDevices = [];
        const request = GPUAdapter.prototype.requestDevice;
        GPUAdapter.prototype.requestDevice = async function (...options) {
          const device = await request.apply(this, options);
          gpuDevices.push(device);
          return device;
        };
        const [walk, run] = await Promise.all(["ada-walk", "ada-run"].map((name) => load(`/motions/${name}.bvh`)));
        const keys = [
          { clip: walk, frame: 20 },
          { clip: run, from: 10, to: 12 },
          { clip: walk, frame: 50 },
        ];
        await init({ networks: { models: "/generated/delta/", wasm: "/wasm/networks_bg.wasm" } });
        const devices = [];
        const fillOn = async (device, method = "delta") => {
          if (method === "delta") await loadNetworks({ for: "inbetween", name: "delta", device });
          const result = await inbetween(keys, { method, frames: [9, 4] });
          const used = (await networkInfo({ for: "inbetween", name: "delta" }))?.device;
          if (method === "delta") devices.push([used.asked, used.used, used.reason]);
          return result.positions();
        };
        const [cpu, gpu, plain] = [await fillOn("cpu"), await fillOn("webgpu"), await fillOn("cpu", "inertialize")];
        const largestDifference = (other) =>
          cpu.reduce((max, value, i) => Math.max(max, Math.abs(value - other[i])), 0);
        const differences = { difference: largestDifference(gpu), change: largestDifference(plain) };
        await fillOn("webgpu");
        gpuDevices.forEach((device) => device.destroy());
        const differenceAfterLoss = largestDifference(await fillOn("webgpu"));
        return { ...differences, devices, differenceAfterLoss };
      },
    );
    test.diagnostic(
      `largest difference of positions ${difference.toExponential(1)} m, largest change ${change.toFixed(2)} m`,
    );
    assert.ok(difference < 1e-3, `${difference}`);
    assert.ok(change > 0.01, "the network changes something");
    assert.deepEqual(
      devices.map(([asked, used]) => [asked, used]),
      [
        ["cpu", "cpu"],
        ["webgpu", "webgpu"],
        ["webgpu", "webgpu"],
        ["webgpu", "cpu"],
      ],
    );
    assert.match(devices[3][2], /WebGPU failed/);
    assert.equal(differenceAfterLoss, 0);
  });

  it("wrong weights are typed errors", async () => {
    const errors = await run("wrongWeights");
    for (const [name, { code }] of Object.entries(errors)) assert.equal(code, "weights", name);
    assert.match(errors.layout.message, /layout version 65 where \d+ is needed/);
  });

  it("wrong rows and seams are typed errors, and the module stays usable", async () => {
    const { errors, isUnchanged } = await run("wrongRows");
    for (const name of ["empty", "width", "hole", "seam"]) assert.equal(errors[name].code, "option", name);
    assert.equal(errors.aborted.code, "aborted");
    assert.equal(errors.thrown.message, "thrown by the test");
    assert.ok(isUnchanged, "one frame without a seam is unchanged");
  });
});
