// `init` of the worker link, with a simulated worker: the order of calls, and the settings after a failure.
import assert from "node:assert/strict";
import { it } from "node:test";
import { failure, load, simulatedLink } from "./simulated-link.mjs";

it("keeps the settings of a valid `init` that is called beside a failing one", async () => {
  const { link, workers, answer, answerWith } = simulatedLink();
  const failing = link.init(undefined, { do: "init", wasm: "missing.wasm", method: "crossfade" });
  const valid = link.init(undefined, { do: "init", method: "inertialize" });
  const failed = failure(failing);
  await answerWith(1, { error: { code: "wasm", message: "no such file" } });
  assert.equal(await failed, "wasm");
  await answer(1);
  await valid;
  const work = link.enqueue(load("a"), {});
  await answer(2);
  await work;
  const expected = { do: "init", method: "inertialize" };
  assert.deepEqual(
    workers.map(({ posted, ended }) => [ended, posted[0].request]),
    [
      [true, { do: "init", wasm: "missing.wasm", method: "crossfade" }],
      [false, expected],
    ],
  );
  assert.deepEqual(workers[1].posted[1].request, expected);
});

it("sends a request about networks after the settings of an earlier `init`", async () => {
  const { link, workers, answer } = simulatedLink();
  const done = link.init(undefined, { do: "init", networks: { set: "research" } });
  const info = link.network("networkInfo", {}, {});
  await answer(1);
  await done;
  await answer(2);
  await info;
  assert.deepEqual(
    workers[0].posted.map(({ request }) => request.name ?? request.do),
    ["init", "init", "networkInfo"],
  );
});
