import { init, load, stitch } from "./node_modules/kinestitch/dist/browser.js";
import * as slim from "./node_modules/kinestitch/dist/slim.js";
import * as worker from "./node_modules/kinestitch/dist/worker.js";

await init({ networks: { device: "cpu" } });
await worker.init({ networks: { device: "cpu" } });
const result = await stitch([await load("a.bvh"), await load("b.bvh")]);
const away = await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")]);
await slim.init({ wasm: "node_modules/kinestitch/wasm/kinestitch_bg.wasm" });
const small = await slim.load("a.bvh");
const options = { method: "rmr" };
const refined = [
  (await stitch([await load("a.bvh"), await load("b.bvh")], options)).seams[0].method,
  (await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")], options)).seams[0].method,
];
window.report = { refined, frames: result.frames, positions: result.positions().length, worker: (await away.positions()).length, slim: small.frames };
