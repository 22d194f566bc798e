/** The WebGPU module: a script and a file of their own, which are not loaded without a GPU. */
import { callWasmAsync, KinestitchError, messageOf } from "../core/error.js";

/** The refiner in the module; freed by wasm-bindgen's FinalizationRegistry. */
export interface GpuHandle {
  refine(rows: Float32Array, seams: Uint32Array, progress: (done: number) => boolean): Promise<Float32Array>;
  forward(rows: Float32Array): Promise<Float32Array>;
}

/** The delta in-betweener, one evaluation per gap; freed likewise. */
export interface GpuFiller {
  rows(rows: Float32Array): Promise<Float32Array>;
}

/** Exports of the module's script; besides, for each method it can run, a class named after it. */
export interface GpuModule {
  GpuRefiner: { load(weights: Uint8Array): Promise<GpuHandle> };
}

/** The class of a method of `inbetween`: "Gpu" and its name. */
export function fillerOf(module: GpuModule, method: string): { load(weights: Uint8Array): Promise<GpuFiller> } {
  const name = `Gpu${method.charAt(0).toUpperCase()}${method.slice(1)}`;
  const found = (module as unknown as Record<string, { load(weights: Uint8Array): Promise<GpuFiller> }>)[name];
  if (!found) throw new KinestitchError("wasm", `this WebGPU module has no "${method}"; use that of this release`);
  return found;
}

interface Script extends GpuModule {
  default(options: { module_or_path: Response | BufferSource | WebAssembly.Module }): Promise<unknown>;
}

/** Runs the script and starts the module. `where`: the module's address, for messages. */
export async function startModule(
  script: string,
  wasm: Response | BufferSource | WebAssembly.Module,
  where: string,
): Promise<GpuModule> {
  try {
    // Loaded unbundled: bundlers copy it as a file, and classic workers can load it too.
    const module = (await import(/* webpackIgnore: true */ /* @vite-ignore */ script)) as Script;
    await module.default({ module_or_path: wasm });
    return module;
  } catch (error) {
    const message = `cannot load the WebGPU module (${script}, ${where}): ${messageOf(error)}`;
    throw new KinestitchError("wasm", message, { cause: error });
  }
}

/**
 * Result of a call of the module. A module that stops in the middle never answers, and the browser reports an error
 * without a source; this function turns it into a rejection. (In a worker the page receives the error and ends the
 * worker; in Node the process ends.)
 */
export function answered<T>(ask: () => Promise<T>): Promise<T> {
  const answer = new Promise<T>((resolve, reject) => {
    const isStopped = ({ error }: ErrorEvent): void => {
      if (!(error instanceof WebAssembly.RuntimeError)) return;
      reject(new KinestitchError("wasm", `the WebGPU module stopped: ${error.message}`, { cause: error }));
    };
    globalThis.addEventListener?.("error", isStopped);
    ask()
      .then(resolve, reject)
      .finally(() => globalThis.removeEventListener?.("error", isStopped));
  });
  return callWasmAsync(() => answer);
}
