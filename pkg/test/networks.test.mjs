// Networks in Node: found, checked, loaded once, and refining seams on the CPU with generated networks.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { init, KinestitchError, load, loadNetworks, loop, networkInfo, networkModels, stitch } from "kinestitch";
import { GpuHost } from "../dist/networks/gpu-host.js";
import { rejectOnCrash } from "../dist/networks/gpu.js";
import { LAYOUT, refinerBytes, writeRefiners } from "./generated-networks.mjs";
import { root, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-networks-"));
after(() => rmSync(folder, { recursive: true }));
const models = join(folder, "models");
const manifest = writeRefiners(models);
const [first] = manifest.networks;
const [weights] = first.files;
const fixture = (name) => load(join(root, "tests", "fixtures", name));

/** A copy of a models folder in which `change` has modified the first weights and their manifest entry. */
function altered(name, change) {
  const copy = join(folder, name);
  mkdirSync(copy);
  const { bytes, entry = {} } = change(readFileSync(join(models, weights.name)));
  writeFileSync(join(copy, weights.name), bytes);
  writeFileSync(
    join(copy, "manifest.json"),
    JSON.stringify({ version: 2, networks: [{ ...first, files: [{ ...weights, ...entry }] }] }),
  );
  return copy;
}

async function failure(promise) {
  const error = await promise.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );
  assert.ok(error instanceof KinestitchError, String(error?.stack));
  return error;
}

