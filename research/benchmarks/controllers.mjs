// Number of threads and resident memory, MB, of a Node process that creates controllers in workers and drops them
// without free(); and the time to step 40 controllers, ms per frame. Peer: none. Linux only, because threads are
// counted in /proc.
//
//     npm run build && node --expose-gc research/benchmarks/controllers.mjs [COUNT]
//
// COUNT: number of controllers that are created and dropped; default 200.
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as worker from "kinestitch/worker";

const count = Number(process.argv[2] ?? 200);
const threads = () => readdirSync("/proc/self/task").length;
const megabytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);
const printUsage = (label) => console.log(`${label}: ${threads()} threads, ${megabytes()} MB`);

await worker.init({ networks: { models: fileURLToPath(new URL("../../models/", import.meta.url)), set: "open" } });
printUsage("before");
for (let index = 0; index < count; index++) {
  const controller = await worker.createController();
  await controller.step({ direction: [0, 1], speed: 1 }, 1 / 30);
}
printUsage(`after ${count} controllers were created and dropped`);
// These are not dropped: garbage collection must free only the controllers above.
const controllers = await Promise.all(Array.from({ length: 40 }, () => worker.createController()));
const start = performance.now();
for (let frame = 0; frame < 30; frame++)
  await Promise.all(controllers.map((controller) => controller.step({ direction: [0, 1], speed: 1 }, 1 / 30)));
console.log(`40 held, all stepped: ${((performance.now() - start) / 30).toFixed(1)} ms a frame`);
printUsage("40 held");
// Repeated for at most 5 s, because a thread ends some time after its last controller is collected.
for (let round = 0; round < 100 && threads() > 12; round++) {
  globalThis.gc?.();
  await sleep(50);
}
printUsage("after garbage collection, 40 still held");
controllers.forEach((controller) => controller.free());
for (let round = 0; round < 20; round++) await sleep(50);
printUsage("all freed");
