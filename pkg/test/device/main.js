// Page code of device.test.mjs: the bare wasm modules, with generated weights and rows.
import startCpu, { CpuRefiner } from "/wasm/live.js";
import startGpu, { GpuRefiner } from "/wasm/networks.js";

const WIDTH = 161;
const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const always = () => true;

/** Rows of a standing, swaying body: unit quaternions, small values elsewhere. */
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

/** The rejection of a promise. */
const failure = (promise) =>
  promise.then(
    () => null,
    (error) => ({ code: error.code, message: error.message }),
  );

// Records the devices, so that a test can lose one.
const devices = [];
if (globalThis.GPUAdapter) {
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...options) {
    const device = await request.apply(this, options);
    devices.push(device);
    return device;
  };
}

await Promise.all([
  startCpu({ module_or_path: "/wasm/live_bg.wasm" }),
  startGpu({ module_or_path: "/wasm/networks_bg.wasm" }),
]);
const weights = await bytesOf("/made/rmr-open.safetensors");

function onCpu(frames) {
  const work = new CpuRefiner(weights).begin(rows(frames), Uint32Array.of(frames >> 1));
  while (work.step() < 1);
  return work.rows();
}
const onGpu = (refiner, frames) => refiner.refine(rows(frames), Uint32Array.of(frames >> 1), always);

window.tests = {
  /** Largest difference between the devices, and largest change by the network. */
  async agreement(frames) {
    const [a, b] = [onCpu(frames), await onGpu(await GpuRefiner.load(weights), frames)];
    const largest = (other) => a.reduce((max, value, i) => Math.max(max, Math.abs(value - other[i])), 0);
    return { difference: largest(b), change: largest(rows(frames)) };
  },
  /** Milliseconds per pass, lowest of ten. */
  speed(frames) {
    const refiner = new CpuRefiner(weights);
    const times = Array.from({ length: 10 }, () => {
      const started = performance.now();
      refiner.forward(rows(frames));
      return performance.now() - started;
    });
    return Math.min(...times);
  },
  loadTwice: async () => (await Promise.all([0, 1].map(() => GpuRefiner.load(weights)))).length,
  async wrongWeights() {
    const foreign = new TextEncoder().encode("not weights ".repeat(100));
    const files = {
      empty: new Uint8Array(),
      foreign,
      truncated: weights.subarray(0, 100_000),
      layout: await bytesOf("/made/older"),
    };
    const found = {};
    for (const [name, file] of Object.entries(files)) found[name] = await failure(GpuRefiner.load(file));
    return found;
  },
  async wrongRows() {
    const refiner = await GpuRefiner.load(weights);
    const [hole, seam] = [rows(20), Uint32Array.of(10)];
    hole[500] = NaN;
    const tasks = {
      empty: refiner.refine(new Float32Array(), new Uint32Array(), always),
      width: refiner.refine(new Float32Array(200), new Uint32Array(), always),
      hole: refiner.refine(hole, seam, always),
      seam: refiner.refine(rows(20), Uint32Array.of(20), always),
      aborted: refiner.refine(rows(2), Uint32Array.of(1), () => false),
      thrown: refiner.refine(rows(2), Uint32Array.of(1), () => {
        throw new Error("thrown by the test");
      }),
    };
    const found = {};
    for (const [name, task] of Object.entries(tasks)) found[name] = await failure(task);
    const single = await refiner.refine(rows(1), Uint32Array.of(0), always);
    return { found, isUnchanged: single.every((value, i) => value === rows(1)[i]) };
  },
  /** Refines while the GPU fails: lost "before" or "during" the work, or after an error that no call reports. */
  async lost(when, frames) {
    const refiner = await GpuRefiner.load(weights);
    const device = devices.at(-1);
    if (when === "before") device.destroy();
    if (when === "silently") device.createBuffer({ size: 4, usage: 0x8000 }); // this usage does not exist
    const task = failure(onGpu(refiner, frames));
    if (when === "during") setTimeout(() => device.destroy(), 100);
    return task;
  },
};
window.report = "ready";
