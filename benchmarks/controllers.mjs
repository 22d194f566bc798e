// Characters created in workers and dropped without free(): threads and memory of the process (Linux).
//
//     node --expose-gc benchmarks/controllers.mjs [200]
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as worker from "kinestitch/worker";

const count = Number(process.argv[2] ?? 200);
const threads = () => readdirSync("/proc/self/task").length;
const megabytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);
const printUsage = (label) => console.log(`${label}: ${threads()} threads, ${megabytes()} MB`);

await worker.init({ networks: { models: fileURLToPath(new URL("../models/", import.meta.url)), set: "open" } });
printUsage("before");
for (let index = 0; index < count; index++) {
  const controller = await worker.createController();
  await controller.step({ direction: [0, 1], speed: 1 }, 1 / 30);
}
printUsage(`after ${count} controllers were created and dropped`);
const controllers = await Promise.all(Array.from({ length: 40 }, () => worker.createController()));
const start = performance.now();
for (let frame = 0; frame < 30; frame++)
  await Promise.all(controllers.map((controller) => controller.step({ direction: [0, 1], speed: 1 }, 1 / 30)));
console.log(`40 held, all stepped: ${((performance.now() - start) / 30).toFixed(1)} ms a frame`);
printUsage("40 held");
for (let round = 0; round < 100 && threads() > 12; round++) {
  globalThis.gc?.();
  await sleep(50);
}
printUsage("after garbage collection, 40 still held");
controllers.forEach((controller) => controller.free());
for (let round = 0; round < 20; round++) await sleep(50);
printUsage("all freed");
