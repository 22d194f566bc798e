// The page's side of the worker against a worker made of paper: order, aborts, recipes, freeing.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkerLink } from "../dist/worker-link.js";

/** Workers that answer only when told to. */
function paper() {
  const workers = [];
  const start = () => {
    const worker = { posted: [], ended: false };
    workers.push(worker);
    return {
      listen: (receive) => (worker.receive = receive),
      post: (message) => worker.posted.push(message),
      terminate: () => (worker.ended = true),
      busy() {},
    };
  };
  const link = new WorkerLink({ start, read: () => assert.fail(), resolve: String });
  /** Waits for request number `index` of the present worker, and answers it. */
  const answer = async (index, result = { name: "", frames: 1, fps: 30 }) => {
    let worker;
    for (; !(worker?.posted.length > index); await sleep(1)) worker = workers.findLast(({ ended }) => !ended);
    worker.receive({ call: worker.posted[index].call, result });
  };
  return { link, workers, answer };
}

const recipe = (name) => ({ make: "load", file: new Blob([name]), options: { name } });
const failure = (promise) => promise.then(() => assert.fail("it did not fail"), (error) => error.code);

describe("the worker's link", () => {
  it("starts nothing before the first request, and sends one at a time", async () => {
    const { link, workers, answer } = paper();
    assert.equal(workers.length, 0);
    const both = [link.make(recipe("a"), [], {}), link.make(recipe("b"), [], {})];
    await sleep(5);
    assert.equal(workers[0].posted.length, 1);
    await answer(0);
    await answer(1);
    await Promise.all(both);
    assert.deepEqual(workers[0].posted.map(({ request }) => request.recipe.options.name), ["a", "b"]);
  });

  it("goes on after an error", async () => {
    const { link, workers, answer } = paper();
    const first = link.make(recipe("a"), [], {});
    const second = link.make(recipe("b"), [], {});
    await sleep(1);
    workers[0].receive({ call: workers[0].posted[0].call, error: { code: "bvh", message: "no", line: 3 } });
    assert.equal(await failure(first), "bvh");
    await answer(1);
    await second;
    assert.equal(workers.length, 1);
  });

  it("forgets what was aborted in the queue", async () => {
    const { link, workers, answer } = paper();
    const controller = new AbortController();
    const first = link.make(recipe("a"), [], {});
    const second = link.make(recipe("b"), [], { signal: controller.signal });
    controller.abort();
    assert.equal(await failure(second), "aborted");
    await answer(0);
    await first;
    await sleep(80);
    assert.deepEqual([workers.length, workers[0].ended, workers[0].posted.length], [1, false, 1]);
  });

  it("leaves a worker alone that ends soon after an abort", async () => {
    const { link, workers, answer } = paper();
    const controller = new AbortController();
    const work = link.make(recipe("a"), [], { signal: controller.signal });
    await sleep(1);
    controller.abort();
    assert.equal(await failure(work), "aborted");
    await answer(0);
    await sleep(80);
    assert.equal(workers[0].ended, false);
  });

  it("ends a worker that does not, and makes its clips again when they are next used", async () => {
    const { link, workers, answer } = paper();
    const made = [];
    for (const [index, needs] of [[0, []], [1, []], [2, [0, 1]]]) {
      const work = link.make(recipe(String(index)), needs.map((need) => made[need]), {});
      await answer(index);
      made.push((await work).entry);
    }
    const controller = new AbortController();
    const work = link.read(made[2], "toBvh", { signal: controller.signal });
    await sleep(1);
    controller.abort();
    assert.equal(await failure(work), "aborted");
    assert.equal(workers[0].ended, false);
    await sleep(80);
    assert.equal(workers[0].ended, true);
    const again = link.read(made[2], "toBvh", {});
    for (let index = 0; index < 3; index++) await answer(index);
    await answer(3, "text");
    assert.equal(await again, "text");
    const { posted } = workers[1];
    assert.deepEqual(posted.map(({ request }) => request.recipe?.options.name ?? request.method), ["0", "1", "2", "toBvh"]);
    assert.deepEqual(posted.slice(0, 3).map(({ request }) => request.id), made.map(({ id }) => id));
  });

  it("loads networks beside other work, and once more where an abort ended their worker", async () => {
    const { link, workers, answer } = paper();
    const controller = new AbortController();
    const networks = link.network("loadNetworks", { device: "cpu" });
    const work = link.make(recipe("a"), [], { signal: controller.signal });
    await sleep(1);
    // A worker is told the settings first.
    assert.deepEqual(workers[0].posted.map(({ request }) => request.do), ["init", "loadNetworks", "make"]);
    controller.abort();
    assert.deepEqual(workers[0].posted[3], { abort: workers[0].posted[2].call });
    assert.equal(await failure(work), "aborted");
    await sleep(80);
    assert.deepEqual([workers.length, workers[0].ended, link.hasNetworks], [2, true, false]);
    const { posted } = workers[1];
    assert.deepEqual(posted.map(({ request }) => [request.do, request.networks ?? request.options]), [["init", { device: "cpu" }], ["loadNetworks", { device: "cpu" }]]);
    await answer(1, "info");
    assert.deepEqual([await networks, link.hasNetworks], ["info", true]);
    // Other settings are another network.
    const other = link.init(undefined, { do: "init", networks: { device: "auto" } });
    await answer(2);
    await other;
    assert.equal(link.hasNetworks, false);
  });

  it("passes an abort on to the worker, and frees the wait at once", async () => {
    const { link, workers } = paper();
    const controller = new AbortController();
    const networks = link.network("loadNetworks", { signal: controller.signal });
    await sleep(1);
    controller.abort();
    const [{ call }, abort] = workers[0].posted;
    assert.deepEqual(abort, { abort: call });
    assert.equal(await failure(networks), "aborted");
    assert.equal(workers[0].ended, false);
  });

  it("begins anew after wasm stopped", async () => {
    const { link, workers } = paper();
    const work = link.make(recipe("a"), [], {});
    await sleep(1);
    workers[0].receive({ call: workers[0].posted[0].call, error: { code: "wasm", message: "out of memory" } });
    assert.equal(await failure(work), "wasm");
    assert.equal(workers[0].ended, true);
  });

  it("passes progress on, and an error of the callback back", async () => {
    const { link, workers } = paper();
    const seen = [];
    const work = link.make(recipe("a"), [], {
      onProgress(progress) {
        seen.push(progress.done);
        if (progress.done === 1) throw new Error("mine");
      },
    });
    await sleep(1);
    for (const done of [0.5, 1]) workers[0].receive({ call: workers[0].posted[0].call, progress: { stage: "parse", done } });
    await assert.rejects(work, { message: "mine" });
    assert.deepEqual(seen, [0.5, 1]);
  });

  it("frees clips nobody holds", { skip: globalThis.gc ? false : "run with --expose-gc" }, async () => {
    const { link, workers, answer } = paper();
    const kept = link.make(recipe("kept"), [], {});
    await answer(0);
    const { entry } = await kept;
    await (async () => {
      const work = link.make(recipe("lost"), [], {});
      await answer(1);
      await work;
    })();
    const frees = () => workers[0].posted.filter((message) => "free" in message);
    for (let round = 0; round < 50 && frees().length === 0; round++) {
      globalThis.gc();
      await sleep(5);
    }
    assert.deepEqual(frees(), [{ free: workers[0].posted[1].request.id }]);
    assert.ok(entry.id > 0);
  });
});
