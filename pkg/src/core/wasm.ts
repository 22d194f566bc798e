/** Loading the wasm module, once. */
import type { InitInput, InitOutput } from "../../wasm/kinestitch.js";
import { KinestitchError, messageOf, wasmMemory } from "./error.js";
import { platform } from "./platform.js";
import type { InitOptions } from "./types.js";

/** An entry's way to its wasm file; `override` is the user's own place for it. */
export type WasmLocation = (override?: URL | string) => URL | string | Promise<Uint8Array>;

let ready: Promise<void> | undefined;

/** Loads the module on the first call; later calls wait for the same load. A failed load may be tried again. */
export function ensureWasm(location: WasmLocation, options: InitOptions = {}): Promise<void> {
  const { wasm } = options;
  const isPlace = wasm === undefined || typeof wasm === "string" || wasm instanceof URL;
  ready ??= start(isPlace ? location(wasm) : wasm).catch((error: unknown) => {
    ready = undefined;
    throw error;
  });
  return ready;
}

async function start(wasm: NonNullable<InitOptions["wasm"]> | Promise<Uint8Array>): Promise<void> {
  try {
    const { memory }: InitOutput = await platform().script.initialise({ module_or_path: (await wasm) as InitInput });
    wasmMemory.megabytes = () => Math.round(memory.buffer.byteLength / 2 ** 20);
  } catch (error) {
    const where = wasm instanceof URL || typeof wasm === "string" ? ` from ${wasm}` : "";
    // Vite's development server bundles packages beforehand and leaves the files beside them behind.
    const help = where.includes("/.vite/") ? '; in vite.config.js, set optimizeDeps: { exclude: ["kinestitch"] }' : "";
    throw new KinestitchError("wasm", `cannot load the wasm module${where}: ${messageOf(error)}${help}`, { cause: error });
  }
}
