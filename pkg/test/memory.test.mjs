// Memory: unreferenced motions are released without free(). research/benchmarks/memory.mjs has the long run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import * as kinestitch from "kinestitch";
import * as worker from "kinestitch/worker";
import initialise from "../wasm/kinestitch.js";
import { walk } from "./support.mjs";

/** Each result takes more than 6 MB, so 40 leaked results would take 240 MB. */
const STITCHES = 40;
const FRAMES = 4000;
const MAX_MEGABYTES = 100;

/** Options of stitches: one method for all seams, and options of a single seam. */
const OPTIONS = {
  "one method": { method: "inertialize" },
  "own options": { seams: [{ method: "inertialize" }] },
};

// The worker reports its memory with every answer.
const workerMegabytes = [];
const { on } = Worker.prototype;
Worker.prototype.on = function (event, listener) {
  return on.call(
    this,
    event,
    event !== "message"
      ? listener
      : (message) => {
          if (message.megabytes !== undefined) workerMegabytes.push(message.megabytes);
          listener(message);
        },
  );
};

describe("memory of wasm", () => {
  for (const [name, { load, stitch }] of Object.entries({ kinestitch, worker }))
    for (const [title, options] of Object.entries(OPTIONS))
      it(`stays small over many stitches in a plain loop: ${name}, ${title}`, {
        timeout: 120_000,
      }, async () => {
        const [a, b] = await Promise.all([load(walk({ frames: FRAMES })), load(walk({ frames: FRAMES, speed: 1.6 }))]);
        for (let count = 0; count < STITCHES; count++) assert.equal((await stitch([a, b], options)).frames, 2 * FRAMES);
        const threadMegabytes = (await initialise()).memory.buffer.byteLength / 2 ** 20;
        const megabytes = name === "worker" ? Math.max(...workerMegabytes) : threadMegabytes;
        assert.ok(megabytes > 0 && megabytes < MAX_MEGABYTES, `${megabytes} MB`);
      });
});
