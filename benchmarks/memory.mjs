// Memory of many stitches in a plain loop, main entry and worker, in Node: nothing is freed by hand.
//
//     node benchmarks/memory.mjs [--stitches 2000] [--frames 5000] [--entry kinestitch,kinestitch/worker]
//
// Prints the largest wasm memory and resident memory of the process; needs the built package (npm run build).
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { walk } from "../pkg/test/support.mjs";

const { values } = parseArgs({
  options: {
    stitches: { type: "string", default: "2000" },
    frames: { type: "string", default: "5000" },
    entry: { type: "string", default: "kinestitch,kinestitch/worker" },
  },
});
const [stitches, frames] = [Number(values.stitches), Number(values.frames)];

// The worker tells its memory with every answer.
let workerMegabytes = 0;
const { on } = Worker.prototype;
Worker.prototype.on = function (event, listener) {
  if (event !== "message") return on.call(this, event, listener);
  return on.call(this, event, (message) => {
    workerMegabytes = Math.max(workerMegabytes, message.megabytes ?? 0);
    listener(message);
  });
};

const megabytes = (bytes) => Math.round(bytes / 2 ** 20);

for (const entry of values.entry.split(",")) {
  const { load, stitch } = await import(entry);
  const [a, b] = await Promise.all([load(walk({ frames })), load(walk({ frames, speed: 1.6 }))]);
  const started = performance.now();
  let resident = 0;
  for (let count = 0; count < stitches; count++) {
    await stitch([a, b]);
    if (count % 50 === 0) resident = Math.max(resident, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - started) / 1000;
  // The module is loaded already; this gives its memory.
  const own = (await (await import("../pkg/wasm/kinestitch.js")).default().catch(() => undefined))?.memory.buffer.byteLength ?? 0;
  const wasm = entry.endsWith("worker") ? workerMegabytes : megabytes(own);
  console.log(`${entry}: ${stitches} stitches of two clips of ${frames} frames, wasm ${wasm} MB, process ${megabytes(resident)} MB, ${seconds.toFixed(0)} s`);
}
process.exit();
