// Networks in Chromium, on the page's thread and in a worker: fetched on demand only, weights cached.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { writeRefiners } from "./generated-networks.mjs";
import { launch, packageFolder, root, serve } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-made-"));
after(() => rmSync(folder, { recursive: true }));
const { networks } = writeRefiners(folder);
/** The default network. */
const defaultNetwork = networks.find(({ set }) => set === "open");
const [{ name, sha256 }] = defaultNetwork.files;
const weights = `/generated/${name}`;
/** Files of the WebGPU module. */
const gpu = ["/wasm/networks.js", "/wasm/networks_bg.wasm"];
/** All files of networks; their requests are recorded. */
const files = [...gpu, "/generated/manifest.json", weights];

/** Runs the steps of every entry. It runs in the page, so it is self-contained. */
async function runSteps({ load, stitch, loadNetworks, networkInfo, networkModels }, fetched) {
  const report = {};
  const failure = (promise) =>
    promise.then(
      () => "it did not fail",
      ({ code }) => code,
    );
  const [walk, run, dog] = await Promise.all(
    ["ada-walk", "ada-run", "cleo-walk"].map((name) => load(`/motions/${name}.bvh`)),
  );
  report.light = [(await stitch([walk, run])).seams[0].method, (await networkInfo()) === undefined, await fetched()];
  report.sets = (await networkModels()).map(({ set }) => set);
  const controller = new AbortController();
  const onProgress = ({ bytes }) => bytes > 0 && controller.abort();
  report.aborted = await failure(loadNetworks({ device: "cpu", signal: controller.signal, onProgress }));
  // Other work continues while files load.
  const loading = loadNetworks({ device: "cpu" });
  report.meanwhile = (await stitch([walk, run], { method: "crossfade" })).seams[0].method;
  const { set, licence, scores, device } = await loading;
  report.info = { set, licence, tests: Object.keys(scores).length, device };
  const stages = new Set();
  const refined = await stitch([walk, run], { method: "rmr", onProgress: ({ stage }) => stages.add(stage) });
  report.refined = { method: refined.seams[0].method, drift: refined.seams[0].driftCm, stages: [...stages] };
  report.finite = (await refined.positions()).every(Number.isFinite);
  report.dog = [(await stitch([dog, dog])).seams[0].method, await failure(stitch([dog, dog], { method: "rmr" }))];
  report.wrong = [
    await failure(loadNetworks({ set: "secret" })),
    await failure(loadNetworks({ set, models: "/nowhere/" })),
  ];
  return report;
}

function checkReport(report) {
  // Method "auto" looks for a judge in the folder that `init` named; that folder has none.
  assert.ok(["inertialize", "crossfade"].includes(report.light[0]), report.light[0]);
  assert.deepEqual(report.light.slice(1), [true, ["/generated/manifest.json"]]);
  assert.deepEqual(
    report.sets,
    networks.map(({ set }) => set),
  );
  assert.equal(report.aborted, "aborted");
  assert.equal(report.meanwhile, "crossfade");
  const { device, ...info } = report.info;
  const { set, licence, scores } = defaultNetwork;
  assert.deepEqual(info, { set, licence, tests: Object.keys(scores).length });
  assert.deepEqual([device.asked, device.used], ["cpu", "cpu"]);
  assert.equal(report.refined.method, "rmr");
  assert.ok(Number.isFinite(report.refined.drift));
  assert.ok(report.refined.stages.includes("refine") && !report.refined.stages.includes("network"));
  assert.ok(report.finite);
  assert.ok(["inertialize", "crossfade"].includes(report.dog[0]), report.dog[0]);
  assert.equal(report.dog[1], "rig");
  assert.deepEqual(report.wrong, ["option", "weights"]);
}

