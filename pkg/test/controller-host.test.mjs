// Controllers in workers without wasm: lost controllers, and sessions that are released while they are created.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ControllerHost } from "../dist/worker/controller-host.js";
import { WorkerLink } from "../dist/worker/link.js";
import { STEP_ARRAYS } from "../dist/worker/protocol.js";
import { serve } from "../dist/worker/serve.js";

/** Creates a simulated controller. `log`: receives the names of the methods that are called. */
const simulatedController = (log = []) => ({
  ...Object.fromEntries(STEP_ARRAYS.map((name) => [name, new Float32Array(1)])),
  step: () => log.push("step"),
  free: () => log.push("free"),
});

/** Creates a link to workers that run on this thread. `workers`: those that were started; `fail` simulates a crash. */
function simulatedLink() {
  const workers = [];
  const start = () => {
    const worker = { isEnded: false };
    workers.push(worker);
    let toThread;
    let toPage;
    const functions = { init() {}, load() {}, createController: async () => simulatedController() };
    serve(functions, { listen: (receive) => (toThread = receive), post: (message) => toPage(message) });
    return {
      listen: (receive, fail) => {
        toPage = receive;
        worker.fail = fail;
      },
      post: (message) => void toThread(message),
      terminate: () => (worker.isEnded = true),
      setBusy() {},
    };
  };
  return { link: new WorkerLink({ start, read: () => assert.fail(), resolve: String }), workers };
}

describe("controllers in a worker", () => {
  it("that were lost reject, and the other controllers of the next worker stay usable", async () => {
    const { link, workers } = simulatedLink();
    const create = (session) => link.send({ do: "createController", session, options: {} }, {});
    const step = (session) => link.send({ do: "controllerMethod", session, method: "step", args: [] }, {});
    await create(1);
    await step(1);
    workers[0].fail("crashed by the test");
    await create(2);
    const lost = { code: "option", option: "controller", message: /was lost when its worker stopped: create it again/ };
    await assert.rejects(step(1), lost);
    assert.deepEqual(Object.keys(await step(2)), STEP_ARRAYS);
    assert.deepEqual(
      workers.map(({ isEnded }) => isEnded),
      [true, false],
    );
  });

  it("are freed if their session is released while they are created", async () => {
    const [host, log] = [new ControllerHost(), []];
    const created = host.create(1, async () => simulatedController(log), {});
    host.release(1);
    await assert.rejects(created, { code: "aborted" });
    assert.deepEqual(log, ["free"]);
  });

  it("are created in a session whose number was released before", async () => {
    const host = new ControllerHost();
    const failing = host.create(1, () => Promise.reject(new Error("thrown by the test")), {});
    await assert.rejects(failing, { message: "thrown by the test" });
    host.release(1);
    await host.create(1, async () => simulatedController(), {});
    host.call(1, "step", []);
  });
});
