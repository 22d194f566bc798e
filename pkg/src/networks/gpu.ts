/** The WebGPU module: a script and a file of their own, so that whoever has no GPU loads none of it. */
import { guardedAsync, KinestitchError, messageOf } from "../core/error.js";

/** The refiner inside the module; wasm-bindgen's own FinalizationRegistry frees it. */
export interface GpuHandle {
  refine(rows: Float32Array, seams: Uint32Array, progress: (done: number) => boolean): Promise<Float32Array>;
  forward(rows: Float32Array): Promise<Float32Array>;
}

/** The in-betweener that asks once for a whole gap, likewise. */
export interface GpuFiller {
  rows(rows: Float32Array): Promise<Float32Array>;
}

/** What the module's script exports. */
export interface GpuModule {
  GpuRefiner: { load(weights: Uint8Array): Promise<GpuHandle> };
  GpuDelta: { load(weights: Uint8Array): Promise<GpuFiller> };
}

interface Script extends GpuModule {
  default(options: { module_or_path: Response | BufferSource | WebAssembly.Module }): Promise<unknown>;
}

/** Runs the script and starts the module. `where` is the module's address, for messages. */
export async function startModule(
  script: string,
  wasm: Response | BufferSource | WebAssembly.Module,
  where: string,
): Promise<GpuModule> {
  try {
    // Loaded as it is, not bundled: a bundler copies it as a file, and workers that are no modules may load it too.
    const module = (await import(/* webpackIgnore: true */ /* @vite-ignore */ script)) as Script;
    await module.default({ module_or_path: wasm });
    return module;
  } catch (error) {
    const message = `cannot load the WebGPU module (${script}, ${where}): ${messageOf(error)}`;
    throw new KinestitchError("wasm", message, { cause: error });
  }
}

/**
 * What the module answers. Where it stops half-way it never answers, and the browser tells of it as an error of nobody's:
 * this makes it the caller's. (In a worker the page hears of it, and ends the worker; in Node the process ends.)
 */
export function answered<T>(ask: () => Promise<T>): Promise<T> {
  const answer = new Promise<T>((resolve, reject) => {
    const stopped = ({ error }: ErrorEvent): void => {
      if (!(error instanceof WebAssembly.RuntimeError)) return;
      reject(new KinestitchError("wasm", `the WebGPU module stopped: ${error.message}`, { cause: error }));
    };
    globalThis.addEventListener?.("error", stopped);
    ask()
      .then(resolve, reject)
      .finally(() => globalThis.removeEventListener?.("error", stopped));
  });
  return guardedAsync(() => answer);
}
