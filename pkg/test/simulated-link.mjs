// For tests of the worker link: a link to simulated workers, which answer only when a test tells them to.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkerLink } from "../dist/worker/link.js";

/** Waits until a condition holds. */
export async function until(condition) {
  while (!condition()) await sleep(1);
}

/** Creates a link to simulated workers. They answer only when a test calls `answer` or `receive`. */
export function simulatedLink() {
  const workers = [];
  const start = () => {
    const worker = { posted: [], ended: false };
    workers.push(worker);
    return {
      listen: (receive) => (worker.receive = receive),
      post: (message) => worker.posted.push(message),
      terminate: () => (worker.ended = true),
      setBusy() {},
    };
  };
  const link = new WorkerLink({ start, read: () => assert.fail(), resolve: String });
  /** Waits until the current worker has received message number `index`. Returns the worker. */
  const waitForMessage = async (index) => {
    let worker;
    await until(() => {
      worker = workers.findLast(({ ended }) => !ended);
      return worker?.posted.length > index;
    });
    return worker;
  };
  /** Waits for message number `index`, and answers it with a result, or with other properties such as `error`. */
  const answerWith = async (index, answer) => {
    const worker = await waitForMessage(index);
    worker.receive({ call: worker.posted[index].call, ...answer });
  };
  const answer = (index, result = { name: "", frames: 1, fps: 30 }) => answerWith(index, { result });
  return { link, workers, waitForMessage, answer, answerWith };
}

export const load = (name) => ({ do: "task", name: "load", args: [new Blob([name])], options: { name } });
export const packed = (id) => ({ id, name: id, frames: 2, fps: 30, kind: "biped", bytes: new Uint8Array(8) });
export const failure = (promise) =>
  promise.then(
    () => assert.fail("it did not fail"),
    (error) => error.code,
  );
