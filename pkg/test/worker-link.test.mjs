// The page's side of the worker link with a simulated worker: order, aborts, motions, and values that cannot be sent.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkerLink } from "../dist/worker/link.js";
import { startWorker } from "../dist/worker/web.js";
import { failure, load, packed, simulatedLink, until } from "./simulated-link.mjs";

/** Longer than the time in which an aborted computation may end (GRACE_MS of link.ts), milliseconds. */
const AFTER_GRACE = 80;

describe("the worker's link", { timeout: 60_000 }, () => {
  it("starts nothing before the first request, and sends one at a time", async () => {
    const { link, workers, waitForMessage, answer } = simulatedLink();
    assert.equal(workers.length, 0);
    const both = [link.enqueue(load("a"), {}), link.enqueue(load("b"), {})];
    await waitForMessage(0);
    await sleep(5);
    assert.equal(workers[0].posted.length, 1);
    await answer(0);
    await answer(1);
    await Promise.all(both);
    assert.deepEqual(
      workers[0].posted.map(({ request }) => request.options.name),
      ["a", "b"],
    );
  });

  it("continues after an error", async () => {
    const { link, workers, answer, answerWith } = simulatedLink();
    const first = link.enqueue(load("a"), {});
    const second = link.enqueue(load("b"), {});
    await answerWith(0, { error: { code: "bvh", message: "no", line: 3 } });
    assert.equal(await failure(first), "bvh");
    await answer(1);
    await second;
    assert.equal(workers.length, 1);
  });

  it("drops a queued request that is aborted", async () => {
    const { link, workers, answer } = simulatedLink();
    const controller = new AbortController();
    const first = link.enqueue(load("a"), {});
    const second = link.enqueue(load("b"), { signal: controller.signal });
    controller.abort();
    assert.equal(await failure(second), "aborted");
    await answer(0);
    await first;
    await sleep(AFTER_GRACE);
    assert.deepEqual([workers.length, workers[0].ended, workers[0].posted.length], [1, false, 1]);
  });

  it("keeps a worker that answers soon after an abort", async () => {
    const { link, workers, waitForMessage, answer } = simulatedLink();
    const controller = new AbortController();
    const work = link.enqueue(load("a"), { signal: controller.signal });
    await waitForMessage(0);
    controller.abort();
    assert.equal(await failure(work), "aborted");
    await answer(0);
    await sleep(AFTER_GRACE);
    assert.equal(workers[0].ended, false);
  });

  it("terminates a worker that does not answer after an abort, and keeps all clips", async () => {
    const { link, workers, waitForMessage, answer } = simulatedLink();
    const work = link.enqueue(load("a"), {});
    await answer(0, { $clip: packed("a"), $report: {} });
    const clip = await work;
    assert.deepEqual([clip.name, clip.frames, clip.fps], ["a", 2, 30]);
    const controller = new AbortController();
    const text = clip.toBvh({ signal: controller.signal });
    await waitForMessage(1);
    controller.abort();
    assert.equal(await failure(text), "aborted");
    assert.equal(workers[0].ended, false);
    await until(() => workers[0].ended);
    const again = clip.toBvh();
    await answer(0, "text");
    assert.equal(await again, "text");
    const [{ request }] = workers[1].posted;
    assert.deepEqual([request.method, request.clip.$clip.id, request.clip.$clip.bytes.length], ["toBvh", "a", 8]);
  });

  it("has the settings of another link after calls of `init` that change nothing", async () => {
    const { link, answer } = simulatedLink();
    const networks = { models: "https://site.invalid/models/" };
    const init = async (index, settings) => {
      const done = link.init(undefined, { do: "init", ...settings });
      await answer(index);
      await done;
    };
    // The first message is the setup of the new worker, which has no answer.
    await init(1, { method: "crossfade", networks });
    const sibling = link.createSibling();
    await init(2, { networks: { ...networks } });
    assert.ok(sibling.hasSettingsOf(link));
    await init(3, { method: "inertialize" });
    assert.ok(!sibling.hasSettingsOf(link));
  });

  it("sends clips in arguments and options, and refuses freed clips", async () => {
    const { link, workers, answer } = simulatedLink();
    const made = link.enqueue(load("a"), {});
    await answer(0, { $clip: packed("a"), $report: { seams: [], starts: [0] }, $aligned: [packed("b")] });
    const clip = await made;
    const [aligned] = await clip.aligned();
    assert.deepEqual([clip.starts, clip.seams], [[0], []]);
    const both = link.enqueue(
      { do: "task", name: "stitch", args: [[clip, aligned]], options: { keys: [{ clip, frame: 3 }] } },
      {},
    );
    await answer(1, undefined);
    await both;
    const { args, options } = workers[0].posted[1].request;
    assert.deepEqual(
      [args[0].map(({ $clip }) => $clip.id), options.keys[0].clip.$clip.id, options.keys[0].frame],
      [["a", "b"], "a", 3],
    );
    clip.free();
    assert.equal(await failure(clip.toBvh()), "clip");
    assert.equal(await failure(link.enqueue({ do: "task", name: "stitch", args: [[clip]], options: {} }, {})), "clip");
    assert.equal(await failure(clip.aligned()), "clip");
  });

  it("sends clips that are freed while their request waits", async () => {
    const { link, workers, answer } = simulatedLink();
    const made = link.enqueue(load("a"), {});
    await answer(0, { $clip: packed("a"), $report: {} });
    const clip = await made;
    const first = link.enqueue(load("b"), {});
    const stitched = link.enqueue({ do: "task", name: "stitch", args: [[clip, clip]], options: {} }, {});
    clip.free();
    await answer(2);
    await answer(3, "joined");
    assert.deepEqual([(await first) !== undefined, await stitched], [true, "joined"]);
    const [, drop, , { request }, again] = workers[0].posted;
    assert.deepEqual([drop, again], [{ drop: ["a"] }, { drop: ["a", "a"] }]);
    assert.deepEqual(
      request.args[0].map(({ $clip }) => $clip.bytes.length),
      [8, 8],
    );
  });

  it("sends a motion once, and drops the least recently used motions", async () => {
    const { link, workers, answer } = simulatedLink();
    const large = (id) => ({ ...packed(id), bytes: { __proto__: Uint8Array.prototype, length: 40 * 2 ** 20 } });
    const clips = [];
    for (const [index, id] of ["a", "b"].entries()) {
      const made = link.enqueue(load(id), {});
      await answer(index, { $clip: large(id), $report: {} });
      clips.push(await made);
      assert.equal(workers[0].posted.length, index + 1);
    }
    // Together they have 80 MB, more than the limit: the next request evicts the older one, which it does not use.
    const text = clips[1].toBvh();
    await answer(2, "text");
    assert.equal(await text, "text");
    const [, , request, drop] = workers[0].posted;
    assert.deepEqual([request.request.clip.$clip, drop], [{ id: "b" }, { drop: ["a"] }]);
    clips[1].free();
    assert.deepEqual(workers[0].posted[4], { drop: ["b"] });
    const again = clips[0].toBvh();
    await answer(5, "again");
    assert.equal(await again, "again");
    assert.equal(workers[0].posted[5].request.clip.$clip.bytes.length, 40 * 2 ** 20);
  });

  it("refuses a value that cannot be sent, names it, and is no longer busy", async () => {
    const port = new MessageChannel().port1;
    const busy = [];
    const link = new WorkerLink({
      start: () => ({
        listen() {},
        post: (message) => port.postMessage(message),
        terminate() {},
        setBusy: (isBusy) => busy.push(isBusy),
      }),
      read: () => assert.fail(),
      resolve: String,
    });
    const error = await link
      .enqueue({ do: "task", name: "stitch", args: [], options: { fps: 30, name: () => 1 } }, {})
      .catch((error) => error);
    assert.deepEqual([error.code, error.option], ["option", "name"]);
    assert.deepEqual(busy, [true, false]);
    port.close();
  });

  it("loads networks during other work, and again if an abort terminated their worker", async () => {
    const { link, workers, waitForMessage, answer } = simulatedLink();
    const controller = new AbortController();
    const networks = link.network("loadNetworks", { device: "cpu" }, {});
    const work = link.enqueue(load("a"), { signal: controller.signal });
    await waitForMessage(1);
    assert.deepEqual(
      workers[0].posted.map(({ request }) => request.name ?? request.do),
      ["loadNetworks", "load"],
    );
    controller.abort();
    assert.deepEqual(workers[0].posted[2], { abort: workers[0].posted[1].call });
    assert.equal(await failure(work), "aborted");
    await until(() => workers[0].ended);
    const { posted } = await waitForMessage(1);
    assert.equal(workers.length, 2);
    // A new worker first receives the settings before the call, which it restores if the call fails.
    assert.deepEqual(
      posted.map(({ request }) => [request.name ?? request.do, request.networks ?? request.options]),
      [
        ["init", {}],
        ["loadNetworks", { device: "cpu" }],
      ],
    );
    await answer(1, "info");
    assert.equal(await networks, "info");
  });

  it("discards the settings of a failed call", async () => {
    const { link, workers, waitForMessage, answer, answerWith } = simulatedLink();
    const wrong = link.network("loadNetworks", { models: "wrong" }, {});
    await answerWith(0, { error: { code: "weights", message: "no" } });
    assert.equal(await failure(wrong), "weights");
    const work = link.enqueue(load("a"), {});
    await answerWith(1, { error: { code: "wasm", message: "stopped" } });
    assert.equal(await failure(work), "wasm");
    const again = link.enqueue(load("a"), {});
    const { posted } = await waitForMessage(1);
    assert.equal(workers.length, 2);
    assert.deepEqual(
      posted.map(({ request }) => [request.name ?? request.do, request.networks?.models]),
      [
        ["init", undefined],
        ["load", undefined],
      ],
    );
    await answer(1);
    await again;
  });

  it("sends an abort to the worker, and rejects at once", async () => {
    const { link, waitForMessage } = simulatedLink();
    const controller = new AbortController();
    const networks = link.network("loadNetworks", {}, { signal: controller.signal });
    const worker = await waitForMessage(0);
    controller.abort();
    const [{ call }, abort] = worker.posted;
    assert.deepEqual(abort, { abort: call });
    assert.equal(await failure(networks), "aborted");
    assert.equal(worker.ended, false);
  });

  it("terminates the worker after its wasm module stopped; the next one receives its networks", async () => {
    const { link, workers, answer, answerWith } = simulatedLink();
    const work = link.enqueue(load("a"), {});
    const networks = { preloaded: new Map([["judge/judge", undefined]]), loaded: new Map() };
    await answerWith(0, { error: { code: "wasm", message: "out of memory" }, networks });
    assert.equal(await failure(work), "wasm");
    assert.equal(workers[0].ended, true);
    const again = link.enqueue(load("a"), {});
    await answer(1);
    await again;
    assert.deepEqual(workers[1].posted[0], { networks });
  });

  it("terminates an idle worker whose memory has grown large", async () => {
    const { link, workers, answerWith } = simulatedLink();
    for (const [index, megabytes, ended] of [
      [0, 100, false],
      [1, 600, true],
    ]) {
      const work = link.enqueue(load("a"), {});
      await answerWith(index, { result: "done", megabytes });
      assert.deepEqual([await work, workers[0].ended], ["done", ended]);
    }
  });

  it("sends the motion of a result again, if its worker was terminated because of its memory", async () => {
    const { link, workers, answer, answerWith } = simulatedLink();
    const work = link.enqueue(load("a"), {});
    await answerWith(0, { result: { $clip: packed("a"), $report: {} }, megabytes: 600 });
    const text = (await work).toBvh();
    await answer(0, "text");
    assert.equal(await text, "text");
    assert.equal(workers.length, 2);
    assert.equal(workers[1].posted[0].request.clip.$clip.bytes.length, 8);
  });

  it("keeps its worker if `init` gets an invalid device", async () => {
    const { link, workers, answer } = simulatedLink();
    const first = link.enqueue(load("a"), {});
    await answer(0);
    await first;
    const init = link.init("other.js", { do: "init", networks: { device: "tpu" } });
    assert.equal(await failure(init), "option");
    assert.equal(workers[0].ended, false);
    assert.ok(link.hasSettingsOf(simulatedLink().link));
  });

  it("reports progress, and rejects with an error of the callback", async () => {
    const { link, answerWith } = simulatedLink();
    const seen = [];
    const work = link.enqueue(load("a"), {
      onProgress(progress) {
        seen.push(progress.done);
        if (progress.done === 1) throw new Error("thrown by the test");
      },
    });
    for (const done of [0.5, 1]) await answerWith(0, { progress: { stage: "parse", done } });
    await assert.rejects(work, { message: "thrown by the test" });
    assert.deepEqual(seen, [0.5, 1]);
  });
});

describe("a worker script that cannot be loaded", () => {
  const message = (wasm) => {
    let worker;
    class FakeWorker extends EventTarget {
      constructor() {
        super();
        worker = this;
      }
    }
    globalThis.Worker = FakeWorker;
    try {
      const script = { file: "worker-host.js", wasm: new URL(wasm), start: () => new FakeWorker() };
      let text;
      startWorker(script, undefined).listen(assert.fail, (reason) => (text = reason));
      worker.dispatchEvent(new Event("error", { cancelable: true }));
      return text;
    } finally {
      delete globalThis.Worker;
    }
  };

  it("is reported with advice for Vite, if Vite has moved the package's code", () => {
    assert.match(
      message("http://localhost/node_modules/.vite/wasm/kinestitch_bg.wasm"),
      /could not be loaded; .*optimizeDeps/,
    );
    assert.doesNotMatch(message("http://localhost/node_modules/kinestitch/wasm/kinestitch_bg.wasm"), /optimizeDeps/);
  });
});