describe("before a network is loaded", () => {
  it("networkInfo() is undefined, and clips are joined without a network", async () => {
    assert.equal(await networkInfo(), undefined);
    const result = await stitch([await load(walk()), await load(walk())]);
    assert.ok(["crossfade", "inertialize"].includes(result.seams[0].method), result.seams[0].method);
    assert.ok(result.seams[0].trials.every(({ options }) => options.method !== "rmr"));
    assert.equal(result.seams[0].driftCm, undefined);
    assert.equal(await networkInfo(), undefined);
  });

  it("networkModels() lists the manifest", async () => {
    assert.deepEqual(await networkModels({ models }), manifest.networks);
    assert.deepEqual(await networkModels({ models, for: "stitch" }), manifest.networks);
    // Every network of the package has a licence.
    for (const { licence, data } of await networkModels()) assert.ok(licence && data.every((source) => source.licence));
    assert.equal(await networkInfo(), undefined);
  });

  it("damaged, truncated and foreign weights are refused", async () => {
    const cases = {
      damaged: [
        (bytes) => ((bytes[bytes.length >> 1] ^= 1), { bytes }),
        /are not the .* of their manifest: its SHA-256 is different; copy/,
      ],
      truncated: [(bytes) => ({ bytes: bytes.subarray(0, 1000) }), /1000 bytes where \d+ are needed/],
      // Manifest and file agree in these, so the network itself must refuse them.
      foreign: [() => withEntry(Buffer.from("no weights at all")), /not a complete safetensors file/],
      older: [
        () => withEntry(refinerBytes({ set: "open", layout: 99 })),
        new RegExp(`layout version 99 where ${LAYOUT}`),
      ],
      other: [() => withEntry(refinerBytes({ set: "open", name: "delta" })), /the network "delta", where "rmr"/],
      "of the first release": [() => withEntry(Buffer.from("KINESTCH and so on")), /an earlier release/],
    };
    for (const [name, [change, message]] of Object.entries(cases)) {
      const error = await failure(loadNetworks({ models: altered(name, change) }));
      assert.equal(error.code, "weights", error.message);
      assert.match(error.message, message);
    }
    function withEntry(bytes) {
      return { bytes, entry: { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") } };
    }
  });

  it("an error names the missing or wrong file of a folder", async () => {
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const missing = await failure(loadNetworks({ models: empty }));
    assert.equal(missing.code, "weights");
    assert.match(missing.message, /empty.manifest\.json: no such file; copy models\//);
    for (const text of [
      "<!doctype html>",
      "{}",
      JSON.stringify({ version: 2, networks: [{ ...first, files: [{ ...weights, name: "../secret" }] }] }),
    ]) {
      writeFileSync(join(empty, "manifest.json"), text);
      const nonsense = await failure(loadNetworks({ models: empty }));
      assert.equal(nonsense.code, "weights");
      assert.match(nonsense.message, /not a manifest of Kinestitch networks/);
      if (text === "{}") assert.match(nonsense.message, /its "version" is missing, not 2/);
    }
    copyFileSync(join(models, "manifest.json"), join(empty, "manifest.json"));
    const incomplete = await failure(loadNetworks({ models: pathToFileURL(empty) }));
    assert.deepEqual([incomplete.code, incomplete.message.includes("rmr-open.safetensors")], ["weights", true]);
  });

  it("wrong options are refused", async () => {
    const set = await failure(loadNetworks({ models, set: "secret" }));
    assert.deepEqual([set.code, /"secret".*there is "/.test(set.message)], ["option", true]);
    const device = await failure(loadNetworks({ device: "tpu" }));
    assert.deepEqual([device.code, /auto, webgpu, cpu/.test(device.message)], ["option", true]);
    const webgpu = await failure(loadNetworks({ models, set: first.set, device: "webgpu" }));
    assert.equal(webgpu.code, "device", webgpu.message);
    assert.equal(await networkInfo(), undefined);
  });

  it("a dog is refused, and nothing is loaded for it", async () => {
    const dog = await fixture("cleo-walk.bvh");
    const error = await failure(stitch([dog, dog], { method: "rmr" }));
    assert.equal(error.code, "rig");
    assert.match(error.message, /withRig/);
    assert.equal(await networkInfo(), undefined);
  });
});

describe("the refiner", { timeout: 120_000 }, () => {
  const pair = () => Promise.all([fixture("ada-walk.bvh"), fixture("ada-run.bvh")]);

  it("loads on first need and refines the seam", async () => {
    await init({ networks: { device: "auto", set: first.set, models } });
    const [walk, run] = await pair();
    const seen = [];
    const result = await stitch([walk, run], { method: "rmr", onProgress: (progress) => seen.push(progress) });
    const stages = [...new Set(seen.map(({ stage }) => stage))];
    assert.deepEqual(
      stages.filter((stage) => ["blend", "network", "refine", "foot-lock"].includes(stage)),
      ["blend", "network", "refine", "foot-lock"],
    );
    const network = seen.filter(({ stage }) => stage === "network");
    assert.deepEqual([network[0].done, network.at(-1).done], [0, 1]);
    assert.ok(network.at(-1).totalBytes >= weights.bytes && network.at(-1).bytes === network.at(-1).totalBytes);

    const plain = await stitch([walk, run], { method: "inertialize" });
    assert.equal(result.frames, plain.frames);
    assert.deepEqual(result.starts, plain.starts);
    assert.ok(result.positions().every(Number.isFinite));
    const [seam] = result.seams;
    assert.equal(seam.method, "rmr");
    assert.equal(seam.frame, plain.seams[0].frame);
    assert.ok(Number.isFinite(seam.driftCm) && seam.driftCm >= 0, `drift ${seam.driftCm}`);
    const { from, to } = seam.editedRange;
    assert.ok(from < seam.frame && seam.frame < to, `edited ${from} to ${to} around ${seam.frame}`);
    assert.notDeepEqual(result.positions(), plain.positions());
  });

  it("is the default only if init names it, and only for bipeds", async () => {
    const info = await networkInfo();
    const { device, ...model } = info;
    assert.deepEqual(model, first);
    assert.deepEqual([device.asked, device.used], ["auto", "cpu"]);
    assert.match(device.reason, /no WebGPU/);
    const [walk, run] = await pair();
    assert.notEqual((await stitch([walk, run])).seams[0].method, "rmr");
    await init({ method: "rmr" });
    const seen = new Set();
    const result = await stitch([walk, run], { onProgress: ({ stage }) => seen.add(stage) });
    assert.equal(result.seams[0].method, "rmr");
    assert.ok(!seen.has("network") && seen.has("refine"));
    const dog = await fixture("cleo-walk.bvh");
    assert.notEqual((await stitch([dog, dog])).seams[0].method, "rmr");
    assert.notEqual((await loop(await dog.slice(0, 1))).seam.method, "rmr");
    assert.equal((await stitch([walk, run], { method: "crossfade" })).seams[0].method, "crossfade");
    await init({ method: "inertialize" });
  });

  it("gives the same result to several callers at once", async () => {
    const [walk, run] = await pair();
    const results = await Promise.all(
      [
        [walk, run],
        [run, walk],
        [walk, run],
      ].map((clips) => stitch(clips, { method: "rmr" })),
    );
    assert.deepEqual(results[0].positions(), results[2].positions());
    assert.notDeepEqual(results[0].positions(), results[1].positions());
  });

  it("stops at an abort in any stage", async () => {
    const [walk, run] = await pair();
    for (const stop of ["blend", "network", "refine", "foot-lock"]) {
      // Another address of the same folder, so the network is loaded again.
      await init({ networks: { models: stop === "network" ? pathToFileURL(models) : models } });
      const controller = new AbortController();
      const onProgress = ({ stage }) => stage === stop && controller.abort();
      const error = await failure(stitch([walk, run], { method: "rmr", signal: controller.signal, onProgress }));
      assert.equal(error.code, "aborted", stop);
    }
    const thrown = new TypeError("thrown by the test");
    let throwCount = 0;
    const throwing = stitch([walk, run], {
      method: "rmr",
      onProgress: ({ stage }) => {
        if (stage !== "refine") return;
        throwCount++;
        throw thrown;
      },
    });
    assert.deepEqual([await throwing.catch((error) => error), throwCount], [thrown, 1]);
    assert.equal((await stitch([walk, run], { method: "rmr" })).seams[0].method, "rmr");
  });

  it("continues to load for other callers if one of them aborts", async () => {
    await init({ networks: { models: `${models}/.` } });
    const controller = new AbortController();
    const leaving = failure(loadNetworks({ signal: controller.signal }));
    const staying = loadNetworks({ device: "cpu" });
    controller.abort();
    assert.equal((await leaving).code, "aborted");
    const loaded = await staying;
    assert.deepEqual([loaded.device.asked, loaded.device.used], ["cpu", "cpu"]);
    assert.deepEqual(await loadNetworks(), loaded);
  });
});

describe("the WebGPU module", () => {
  it("is started once for concurrent callers, and continues if one of them aborts", async () => {
    const script = `data:text/javascript,${encodeURIComponent(`
      globalThis.gpuModuleStarts = 0;
      export default async () => globalThis.gpuModuleStarts++;`)}`;
    let reads = 0;
    const read = async () => {
      reads++;
      await new Promise(setImmediate);
      return new Uint8Array();
    };
    const host = new GpuHost(read, () => undefined);
    const settings = { wasm: "https://site.invalid/networks_bg.wasm", script };
    const controller = new AbortController();
    const leaving = failure(host.start(settings, { signal: controller.signal }));
    const staying = [host.start(settings, {}), host.start(settings, {})];
    controller.abort();
    assert.equal((await leaving).code, "aborted");
    const [first, second] = await Promise.all(staying);
    assert.equal(first, second);
    assert.equal(await host.start(settings, {}), first);
    assert.deepEqual([reads, globalThis.gpuModuleStarts], [1, 1]);
  });

  it("is not started again while it starts, although the only caller has aborted", async () => {
    const script = `data:text/javascript,${encodeURIComponent(`
      globalThis.slowGpuModuleStarts = 0;
      export default () => {
        globalThis.slowGpuModuleStarts++;
        return globalThis.gpuModuleStarted;
      };`)}`;
    let endStart;
    globalThis.gpuModuleStarted = new Promise((resolve) => (endStart = resolve));
    const host = new GpuHost(
      async () => new Uint8Array(),
      () => undefined,
    );
    const settings = { wasm: "https://site.invalid/networks_bg.wasm", script };
    const controller = new AbortController();
    const leaving = failure(host.start(settings, { signal: controller.signal }));
    while (!globalThis.slowGpuModuleStarts) await new Promise(setImmediate);
    controller.abort();
    assert.equal((await leaving).code, "aborted");
    const again = host.start(settings, {});
    endStart();
    await again;
    assert.equal(globalThis.slowGpuModuleStarts, 1);
  });

  it("rejects a call during which it crashes, and then no longer listens for errors", async () => {
    const listeners = new Set();
    globalThis.addEventListener = (_, listener) => listeners.add(listener);
    globalThis.removeEventListener = (_, listener) => listeners.delete(listener);
    try {
      const crashed = failure(rejectOnCrash(() => new Promise(() => undefined)));
      for (const listener of listeners) listener({ error: new WebAssembly.RuntimeError("unreachable") });
      assert.equal((await crashed).code, "wasm");
      const thrown = failure(
        rejectOnCrash(() => {
          throw new KinestitchError("option", "thrown at once");
        }),
      );
      assert.equal((await thrown).code, "option");
      assert.equal(listeners.size, 0);
    } finally {
      delete globalThis.addEventListener;
      delete globalThis.removeEventListener;
    }
  });
});
