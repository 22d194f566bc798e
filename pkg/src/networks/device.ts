/** Chooses the device of a network by the available adapter and by measurement. */
import { answered, type GpuHandle } from "./gpu.js";
import { KinestitchError, messageOf } from "../core/error.js";
import type { NetworkInfo } from "../core/types.js";

/** `NetworkInfo.device` without the requested device. */
export type Verdict = Omit<NetworkInfo["device"], "asked">;

/** A WebGPU adapter. */
export interface Adapter {
  /** Vendor and architecture. */
  name: string;
  /** Whether it is emulated on the CPU. */
  emulated: boolean;
}

/** Message if there is no adapter. */
export const NO_ADAPTER = "there is no WebGPU here, or no GPU for it";

/** The WebGPU adapter; `undefined` without WebGPU or a GPU. */
export async function findAdapter(): Promise<Adapter | undefined> {
  interface Gpu {
    requestAdapter(options: { powerPreference: string }): Promise<{ info?: Record<string, unknown> } | null>;
  }
  const { gpu } = (globalThis.navigator ?? {}) as { gpu?: Gpu };
  // The options that Burn requests.
  const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) return undefined;
  const { vendor, architecture, isFallbackAdapter } = adapter.info ?? {};
  const words = [vendor, architecture].filter((word) => typeof word === "string" && word !== "");
  return { name: words.join(" ") || "unnamed", emulated: isFallbackAdapter === true || words.includes("swiftshader") };
}

/** Number of columns of the refiner's rows. */
const WIDTH = 161;
/** Number of frames of the compared passes. */
const MEASURED_FRAMES = 60;
/**
 * Number of frames of the first pass: a GPU that is slower at it than the CPU at all frames is not measured further.
 */
const PROBE_FRAMES = 1;
/**
 * Largest difference of outputs, in units of the rows, at which a GPU is still trusted; quantised weights cause half
 * of it.
 */
const LARGEST_DIFFERENCE = 2e-2;

/** Smooth test rows. */
function waves(frames: number): Float32Array {
  return Float32Array.from(
    { length: frames * WIDTH },
    (_, at) => 0.1 * Math.sin(0.1 * Math.floor(at / WIDTH) + (at % WIDTH)),
  );
}

/** Milliseconds of the second of two passes, and its output. */
async function timed(
  frames: number,
  forward: (rows: Float32Array) => Float32Array | Promise<Float32Array>,
): Promise<[number, Float32Array]> {
  const rows = waves(frames);
  await forward(rows);
  const started = performance.now();
  const refined = await forward(rows);
  return [performance.now() - started, refined];
}

/** The faster device, and the reason. */
export async function measure(
  cpu: { forward(rows: Float32Array): Float32Array },
  gpu: GpuHandle,
  adapter: string,
): Promise<Verdict> {
  const [cpuMilliseconds, expected] = await timed(MEASURED_FRAMES, (rows) => cpu.forward(rows));
  const onGpu = (rows: Float32Array): Promise<Float32Array> => answered(() => gpu.forward(rows));
  const verdict = (used: Verdict["used"], reason: string, webgpuMilliseconds?: number): Verdict => ({
    used,
    reason: `${reason} (${adapter})`,
    cpuMilliseconds,
    ...(webgpuMilliseconds !== undefined && { webgpuMilliseconds }),
  });
  try {
    const [probe] = await timed(PROBE_FRAMES, onGpu);
    const frames = `${MEASURED_FRAMES} frames in`;
    const cpuText = `${cpuMilliseconds.toFixed(0)} ms`;
    if (probe > cpuMilliseconds) {
      return verdict(
        "cpu",
        `the CPU is faster: ${frames} ${cpuText}, where WebGPU took ${probe.toFixed(0)} ms for ${PROBE_FRAMES}`,
      );
    }
    const [time, found] = await timed(MEASURED_FRAMES, onGpu);
    if (!found.every((value, at) => Math.abs(value - (expected[at] ?? 0)) <= LARGEST_DIFFERENCE)) {
      throw new KinestitchError("device", "its results differ from the CPU's");
    }
    const gpuText = `${time.toFixed(0)} ms`;
    if (time < cpuMilliseconds)
      return verdict("webgpu", `WebGPU is faster: ${frames} ${gpuText}, ${cpuText} on the CPU`, time);
    return verdict("cpu", `the CPU is faster: ${frames} ${cpuText}, ${gpuText} with WebGPU`, time);
  } catch (error) {
    return { used: "cpu", reason: `WebGPU (${adapter}) does not work: ${causeOf(error)}`, cpuMilliseconds };
  }
}

/** The cause of a device failure, without the prefix. */
export function causeOf(error: unknown): string {
  return messageOf(error).replace(/^device: /, "");
}