describe("networks in Chromium", { timeout: 180_000 }, async () => {
  const folders = { "/": packageFolder, "/motions/": join(root, "tests", "fixtures"), "/generated/": folder };
  const [browser, server] = await Promise.all([launch(), serve(folders)]);
  after(() => Promise.all([browser.close(), server.close()]));

  /**
   * Runs `script` in a page of a new profile, or of `context`; `fetched()` there returns the network files that were
   * requested since the page was opened.
   */
  async function runInPage(script, context) {
    const page = await (context ?? browser).newPage();
    const requested = new Set();
    page.context().on("request", (request) => requested.add(new URL(request.url()).pathname));
    await page.exposeFunction("fetched", () => files.filter((name) => requested.has(name)));
    await page.goto(`${server.url}/package.json`);
    try {
      return await page.evaluate(script);
    } finally {
      await page.close();
    }
  }

  for (const entry of ["browser", "worker"]) {
    it(`the entry ${entry} of kinestitch loads networks on demand`, async () => {
      checkReport(
        await runInPage(`import("/dist/${entry}.js").then(async (module) => {
        await module.init({ networks: { models: "/generated/" } });
        return (${runSteps})(module, fetched);
      })`),
      );
    });
  }

  it("kinestitch/slim loads networks if the URLs of its files are given", async () => {
    const report = await runInPage(`import("/dist/slim.js").then(async (module) => {
      const refused = await module.loadNetworks().catch(({ code }) => code);
      await module.init({ wasm: "/wasm/kinestitch_bg.wasm", networks: { models: "/generated" } });
      return { refused, report: await (${runSteps})(module, fetched) };
    })`);
    assert.equal(report.refused, "wasm");
    checkReport(report.report);
  });

  it("weights are downloaded once, and a damaged copy is not used", async () => {
    const context = await browser.newContext();
    const script = (before) => `(async () => {
      ${before}
      const { loadNetworks } = await import("/dist/worker.js");
      const { device } = await loadNetworks({ models: "/generated/" });
      const kept = await (await caches.open("kinestitch-models")).keys();
      return { kept: kept.map(({ url }) => url.split("/").pop()), fetched: await fetched(), device };
    })()`;
    const [first, second] = [await runInPage(script(""), context), await runInPage(script(""), context)];
    assert.ok(first.fetched.includes(weights));
    // The GPU of the tests is emulated, so "auto" uses the CPU, and nothing of the WebGPU module is loaded.
    assert.deepEqual([first.device.asked, first.device.used], ["auto", "cpu"]);
    assert.ok(gpu.every((file) => !first.fetched.includes(file)));
    assert.ok(!second.fetched.includes(weights));
    assert.deepEqual(second.kept, [sha256]);
    const damage = `const cache = await caches.open("kinestitch-models");
      for (const request of await cache.keys()) await cache.put(request, new Response("spoilt"));
      await cache.put("/.kinestitch/of-an-older-release", new Response("old"));`;
    const third = await runInPage(script(damage), context);
    assert.ok(third.fetched.includes(weights));
    assert.deepEqual(third.kept, [sha256]);
    await context.close();
  });

  it("a trapped WebGPU module is reported and unloaded", async () => {
    const context = await browser.newContext();
    // Traps as wasm does: outside of the promise, which then never settles.
    const body = `const trap = Uint8Array.of(
        0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 116, 0, 0, 10, 5, 1, 3, 0, 0, 11);
      export default async () => {};
      export class GpuRefiner {
        static load = async () => new GpuRefiner();
        refine() {
          queueMicrotask(() => new WebAssembly.Instance(new WebAssembly.Module(trap)).exports.t());
          return new Promise(() => {});
        }
      }`;
    await context.route(
      (url) => url.pathname === "/wasm/networks.js",
      (route) => route.fulfill({ contentType: "text/javascript", body }),
    );
    const script = `import("/dist/browser.js").then(async ({ init, load, stitch, networkInfo }) => {
      await init({ networks: { models: "/generated/", device: "webgpu", wasm: "/wasm/kinestitch_bg.wasm" } });
      const clips = await Promise.all(["ada-walk", "ada-run"].map((name) => load(\`/motions/\${name}.bvh\`)));
      const refine = () => stitch(clips, { method: "rmr" });
      const error = await refine().catch(({ code, message }) => [code, message]);
      const isUnloaded = (await networkInfo()) === undefined;
      await init({ networks: { device: "cpu" } });
      return { error, isUnloaded, method: (await refine()).seams[0].method };
    })`;
    const { error, isUnloaded, method } = await runInPage(script, context);
    assert.equal(error[0], "wasm");
    assert.match(error[1], /the WebGPU module stopped/);
    assert.deepEqual([isUnloaded, method], [true, "rmr"]);
    await context.close();
  });

  it("after a GPU failure the CPU finishes the work", async () => {
    const context = await browser.newContext();
    const body = `export default async () => {};
      export class GpuRefiner {
        static load = async () => new GpuRefiner();
        refine = async () => { throw Object.assign(new Error("device: Device was destroyed."), { code: "device" }); };
      }`;
    await context.route(
      (url) => url.pathname === "/wasm/networks.js",
      (route) => route.fulfill({ contentType: "text/javascript", body }),
    );
    const script = `import("/dist/browser.js").then(async ({ init, load, stitch, networkInfo }) => {
      await init({ networks: { models: "/generated/", device: "webgpu", wasm: "/wasm/kinestitch_bg.wasm" } });
      const clips = await Promise.all(["ada-walk", "ada-run"].map((name) => load(\`/motions/\${name}.bvh\`)));
      const [{ method }] = (await stitch(clips, { method: "rmr" })).seams;
      return { method, device: (await networkInfo()).device };
    })`;
    const { method, device } = await runInPage(script, context);
    assert.equal(method, "rmr");
    assert.deepEqual(device, { asked: "webgpu", used: "cpu", reason: "WebGPU failed: Device was destroyed." });
    await context.close();
  });

  it("a browser without WebGPU, or with emulated WebGPU, gives the reason", async () => {
    const script = (change) => `(async () => {
      ${change}
      const { loadNetworks } = await import("/dist/browser.js");
      const reasonFor = (device) => loadNetworks({ device, models: "/generated/" })
        .then(({ device }) => device.reason, ({ code, message }) => code + ": " + message);
      return [await reasonFor("webgpu"), await reasonFor("auto")];
    })()`;
    const [requested, auto] = await runInPage(
      script("Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined });"),
    );
    assert.match(requested, /^device: .*no WebGPU here, or no GPU for it; use "cpu" or "auto"$/);
    assert.equal(auto, "there is no WebGPU here, or no GPU for it");
    const emulated = await runInPage(script(""));
    assert.match(emulated[1], /WebGPU is emulated on the CPU/);
  });

  it("a new worker knows the networks of a terminated one, and loads them again", async () => {
    const report =
      await runInPage(`import("/dist/worker.js").then(async ({ load, loadNetworks, stitch, networkInfo }) => {
      const [walk, run] = await Promise.all(["ada-walk", "ada-run"].map((name) => load(\`/motions/\${name}.bvh\`)));
      const loaded = await loadNetworks({ device: "cpu", models: "/generated/" });
      // Long work that ignores the abort: its worker is terminated.
      const long = await stitch(Array.from({ length: 60 }, () => walk), { method: "inertialize" });
      const controller = new AbortController();
      const whole = stitch(Array.from({ length: 30 }, () => long), { method: "inertialize", signal: controller.signal }).catch(({ code }) => code);
      setTimeout(() => controller.abort(), 5);
      const stages = new Set();
      const code = await whole;
      // This request is sent to the busy worker, and again to the next worker after the termination.
      const info = await networkInfo();
      const { seams } = await stitch([walk, run], { method: "rmr", onProgress: ({ stage }) => stages.add(stage) });
      return { code, infos: [loaded, info], method: seams[0].method, again: stages.has("network") };
    })`);
    const { infos, ...rest } = report;
    assert.deepEqual(infos[1], infos[0]);
    assert.deepEqual(rest, { code: "aborted", method: "rmr", again: true });
  });
});
