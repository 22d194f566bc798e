// What device.test.mjs does in the page: the bare wasm module, real weights, made-up rows.
import initialise, { Refiner } from "/wasm/networks.js";

const WIDTH = 161;
const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const always = () => true;

/** Rows of a body that stands and sways: unit quaternions, small numbers elsewhere. */
function rows(frames) {
  const made = new Float32Array(frames * WIDTH);
  for (let frame = 0; frame < frames; frame++) {
    for (let column = 0; column < WIDTH; column++) {
      const isRotation = column >= 36 && column < 124;
      const value = 0.1 * Math.sin(0.3 * frame + column);
      made[frame * WIDTH + column] = isRotation && (column - 36) % 4 === 3 ? 1 : isRotation ? 0 : value;
    }
  }
  return made;
}

/** What a promise rejects with. */
const failure = (promise) => promise.then(() => null, (error) => ({ code: error.code, message: error.message }));

const about = ({ asked, used, reason, cpuMilliseconds, webgpuMilliseconds }) => ({ asked, used, reason, cpuMilliseconds, webgpuMilliseconds });

// Keeps the devices that are handed out, so that a test can lose one.
const devices = [];
if (globalThis.GPUAdapter) {
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...options) {
    const device = await request.apply(this, options);
    devices.push(device);
    return device;
  };
}

await initialise({ module_or_path: "/wasm/networks_bg.wasm" });
const weights = await bytesOf("/models/rmr-research.weights");

const refine = (refiner, frames) => refiner.refine(rows(frames), new Uint32Array([frames >> 1]), always);
const same = (a, b) => a.length === b.length && a.every((value, at) => value === b[at]);

window.tests = {
  /** Largest difference between the devices in normalised units, and largest change that the network made. */
  async agreement(frames) {
    const [cpu, webgpu] = [await Refiner.load(weights, "cpu"), await Refiner.load(weights, "webgpu")];
    const [a, b, unit] = [await refine(cpu, frames), await refine(webgpu, frames), await cpu.deviations()];
    const largest = (other) => a.reduce((most, value, at) => Math.max(most, Math.abs(value - other[at]) / unit[at % WIDTH]), 0);
    return { difference: largest(b), change: largest(rows(frames)), used: [cpu.used, webgpu.used], reason: webgpu.reason };
  },
  /** Milliseconds of one pass, best of ten. */
  async speed(frames, device) {
    const refiner = await Refiner.load(weights, device);
    const times = [];
    for (let run = 0; run < 10; run++) {
      const started = performance.now();
      await refiner.forward(rows(frames));
      times.push(performance.now() - started);
    }
    return Math.min(...times);
  },
  load: async (device) => about(await Refiner.load(weights, device)),
  loadFailure: (device) => failure(Refiner.load(weights, device)),
  loadTwice: async () => (await Promise.all([0, 1].map(() => Refiner.load(weights, "webgpu")))).map(({ used }) => used),
  async wrongWeights() {
    const [damaged, layout] = [weights.slice(), weights.slice()];
    damaged[damaged.length >> 1] ^= 1;
    layout[8] ^= 64;
    const foreign = new TextEncoder().encode("not weights ".repeat(100));
    const files = { empty: new Uint8Array(), foreign, truncated: weights.subarray(0, 100_000), damaged, layout };
    const found = {};
    for (const [name, file] of Object.entries(files)) found[name] = await failure(Refiner.load(file, "cpu"));
    return found;
  },
  async wrongRows() {
    const refiner = await Refiner.load(weights, "cpu");
    const [hole, seam] = [rows(20), new Uint32Array([10])];
    hole[500] = NaN;
    const tasks = {
      empty: refiner.refine(new Float32Array(), new Uint32Array(), always),
      width: refiner.refine(new Float32Array(200), new Uint32Array(), always),
      hole: refiner.refine(hole, seam, always),
      seam: refiner.refine(rows(20), new Uint32Array([20]), always),
      aborted: refiner.refine(rows(20), seam, () => false),
      thrown: refiner.refine(rows(20), seam, () => { throw new Error("mine"); }),
    };
    const found = {};
    for (const [name, task] of Object.entries(tasks)) found[name] = await failure(task);
    const single = await refiner.refine(rows(1), new Uint32Array([0]), always);
    return { found, still: same(single, rows(1)) };
  },
  /** Refines while the GPU fails: gone "before" or "during" the work, or making a mistake that no call reports. */
  async lost(when, frames) {
    const [refiner, cpu] = [await Refiner.load(weights, "webgpu"), await Refiner.load(weights, "cpu")];
    const before = refiner.used;
    const device = devices.at(-1);
    if (when === "before") device.destroy();
    if (when === "silently") device.createBuffer({ size: 4, usage: 0x8000 }); // this usage does not exist
    const task = refine(refiner, frames);
    if (when === "during") setTimeout(() => device.destroy(), 100);
    const [refined, again, expected] = [await task, await refine(refiner, frames), await refine(cpu, frames)];
    return { before, after: refiner.used, reason: refiner.reason, same: same(refined, expected) && same(again, expected) };
  },
};
window.report = "ready";
