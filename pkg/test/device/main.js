// Page code of device.test.mjs: the bare wasm modules, with generated weights and rows.
import startCpu, { CpuRefiner } from "/wasm/kinestitch.js";
import startGpu, { GpuRefiner } from "/wasm/networks.js";

const WIDTH = 161;
const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
/** Progress callback that never stops the work. */
const keepGoing = () => true;

/** Rows of a standing, swaying body: unit quaternions, small values elsewhere. */
function createRows(frames) {
  const values = new Float32Array(frames * WIDTH);
  for (let frame = 0; frame < frames; frame++) {
    for (let column = 0; column < WIDTH; column++) {
      const isRotation = column >= 36 && column < 124;
      const value = 0.1 * Math.sin(0.3 * frame + column);
      values[frame * WIDTH + column] = isRotation && (column - 36) % 4 === 3 ? 1 : isRotation ? 0 : value;
    }
  }
  return values;
}

/** Returns the error of a rejected promise; `null` if it was fulfilled. */
const failure = (promise) =>
  promise.then(
    () => null,
    (error) => ({ code: error.code, message: error.message }),
  );

// Records the devices, so that tests can count and destroy them.
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
  startCpu({ module_or_path: "/wasm/kinestitch_bg.wasm" }),
  startGpu({ module_or_path: "/wasm/networks_bg.wasm" }),
]);
const weights = await bytesOf("/generated/rmr-open.safetensors");

function onCpu(frames) {
  const work = new CpuRefiner(weights).begin(createRows(frames), Uint32Array.of(frames >> 1));
  while (work.step() < 1);
  return work.rows();
}
const onGpu = (refiner, frames) => refiner.refine(createRows(frames), Uint32Array.of(frames >> 1), keepGoing);

const largestDifference = (a, b) => a.reduce((max, value, i) => Math.max(max, Math.abs(value - b[i])), 0);

window.tests = {
  /** Largest differences between the devices, in a refinement and in one pass; and largest change by the network. */
  async agreement(frames) {
    const [cpu, gpu] = [new CpuRefiner(weights), await GpuRefiner.load(weights)];
    const [refined, rows] = [onCpu(frames), createRows(frames)];
    return {
      difference: largestDifference(refined, await onGpu(gpu, frames)),
      passDifference: largestDifference(cpu.forward(rows), await gpu.forward(rows)),
      change: largestDifference(refined, rows),
    };
  },
  /** Loads two refiners at the same time, and runs both. Returns the largest difference between their results. */
  async loadTwice(frames) {
    const refiners = await Promise.all([0, 1].map(() => GpuRefiner.load(weights)));
    return largestDifference(await onGpu(refiners[0], frames), await onGpu(refiners[1], frames));
  },
  async wrongWeights() {
    const foreign = new TextEncoder().encode("not weights ".repeat(100));
    const files = {
      empty: new Uint8Array(),
      foreign,
      truncated: weights.subarray(0, 100_000),
      layout: await bytesOf("/generated/older"),
    };
    const errors = {};
    for (const [name, file] of Object.entries(files)) errors[name] = await failure(GpuRefiner.load(file));
    return errors;
  },
  async wrongRows() {
    const refiner = await GpuRefiner.load(weights);
    const [hole, seam] = [createRows(20), Uint32Array.of(10)];
    hole[500] = NaN;
    const tasks = {
      empty: refiner.refine(new Float32Array(), new Uint32Array(), keepGoing),
      width: refiner.refine(new Float32Array(200), new Uint32Array(), keepGoing),
      hole: refiner.refine(hole, seam, keepGoing),
      seam: refiner.refine(createRows(20), Uint32Array.of(20), keepGoing),
      aborted: refiner.refine(createRows(2), Uint32Array.of(1), () => false),
      thrown: refiner.refine(createRows(2), Uint32Array.of(1), () => {
        throw new Error("thrown by the test");
      }),
    };
    const errors = {};
    for (const [name, task] of Object.entries(tasks)) errors[name] = await failure(task);
    const single = await refiner.refine(createRows(1), Uint32Array.of(0), keepGoing);
    return { errors, isUnchanged: single.length === WIDTH && single.every((value, i) => value === createRows(1)[i]) };
  },
  /**
   * Refines while the GPU fails. Returns the error. "before", "during": the device is lost before the work, or after
   * its first commands were submitted. "silently": the device has had an error that no call reports.
   */
  async lost(when, frames) {
    const refiner = await GpuRefiner.load(weights);
    const device = devices.at(-1);
    if (when === "before") device.destroy();
    if (when === "silently") device.createBuffer({ size: 4, usage: 0x8000 }); // this usage does not exist
    if (when === "during") {
      const { submit } = GPUQueue.prototype;
      device.queue.submit = (...commands) => {
        submit.apply(device.queue, commands);
        device.destroy();
      };
    }
    return failure(onGpu(refiner, frames));
  },
};
window.report = "ready";
