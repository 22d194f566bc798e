/** The WebGPU module: a separate script and wasm file, which are loaded only if there is a GPU. */
import { callWasmAsync, KinestitchError, messageOf } from "../core/error.js";

/** The refiner in the module; wasm-bindgen frees it when it is garbage collected. */
export interface GpuRefiner {
  refine(rows: Float32Array, seams: Uint32Array, progress: (done: number) => boolean): Promise<Float32Array>;
  forward(rows: Float32Array): Promise<Float32Array>;
}

/** A gap filler in the module, evaluated once per gap; freed like {@link GpuRefiner}. */
export interface GpuFiller {
  rows(rows: Float32Array): Promise<Float32Array>;
}

/** Exports of the module's script. For each gap filler it also exports a class, which {@link fillerOf} returns. */
export interface GpuModule {
  GpuRefiner: { load(weights: Uint8Array): Promise<GpuRefiner> };
}

/** Returns the class of a gap filler; its name is "Gpu" and the name of the method. */
export function fillerOf(module: GpuModule, method: string): { load(weights: Uint8Array): Promise<GpuFiller> } {
  const name = `Gpu${method.charAt(0).toUpperCase()}${method.slice(1)}`;
  const fillerClass = (module as unknown as Record<string, { load(weights: Uint8Array): Promise<GpuFiller> }>)[name];
  if (!fillerClass)
    throw new KinestitchError("wasm", `this WebGPU module has no "${method}"; use the module of this release`);
  return fillerClass;
}

interface Script extends GpuModule {
  default(options: { module_or_path: Response | BufferSource | WebAssembly.Module }): Promise<unknown>;
}

/** Runs the script and starts the module. `wasmName`: the module's address, for messages. */
export async function startModule(
  script: string,
  wasm: Response | BufferSource | WebAssembly.Module,
  wasmName: string,
): Promise<GpuModule> {
  try {
    // The comments make bundlers leave this import as it is: the script stays a file that classic workers can load.
    const module = (await import(/* webpackIgnore: true */ /* @vite-ignore */ script)) as Script;
    await module.default({ module_or_path: wasm });
    return module;
  } catch (error) {
    const message = `cannot load the WebGPU module (${script}, ${wasmName}): ${messageOf(error)}`;
    throw new KinestitchError("wasm", message, { cause: error });
  }
}

/**
 * Runs a call of the module, and rejects if the module crashes. The promise of a crashed module never settles, but the
 * browser dispatches an error event, which this function turns into a rejection. (In a worker the page receives the
 * error and ends the worker; in Node the process ends.)
 */
export function rejectOnCrash<T>(call: () => Promise<T>): Promise<T> {
  return callWasmAsync(async () => {
    let onError: (event: ErrorEvent) => void = () => undefined;
    const crash = new Promise<never>((_, reject) => {
      onError = ({ error }) => {
        if (!(error instanceof WebAssembly.RuntimeError)) return;
        reject(new KinestitchError("wasm", `the WebGPU module stopped: ${error.message}`, { cause: error }));
      };
    });
    globalThis.addEventListener?.("error", onError);
    try {
      return await Promise.race([call(), crash]);
    } finally {
      globalThis.removeEventListener?.("error", onError);
    }
  });
}
