// Page code of hostile-browsers.test.mjs: every hostile file on the page's thread and in the worker, aborts, and a
// trapped module.
import * as main from "../node_modules/kinestitch/dist/browser.js";
import * as worker from "../node_modules/kinestitch/dist/worker.js";
import start from "../node_modules/kinestitch/wasm/kinestitch.js";

const bytesOf = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
const codeOf = (error) =>
  error.name === "KinestitchError" || error.name === "AbortError" ? error.code : `untyped: ${error}`;

await main.load("../a.bvh");
await worker.load("../a.bvh");
const files = await (await fetch("../hostile/list.json")).json();
const rows = [];
for (const [file, name, expected] of files) {
  for (const [reader, { load }] of Object.entries({ page: main, worker })) {
    const bytes = await bytesOf(`../hostile/${file}`);
    const before = performance.now();
    const result = await load(bytes).then(() => "ok", codeOf);
    rows.push({ name, reader, expected, result, ms: performance.now() - before });
  }
}

const [slowest] = files.find(([, name]) => name.startsWith("1e6 keys"));
/** Results of aborted loads, and the time from the abort to the rejection, milliseconds. */
const aborts = [];
for (const delay of [0, 20, 100]) {
  const stop = new AbortController();
  const loading = worker.load(await bytesOf(`../hostile/${slowest}`), { signal: stop.signal }).then(() => "ok", codeOf);
  await new Promise((resolve) => setTimeout(resolve, delay));
  const before = performance.now();
  stop.abort();
  aborts.push({ result: await loading, ms: performance.now() - before });
}
const framesAfterAborts = (await worker.load("../a.bvh")).frames;

const clip = await main.load("../a.bvh");
// Overwrites the module's memory, so that its next call traps.
new Uint8Array((await start()).memory.buffer).fill(0xff);
let codeOfTrap = "none";
try {
  // Positions need no wasm; a mirrored copy does.
  await clip.mirror();
} catch (error) {
  codeOfTrap = codeOf(error);
}
const framesAfterTrap = (await main.stitch([clip, await main.load("../b.bvh")], { method: "inertialize" })).frames;
window.report = { rows, aborts, framesAfterAborts, codeOfTrap, framesAfterTrap };
