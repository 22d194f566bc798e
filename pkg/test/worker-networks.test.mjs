// Networks of kinestitch/worker after its worker has ended: they are loaded again when they are needed, with the same
// settings, as if the worker had not ended.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as kinestitch from "kinestitch";
import * as worker from "kinestitch/worker";
import { platform } from "../dist/core/platform.js";
import { connect } from "../dist/worker/tasks.js";
import { DELTA_LAYOUT, deltaBytes, entryOf, refinerBytes } from "./generated-networks.mjs";
import { failure, root, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-worker-networks-"));
after(() => rmSync(folder, { recursive: true }));

/** Writes a refiner and a network for in-betweens of each set, and the judge of the package. Returns the folder. */
function writeNetworks() {
  const models = mkdtempSync(join(folder, "models-"));
  const networks = ["open", "research"].flatMap((set) =>
    [
      [`rmr-${set}`, refinerBytes({ set }), { set }],
      [`delta-${set}`, deltaBytes(set), { name: "delta", task: "inbetween", layout: DELTA_LAYOUT, set }],
    ].map(([name, bytes, entry]) => {
      writeFileSync(join(models, `${name}.safetensors`), bytes);
      return entryOf(`${name}.safetensors`, bytes, entry);
    }),
  );
  const judge = JSON.parse(readFileSync(join(root, "models", "manifest.json"), "utf8")).networks.find(
    (network) => network.for === "judge",
  );
  for (const { name } of judge.files) copyFileSync(join(root, "models", name), join(models, name));
  writeFileSync(join(models, "manifest.json"), JSON.stringify({ version: 2, networks: [...networks, judge] }));
  return models;
}

const models = writeNetworks();
const INFOS = [{}, { for: "inbetween" }, { for: "judge" }];
/** Returns the networks that an entry has loaded. */
const infosOf = (entry) => Promise.all(INFOS.map((options) => entry.networkInfo(options)));
const setsOf = async (entry) => (await infosOf(entry)).map((info) => info?.set);

/** Returns the method that fills a gap if the options name none. */
async function defaultMethodOf(entry, clip) {
  const keys = [
    { clip, frame: 5 },
    { clip, frame: 40 },
  ];
  return (await entry.inbetween(keys, { frames: 20 })).gaps[0].method;
}

/** Ends the worker, as a crash does. */
const endWorker = () => connect().end();

describe("networks of a worker that has ended", { timeout: 120_000 }, () => {
  let clips;
  before(async () => {
    clips = await Promise.all([worker.load(walk()), worker.load(walk({ speed: 2 }))]);
    await worker.init({ networks: { models, device: "cpu" } });
  });

  it("do not include those of an aborted call", async () => {
    const controller = new AbortController();
    // A server that never answers a request for weights. Meanwhile, another call is answered.
    const server = createServer((request, response) => {
      if (request.url.endsWith("manifest.json")) response.end(readFileSync(join(models, "manifest.json")));
      else worker.load(walk()).then(() => controller.abort());
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { signal } = controller;
    const url = `http://127.0.0.1:${server.address().port}/`;
    const loading = worker.loadNetworks({ for: "inbetween", name: "delta", set: "research", models: url, signal });
    assert.equal((await failure(loading)).code, "aborted");
    server.closeAllConnections();
    server.close();
    for (const end of [endWorker, () => {}]) {
      end();
      assert.deepEqual(await setsOf(worker), [undefined, undefined, undefined]);
      assert.equal(await defaultMethodOf(worker, clips[0]), "inertialize");
    }
    assert.equal((await worker.loadNetworks({ for: "inbetween", name: "delta" })).set, "open");
  });

  it("keep no settings of a call that failed in a new worker", async () => {
    endWorker();
    const error = await failure(worker.loadNetworks({ models: join(folder, "nowhere") }));
    assert.equal(error.code, "weights");
    assert.equal((await worker.loadNetworks()).set, "open");
  });

  it("are used and described as before, after an abort too", async () => {
    for (const options of [{ for: "inbetween" }, { for: "judge" }]) await worker.loadNetworks(options);
    const report = async () => {
      const { seams } = await worker.stitch(clips, { maxCut: 0.1 });
      const trials = seams[0].trials.map(({ options, score }) => ({ options, score }));
      return { infos: await infosOf(worker), trials, defaultMethod: await defaultMethodOf(worker, clips[0]) };
    };
    const expected = await report();
    assert.equal(expected.defaultMethod, "delta");
    assert.deepEqual(
      expected.infos.map(({ name }) => name),
      ["rmr", "delta", "judge"],
    );
    for (const wanted of [{ method: "rmr" }, { gapMethod: "delta" }])
      assert.ok(
        expected.trials.some(({ options }) => Object.entries(wanted).every(([name, value]) => options[name] === value)),
      );

    const long = await worker.load(walk({ frames: 40_000 }));
    const controller = new AbortController();
    const text = long.toBvh({ signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    assert.equal((await failure(text)).code, "aborted");
    // Until the worker is terminated (GRACE_MS of link.ts).
    await sleep(80);
    // Before any network is loaded again, after a call that needs none, and after a second end.
    assert.deepEqual(await infosOf(worker), expected.infos);
    await worker.load(walk());
    endWorker();
    assert.deepEqual(await infosOf(worker), expected.infos);
    assert.deepEqual(await report(), expected);
  });

  it("are described too if another call than loadNetworks has loaded them", async () => {
    await worker.init({ networks: { set: "research" } });
    await worker.stitch(clips, { method: "rmr" });
    const info = await worker.networkInfo();
    assert.equal(info.set, "research");
    endWorker();
    assert.deepEqual(await worker.networkInfo(), info);
    await worker.init({ networks: { set: "open" } });
  });

  it("give the error of loading to the call that needs them", async () => {
    await worker.loadNetworks({ for: "inbetween" });
    endWorker();
    renameSync(join(models, "manifest.json"), join(models, "hidden.json"));
    try {
      assert.equal((await worker.load(walk())).frames, 60);
      for (const work of [() => defaultMethodOf(worker, clips[0]), () => worker.stitch(clips)])
        assert.equal((await failure(work)).code, "weights");
    } finally {
      renameSync(join(models, "hidden.json"), join(models, "manifest.json"));
    }
    assert.equal(await defaultMethodOf(worker, clips[0]), "delta");
  });

  it("keep their own settings, and forget what `kinestitch` forgets after `init`", async () => {
    const reports = [];
    platform().networks().reset();
    for (const [entry, end] of [
      [kinestitch, () => {}],
      [worker, endWorker],
    ]) {
      const report = [];
      const add = async (...options) => {
        for (const each of options) report.push((await entry.loadNetworks(each)).set);
        end();
        report.push(await setsOf(entry));
      };
      await entry.init({ networks: { models, device: "cpu", set: "open" } });
      await add({}, { for: "judge", set: "open" }, { for: "inbetween", name: "delta", set: "research" });
      // Calls without a set use the set of `init`, and for a network that was loaded by name its own.
      await add({}, { for: "inbetween", name: "delta" });
      for (const networks of [{ set: "research" }, { set: "open" }]) {
        end();
        await entry.init({ networks });
        await add();
        const clip = await entry.load(walk());
        report.push(await defaultMethodOf(entry, clip));
        await add({});
        await add({ for: "inbetween" });
      }
      // With another folder, even if the first call in a new worker names it.
      const otherModels = writeNetworks();
      await add({ models: otherModels });
      await add({ for: "judge" }, { for: "inbetween" });
      reports.push(report);
    }
    assert.deepEqual(reports[0][3], ["open", "research", "open"]);
    assert.deepEqual(reports[1], reports[0]);
  });

  it("do not change the settings of the threads of controllers", async () => {
    await worker.loadNetworks({ for: "judge", models: join(root, "models") });
    await worker.loadNetworks({ name: "rmr", set: "research" });
    const thread = connect().createSibling();
    const request = { do: "task", name: "loadNetworks", args: [], options: {} };
    const { set, licence } = await thread.enqueue(request, {});
    assert.deepEqual([set, licence], ["open", "for tests"]);
    thread.end();
  });
});
