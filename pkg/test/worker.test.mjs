// kinestitch/worker in a worker thread of Node and in a Web Worker of Chromium: the same tests in both.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import * as kinestitch from "kinestitch/worker";
import { launch, packageFolder, serve, walk } from "./support.mjs";

/** Steps of both entries. Runs in the page too, so it is self-contained. Returns a report. */
async function steps({ load, stitch }, a, b, long) {
  const report = {};
  const failure = (promise) =>
    promise.then(
      () => "it did not fail",
      ({ name, code, line }) => ({ name, code, line }),
    );
  const [first, second] = await Promise.all([load(a), load(b, { name: "b" })]);
  report.first = { name: first.name, frames: first.frames, kind: (await first.info()).kind };
  const stages = new Set();
  const result = await stitch([first, second], {
    method: "inertialize",
    blend: 0.3,
    onProgress: ({ stage }) => stages.add(stage),
  });
  report.stages = [...stages];
  report.result = {
    name: result.name,
    frames: result.frames,
    starts: result.starts,
    seam: result.seams[0].frame,
    warnings: result.warnings,
  };
  report.aligned = (await result.aligned()).map((clip) => clip.frames);
  report.positions = (await result.positions()).length;
  report.rotations = (await result.rotations()).length;
  report.glb = String.fromCharCode(...(await result.toGlb()).subarray(0, 4));
  const { jerk, contact } = await result.curves();
  report.curves = [jerk.length, contact[0].length];
  report.rereadFrames = (await load(await result.toBvh())).frames;
  report.rate = Math.round((await (await first.withRig({ LeftToe: null })).resample(60)).fps);
  report.unmapped = (await (await first.withRig({ LeftToe: null })).info()).rig.LeftToe;
  report.errors = [
    await failure(load("HIERARCHY\nROOT\n")),
    await failure(stitch([first, second], { method: "magic" })),
    await failure(stitch([first, {}])),
    await failure(load(a, { signal: AbortSignal.abort() })),
  ];

  // An abort while wasm computes rejects the running and the queued call, and the worker answers again.
  const big = await load(long);
  const controller = new AbortController();
  const text = big.toBvh({ signal: controller.signal });
  const queued = failure(stitch([first, second], { signal: controller.signal }));
  setTimeout(() => controller.abort(), 20);
  report.aborted = await failure(text);
  report.queued = await queued;
  // All motions survive.
  report.positionsAfterAbort = [(await first.positions()).length, (await result.positions()).length];
  return report;
}

const folder = mkdtempSync(join(tmpdir(), "kinestitch-worker-"));
after(() => rmSync(folder, { recursive: true }));
const files = { a: walk({ frames: 60 }), second: walk({ frames: 50, speed: 1.6 }), long: walk({ frames: 40_000 }) };
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.bvh`), text);

function check(report) {
  assert.deepEqual(report.first, { name: "a", frames: 60, kind: "biped" });
  assert.deepEqual(report.stages, ["align", "blend", "foot-lock"]);
  assert.deepEqual(report.result, { name: "a + b", frames: 110, starts: [0, 60], seam: 60, warnings: [] });
  assert.deepEqual(report.aligned, [60, 50]);
  assert.deepEqual([report.positions, report.rotations], [110 * 66, 110 * 88]);
  assert.equal(report.glb, "glTF");
  assert.deepEqual(report.curves, [110, 110]);
  assert.deepEqual([report.rereadFrames, report.rate, report.unmapped], [110, 60, undefined]);
  assert.deepEqual(
    report.errors.map(({ name, code }) => [name, code]),
    [
      ["KinestitchError", "bvh"],
      ["KinestitchError", "option"],
      ["KinestitchError", "option"],
      ["AbortError", "aborted"],
    ],
  );
  assert.equal(report.errors[0].line, 2);
  assert.equal(report.aborted.code, "aborted");
  assert.equal(report.queued.code, "aborted");
  assert.deepEqual(report.positionsAfterAbort, [60 * 66, 110 * 66]);
}

describe("kinestitch/worker", () => {
  it("runs in Node", { timeout: 60_000 }, async () =>
    check(await steps(kinestitch, ...Object.keys(files).map((name) => join(folder, `${name}.bvh`)))),
  );

  it("takes the script of the thread as a path or URL in Node", { timeout: 60_000 }, async () => {
    const failure = (worker) => kinestitch.init({ worker }).then(() => assert.fail("it did not fail"), String);
    assert.match(await failure("https://site.invalid/host.js"), /cannot start a worker thread/);
    assert.match(await failure(join(folder, "nothing.js")), /the worker stopped/);
    const script = join(packageFolder, "dist", "worker-host.node.js");
    for (const worker of [script, pathToFileURL(script)]) {
      await kinestitch.init({ worker });
      assert.equal((await kinestitch.load(join(folder, "a.bvh"))).frames, 60);
    }
  });

  describe("in Chromium", async () => {
    const [browser, server] = await Promise.all([launch(), serve({ "/": packageFolder, "/motions/": folder })]);
    after(() => Promise.all([browser.close(), server.close()]));

    const open = async () => {
      const page = await browser.newPage();
      await page.goto(`${server.url}/package.json`);
      return page;
    };

    it("gives the same report as in Node", { timeout: 60_000 }, async () => {
      const page = await open();
      // The second URL is relative to the page.
      const script = `import("/dist/worker.js").then((module) => (${steps})(module, "/motions/a.bvh", "motions/second.bvh", "/motions/long.bvh"))`;
      check(await page.evaluate(script));
      await page.close();
    });

    it("does not block the page's thread", { timeout: 60_000 }, async () => {
      const page = await open();
      const script = `(async () => {
        const file = await (await fetch("/motions/long.bvh")).blob();
        const { load } = await import("/dist/worker.js");
        let beats = 0;
        const beat = setInterval(() => beats++, 4);
        const clip = await load(file);
        await clip.positions();
        clearInterval(beat);
        return beats;
      })()`;
      // A page that computes on its own thread would count only to one or two. A benchmark measures the pauses.
      const beats = await page.evaluate(script);
      assert.ok(beats > 3, `the page counted to ${beats} meanwhile`);
      await page.close();
    });

    it("reports that worker or wasm cannot be loaded, and can be started again", { timeout: 60_000 }, async () => {
      const page = await open();
      const script = `(async () => {
        const { init, load } = await import("/dist/worker.js");
        const failure = (promise) => promise.then(() => "it did not fail", ({ code, message }) => code + ": " + message);
        const report = [await failure(init({ worker: "/nowhere.js" })), await failure(init({ wasm: "/nowhere.wasm" }))];
        await init({ wasm: "/wasm/kinestitch_bg.wasm", worker: "/dist/worker-host.js" });
        return [...report, (await load("/motions/a.bvh")).frames];
      })()`;
      const [script404, wasm404, frames] = await page.evaluate(script);
      assert.match(script404, /^wasm: the worker stopped/);
      assert.match(wasm404, /^wasm: cannot load the wasm module from http.*nowhere\.wasm/);
      assert.equal(frames, 60);
      await page.close();
    });
  });
});
