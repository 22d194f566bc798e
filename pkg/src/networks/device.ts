/** Chooses the device of a network: finds the WebGPU adapter, and measures the speed of both devices. */
import { KinestitchError, messageOf } from "../core/error.js";
import type { NetworkInfo } from "../core/types.js";

/** Device in use and the reason: `NetworkInfo.device` without the requested device. */
export type DeviceChoice = Omit<NetworkInfo["device"], "asked">;

/** A WebGPU adapter. */
export interface Adapter {
  /** Vendor and architecture. */
  name: string;
  /** Whether the CPU emulates the adapter. */
  emulated: boolean;
}

/** Message if there is no adapter. */
export const NO_ADAPTER = "there is no WebGPU here, or no GPU for it";

/** Returns the WebGPU adapter; `undefined` if there is no WebGPU or no GPU. */
export async function findAdapter(): Promise<Adapter | undefined> {
  interface Gpu {
    requestAdapter(options: { powerPreference: string }): Promise<{ info?: Record<string, unknown> } | null>;
  }
  const { gpu } = (globalThis.navigator ?? {}) as { gpu?: Gpu };
  // Burn requests an adapter with the same options.
  const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) return undefined;
  const { vendor, architecture, isFallbackAdapter } = adapter.info ?? {};
  const nameParts = [vendor, architecture].filter((part) => typeof part === "string" && part !== "");
  return {
    name: nameParts.join(" ") || "unnamed",
    emulated: isFallbackAdapter === true || nameParts.includes("swiftshader"),
  };
}

/** Number of columns of the refiner's rows. */
const COLUMNS = 161;
/** Number of frames of the compared passes. */
const MEASURED_FRAMES = 60;
/**
 * Number of frames of the first measurement: a GPU that is slower with these than the CPU with {@link MEASURED_FRAMES}
 * is not measured further.
 */
const PROBE_FRAMES = 1;
/**
 * Maximum difference between the outputs of CPU and GPU, in units of the rows. A GPU with a larger difference is not
 * used; quantised weights cause half of this difference.
 */
const MAX_DIFFERENCE = 2e-2;

/** Returns smooth rows for measurements. */
function testRows(frames: number): Float32Array {
  return Float32Array.from(
    { length: frames * COLUMNS },
    (_, index) => 0.1 * Math.sin(0.1 * Math.floor(index / COLUMNS) + (index % COLUMNS)),
  );
}

/** Runs two passes; returns the duration of the second one, milliseconds, and its output. */
async function timeSecondPass(
  frames: number,
  forward: (rows: Float32Array) => Float32Array | Promise<Float32Array>,
): Promise<[number, Float32Array]> {
  const rows = testRows(frames);
  await forward(rows);
  const started = performance.now();
  const refined = await forward(rows);
  return [performance.now() - started, refined];
}

/**
 * Returns the faster device, and the reason. `gpu`: a pass on the GPU, which rejects if the module crashes; `adapter`:
 * name of the WebGPU adapter.
 */
export async function chooseFasterDevice(
  cpu: { forward(rows: Float32Array): Float32Array },
  gpu: (rows: Float32Array) => Promise<Float32Array>,
  adapter: string,
): Promise<DeviceChoice> {
  const [cpuMilliseconds, expected] = await timeSecondPass(MEASURED_FRAMES, (rows) => cpu.forward(rows));
  const choice = (used: DeviceChoice["used"], reason: string, webgpuMilliseconds?: number): DeviceChoice => ({
    used,
    reason: `${reason} (${adapter})`,
    cpuMilliseconds,
    ...(webgpuMilliseconds !== undefined && { webgpuMilliseconds }),
  });
  try {
    const [probeMilliseconds] = await timeSecondPass(PROBE_FRAMES, gpu);
    const frames = `${MEASURED_FRAMES} frames in`;
    const cpuText = `${cpuMilliseconds.toFixed(0)} ms`;
    if (probeMilliseconds > cpuMilliseconds) {
      return choice(
        "cpu",
        `the CPU is faster: ${frames} ${cpuText}, where WebGPU took ${probeMilliseconds.toFixed(0)} ms for ${PROBE_FRAMES}`,
      );
    }
    const [gpuMilliseconds, output] = await timeSecondPass(MEASURED_FRAMES, gpu);
    if (!output.every((value, index) => Math.abs(value - (expected[index] ?? 0)) <= MAX_DIFFERENCE)) {
      throw new KinestitchError("device", "its results differ from the CPU's");
    }
    const gpuText = `${gpuMilliseconds.toFixed(0)} ms`;
    if (gpuMilliseconds < cpuMilliseconds)
      return choice("webgpu", `WebGPU is faster: ${frames} ${gpuText}, ${cpuText} on the CPU`, gpuMilliseconds);
    return choice("cpu", `the CPU is faster: ${frames} ${cpuText}, ${gpuText} with WebGPU`, gpuMilliseconds);
  } catch (error) {
    return { used: "cpu", reason: `WebGPU (${adapter}) does not work: ${causeOf(error)}`, cpuMilliseconds };
  }
}

/** Returns the message of a device error without its prefix. */
export function causeOf(error: unknown): string {
  return messageOf(error).replace(/^device: /, "");
}
